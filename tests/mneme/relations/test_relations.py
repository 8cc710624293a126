"""The rows of the table, equal values, and that no text makes the matcher fail or stall."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.relations import attributes_asked, claims_in, relation_of, same_value
from mneme.relations.chinese_subjects import chinese
from mneme.relations.english import english
from tests.attacks.patterns_help import hostile_to

_WORDS = st.sampled_from(
    "I Ann Ann's my sister lives moved to in at Google the dinner is not now on Friday 7,500 5 and , . : not anymore rent up "
    "sold 小明 我 住在 上海 了 。 ， 取消 改到 周五 在 工作 和 分手".split(" ")
)


@pytest.mark.parametrize(
    ("attribute", "single"),
    [("home", True), ("employer", True), ("allergy", False), ("uses", False), ("uses:editor", True), ("uses:database", False),
     ("plan:launch", True), ("plan:team dinner", False), ("plan:call", False), ("plan:婚礼", True), ("plan:部门聚餐", False),
     ("favourite:band", True), ("is:limit", True), ("status", True)],
)  # fmt: skip
def test_some_attributes_have_one_value_at_a_time(attribute: str, single: bool) -> None:
    assert relation_of(attribute).single == single


def test_an_unknown_attribute_has_no_row() -> None:
    assert relation_of("shoe size") is None


def test_rows_say_edge_and_category() -> None:
    assert (relation_of("home").edge, relation_of("home").category) == ("lives_in", "home")


@pytest.mark.parametrize(
    ("attribute", "one", "other", "same"),
    [
        ("home", "Lisbon", "Lisbon, Portugal", True),
        ("home", "the Netherlands", "netherlands", True),
        ("home", "Lisbon", "Porto", False),
        ("team size", "four", "4", True),
        ("company size", "十", "五十", False),
        ("rent", "1,150 euros", "1150", True),
        ("rent", "950", "1150", False),
        ("uses:database", "Postgres 15", "Postgres 16", False),
        ("uses:database", "Postgres", "Postgres 16", True),
        ("phone number", "+49 171 5550134", "0171 5550134", True),
        ("birthday", "the 14th", "the 12th", False),
        ("home", "", "Porto", False),
        ("habit", "run every morning", "running", True),
        ("habit", "swimming every morning", "swimming in the mornings", True),
        ("habit", "run every Monday", "running in the mornings", False),
    ],
)
def test_values_are_compared_by_what_they_say(attribute: str, one: str, other: str, same: bool) -> None:
    assert same_value(attribute, one, other) == same
    assert same_value(attribute, other, one) == same


@given(st.text(max_size=200) | st.lists(_WORDS, max_size=25).map(" ".join))
def test_no_text_makes_it_fail_and_every_claim_has_a_row(text: str) -> None:
    for language in ("en", "zh"):
        for claim in claims_in(text, language, "Mira"):
            assert claim.subject
            assert relation_of(claim.attribute) is not None
    attributes_asked(text)


def test_no_pattern_of_the_tables_has_so_many_ways_to_read_a_clause_that_it_never_ends() -> None:
    slow: dict[str, float] = {}
    for held in (english(), chinese()):
        for pattern in (*held.said, *held.anywhere, *held.asked):
            for text in hostile_to(pattern.shape, 400, 6):
                began = time.process_time()
                pattern.shape.match(text)
                if (took := time.process_time() - began) > 0.5:
                    slow[text] = took
    assert slow == {}


def test_every_slot_names_a_row_or_a_kind_that_is_resolved() -> None:
    resolved = {"kin name", "uses kind", "same", "known"}
    for held in (english(), chinese()):
        for pattern in (*held.said, *held.anywhere):
            assert isinstance(pattern.shape, re.Pattern)
            for slot in pattern.slots:
                assert slot.attribute in resolved or relation_of(slot.attribute + ("x" if slot.attribute.endswith(":") else ""))
