"""What became of the claims about one attribute of one subject, and which statements only repeat others. Pure.

The statements of a cluster are taken in the order in which they were said (ties by id):
1. An explicit end ("Ann left Google") closes the claims with that value, or all where it names none.
2. Where a subject has one value at a time, a new value closes those with another. What says again what still holds is no
   news: it closes nothing, and holds as long.
3. The same words said again are a repetition: the first statement that still holds stands for them.

Nobody contradicts himself in one message: there a claim closes another only by naming it. What was over when the newer was
said stands as history: a plan whose day had passed, and what was said after the newer began to be so, where that was more than
a year before it was told. What is called off before it begins gives back what it closed.

Nothing else enters, neither the order of arrival nor what was decided before, and the work grows with the statements, not
with their pairs: so a replay, an edit, a withdrawal and any division into batches lead to what a clean run gives.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flows.consistency.statements import place
from mneme.ids import episode_of
from mneme.labels import joined
from mneme.records import Metadata, Stated
from mneme.relations import relation_of, same_value

_LONG_AGO = timedelta(days=365)  # what began longer before it was told may be history
_A_DAY = timedelta(days=1)
_MOST_REPETITIONS = 200  # named by the statement that stands for them: the newest


@dataclass(frozen=True, slots=True)
class End:
    """From when a claim holds no longer, and the statement that says so."""

    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a statement in one cluster.

    ``ends`` are those of the values that it states. One that only repeats another is ``merged_into`` it, which has its
    sources in ``also_said_in`` and their metadata in ``also_metadata``, and itself in ``repeated_by``.
    """

    ends: Mapping[str, End] = field(default_factory=dict)
    merged_into: str | None = None
    repeated_by: tuple[str, ...] = ()
    also_said_in: tuple[str, ...] = ()
    also_metadata: Metadata = field(default_factory=dict)


def is_plan(about: str) -> bool:
    """Whether a cluster is about a plan ("ann|plan:dentist"): that changes the moment it is said, however far ahead it lies."""
    return about.rpartition("|")[2].startswith("plan:")


def became(about: str, statements: Iterable[Stated], judged: bool = False) -> dict[str, Became]:
    """What became of each statement of a cluster, by its id.

    Args:
        about: of the cluster (``Cluster.about``).
        statements: all of them, in any order.
        judged: a model compares what a model wrote: of such statements none closes or repeats another here.
    """
    fold = _Fold(_is_single(about), is_plan(about), judged)
    for statement in sorted(statements, key=lambda each: place(each.said_at, each.id)):
        fold.take(statement)
    return dict(fold.result())


def _is_single(about: str) -> bool:
    try:
        return relation_of(about.rpartition("|")[2]).single
    except KeyError:
        return False


@dataclass(slots=True, eq=False)
class _Claim:
    """A value that a statement states. ``closed`` is what its coming closed."""

    statement: Stated
    value: str
    end: End | None = None
    closer: "_Claim | None" = None
    closed: list["_Claim"] = field(default_factory=list)

    def holds_at(self, time: datetime) -> bool:
        return self.end is None or self.end.at > time


@dataclass(slots=True, eq=False)
class _Told:
    """A statement with what became of it so far."""

    statement: Stated
    claims: list[_Claim] = field(default_factory=list)
    original: "_Told | None" = None
    repetitions: list[Stated] = field(default_factory=list)


class _Fold:
    """One pass over the statements of a cluster."""

    def __init__(self, single: bool, plan: bool, judged: bool) -> None:
        self._single, self._plan, self._judged = single, plan, judged
        self._standing: dict[str, list[_Claim]] = {}  # by value, case folded: what may still hold
        self._originals: dict[str, _Told] = {}  # by words: the statement that stands for them
        self._told: list[_Told] = []

    def take(self, newer: Stated) -> None:
        """The next statement."""
        told = _Told(newer)
        closes = sum(self._end(newer, value) for value in newer.ends)
        for value in dict.fromkeys(newer.values):
            claim = _Claim(newer, value)
            if self._single:
                closes += self._supersede(claim)
            told.claims.append(claim)
        for claim in told.claims:
            self._standing.setdefault(claim.value.casefold(), []).append(claim)
        self._told.append(told)
        if newer.words and not (self._judged and newer.by_model):
            self._repeat(told, is_news=closes > 0)

    def result(self) -> Iterator[tuple[str, Became]]:
        """What became of each statement."""
        for told in self._told:
            ends = {claim.value: claim.end for claim in told.claims if claim.end is not None}
            again = told.repetitions[-_MOST_REPETITIONS:]
            said_in = dict.fromkeys(message for each in again for message in each.message_ids)
            yield (
                told.statement.id,
                Became(
                    ends,
                    told.original.statement.id if told.original is not None else None,
                    tuple(each.id for each in again),
                    tuple(message for message in said_in if message not in told.statement.message_ids),
                    joined(each.metadata for each in again),
                ),
            )

    def _end(self, newer: Stated, value: str) -> int:
        """1. How many claims an explicit end closes."""
        key = value.casefold()
        if not value:
            keys = list(self._standing)
        elif key in self._standing:
            keys = [key]
        else:
            keys = [each for each in self._standing if same_value(each, key)]
        return sum(self._close(each, newer, named=bool(value)) for each in keys)

    def _supersede(self, claim: _Claim) -> int:
        """2. How many claims a new value closes."""
        newer, stated = claim.statement, [value.casefold() for value in claim.statement.values]
        others = []
        for key, group in self._standing.items():
            if not any(same_value(key, value) for value in stated):
                others.append(key)
            elif group[-1].holds_at(newer.said_at) and same_value(key, claim.value.casefold()):
                claim.end, claim.closer = group[-1].end, group[-1].closer
                if claim.closer is not None:
                    claim.closer.closed.append(claim)
                return 0
        return sum(self._close(key, newer, by=claim) for key in others)

    def _close(self, key: str, newer: Stated, named: bool = False, by: _Claim | None = None) -> int:
        """Close the claims with a value, as far as a newer statement can; returns how many."""
        end = End(newer.said_at if self._plan else max(newer.said_at, newer.event_at or newer.said_at), newer.id)
        left, closed = [], 0
        for claim in self._standing[key]:
            if not claim.holds_at(newer.said_at) or self._is_over(claim.statement, newer):
                continue  # for good: what comes later was said later
            if self._can_close(claim.statement, newer, named):
                if claim.holds_at(end.at):
                    closed += 1
                    claim.end, claim.closer = end, by
                    if by is not None:
                        by.closed.append(claim)
                if by is None and _begins(claim.statement) > end.at:
                    self._give_back(claim)
            if claim.holds_at(newer.said_at):
                left.append(claim)
        if left:
            self._standing[key] = left
        else:
            del self._standing[key]
        return closed

    def _give_back(self, called_off: _Claim) -> None:
        for claim in called_off.closed:
            if claim.closer is called_off:
                claim.end = claim.closer = None
        called_off.closed.clear()

    def _is_over(self, older: Stated, newer: Stated) -> bool:
        """Whether the day of an older plan had passed: another has the same name."""
        return self._plan and older.event_at is not None and newer.said_at - older.event_at > _A_DAY

    def _can_close(self, older: Stated, newer: Stated, named: bool) -> bool:
        if self._judged and older.by_model and newer.by_model:
            return False
        if not named and _is_one_message(older, newer):
            return False
        is_history = newer.event_at is not None and newer.said_at - newer.event_at > _LONG_AGO
        return not is_history or (newer.event_at is not None and older.said_at < newer.event_at)

    def _repeat(self, told: _Told, is_news: bool) -> None:
        """3. Merge a statement into the one that has the same words, if that still holds and this one changed nothing."""
        words = told.statement.words
        original = self._originals.get(words)
        at = told.statement.said_at
        if original is None or is_news or not all(claim.holds_at(at) for claim in original.claims):
            self._originals[words] = told
        else:
            told.original = original
            original.repetitions.append(told.statement)


def _begins(statement: Stated) -> datetime:
    return max(statement.said_at, statement.event_at or statement.said_at)


def _is_one_message(older: Stated, newer: Stated) -> bool:
    """Whether the newer comes from the message, or the messages, of the older. Ids of messages are those of a conversation."""
    if not set(newer.message_ids) <= set(older.message_ids):
        return False
    return episode_of(older.id).rpartition("/")[0] == episode_of(newer.id).rpartition("/")[0]
