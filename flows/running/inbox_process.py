"""The flow from the inbox as a process of its own, beside a service: ``python -m flows.running.inbox_process``.

1. Its settings come on standard input, pickled, with the descriptor on which it tells of itself and the levels of loggers.
2. It tells in lines of JSON that it reads, and which error ends it.
3. SIGTERM tells it to stop in order. When standard input ends, whoever started it is gone: then it ends at once, which costs
   no more than a crash does.
"""

import logging
import os
import pickle
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from connectors.telemetry.logs import set_levels, telemetry
from flows.running.child_process import begin, end, report
from mneme.errors import MnemeError
from mneme.settings import Settings

_NICE = 10  # somebody waits for a search, and nobody for the flow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the process; ``report`` is the descriptor for its reports."""

    settings: Settings
    report: int
    levels: Mapping[str, int]


def main() -> NoReturn:
    """Run the flow until told to stop; the exit status is 0 then, and 1 when it failed."""
    order: Order = pickle.load(sys.stdin.buffer)  # noqa: S301  from whoever started this process
    os.set_inheritable(order.report, False)  # its end must be the end of this process
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    begin()
    set_levels(order.levels)
    os.nice(_NICE)

    import flows  # late: the parent is watched while the steps are loaded

    try:
        with telemetry(order.settings, "mneme-flow", mark="flow"):
            flows.run(order.settings, on_ready=lambda: report(order.report, {"reads": True}), intake="inbox")
    except BaseException as error:
        if not isinstance(error, MnemeError):
            log.error("failed", exc_info=error)
        report(order.report, {"error": str(error) if isinstance(error, MnemeError) else type(error).__name__})
        end(1)
    end(0)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    end(1)


if __name__ == "__main__":
    main()
