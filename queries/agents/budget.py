"""What one question has left of its searches, calls, tokens and seconds. Who asks for more is refused, and spends nothing."""

import threading
import time
from collections.abc import Callable

from queries.agents.query import Allowance


class BudgetSpent(Exception):
    """There is not enough left; the message says of what. What was found so far is the result: it never leaves the agents."""


class Budget:
    """Counts down. Safe for several threads: the searches and calls of one question run side by side."""

    def __init__(self, allowance: Allowance, clock: Callable[[], float] = time.monotonic) -> None:
        """The time runs from now on.

        Args:
            allowance: what there is.
            clock: seconds, monotonic.
        """
        self._allowance = allowance
        self._clock = clock
        self._ends = clock() + allowance.seconds
        self._lock = threading.Lock()
        self.searches = self.calls = 0
        self.input_tokens = self.output_tokens = 0

    @property
    def seconds_left(self) -> float:
        """Until the deadline, 0 from then on."""
        return max(0.0, self._ends - self._clock())

    @property
    def searches_left(self) -> int:
        """How many searches may still be made."""
        return self._allowance.searches - self.searches

    @property
    def tokens_left(self) -> int:
        """How many tokens may still be asked and answered; below zero where an answer was longer than expected."""
        return self._allowance.tokens - self.input_tokens - self.output_tokens

    def take_searches(self, wanted: int) -> int:
        """Take so many searches, or what is left of them; how many that are.

        Raises:
            BudgetSpent: the deadline has passed.
        """
        self.check_time()
        with self._lock:
            taken = min(wanted, self._allowance.searches - self.searches)
            self.searches += taken
        return taken

    def take_call(self, tokens: int) -> None:
        """Take one call of the model.

        Args:
            tokens: of its prompt and its answer, by estimate.

        Raises:
            BudgetSpent: no call is left, it is more than the tokens that are left, or the deadline has passed.
        """
        self.check_time()
        with self._lock:
            if self.calls >= self._allowance.calls:
                raise BudgetSpent(f"no call of the model is left of {self._allowance.calls}")
            left = self.tokens_left
            if tokens > left:
                raise BudgetSpent(
                    f"a call of some {tokens} tokens is more than the {max(0, left)} left of {self._allowance.tokens}"
                )
            self.calls += 1

    def spent(self, asked: int, answered: int) -> None:
        """A completion used so many tokens."""
        with self._lock:
            self.input_tokens += asked
            self.output_tokens += answered

    def check_time(self) -> None:
        """
        Raises:
            BudgetSpent: the deadline has passed.
        """
        if self.seconds_left <= 0:
            raise BudgetSpent(f"the {self._allowance.seconds:g} s have passed")
