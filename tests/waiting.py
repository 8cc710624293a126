"""Wait until something is so that another thread or process brings about, where no event tells of it."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_FIRST_GLANCE_SECONDS, _LONGEST_GLANCE_SECONDS = 0.001, 0.05


def wait_until(condition: Callable[[], T], seconds: float = 300.0, reason: Callable[[], object] = lambda: "") -> T:
    """Return the first value of ``condition`` that is true.

    Args:
        condition: asked again and again.
        seconds: after which the test fails; so long that no busy machine reaches it.
        reason: what the failure says, such as the log of a process.
    """
    deadline, glance = time.monotonic() + seconds, _FIRST_GLANCE_SECONDS
    while not (value := condition()):
        assert time.monotonic() < deadline, f"it did not happen in {seconds:.0f} s; {reason()}"
        time.sleep(glance)
        glance = min(1.5 * glance, _LONGEST_GLANCE_SECONDS)
    return value
