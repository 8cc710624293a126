"""The ``filters`` of a request, checked and named: whose memory is searched, and which part of it.

The filter ``metadata`` asks for values of keys:

    {"project": "apollo", "channel": ["general", "random"], "priority": {"gte": 2, "lt": 5}, "draft": {"ne": true}}

A value stands for ``eq``, a list for ``in``. Everything given must hold; ``mneme/labels.py`` defines each operator where a
record has several values. Keys, operators and values are data throughout: nothing in them is syntax of an index.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from mneme.errors import InputError
from mneme.events import Name, describe
from mneme.events.base import MOST_ENTRIES
from mneme.ids import owner_key
from mneme.labels import (
    LONGEST_KEY,
    LONGEST_VALUE,
    LabelCondition,
    Side,
    can_filter_key,
    can_filter_value,
    containing,
    equal_to,
    present,
    within,
)
from mneme.ports import Filter
from mneme.records import Scalar
from queries.filtering.scope import Kind, Scope

_MOST_KEYS, _MOST_VALUES = 32, 1000
# Characters of a text that is looked for inside others, as it is compared. OpenSearch makes an automaton of it, at a cost that
# grows with the square of its length, and refuses one of 313 equal characters.
_LONGEST_PART = 250
_SIDES: tuple[Side, ...] = ("gt", "gte", "lt", "lte")


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[Name, ...], Field(max_length=MOST_ENTRIES), BeforeValidator(_as_tuple)]


class Filters(BaseModel):
    """The filters of a request. Everything given must hold; within a list any of its values is enough.

    Exactly one of ``user_id`` and ``group_id`` selects the owner, and ``agent_id`` adds that agent's own track;
    ``agent_id`` alone selects the agent. ``knowledge=False`` leaves the tenant's documents out. ``since`` is inclusive,
    ``before`` exclusive; a time without an offset is UTC.

    ``metadata`` asks for values of the messages' metadata (queries/filtering/filters.py), and leaves out what has none of
    its own: portraits, skills and the graph. ``kinds`` are the types of memory that may hold places; ``knowledge`` among them
    is all that is the tenant's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: Name | None = None
    group_id: Name | None = None
    agent_id: Name | None = None
    tenant_id: Name = "default"
    conversation_id: Names = ()
    document_id: Names = ()
    participants: Names = ()
    metadata: dict[str, Any] = Field(default_factory=dict)
    kinds: Annotated[tuple[Kind, ...], Field(max_length=len(get_args(Kind))), BeforeValidator(_as_tuple)] = ()
    since: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    expired: bool = Field(default=False, strict=True)
    knowledge: bool = Field(default=True, strict=True)

    @field_validator("since", "before", "as_of")
    @classmethod
    def _aware(cls, moment: datetime | None) -> datetime | None:
        if moment is None or moment.tzinfo is None:
            return moment if moment is None else moment.replace(tzinfo=UTC)
        try:
            moment.astimezone(UTC)
        except OverflowError:
            raise ValueError("is in no year of the calendar in UTC; write a moment between the years 1 and 9999") from None
        return moment

    @field_validator("metadata")
    @classmethod
    def _can_be_asked_for(cls, metadata: dict[str, Any]) -> dict[str, Any]:
        conditions_of(metadata)
        return metadata

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> "Filters":
        """Check the filters of a request.

        Raises:
            InputError: an unknown or wrong field, or not exactly one owner; names the field and what is accepted.
        """
        unknown = sorted(set(given) - set(cls.model_fields))
        if unknown:
            raise InputError(
                f"filters: {', '.join(map(str, unknown[:10]))[:500]} not known; accepted are {', '.join(cls.model_fields)}"
            )
        try:
            filters = cls.model_validate(dict(given))
        except ValidationError as error:
            raise InputError(f"filters: {describe(error)}") from error
        if filters.user_id and filters.group_id:
            raise InputError("filters: user_id and group_id are both given; a search has one owner, leave one out")
        if not (filters.user_id or filters.group_id or filters.agent_id):
            raise InputError("filters: one of user_id, group_id or agent_id is needed: it says whose memory is searched")
        if "knowledge" in filters.kinds and not filters.knowledge:
            raise InputError("filters: kinds asks for knowledge, and knowledge is false; leave one of them out")
        return filters

    def scope(self, now: datetime, open_days: int) -> Scope:
        """The rows that may take part.

        Args:
            now: the moment of a question that names none.
            open_days: how long a foresight without a date is expected.
        """
        tenant = self.tenant_id
        named = (("user", self.user_id), ("group", self.group_id), ("agent", self.agent_id))
        owners = [(kind, identity) for kind, identity in named if identity]
        if self.knowledge and (not self.kinds or "knowledge" in self.kinds):
            owners.append(("tenant", tenant))
        earliest = min((each for each in (self.before, self.as_of) if each is not None), default=None)
        rows = Filter(
            tenant_id=tenant,
            owner_keys=tuple(owner_key(tenant, kind, identity) for kind, identity in owners),
            owner_ids=tuple(identity for _, identity in owners),
            conversation_ids=self.conversation_id,
            document_ids=self.document_id,
            people=self.participants,
            labels=conditions_of(self.metadata),
            since=self.since,
            before=earliest,
            valid_at=self.as_of,
        )
        return Scope(rows, self.as_of or now, self.as_of is not None, self.expired, open_days, frozenset(self.kinds))

    def applied(self) -> dict[str, Any]:
        """The filters as the response repeats them: what was given, and the tenant."""
        return self.model_dump(mode="json", include=self.model_fields_set | {"tenant_id"}, exclude_none=True)


def conditions_of(metadata: Mapping[str, Any]) -> tuple[LabelCondition, ...]:
    """The conditions that a request asks for.

    Raises:
        ValueError: an unknown operator, or a key or value that cannot be asked for; names it and what is accepted.
    """
    if len(metadata) > _MOST_KEYS:
        raise ValueError(f"{len(metadata)} keys; at most {_MOST_KEYS} can be asked for")
    return tuple(condition for key, asked in metadata.items() for condition in _of_key(key, asked))


def _of_key(key: str, asked: Any) -> list[LabelCondition]:
    if not can_filter_key(key) or not _is_text(key):
        raise ValueError(f"{key[:LONGEST_KEY]!r}: a key has at most {LONGEST_KEY} characters of well-formed Unicode")
    if isinstance(asked, list | tuple):
        asked = {"in": asked}
    elif not isinstance(asked, Mapping):
        asked = {"eq": asked}
    if not asked:
        raise ValueError(f"{key}: nothing is asked of it; give a value, a list, or operators: {_ACCEPTED}")
    bounds: dict[Side, Any] = {side: asked[side] for side in _SIDES if side in asked}
    conditions = [_range(key, bounds)] if bounds else []
    for operator, operand in asked.items():
        if operator in bounds:
            continue
        if operator not in _OPERATORS:
            raise ValueError(f"{key}: {operator!r} is not known; accepted are {_ACCEPTED}")
        conditions.append(_OPERATORS[operator](key, operand))
    return conditions


def _range(key: str, bounds: Mapping[Side, Any]) -> LabelCondition:
    for side, bound in bounds.items():
        if isinstance(bound, bool) or not (isinstance(bound, datetime) or (can_filter_value(bound) and _is_text(bound))):
            raise ValueError(f"{key}.{side}: takes a number, a date or time (ISO 8601), or another text")
    try:
        return LabelCondition(within(key, bounds))
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _exists(key: str, operand: Any) -> LabelCondition:
    if operand is not True and operand is not False:
        raise ValueError(f"{key}.exists: takes true or false")
    return LabelCondition(present(key), negated=not operand)


def _contains(key: str, operand: Any) -> LabelCondition:
    if not isinstance(operand, str) or not operand or not can_filter_value(operand) or not _is_text(operand):
        raise ValueError(f"{key}.contains: takes a text of 1 to {_LONGEST_PART} characters")
    test = containing(key, operand)
    if len(test.text) > _LONGEST_PART:
        raise ValueError(f"{key}.contains: takes a text of 1 to {_LONGEST_PART} characters")
    return LabelCondition(test)


_OPERATORS: Mapping[str, Callable[[str, Any], LabelCondition]] = {
    "eq": lambda key, value: LabelCondition(equal_to(key, [_scalar(f"{key}.eq", value)])),
    "ne": lambda key, value: LabelCondition(equal_to(key, [_scalar(f"{key}.ne", value)]), negated=True),
    "in": lambda key, values: LabelCondition(equal_to(key, _list(f"{key}.in", values))),
    "nin": lambda key, values: LabelCondition(equal_to(key, _list(f"{key}.nin", values)), negated=True),
    "exists": _exists,
    "contains": _contains,
}
_ACCEPTED = ", ".join(("eq", "ne", "in", "nin", *_SIDES, "exists", "contains"))


def _list(place: str, operand: Any) -> list[Scalar]:
    if isinstance(operand, str) or not isinstance(operand, Sequence) or not 1 <= len(operand) <= _MOST_VALUES:
        raise ValueError(f"{place}: takes a list of 1 to {_MOST_VALUES} values")
    return [_scalar(place, value) for value in operand]


def _scalar(place: str, value: Any) -> Scalar:
    if not can_filter_value(value) or not _is_text(value):
        raise ValueError(f"{place}: takes true, false, a number, or a text of at most {LONGEST_VALUE} characters")
    scalar: Scalar = value
    return scalar


def _is_text(value: Any) -> bool:
    """True if it can be written: a text may hold half of a surrogate pair, which no index takes."""
    return not (isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value))
