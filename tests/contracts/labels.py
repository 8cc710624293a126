"""What every MemoryIndex promises about conditions on metadata, compared with their meaning in plain Python, as tests.

Subclass ``LabelsContract`` as ``TestSomething`` and supply the fixture ``index``, prepared for ``rows.EMBEDDER`` and empty. All
may share one.
"""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mneme.labels import LabelCondition, containing, equal_to, present, within
from mneme.ports import MemoryIndex, Outcome, Put, TextLeg, VectorLeg
from mneme.records import Metadata, Owner
from mneme.rows import Collection
from tests.contracts.rows import axis, fact, message, of, score

KEYS = ["project", "pro", "project\x01t", "", "a.b", "*", "ключ", "k' OR true --", "\x00", "\x02"]
TEXTS = [
    *("apollo", "Apollo", "APOLLO 11", "a", "b", "", "*", "?", "a*", "%", "_", "\\", "'", "x' OR '1'='1", "[a-z]", ".*"),
    *("(?i)", "项目", "ＡＢＣ", "Straße", "STRASSE", "İ", "\U0001f600", "\uffff", "\x00", "\x01", "\x02", "\x03\x04", "\x07"),
    *("\t\n", "2026-03-01", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-02-30", "2026", "1", "true"),
    *("null", "$", "^"),
]
NUMBERS: list[int | float] = [
    *(0, -0.0, 1, 1.0, -1, 2, 9, 10, 11, -10, -11, 0.1, -0.1, 0.10000000000000002, 1.5, -1.5, 1.55, -1.55),
    *(2**53, 2**53 + 1, -(2**63), 10**300, 1e300, 5e-324, -5e-324, 1.7976931348623157e307),
]
_texts = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(exclude_categories=("Cs",)), max_size=6))
_numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e307, max_value=1e307),
)
_scalars = st.one_of(_texts, _numbers, st.booleans())
_keys = st.sampled_from(KEYS)
_metadata = st.dictionaries(_keys, st.lists(_scalars, min_size=1, max_size=3).map(tuple), max_size=3)
_dates = st.sampled_from(["2026-03-01", "2026-03-01T12:00:00+00:00", "2026-03-01T12:30:00+01:00", "1999-12-31T23:59:59.5Z"])
_bounds = st.one_of(
    *(
        st.dictionaries(st.sampled_from(["gt", "gte", "lt", "lte"]), sort, min_size=1, max_size=2)
        for sort in (_numbers, _dates, _texts.filter(lambda text: moment(text) is None))
    )
)
_operations = st.one_of(
    st.tuples(st.sampled_from(["in", "nin"]), st.lists(_scalars, min_size=1, max_size=3)),
    st.tuples(st.just("exists"), st.booleans()),
    st.tuples(st.just("contains"), _texts.filter(bool)),
    st.tuples(st.just("within"), _bounds),
)
metadata_of_records = _metadata
keys_and_operations = st.tuples(_keys, _operations).map(lambda pair: (pair[0], *pair[1]))
_examples = itertools.count()
_RELAXED = settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
)


def moment(text: object) -> datetime | None:
    """A date or a time in ISO 8601, written with hyphens and colons."""
    if not isinstance(text, str) or len(text) < 10 or text[4] != "-" or text[7] != "-":
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def same(one: object, other: object) -> bool:
    """To Python 1 is true; to metadata it is not."""
    return decimal(one) == decimal(other) and isinstance(one, bool) is isinstance(other, bool)


def decimal(value: object) -> Any:
    """A number as it is written: 1e300 is 10**300, though no float is exactly that."""
    return value if isinstance(value, str | bool) else Decimal(repr(value))


def rank(value: object) -> tuple[str, Any]:
    """The sort of a bound, and what it compares by."""
    if (instant := moment(value)) is not None:
        return "moment", instant
    return ("text", value) if isinstance(value, str) else ("number", decimal(value))


def lies(value: object, side: str, bound: object) -> bool:
    sort, limit = rank(bound)
    mine: Any = moment(value) if sort == "moment" else decimal(value)
    if mine is None or isinstance(value, bool) or (isinstance(value, str) is not (sort != "number")):
        return False
    return bool({"gt": mine > limit, "gte": mine >= limit, "lt": mine < limit, "lte": mine <= limit}[side])


def passes(metadata: Mapping[str, tuple[Any, ...]], key: str, operator: str, operand: Any) -> bool:
    """The meaning of an operator, in plain Python."""
    values = metadata.get(key, ())
    match operator:
        case "in":
            return any(same(value, one) for value in values for one in operand)
        case "nin":
            return not any(same(value, one) for value in values for one in operand)
        case "exists":
            return bool(values) is operand
        case "contains":
            return any(isinstance(value, str) and operand.casefold() in value.casefold() for value in values)
        case _:
            return any(all(lies(value, side, bound) for side, bound in operand.items()) for value in values)


def condition(key: str, operator: str, operand: Any) -> LabelCondition:
    match operator:
        case "in" | "nin":
            return LabelCondition(equal_to(key, operand), negated=operator == "nin")
        case "exists":
            return LabelCondition(present(key), negated=not operand)
        case "contains":
            return LabelCondition(containing(key, operand))
        case _:
            return LabelCondition(within(key, operand))


class LabelsContract:
    """Conditions on metadata mean the same everywhere."""

    @pytest.fixture
    def index(self) -> MemoryIndex:
        raise NotImplementedError("supply a prepared, empty index")

    @_RELAXED
    @given(crowd=st.lists(_metadata, min_size=1, max_size=8), data=st.data())
    @example(crowd=[{"project": (True,)}, {"project": (1,)}, {"project": ("1",)}, {}], data=None)
    def test_every_operator_means_what_it_says_whatever_the_values_are(self, index, crowd, data):
        owner = Owner(tenant_id=f"labels-{next(_examples)}", type="user", id="ann")
        write(index, owner, crowd)
        if data is None:
            asked = [[("project", operator, [value])] for operator in ("in", "nin") for value in (True, 1, "1")]
        else:
            there = [(key, value) for metadata in crowd for key, values in metadata.items() for value in values]
            hit = st.sampled_from(there or [("project", "apollo")]).map(lambda pair: (pair[0], "in", [pair[1]]))
            missed = st.sampled_from(there or [("project", "apollo")]).map(lambda pair: (pair[0], "nin", [pair[1]]))
            any_asked = st.one_of(hit, missed, keys_and_operations)
            asked = [data.draw(st.lists(any_asked, min_size=1, max_size=2)) for _ in range(6)]
        for conditions in asked:
            expected = [
                f"f{number}" for number, metadata in enumerate(crowd) if all(passes(metadata, *each) for each in conditions)
            ]
            filter = of(owner, labels=tuple(condition(*each) for each in conditions))
            assert [row.id for row in index.scan(Collection.FACTS, filter)] == expected, conditions

    def test_no_value_is_taken_for_syntax_and_all_have_one_order(self, index):
        """Each of many hostile values in a row of its own, and each asked for; what they mean as texts is tests/mneme's."""
        owner = Owner(tenant_id="hostile", type="user", id="ann")
        values = [*TEXTS, *NUMBERS, True, False]
        write(index, owner, [{"k": (value,)} for value in values])
        asked: list[tuple[str, str, Any]] = [("k", "contains", text) for text in TEXTS if text]
        asked += [("k", "in", [value]) for value in TEXTS[::3]]
        asked += [("k", "within", {side: bound}) for side, bound in zip(itertools.cycle(("gt", "gte", "lt", "lte")), TEXTS)]
        asked += [("k", "within", {side: bound}) for side, bound in zip(itertools.cycle(("lte", "gt", "lt", "gte")), NUMBERS)]
        for one in asked:
            expected = {f"f{number}" for number, value in enumerate(values) if passes({"k": (value,)}, *one)}
            found = {row.id for row in index.scan(Collection.FACTS, of(owner, labels=(condition(*one),)))}
            assert found == expected, one

    def test_every_way_of_reading_keeps_to_them(self, index):
        crowd: list[Metadata] = [{"project": ("apollo",)}, {"project": ("zeus",), "priority": (3,)}, {}]
        owner = Owner(tenant_id="readings", type="user", id="ann")
        write(index, owner, crowd)
        for test, expected in (
            (condition("project", "in", ["apollo"]), {"f0"}),
            (condition("project", "nin", ["apollo"]), {"f1", "f2"}),
            (condition("priority", "within", {"gt": 2}), {"f1"}),
            (condition("project", "contains", "POLL"), {"f0"}),
            (condition("project", "exists", False), {"f2"}),
        ):
            filter = of(owner, labels=(test,))
            words, near = index.recall(
                [
                    TextLeg(Collection.FACTS, filter, ("tea",), 10),
                    VectorLeg(Collection.FACTS, filter, axis(0), 10),
                ]
            )
            assert {hit.row.id for hit in words} == {hit.row.id for hit in near} == expected, test
            assert {one.row.id for one in score(index, filter, ("tea",), axis(0), 10)} == expected
            assert index.count(Collection.FACTS, filter) == len(expected)

    def test_labels_come_back_and_are_replaced_with_their_row(self, index):
        row = message("apollo", metadata={"project": "apollo", "priority": 2, "draft": False})
        index.write([Put(row)])
        assert index.get([row.key])[row.key].labels == row.labels != ()
        bare = replace(message("apollo", version=2), labels=())
        index.write([Put(bare)])
        index.refresh()
        assert index.get([row.key])[row.key].labels == ()
        asked = of(labels=(condition("project", "exists", True),))
        assert list(index.scan(Collection.MESSAGES, asked)) == []

    def test_a_hundred_long_values_are_stored_and_found(self, index):
        metadata = {f"{number:03d}" + "é" * 120: "\x01\U0001f600" * 250 for number in range(100)}
        row = message("long", metadata=metadata)
        assert [result.outcome for result in index.write([Put(row)])] == [Outcome.DONE]
        index.refresh()
        key, value = next(iter(metadata.items()))
        for test in (condition(key, "in", [value]), condition(key, "contains", value[100:200]), condition(key, "exists", True)):
            assert [each.id for each in index.scan(Collection.MESSAGES, of(labels=(test,)))] == ["long"]

    def test_a_thousand_values_may_be_asked_for(self, index):
        row = message("ticket", metadata={"ticket": 999})
        index.write([Put(row)])
        index.refresh()
        for operator, expected in (("in", ["ticket"]), ("nin", [])):
            filter = of(ids=("ticket",), labels=(condition("ticket", operator, list(range(1000))),))
            assert [each.id for each in index.scan(Collection.MESSAGES, filter)] == expected


def write(index: MemoryIndex, owner: Owner, crowd: list[Metadata]) -> None:
    """A fact for each, named by its number, all alike otherwise."""
    rows = [fact(f"f{number}", "green tea", vector=axis(0), owner=owner, metadata=each) for number, each in enumerate(crowd)]
    assert {result.outcome for result in index.write([Put(row) for row in rows])} == {Outcome.DONE}
    index.refresh()
