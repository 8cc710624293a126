"""Labels: what is equal, lies between and contains as text means what it means of the values."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.labels import LONGEST_KEY, LONGEST_VALUE, MOST_VALUES, joined, labels_of, within
from tests.contracts.labels import (
    KEYS,
    NUMBERS,
    TEXTS,
    condition,
    decimal,
    keys_and_operations,
    metadata_of_records,
    moment,
    passes,
)

VALUES = [*TEXTS, *NUMBERS, True, False]


@pytest.mark.parametrize("side", ["gt", "gte", "lt", "lte"])
def test_a_bound_holds_for_the_values_on_its_side(side):
    for value, bound in itertools.product(VALUES, [*TEXTS, *NUMBERS]):
        asked = ("k", "within", {side: bound})
        assert condition(*asked).holds(labels_of({"k": value})) == passes({"k": (value,)}, *asked), (value, bound)


def test_only_what_is_equal_is_equal():
    for value, other in itertools.product(VALUES, VALUES):
        asked = ("k", "in", [other])
        assert condition(*asked).holds(labels_of({"k": value})) == passes({"k": (value,)}, *asked), (value, other)


def test_a_text_is_found_inside_another_whatever_the_case():
    for value, text in itertools.product(VALUES, [text for text in TEXTS if text]):
        asked = ("k", "contains", text)
        assert condition(*asked).holds(labels_of({"k": value})) == passes({"k": (value,)}, *asked), (value, text)


def test_no_key_is_taken_for_another():
    operations = [
        ("in", ["t", "", "\x01t"]),
        ("exists", True),
        ("contains", "t"),
        ("within", {"gte": ""}),
        ("within", {"lt": "z"}),
    ]
    for key, other, value in itertools.product(KEYS, KEYS, ["t", "", "\x01t"]):
        for operator, operand in operations:
            holds = condition(other, operator, operand).holds(labels_of({key: value}))
            assert holds == passes({key: (value,)}, other, operator, operand), (key, other, operator)


@settings(max_examples=300)
@given(metadata=metadata_of_records, asked=keys_and_operations)
def test_every_operator_means_the_same_of_labels_and_of_values(metadata, asked):
    assert condition(*asked).holds(labels_of(metadata)) == passes(metadata, *asked)


@given(one=st.integers() | st.floats(allow_nan=False, allow_infinity=False), other=st.integers())
def test_numbers_have_the_order_of_their_labels(one, other):
    if -1e307 < one < 1e307 and -1e307 < other < 1e307:
        (mine,), (theirs,) = labels_of({"n": one}), labels_of({"n": other})
        assert (mine < theirs, mine == theirs) == (decimal(one) < decimal(other), decimal(one) == decimal(other))


def test_bounds_of_different_sorts_are_refused():
    with pytest.raises(ValueError, match="all numbers, all dates or times, or all other texts"):
        within("k", {"gt": 1, "lt": "2026-03-01"})


@pytest.mark.parametrize("bound", [datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 1, 12), "2026-03-01T13:00:00+01:00"])
def test_a_moment_is_the_same_however_it_is_given(bound):
    assert within("k", {"gte": bound}) == within("k", {"gte": "2026-03-01T12:00Z"})


def test_a_record_of_many_has_the_values_of_all_each_once():
    assert joined([{"a": 1, "b": "x"}, {"a": (True, 1.0, 2)}, {"a": ["1"]}]) == {"a": (1, True, 2, "1"), "b": ("x",)}


def test_what_is_too_long_or_too_much_is_not_filtered_on():
    long = {"k" * (LONGEST_KEY + 1): 1, "text": "x" * (LONGEST_VALUE + 1), "number": 10**309, "nan": float("nan"), "fits": 1}
    assert joined([long]) == {"fits": (1,)}
    assert len(labels_of(long)) == 1
    many = joined({"n": number} for number in range(MOST_VALUES + 5))
    assert many == {"n": tuple(range(MOST_VALUES))}


def test_dates_are_those_of_the_calendar():
    assert moment("2026-02-30") is None
    assert not condition("k", "within", {"gte": "2026-01-01"}).holds(labels_of({"k": "2026-02-30"}))
    assert not condition("k", "within", {"gte": "2026-01-01"}).holds(labels_of({"k": "9999-12-31T23:00:00-05:00"}))
