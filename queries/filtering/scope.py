"""The rows that a question may find, as they were known at a moment.

Most of it the index filters. What it cannot know is decided here, for each row that it found: whether what was expected
is over, and for a question ``as_of`` a time in the past, what was not said yet then.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from mneme.ids import owner_key, profile_id
from mneme.labels import ANY_LABEL
from mneme.ports import Filter, MemoryIndex
from mneme.records import AtomicFact, Entity, Foresight, Mention, Profile, ProfileItem, Relationship, Validity
from mneme.rows import Collection, Key, Row, revised

Kind = Literal["episode", "fact", "message", "profile", "foresight", "case", "skill", "knowledge"]

_SAID: frozenset[Kind] = frozenset(("episode", "fact", "message"))
_OTHERS: tuple[Kind, ...] = ("profile", "foresight", "case", "skill")
_WITH_METADATA = ("foresight", "case")  # of the other kinds, those made from some messages and not from all
_LONGEST_SUMMARY = 500  # characters of an entity's summary
_WHOLE_DAY = timedelta(days=1)
_AGGREGATES = (Collection.GRAPH, Collection.MEMORIES)  # here ``Row.at`` of some rows is when they last changed


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows that may take part.

    ``moment`` is when the question is asked: the present, or, if ``is_past``, a time in the past that it is asked as of.
    Then an episode that was still going on is not known, only its messages are. ``expired`` lets foresights take part that
    are over, cancelled or replaced; one without a date is over ``open_days`` after it was said. Only ``kinds`` may hold
    places, if there are any; an episode is found all the same where its facts are asked for.
    """

    rows: Filter
    moment: datetime
    is_past: bool = False
    expired: bool = False
    open_days: int = 180
    kinds: frozenset[Kind] = frozenset()

    def filter(self, collection: Collection) -> Filter:
        """The rows of a collection that the index is asked for; ``known`` and ``may_hold`` decide about the rest."""
        if collection not in _AGGREGATES:
            wanted = {"message"} if collection is Collection.MESSAGES else _SAID
            return self._only_knowledge() if self.kinds.isdisjoint(wanted) and self.kinds else self.rows
        filter = replace(self.rows, before=None) if self.is_past else self.rows
        if collection is Collection.MEMORIES:
            return self._of_kinds(replace(filter, valid_at=None if self.expired else self.moment))
        return replace(filter, labels=(*filter.labels, ANY_LABEL)) if filter.labels else filter

    @property
    def is_narrowed(self) -> bool:
        """True if only some types of memory, or what has some metadata, are asked for."""
        return bool(self.kinds or self.rows.labels)

    def may_hold(self, row: Row) -> bool:
        """True if a row may hold a place."""
        return not self.kinds or ("knowledge" if row.owner_type == "tenant" else row.kind) in self.kinds

    def _only_knowledge(self) -> Filter:
        knowledge = owner_key(self.rows.tenant_id, "tenant", self.rows.tenant_id)
        return replace(self.rows, owner_keys=tuple(each for each in self.rows.owner_keys if each == knowledge))

    def _of_kinds(self, filter: Filter) -> Filter:
        """The few other memories that may take part: of those kinds, and, where metadata is asked for, that have some."""
        kinds = [each for each in _OTHERS if not self.kinds or self.kinds & {each, "knowledge"}]
        if filter.labels:
            kinds = [each for each in kinds if each in _WITH_METADATA]
        if not kinds:
            return replace(filter, owner_keys=())
        return replace(filter, kinds=tuple(kinds)) if len(kinds) < len(_OTHERS) else filter

    def known(self, row: Row) -> Row | None:
        """The row as it was known at the moment, or None if it was not, or does not take part any more."""
        if row.kind == "foresight" and not self.expired and self.is_over(row):
            return None
        if not self.is_past:
            return row
        match row.kind:
            case "episode":
                return row if row.until is None or row.until < self.moment else None
            case "entity" | "relationship" | "profile":
                return self._aggregate(row)
            case _ if self.rows.before is not None and row.at >= self.rows.before:
                return None
            case "fact" | "foresight":
                return self._statement(row)
            case _:
                return row

    def is_over(self, row: Row) -> bool:
        """True if what a foresight expects lies behind, or was cancelled or replaced.

        It lasts until its end; without one for the day of its start; without a date for ``open_days`` from when it was said.
        """
        if row.valid_to is not None and row.valid_to <= self.moment:
            return True
        begins = row.event_at + _WHOLE_DAY if row.event_at else row.at + timedelta(days=self.open_days)
        return (row.until or begins) <= self.moment

    def _statement(self, row: Row) -> Row | None:
        """Without what happened to it later, and without repetitions: when these were said the row does not tell."""
        ends_later = row.valid_to is not None and row.valid_to > self.moment
        is_repeated = bool(repetitions(row))
        if not (ends_later or is_repeated or row.body.get("claims")):
            return row
        record = row.record()
        assert isinstance(record, AtomicFact | Foresight)
        still = {"valid_to": None, "superseded_by": None}
        claims = tuple(
            claim.model_copy(update=still) if claim.valid_to and claim.valid_to > self.moment else claim
            for claim in record.claims
        )
        if not (ends_later or is_repeated) and claims == record.claims:
            return row
        once: dict[str, object] = {"repeated_by": (), "also_said_in": (), "also_metadata": {}}
        validity = record.validity.model_copy(update=once | still if ends_later else once)
        known = revised(row, record.model_copy(update={"validity": validity, "claims": claims}))
        return known if all(label.holds(known.labels) for label in self.rows.labels) else None

    def _aggregate(self, row: Row) -> Row | None:
        """From what was said by then only."""
        record = row.record()
        match record:
            case Entity():
                mentions = self._by_then(record.mentions)
                if mentions == record.mentions:
                    return row
                changes: dict[str, object] = {"mentions": mentions, "summary": _joined(mentions)}
            case Relationship():
                mentions = self._by_then(record.mentions)
                dates = [mention.date for mention in mentions if mention.date and not mention.ended]
                validity = record.validity
                if validity.valid_to is not None and validity.valid_to > self.moment:
                    validity = Validity()
                changes = {"mentions": mentions, "date": min(dates, default=None), "validity": validity}
            case Profile():
                explicit, implicit = self._lines(record.explicit), self._lines(record.implicit)
                mentions = tuple(each for line in (*explicit, *implicit) for each in line.evidence)
                changes = {"explicit": explicit, "implicit": implicit, "evidence": ()}
            case _:
                raise AssertionError(f"{row.id} is no aggregate")
        return revised(row, record.model_copy(update=changes)) if mentions else None

    def _lines(self, lines: Iterable[ProfileItem]) -> tuple[ProfileItem, ...]:
        shown = ((line, self._by_then(line.evidence)) for line in lines)
        return tuple(line.model_copy(update={"evidence": evidence}) for line, evidence in shown if evidence)

    def _by_then(self, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
        return tuple(mention for mention in mentions if mention.at < self.moment)


def profile_rows(index: MemoryIndex, rows: Filter) -> list[Row]:
    """The profiles of the owners of a filter, as they are now."""
    keys = [Key(Collection.MEMORIES, owner, profile_id(owner)) for owner in rows.owner_keys]
    return [row for row in index.get(keys).values() if rows.is_of_owners(row)]


def repetitions(row: Row) -> tuple[str, ...]:
    """The ids of the statements that only repeat this one."""
    return tuple(row.body.get("validity", {}).get("repeated_by", ()))


def _joined(mentions: Sequence[Mention]) -> str:
    """The newest different texts that fit, oldest first."""
    texts: list[str] = []
    for text in dict.fromkeys(mention.text for mention in reversed(mentions)):
        if len(" ".join((text, *texts))) <= _LONGEST_SUMMARY:
            texts.insert(0, text)
    return " ".join(texts)
