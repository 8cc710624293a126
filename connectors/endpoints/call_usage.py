"""What the calls of one client cost, by role."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from mneme.ports import Role, Usage

_FIRST_ANSWER_TOKENS = 500  # of an answer, before any of its role is known


class UsageMeter:
    """Adds up. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: defaultdict[Role, Usage] = defaultdict(Usage)
        self._under_way = 0

    @contextmanager
    def call(self, role: Role) -> Iterator[None]:
        """A call is under way: its time counts, whatever comes of it."""
        started = time.monotonic()
        with self._lock:
            self._under_way += 1
            so_far = self._usage[role]
            self._usage[role] = replace(so_far, at_once=max(so_far.at_once, self._under_way))
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                so_far = self._usage[role]
                self._usage[role] = replace(so_far, seconds=so_far.seconds + time.monotonic() - started)

    def answered(self, role: Role, asked_tokens: int, answered_tokens: int) -> None:
        """The endpoint has answered, and bills that."""
        with self._lock:
            so_far = self._usage[role]
            self._usage[role] = replace(
                so_far,
                calls=so_far.calls + 1,
                input_tokens=so_far.input_tokens + asked_tokens,
                output_tokens=so_far.output_tokens + answered_tokens,
            )

    def usually_answered(self, role: Role) -> int:
        """Tokens of an answer of this role, by those so far."""
        with self._lock:
            so_far = self._usage[role]
        return so_far.output_tokens // so_far.calls if so_far.calls else _FIRST_ANSWER_TOKENS

    def usage(self) -> dict[Role, Usage]:
        """What each role that was called has used."""
        with self._lock:
            return {role: used for role, used in self._usage.items() if used != Usage()}
