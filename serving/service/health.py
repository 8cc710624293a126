"""Health of the service, answered at once: the index and the broker may take long, a probe does not wait for them."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Literal

from mneme.ports import Lag

_ANSWER_SECONDS = 0.7  # a probe gives up after one second
_PATIENCE_SECONDS = 10.0  # of a look that goes on, after which the answer before it holds no more


@dataclass(frozen=True, slots=True)
class Health:
    """Health of the service. ``problems`` name what is red, each with its remedy; none when all is well."""

    status: Literal["green", "red"]
    problems: tuple[str, ...] = ()
    lag: Lag | None = None


class HealthMonitor:
    """Looks at how a service is, in a thread of its own, one at a time for all who ask. Safe for several threads.

    The first look loads the index's library, which takes seconds on a machine that does other things; a broker that is away
    takes as long as its time-out.

    Args:
        look: finds out how the service is, however long that takes.
        answer_seconds: that whoever asks waits for it at most.
        patience_seconds: how long the answer before it holds, while a look goes on.
    """

    def __init__(
        self,
        look: Callable[[], Health],
        answer_seconds: float = _ANSWER_SECONDS,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._look = look
        self._answer_seconds = answer_seconds
        self._patience_seconds = patience_seconds
        self._changing = threading.Lock()
        self._going_on: Future[Health] | None = None
        self._since = 0.0
        self._last: Health | None = None

    def health(self) -> Health:
        """Current health; red if it is unknown in time: before the first look is over, and when one takes long."""
        with self._changing:
            if self._going_on is None or self._going_on.done():
                self._going_on, self._since = self._begin(), time.monotonic()
            look, since = self._going_on, self._since
        wait([look], self._answer_seconds)
        if look.done():
            self._last = look.result()
            return self._last
        seconds = time.monotonic() - since
        if self._last is None:
            return _red(f"starting: index and stream have not answered yet, after {seconds:.1f} s; ask again in a moment")
        if seconds < self._patience_seconds:
            return self._last
        return _red(f"index or stream have not answered for {seconds:.0f} s; look at their load, and at the network")

    def end(self) -> None:
        """Let a look that goes on come to its end, for a moment: what it asks is about to be closed."""
        if self._going_on is not None:
            wait([self._going_on], self._answer_seconds)

    def _begin(self) -> Future[Health]:
        future: Future[Health] = Future()

        def run() -> None:
            try:
                future.set_result(self._look())
            except BaseException as error:  # noqa: BLE001  it is raised where the health is asked for
                future.set_exception(error)

        # A daemon: one that hangs must not keep the program from ending.
        threading.Thread(target=run, name="mneme-health", daemon=True).start()
        return future


def _red(why: str) -> Health:
    return Health("red", (why,))
