"""The question to an agent, and its budget."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import InputError
from mneme.settings import Agents
from queries.agents.query import Budget, BudgetSpent, QueryParam, QueryPolicy, compared
from tests.queries.agents.made import Clock, budget

SETTINGS = Agents()


def test_a_question_has_defaults_for_all_but_its_text_and_its_limit() -> None:
    asked = QueryParam("who?", 10)
    assert (dict(asked.filters), asked.long_term) == ({}, False)


@pytest.mark.parametrize("name", ["searches", "calls", "tokens", "seconds"])
def test_a_budget_below_zero_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match=f"policy.{name}"):
        QueryPolicy(**{name: -1})


@pytest.mark.parametrize("name", ["searches", "seconds"])
def test_nothing_can_be_found_without_a_search_or_without_time(name: str) -> None:
    with pytest.raises(InputError, match=f"policy.{name}"):
        QueryPolicy(**{name: 0})


def test_a_question_may_do_without_the_model() -> None:
    assert QueryPolicy(calls=0, tokens=0).within(SETTINGS)["calls"] == 0


@given(
    st.none() | st.integers(1, 1000),
    st.none() | st.integers(0, 1000),
    st.none() | st.integers(0, 10**6),
    st.none() | st.floats(0.001, 10**4),
)
def test_a_policy_lowers_what_the_settings_allow_and_never_raises_it(
    searches: int | None, calls: int | None, tokens: int | None, seconds: float | None
) -> None:
    allowance = QueryPolicy(searches, calls, tokens, seconds).within(SETTINGS)
    for name, wanted in {"searches": searches, "calls": calls, "tokens": tokens, "seconds": seconds}.items():
        most = getattr(SETTINGS, name)
        assert allowance[name] == (most if wanted is None else min(wanted, most))


@pytest.mark.parametrize(
    "again",
    [
        "Where does Lee work?",
        "where does LEE work",
        "  Where does\nLee   work ? ",
        "Where does Lee work?!",
        "where does lee work。",
    ],
)
def test_a_query_that_differs_in_its_form_only_is_the_same(again: str) -> None:
    assert compared(again) == compared("Where does Lee work?")


def test_a_query_that_asks_for_another_is_another() -> None:
    assert compared("Where does Lee work?") != compared("Where did Lee work?")


@given(st.integers(1, 10), st.lists(st.integers(0, 10), max_size=10))
def test_no_more_searches_are_given_out_than_there_are(searches: int, wanted: list[int]) -> None:
    left = budget(searches=searches)
    taken = [left.take_searches(each) for each in wanted]
    assert all(given <= asked for given, asked in zip(taken, wanted, strict=True))
    assert sum(taken) == min(searches, sum(wanted)) == left.searches
    assert left.searches_left == searches - left.searches


@given(st.integers(0, 5), st.integers(0, 2000), st.lists(st.tuples(st.integers(0, 900), st.integers(0, 300)), max_size=12))
def test_no_call_is_made_that_is_too_many_or_too_long(calls: int, tokens: int, wanted: list[tuple[int, int]]) -> None:
    left = budget(calls=calls, tokens=tokens)
    spent = 0
    for asked, answered in wanted:
        affordable = left.calls < calls and asked <= tokens - spent
        try:
            left.take_call(asked)
        except BudgetSpent:
            assert not affordable
        else:
            assert affordable
            left.spent(asked, answered)
            spent += asked + answered
    assert left.calls <= calls
    assert left.tokens_left == tokens - spent


def test_what_was_refused_was_not_spent() -> None:
    left = budget(calls=2, tokens=100)
    with pytest.raises(BudgetSpent, match="more than the 100 left of 100"):
        left.take_call(101)
    assert left.calls == 0
    left.take_call(100)


def test_an_answer_that_was_longer_than_expected_leaves_nothing() -> None:
    left = budget(tokens=100)
    left.take_call(50)
    left.spent(50, 500)
    with pytest.raises(BudgetSpent, match="more than the 0 left"):
        left.take_call(1)


def test_from_the_deadline_on_there_is_nothing() -> None:
    clock = Clock()
    left = budget(clock, seconds=30)
    clock.now += 29.5
    assert left.seconds_left == pytest.approx(0.5)
    left.take_call(1)
    assert left.take_searches(1) == 1
    clock.now += 0.5
    assert left.seconds_left == 0
    with pytest.raises(BudgetSpent, match="the 30 s have passed"):
        left.take_call(1)
    with pytest.raises(BudgetSpent, match="the 30 s have passed"):
        left.take_searches(1)
    clock.now += 1000
    assert left.seconds_left == 0
    assert (left.calls, left.searches) == (1, 1)


def test_threads_together_get_no_more_than_one() -> None:
    left = budget(searches=100, calls=100)

    def take(_: int) -> tuple[int, int]:
        try:
            left.take_call(0)
        except BudgetSpent:
            return left.take_searches(1), 0
        return left.take_searches(1), 1

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(take, range(300)))
    assert tuple(map(sum, zip(*taken, strict=True))) == (100, 100)


def test_by_default_the_time_is_that_of_the_machine() -> None:
    assert 0 < Budget(searches=8, calls=5, tokens=40_000, seconds=30.0).seconds_left <= 30
