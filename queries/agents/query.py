"""The question to an agent, and its budget: searches, calls, tokens and seconds."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mneme.errors import InputError
from mneme.settings import Agents
from queries.questions.understand import checked


@dataclass(frozen=True, slots=True)
class QueryParam:
    """One question to an agent.

    ``limit`` is how many results the ranked list may hold, and ``filters`` are whose memory is searched and which part of it
    (queries/filtering/filters.py). ``long_term`` leaves out of all but the first search what no episode holds yet, and
    makes all scores 1.

    Raises:
        InputError: a question that cannot be asked, or a limit that is none.
    """

    text: str
    limit: int
    filters: Mapping[str, Any] = field(default_factory=dict)
    long_term: bool = False

    def __post_init__(self) -> None:
        checked(self.text, self.limit)


@dataclass(frozen=True, slots=True)
class QueryPolicy:
    """The most that one question may cost; None leaves it to the settings, and nothing raises their limits.

    ``searches`` of the index, ``calls`` of the chat model, ``tokens`` asked and answered, ``seconds`` from the question on.

    Raises:
        InputError: a budget below zero, or no time or no search at all.
    """

    searches: int | None = None
    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("searches", "calls", "tokens", "seconds"):
            value = getattr(self, name)
            if value is not None and (value < 0 or (value == 0 and name in ("searches", "seconds"))):
                raise InputError(f"policy.{name}: {value} is too little; leave it out, or allow more")

    def within(self, settings: Agents) -> dict[str, Any]:
        """The smaller of what is asked for and what the settings allow, for each budget by its name.

        >>> QueryPolicy(calls=2, seconds=900).within(Agents())
        {'searches': 8, 'calls': 2, 'tokens': 40000, 'seconds': 30.0}
        """
        most = {name: getattr(settings, name) for name in asdict(self)}
        return {name: most[name] if asked is None else min(asked, most[name]) for name, asked in asdict(self).items()}


def check_context(messages: int) -> None:
    """
    Raises:
        InputError: so many messages around what was found are not shown.
    """
    if not 0 <= messages <= 50:
        raise InputError(f"expand_context: {messages} is not between 0 and 50 messages")


def distinct(queries: Iterable[str], asked: Iterable[str] = ()) -> tuple[str, ...]:
    """The queries that were not asked, each once, as they first stand.

    >>> distinct(["Lee's job", "Where does Lee work?", "lee's  job?"], asked=["where does Lee work"])
    ("Lee's job",)
    """
    known = {compared(query) for query in asked}
    new: dict[str, str] = {}
    for query in queries:
        if (key := compared(query)) not in known:
            new.setdefault(key, query)
    return tuple(new.values())


def compared(query: str) -> str:
    """The key by which queries are compared: case, spaces and the mark at the end make no difference.

    >>> compared("Where does  Lee work?") == compared("where does lee work")
    True
    """
    return " ".join(query.casefold().split()).rstrip("?!.？！。 ")


class BudgetSpent(Exception):
    """There is not enough left; the message says of what. What was found so far is the result: it never leaves the agents."""


class Budget:
    """Counts down. Safe for several threads: the searches and calls of one question run side by side."""

    def __init__(
        self, searches: int, calls: int, tokens: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """The time runs from now on.

        Args:
            searches: of the index.
            calls: of the chat model.
            tokens: asked and answered.
            seconds: from now on.
            clock: seconds, monotonic.
        """
        self._searches, self._calls, self._tokens, self._seconds = searches, calls, tokens, seconds
        self._clock = clock
        self._ends = clock() + seconds
        self._lock = threading.Lock()
        self.searches = self.calls = 0
        self.input_tokens = self.output_tokens = 0

    @property
    def seconds_left(self) -> float:
        """Until the deadline, 0 from then on."""
        return max(0.0, self._ends - self._clock())

    @property
    def searches_left(self) -> int:
        """Number of searches left."""
        return self._searches - self.searches

    @property
    def tokens_left(self) -> int:
        """Number of tokens left for prompts and answers; below zero where an answer was longer than expected."""
        return self._tokens - self.input_tokens - self.output_tokens

    def take_searches(self, wanted: int) -> int:
        """Take so many searches, or what is left of them; how many that are.

        Raises:
            BudgetSpent: the deadline has passed.
        """
        self.check_time()
        with self._lock:
            taken = min(wanted, self._searches - self.searches)
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
            if self.calls >= self._calls:
                raise BudgetSpent(f"no call of the model is left of {self._calls}")
            left = self.tokens_left
            if tokens > left:
                raise BudgetSpent(f"a call of some {tokens} tokens is more than the {max(0, left)} left of {self._tokens}")
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
            raise BudgetSpent(f"the {self._seconds:g} s have passed")
