"""One of several processes that run the flow together: ``python -m flows.running.member``, started by its supervisor.

1. Its assignment comes on standard input, pickled. It holds the recovery store's lock too, inherited, until it ends.
2. It tells in lines of JSON that it reads, and which error ends it.
3. Any byte that follows on standard input tells it to stop in order. When standard input ends, its supervisor is gone:
   then it ends at once, which costs no more than a crash does.
"""

import logging
import pickle
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from connectors.telemetry.logs import set_levels, telemetry
from flows.engines.port import EngineFailed
from flows.lanes.pending import SharedSum
from flows.running.child_process import begin, end, report
from flows.running.kafka import stream
from flows.running.live import Partitions
from flows.running.process import RunContext
from mneme.errors import MnemeError
from mneme.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The order of a member.

    Attributes:
        settings: where and how.
        place: its place in the flow.
        partitions: what all members read together.
        report: the descriptor on which it tells of itself.
        unfinished: the descriptor of what all have not finished (flows/lanes/pending.py).
        live_lag: the descriptor of what all have not read of the live topics.
        levels: of the supervisor's loggers, by name.
    """

    settings: Settings
    place: RunContext
    partitions: Partitions
    report: int
    unfinished: int
    live_lag: int
    levels: Mapping[str, int]


def main() -> NoReturn:
    """Run one member until it is told to stop; the exit status is 0 then, and 1 when it failed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they also reach the supervisor, who stops all
    assignment: Assignment = pickle.load(sys.stdin.buffer)  # noqa: S301  from our own supervisor
    place, processes = assignment.place, assignment.place.processes
    begin()
    set_levels(assignment.levels)
    stopping = threading.Event()
    threading.Thread(target=_obey, args=(stopping,), name="obey", daemon=True).start()

    def failed(error: BaseException) -> NoReturn:
        """Say what ends this process, and end it: the others cannot go on without it."""
        if not isinstance(error, MnemeError | EngineFailed):
            log.error("failed", exc_info=error)
        kind = type(error).__name__ if isinstance(error, MnemeError) else ""
        report(assignment.report, {"error": kind, "text": str(error)})
        end(1)

    try:
        with telemetry(assignment.settings, "mneme-flow", mark=f"{place.number + 1}/{processes}"):
            stream(
                assignment.settings,
                lambda index: place,
                assignment.partitions,
                stopping,
                on_ready=lambda: report(assignment.report, {"reads": True}),
                on_failure=failed,
                unfinished=SharedSum(assignment.unfinished, processes, place.number),
                live_lag=SharedSum(assignment.live_lag, processes, place.number),
            )
    except BaseException as error:  # noqa: BLE001  the boundary of this process: its supervisor tells the user
        failed(error)
    end(0)


def _obey(stopping: threading.Event) -> None:
    while sys.stdin.buffer.read(1):
        stopping.set()
    end(1)


if __name__ == "__main__":
    main()
