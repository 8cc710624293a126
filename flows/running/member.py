"""A process of the flow that another one started (flows/running/child_process.py): ``python -m flows.running.member``.

It runs the flow from the inbox, beside a service, or is one of several that run the flow from Kafka together.
1. Its assignment comes on standard input.
2. It tells that it reads, and which error ends it.
3. A byte that follows on standard input tells it to stop in order, and so does SIGTERM where it runs the flow alone. When
   standard input ends, whoever started it is gone: then it ends at once, which costs no more than a crash does.
"""

import logging
import os
import pickle
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from connectors.telemetry.logs import set_levels, telemetry
from flows.lanes.pending import Backlogs
from flows.running.child_process import begin, end, report
from mneme.errors import MnemeError
from mneme.settings import Settings

if TYPE_CHECKING:
    from flows.running.live import Partitions
    from flows.running.process import RunContext

_NICE = 10  # of the flow beside a service: somebody waits for a search, and nobody for the flow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one process in a flow of several.

    Attributes:
        place: its place in the flow.
        partitions: what all members read together.
        backlogs: the descriptors of what all count together (flows/lanes/pending.py).
    """

    place: "RunContext"
    partitions: "Partitions"
    backlogs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """The order of a process.

    Attributes:
        settings: where and how.
        report: the descriptor on which it tells of itself.
        levels: of the loggers of whoever started it, by name.
        share: its part in a flow from Kafka; None for the flow from the inbox.
    """

    settings: Settings
    report: int
    levels: Mapping[str, int]
    share: Share | None = None


def main() -> NoReturn:
    """Run until told to stop; the exit status is 0 then, and 1 when it failed."""
    assignment: Assignment = pickle.load(sys.stdin.buffer)  # noqa: S301  from whoever started this process
    os.set_inheritable(assignment.report, False)  # its end must be the end of this process
    share, stopping = assignment.share, threading.Event()
    if share is not None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # they also reach the supervisor, who stops all
    threading.Thread(target=_obey, args=(stopping,), name="obey", daemon=True).start()
    begin()
    set_levels(assignment.levels)

    from flows.engines.port import EngineFailed  # late: whoever started this is watched while the steps are loaded

    def failed(error: BaseException) -> NoReturn:
        """Say what ends this process, and end it: others cannot go on without it."""
        is_told = isinstance(error, MnemeError | EngineFailed)
        if not is_told:
            log.error("failed", exc_info=error)
        kind = type(error).__name__ if isinstance(error, MnemeError) else ""
        report(assignment.report, {"error": kind, "text": str(error) if is_told else type(error).__name__})
        end(1)

    def on_ready() -> None:
        report(assignment.report, {"reads": True})

    mark = "flow" if share is None else f"{share.place.number + 1}/{share.place.processes}"
    try:
        with telemetry(assignment.settings, "mneme-flow", mark=mark):
            if share is not None:
                from flows.running.kafka import stream

                place = share.place
                backlogs = Backlogs.of(share.backlogs, place.processes, place.number)
                stream(assignment.settings, lambda index: place, share.partitions, stopping, on_ready, failed, backlogs)
            else:
                from flows import run

                os.nice(_NICE)
                run(assignment.settings, stopping, on_ready, intake="inbox")
    except BaseException as error:  # noqa: BLE001  the boundary of this process: whoever started it tells the user
        failed(error)
    end(0)


def _obey(stopping: threading.Event) -> None:
    while sys.stdin.buffer.read(1):
        stopping.set()
    end(1)


if __name__ == "__main__":
    main()
