"""End a flow whose machine puts its clock back: the engine sleeps until times of that clock, for an hour if it lost an hour.

A flow that is ended goes on from its last epoch when it is started again, by whatever restarts it.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mneme.errors import StoreUnavailable

_LOOK_SECONDS = 1.0
_BACK_SECONDS = 10.0  # what is less is slept through

log = logging.getLogger(__name__)


def seconds_back(
    stopping: threading.Event, wall: Callable[[], float] = time.time, look_seconds: float = _LOOK_SECONDS
) -> float:
    """Wait until the clock has been put back, and return by how much; 0 when ``stopping`` is set first."""
    ahead = wall() - time.monotonic()
    while not stopping.wait(look_seconds):
        before, ahead = ahead, wall() - time.monotonic()
        if before - ahead > _BACK_SECONDS:
            return before - ahead
    return 0.0


@contextmanager
def ended_when_put_back(on_failure: Callable[[Exception], None] = lambda error: None) -> Iterator[None]:
    """End the process, as by a crash, when the clock is put back while the block runs; ``on_failure`` hears of it before.

    Only in the main thread: elsewhere the process is not the flow's own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    done = threading.Event()

    def watch() -> None:
        if (seconds := seconds_back(done)) > 0:
            message = f"the clock of this machine went back by {seconds:.0f} s: start it again, and it goes on; nothing is lost"
            log.error("%s", message)
            on_failure(StoreUnavailable(message))
            logging.shutdown()
            os._exit(1)

    threading.Thread(target=watch, name="clock", daemon=True).start()
    try:
        yield
    finally:
        done.set()
