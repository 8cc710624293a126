"""The validity of statements, and of the claims about one attribute of one subject. Pure.

The statements of a cluster are taken in the order in which they were said (ties by id):
1. An explicit end ("Ann left Google") closes the claims with that value, or all where it names none.
   Where several values may hold, the end itself holds until the value is claimed again ("I hate olives", "I love olives").
2. Where a subject has one value at a time, a new value closes those with another. What says again what still holds is no
   news: it closes nothing, and holds as long.

A plan may be told without its day (``PLANNED``), and a state without a value that is read (``UNREAD``): no value takes its
place, and only an end ends it.

Where one state begins as another ends ("new job"), a change is told more than once ("still unpacking"): what ends all that was
so is news only if no change was told in the 90 days before, and ends only what was said before it happened.

Nobody contradicts himself in one message: there a claim closes another only by naming it. What was over when the newer was
said stands as history: a plan whose day had passed, and what was said after the newer began to be so, where that was more than
a year before it was told. What is called off before it begins gives back what it closed.

Statements of the same words repeat the first that still holds then: what is said again after it ended is news again. Where one
of them was corrected, all that were said before the correction are over with it.

Nothing else enters, neither the order of arrival nor what was decided before, and the work grows with the statements, not
with their pairs: so a replay, an edit, a withdrawal and any division into batches lead to what a clean run gives.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from mneme.ids import episode_of
from mneme.labels import joined
from mneme.records import Corrected, Stated, Statement, Validity
from mneme.relations import PLANNED, SAID, UNREAD, Relation, relation_of, same_value, says_more

_LONG_AGO = timedelta(days=365)  # what began longer before it was told may be history
_A_DAY = timedelta(days=1)
_SAME_CHANGE = timedelta(days=90)  # as long as somebody may speak of a move or a new job as new
_WITHOUT_VALUE = frozenset({PLANNED, UNREAD})
_MOST_NAMED = 200  # repetitions that the statement which stands for them names: the newest
_PLAN = "plan:"


@dataclass(frozen=True, slots=True)
class End:
    """From when a claim holds no longer, and the statement that says so."""

    at: datetime
    by: str


def place(statement: Stated | Statement) -> tuple[datetime, str, int, str]:
    """The place of a statement among its owner's: by when it was said, then by id; the tenth fact comes after the ninth."""
    episode, _, number = statement.id.rpartition("/")
    return statement.said_at, episode, len(number), number


def in_one_conversation(one: Stated | Statement, other: Stated | Statement) -> bool:
    """Tell whether two statements come from one conversation."""
    return episode_of(one.id).rpartition("/")[0] == episode_of(other.id).rpartition("/")[0]


def is_plan(about: str) -> bool:
    """Tell whether a cluster is about a plan ("ann|plan:dentist"), which changes the moment it is said, however far ahead."""
    return about.rpartition("|")[2].startswith(_PLAN)


def ends(about: str, statements: Iterable[Stated], judged: bool = False) -> dict[str, dict[str, End]]:
    """The values of each statement of a cluster that have ended, by its id; it is missing where none has.

    Args:
        about: of the cluster (``Cluster.about``).
        statements: all of them, in any order.
        judged: a model compares what a model wrote: of such statements none closes another here.
    """
    fold = _Fold(about.rpartition("|")[2], judged)
    for statement in sorted(statements, key=place):
        fold.take(statement)
    return fold.ends()


def repetitions(statements: Collection[Stated], judged: bool = False) -> dict[str, Validity]:
    """Find the repetitions in a cluster of the same words, by id; statements without a repetition are missing.

    Facts repeat facts, and foresights foresights.

    Args:
        statements: in any order.
        judged: a model compares what a model wrote: of such statements none repeats another here.
    """
    corrections = sorted(
        (each.corrected for each in statements if each.corrected is not None), key=lambda each: (each.at, each.by)
    )
    originals: dict[str, Stated] = {}  # by kind
    repeated: dict[str, list[Stated]] = {}
    validities: dict[str, Validity] = {}
    for newer in sorted(statements, key=place):
        end = _end(newer, corrections)
        if end is not None:
            validities[newer.id] = Validity(valid_to=end.at, superseded_by=end.by)
        if not newer.repeats or (judged and newer.by_model):
            continue
        kind = newer.id.rpartition("/")[0].rpartition("/")[2]
        original = originals.get(kind)
        over = original is None or (original.holds_until is not None and original.holds_until <= newer.said_at)
        if original is None or over or _end(original, corrections) != end:
            originals[kind] = newer
            continue
        repeated.setdefault(original.id, []).append(newer)
        validities[newer.id] = Validity(merged_into=original.id)
    by_id = {each.id: each for each in statements}
    for identity, again in repeated.items():
        named = again[-_MOST_NAMED:]
        said_in = dict.fromkeys(message for each in named for message in each.message_ids)
        ended = validities.get(identity, Validity())
        validities[identity] = Validity(
            valid_to=ended.valid_to,
            superseded_by=ended.superseded_by,
            repeated_by=tuple(each.id for each in named),
            also_said_in=tuple(message for message in said_in if message not in by_id[identity].message_ids),
            also_metadata=joined(each.metadata for each in named),
        )
    return validities


def _end(statement: Stated, corrections: Iterable[Corrected]) -> End | None:
    """The end that the first correction behind it makes of a statement."""
    own = statement.corrected
    later = (each for each in corrections if each is own or each.at > statement.said_at)
    return next((End(each.at, each.by) for each in later), None)


# --- claims ----------------------------------------------------------------------------------------------------------


_same_value = lru_cache(maxsize=8_192)(same_value)  # a value is compared again whenever another comes
_says_more = lru_cache(maxsize=8_192)(says_more)


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


class _Fold:
    """One pass over the statements of a cluster."""

    def __init__(self, attribute: str, judged: bool) -> None:
        self._attribute, self._judged = attribute, judged
        self._at_once = attribute == SAID or attribute.startswith(_PLAN)
        self._row, self._plan = relation_of(attribute) or Relation(attribute), attribute.startswith(_PLAN)
        self._changed_at: datetime | None = None
        self._standing: dict[str, list[_Claim]] = {}  # by value, case folded: what may still hold
        self._ended: dict[str, list[_Claim]] = {}  # by value: the ends that still hold, where several values may
        self._claims: list[_Claim] = []

    def take(self, newer: Stated) -> None:
        """The next statement."""
        is_news = self._changed_at is None or newer.said_at - self._changed_at > _SAME_CHANGE
        for value in newer.ends:
            if value or is_news:
                self._end(newer, value)
        claims = [_Claim(newer, value) for value in dict.fromkeys(newer.values)]
        for claim in claims if self._row.single else ():
            if claim.value not in _WITHOUT_VALUE:
                self._supersede(claim)
        if self._row.goes_on and is_news and ("" in newer.ends or any(claim.closed for claim in claims)):
            self._changed_at = newer.said_at
        for claim in claims:
            self._standing.setdefault(claim.value.casefold(), []).append(claim)
        self._claims += claims
        if not self._row.single and not self._at_once:
            self._hold_ends(newer)

    def _hold_ends(self, newer: Stated) -> None:
        for value in newer.values:
            for claim in self._ended.pop(value.casefold(), ()):
                claim.end = End(newer.said_at, newer.id)
        for value in newer.ends:
            if value and value not in newer.values:
                claim = _Claim(newer, value)
                self._ended.setdefault(value.casefold(), []).append(claim)
                self._claims.append(claim)

    def ends(self) -> dict[str, dict[str, End]]:
        """The values of each statement that have ended."""
        found: dict[str, dict[str, End]] = {}
        for claim in self._claims:
            if claim.end is not None:
                found.setdefault(claim.statement.id, {})[claim.value] = claim.end
        return found

    def _end(self, newer: Stated, value: str) -> None:
        """1."""
        key = value.casefold()
        if not value:
            keys = [each for each in self._standing if not self._goes_on(each, newer)]
            if self._row.many and len(keys) > 1:
                return  # of which of them?
        elif key in self._standing:
            keys = [key]
        else:
            keys = [each for each in self._standing if self._ends(key, each)]
        for each in keys:
            self._close(each, newer, named=bool(value))

    def _ends(self, value: str, other: str) -> bool:
        """Tell whether the end of a value is that of another: who no longer likes cold coffee may like coffee."""
        return _same_value(self._attribute, other, value) and (self._row.single or not _says_more(value, other))

    def _goes_on(self, value: str, newer: Stated) -> bool:
        """Tell whether a statement that ends all keeps a value: that one itself, or a plan, on another day."""
        if self._plan:
            return value == PLANNED and bool(newer.values)
        return value != UNREAD and any(_same_value(self._attribute, value, other) for other in newer.values)

    def _supersede(self, claim: _Claim) -> None:
        """2."""
        newer, others = claim.statement, []
        own = {value.casefold() for value in newer.values}
        for key, group in self._standing.items():
            if key in _WITHOUT_VALUE:
                continue
            if not any(_same_value(self._attribute, key, value) for value in own):
                others.append(key)
            elif _same_value(self._attribute, key, claim.value.casefold()) and self._still_holds(group[-1], newer):
                claim.end, claim.closer = group[-1].end, group[-1].closer
                if claim.closer is not None:
                    claim.closer.closed.append(claim)
                return
        for key in others:
            self._close(key, newer, by=claim)

    def _close(self, key: str, newer: Stated, named: bool = False, by: _Claim | None = None) -> None:
        """Close the claims with a value, as far as a newer statement can."""
        end = End(newer.said_at if self._at_once else max(newer.said_at, newer.event_at or newer.said_at), newer.id)
        left = []
        for claim in self._standing[key]:
            if not claim.holds_at(newer.said_at) or self._is_over(claim.statement, newer):
                continue  # for good: what comes later was said later
            if self._can_close(claim.statement, newer, named, by is not None):
                if claim.holds_at(end.at):
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

    def _give_back(self, called_off: _Claim) -> None:
        for claim in called_off.closed:
            if claim.closer is called_off:
                claim.end = claim.closer = None
        called_off.closed.clear()

    def _still_holds(self, older: _Claim, newer: Stated) -> bool:
        return older.end is None or (older.end.at > newer.said_at and older.end.by != newer.id)

    def _is_over(self, older: Stated, newer: Stated) -> bool:
        """Tell whether the day of an older plan had passed: another has the same name."""
        return self._plan and not self._row.recurs and older.event_at is not None and newer.said_at - older.event_at > _A_DAY

    def _can_close(self, older: Stated, newer: Stated, named: bool, by_value: bool) -> bool:
        if self._judged and older.by_model and newer.by_model:
            return False
        if not named and _is_one_message(older, newer):
            return False
        if self._row.goes_on and not (named or by_value):
            before = newer.event_at is None or older.said_at < newer.event_at
            return before and newer.said_at - older.said_at >= _A_DAY
        if self._attribute == SAID:
            return True
        is_history = newer.event_at is not None and newer.said_at - newer.event_at > _LONG_AGO
        return not is_history or (newer.event_at is not None and older.said_at < newer.event_at)


def _begins(statement: Stated) -> datetime:
    return max(statement.said_at, statement.event_at or statement.said_at)


def _is_one_message(older: Stated, newer: Stated) -> bool:
    """Tell whether the newer comes from the messages of the older. Ids of messages are those of a conversation."""
    if not newer.message_ids or not set(newer.message_ids) <= set(older.message_ids):
        return False
    return in_one_conversation(older, newer)
