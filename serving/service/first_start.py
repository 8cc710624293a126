"""The first seconds on a new machine: the flow has just been started, and has still to make the index."""

import time
from typing import TYPE_CHECKING

from mneme.errors import StoreUnavailable

if TYPE_CHECKING:
    from queries import Memories

_POLL_SECONDS = 0.1


def await_index(memories: "Memories", seconds: float) -> None:
    """Return as soon as there is an index to be asked.

    Raises:
        StoreUnavailable: there is none after so many seconds; it says why.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            memories.receipt("none")  # the least that can be asked
            return
        except StoreUnavailable:
            if time.monotonic() >= deadline:
                raise
        time.sleep(_POLL_SECONDS)
