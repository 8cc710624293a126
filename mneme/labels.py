"""Labels: the values of a record's metadata as texts that an index can filter on, each value with its key.

Both backends know one thing about a label: it is equal to a text, lies between two texts, or has a text inside; texts compare
by code point. So that this is enough for every operator, a label is made such that its order is that of the values: a
number becomes its sign, its exponent and its digits, a moment its time in UTC. A text gives up to three labels: as it is,
without regard to case, and as a moment where it is a date or a time in ISO 8601.

A record made from several messages has the labels of all of them. A condition holds where one of its labels passes; a
negated one where none does, so also where the key is missing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from mneme.records import Metadata, Scalar
from mneme.times import in_utc

LONGEST_KEY, LONGEST_VALUE = 128, 512  # characters; what is longer is kept, and not filtered on
MOST_VALUES = 1000  # of one record made from many messages: the first
_LARGEST = 10.0**308  # of a number: what a double reaches

_SEPARATOR = "\x01"  # between key and value
_AFTER = "\x02"  # in no label: a label with it behind comes directly after that label
_ESCAPE, _BITS = "\x03", {ord("0"): "\x04", ord("1"): "\x05"}
_RESERVED = re.compile("[\x00-\x07]")
_TRUTH, _FOLDED, _MOMENT, _NUMBER, _TEXT = "b", "c", "d", "n", "t"
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
_EXPONENT = 1000  # added, so that it has four digits and is positive
_COMPLEMENT = str.maketrans("0123456789", "9876543210")

Values = tuple[Scalar, ...] | list[Scalar]  # a list where they come from JSON
Bound = str | int | float | datetime
Side = Literal["gt", "gte", "lt", "lte"]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of these labels is there."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A label from ``low`` (inclusive) to ``high`` (exclusive) is there."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Containing:
    """A label is there that begins with ``start`` and has ``text`` anywhere behind it."""

    start: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelCondition:
    """A condition on a row's labels; ``negated`` where it must not hold."""

    test: AnyOf | Between | Containing
    negated: bool = False

    def holds(self, labels: Iterable[str]) -> bool:
        """Return whether a row with these labels passes."""
        match self.test:
            case AnyOf(wanted):
                found = not set(wanted).isdisjoint(labels)
            case Between(low, high):
                found = any(low <= label < high for label in labels)
            case Containing(start, text):
                found = any(label.startswith(start) and text in label[len(start) :] for label in labels)
        return found is not self.negated


ANY_LABEL = LabelCondition(Between("", "\U0010ffff"))  # a row without labels does not pass


# --- what a record has -----------------------------------------------------------------------------------------------


def joined(metadata: Iterable[Mapping[str, Scalar | Values]]) -> Metadata:
    """The values of several records under each key, each once, in their order; those that can be filtered on."""
    values: dict[str, dict[tuple[bool, Scalar], Scalar]] = {}
    count = 0
    for each in metadata:
        for key, value in each.items():
            for one in value if isinstance(value, tuple | list) else (value,):
                known = values.get(key, {})
                identity = (isinstance(one, bool), one)  # to Python True is 1
                if identity not in known and count < MOST_VALUES and can_filter_key(key) and can_filter_value(one):
                    values.setdefault(key, known)[identity] = one
                    count += 1
    return {key: tuple(known.values()) for key, known in values.items()}


def labels_of(metadata: Mapping[str, Scalar | Values]) -> tuple[str, ...]:
    """The labels of a record with this metadata, in order.

    >>> len(labels_of({"project": "Apollo", "priority": 2}))
    3
    """
    return tuple(sorted({label for key, values in joined([metadata]).items() for one in values for label in _labels(key, one)}))


def can_filter_key(key: str) -> bool:
    """Return whether what lies under a key can be filtered on."""
    return len(key) <= LONGEST_KEY


def can_filter_value(value: object) -> bool:
    """Return whether a value can be filtered on."""
    match value:
        case bool():
            return True
        case int() | float():
            return -_LARGEST <= value <= _LARGEST  # false for what is not a number
        case str():
            return len(value) <= LONGEST_VALUE
        case _:
            return False


# --- what is asked ---------------------------------------------------------------------------------------------------


def equal_to(key: str, values: Iterable[Scalar]) -> AnyOf:
    """The key has one of these values. 1 is 1.0; "1", 1 and true are three values."""
    return AnyOf(tuple(_label(key, *_typed(value)) for value in values))


def present(key: str) -> Between:
    """The key has a value."""
    return Between(_escaped(key) + _SEPARATOR, _escaped(key) + _AFTER)


def containing(key: str, text: str) -> Containing:
    """A value of the key is a text that has this one inside, whatever the case."""
    return Containing(_label(key, _FOLDED, ""), _escaped(text.casefold()))


def within(key: str, bounds: Mapping[Side, Bound]) -> Between:
    """One value of the key lies within all these bounds, at least one.

    Numbers compare with numbers, dates and times with dates and times (without an offset: UTC), other texts by code point
    with all texts.

    Raises:
        ValueError: the bounds are of different kinds.
    """
    ranked = {side: _ranked(bound) for side, bound in bounds.items()}
    kinds = {kind for kind, _ in ranked.values()}
    if len(kinds) != 1:
        raise ValueError("the bounds of a range are all numbers, all dates or times, or all other texts")
    (kind,) = kinds
    low, high = _label(key, kind, ""), _label(key, chr(ord(kind) + 1), "")
    for side, (_, written) in ranked.items():
        label = _label(key, kind, written)
        match side:
            case "gt":
                low = max(low, label + _AFTER)
            case "gte":
                low = max(low, label)
            case "lt":
                high = min(high, label)
            case "lte":
                high = min(high, label + _AFTER)
    return Between(low, high)


# --- how values are written ------------------------------------------------------------------------------------------


def _labels(key: str, value: Scalar) -> Iterator[str]:
    yield _label(key, *_typed(value))
    if isinstance(value, str):
        yield _label(key, _FOLDED, value.casefold())
        if (moment := _moment_of(value)) is not None:
            yield _label(key, _MOMENT, _time(moment))


def _label(key: str, kind: str, written: str) -> str:
    return f"{_escaped(key)}{_SEPARATOR}{kind}{_escaped(written)}"


def _escaped(text: str) -> str:
    """A text without separators. The order of texts and their substrings are kept."""
    # In three bits, which are written with characters that stand nowhere else: so no match begins inside an escape.
    return _RESERVED.sub(lambda found: _ESCAPE + f"{ord(found[0]):03b}".translate(_BITS), text)


def _typed(value: Scalar) -> tuple[str, str]:
    match value:
        case bool():
            return _TRUTH, str(value)
        case int() | float():
            return _NUMBER, _digits(value)
        case _:
            return _TEXT, value


def _ranked(bound: Bound) -> tuple[str, str]:
    moment = bound if isinstance(bound, datetime) else _moment_of(bound) if isinstance(bound, str) else None
    if moment is not None:
        return _MOMENT, _time(moment)
    assert not isinstance(bound, datetime), "it is a moment"
    return _typed(bound)


def _digits(number: int | float) -> str:
    """A number as text whose order is that of the numbers: of the decimal that is written for it, exactly.

    >>> sorted([-2, -1.5, 0, 0.001, 3, 10**20], key=_digits)
    [-2, -1.5, 0, 0.001, 3, 100000000000000000000]
    """
    decimal = Decimal(repr(number))
    if not decimal:
        return "1"
    digits = "".join(map(str, decimal.as_tuple().digits)).rstrip("0")
    written = f"{decimal.adjusted() + _EXPONENT:04d}{digits}"
    return f"2{written}" if decimal > 0 else f"0{written.translate(_COMPLEMENT)}~"  # ~: of negative ones the longer is larger


def _moment_of(text: str) -> datetime | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        return in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):  # no day of the calendar, or at its very ends
        return None


def _time(moment: datetime) -> str:
    return in_utc(moment).isoformat(timespec="microseconds")
