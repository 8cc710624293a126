"""The usage of one client's calls, by role."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from connectors.telemetry.meters import Prices, count_tokens, measured_call
from mneme.ports import Prompt, Role, Usage

_FIRST_ANSWER_TOKENS = 500  # of an answer, before any of its role is known


class UsageMeter:
    """Adds up, and tells the metrics. Safe for several threads.

    Args:
        model: the name of the model that serves a role.
        prices: of models, for the metric of costs.
    """

    def __init__(self, model: Callable[[Role], str], prices: Prices) -> None:
        self._model = model
        self._prices = prices
        self._lock = threading.Lock()
        self._usage: defaultdict[Role, Usage] = defaultdict(Usage)
        self._under_way = 0

    @contextmanager
    def call(self, prompt: Prompt) -> Iterator[None]:
        """A call is under way: its time counts, whatever comes of it."""
        role = prompt.role
        started = time.monotonic()
        with self._lock:
            self._under_way += 1
            so_far = self._usage[role]
            self._usage[role] = replace(so_far, at_once=max(so_far.at_once, self._under_way))
        try:
            with measured_call(role, self._model(role), prompt.scope):
                yield
        finally:
            with self._lock:
                self._under_way -= 1
                so_far = self._usage[role]
                self._usage[role] = replace(so_far, seconds=so_far.seconds + time.monotonic() - started)

    def answered(self, prompt: Prompt, asked_tokens: int, answered_tokens: int) -> None:
        """The endpoint has answered, and bills that."""
        role = prompt.role
        count_tokens(role, self._model(role), prompt.scope, asked_tokens, answered_tokens, self._prices)
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
        """The usage of each role that was called."""
        with self._lock:
            return {role: used for role, used in self._usage.items() if used != Usage()}
