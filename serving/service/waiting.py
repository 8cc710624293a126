"""Waiting for rows that the flow will write: markers of flushes, receipts of erasures."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from mneme.errors import StoreUnavailable
from mneme.rows import Key, Row

_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 1.0  # between two looks
_PAUSE_PART = 0.1  # of the time that was waited: the longer one waits, the longer nobody looks


class RowWaiter:
    """Lets any number of threads wait for rows; one looks at a time.

    Args:
        read: the rows of keys that are there.
    """

    def __init__(self, read: Callable[[Sequence[Key]], Mapping[Key, Row]]) -> None:
        self._read = read
        self._looking = threading.Lock()
        self._ended = threading.Event()

    def wait(self, keys: Sequence[Key], timeout: float) -> dict[Key, Row]:
        """The rows of keys as soon as all are there, or those that are when ``timeout`` seconds are over. Looks at least once.

        Raises:
            StoreUnavailable: they could not be looked for, not once.
            StoreError: they cannot be looked for.
        """
        began = time.monotonic()
        missing, found = list(dict.fromkeys(keys)), dict[Key, Row]()
        while True:
            failure = None
            try:
                with self._looking:
                    found |= self._read(missing)
            except StoreUnavailable as error:
                failure = error
            missing = [key for key in missing if key not in found]
            waited = time.monotonic() - began
            if not missing or waited >= timeout or self._ended.is_set():
                break
            pause = min(max(waited * _PAUSE_PART, _SHORTEST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
            self._ended.wait(min(pause, timeout - waited))
        if failure is not None and not found:
            raise failure
        return found

    def end(self) -> None:
        """Let nobody wait any longer: each gets what is there."""
        self._ended.set()
