"""The filter ``metadata`` of a request: what is asked of each key, checked and made into conditions on labels.

    {"project": "apollo", "channel": ["general", "random"], "priority": {"gte": 2, "lt": 5}, "draft": {"ne": true}}

A value stands for ``eq``, a list for ``in``. Everything given must hold; ``mneme/labels.py`` says what each means where a
record has several values. Keys, operators and values are data throughout: nothing in them is syntax of an index.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from mneme.labels import (
    LONGEST_KEY,
    LONGEST_VALUE,
    LabelCondition,
    Side,
    containing,
    equal_to,
    is_key,
    is_value,
    present,
    within,
)
from mneme.records import Scalar

_MOST_KEYS, _MOST_VALUES = 32, 1000
# Characters of a text that is looked for inside others, as it is compared. OpenSearch makes an automaton of it, at a cost that
# grows with the square of its length, and refuses one of 313 equal characters.
_LONGEST_PART = 250
_SIDES: tuple[Side, ...] = ("gt", "gte", "lt", "lte")


def conditions_of(metadata: Mapping[str, Any]) -> tuple[LabelCondition, ...]:
    """The conditions that a request asks for.

    Raises:
        ValueError: an unknown operator, or a key or value that cannot be asked for; names it and what is accepted.
    """
    if len(metadata) > _MOST_KEYS:
        raise ValueError(f"{len(metadata)} keys; at most {_MOST_KEYS} can be asked for")
    return tuple(condition for key, asked in metadata.items() for condition in _of_key(key, asked))


def _of_key(key: str, asked: Any) -> list[LabelCondition]:
    if not is_key(key) or not _is_text(key):
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
        if isinstance(bound, bool) or not (isinstance(bound, datetime) or (is_value(bound) and _is_text(bound))):
            raise ValueError(f"{key}.{side}: takes a number, a date or time (ISO 8601), or another text")
    try:
        return LabelCondition(within(key, bounds))
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _equal(key: str, operand: Any) -> LabelCondition:
    return LabelCondition(equal_to(key, [_scalar(f"{key}.eq", operand)]))


def _unequal(key: str, operand: Any) -> LabelCondition:
    return LabelCondition(equal_to(key, [_scalar(f"{key}.ne", operand)]), negated=True)


def _among(key: str, operand: Any) -> LabelCondition:
    return LabelCondition(equal_to(key, _list(f"{key}.in", operand)))


def _not_among(key: str, operand: Any) -> LabelCondition:
    return LabelCondition(equal_to(key, _list(f"{key}.nin", operand)), negated=True)


def _exists(key: str, operand: Any) -> LabelCondition:
    if operand is not True and operand is not False:
        raise ValueError(f"{key}.exists: takes true or false")
    return LabelCondition(present(key), negated=not operand)


def _contains(key: str, operand: Any) -> LabelCondition:
    if not isinstance(operand, str) or not operand or not is_value(operand) or not _is_text(operand):
        raise ValueError(f"{key}.contains: takes a text of 1 to {_LONGEST_PART} characters")
    test = containing(key, operand)
    if len(test.text) > _LONGEST_PART:
        raise ValueError(f"{key}.contains: takes a text of 1 to {_LONGEST_PART} characters")
    return LabelCondition(test)


_OPERATORS: Mapping[str, Callable[[str, Any], LabelCondition]] = {
    "eq": _equal,
    "ne": _unequal,
    "in": _among,
    "nin": _not_among,
    "exists": _exists,
    "contains": _contains,
}
_ACCEPTED = ", ".join(("eq", "ne", "in", "nin", *_SIDES, "exists", "contains"))


def _list(place: str, operand: Any) -> list[Scalar]:
    if isinstance(operand, str) or not isinstance(operand, Sequence) or not 1 <= len(operand) <= _MOST_VALUES:
        raise ValueError(f"{place}: takes a list of 1 to {_MOST_VALUES} values")
    return [_scalar(place, value) for value in operand]


def _scalar(place: str, value: Any) -> Scalar:
    if not is_value(value) or not _is_text(value):
        raise ValueError(f"{place}: takes true, false, a number, or a text of at most {LONGEST_VALUE} characters")
    scalar: Scalar = value
    return scalar


def _is_text(value: Any) -> bool:
    """Whether it can be written: a text may hold half of a surrogate pair, which no index takes."""
    return not (isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value))
