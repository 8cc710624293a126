"""What an agent is asked, and what that may cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import InputError
from mneme.settings import Agents
from queries.agents.query import Order, QueryParam, QueryPolicy, allowed, compared

SETTINGS = Agents()


def test_a_question_has_defaults_for_all_but_its_text_and_its_limit() -> None:
    asked = QueryParam("who?", 10)
    assert (asked.expand_context, dict(asked.filters), asked.order, asked.long_term) == (0, {}, Order.SCORE, False)


@pytest.mark.parametrize("messages", [-1, 51, 10**9])
def test_a_context_that_cannot_be_shown_is_refused_by_name(messages: int) -> None:
    with pytest.raises(InputError, match="expand_context"):
        QueryParam("who?", 10, expand_context=messages)


@pytest.mark.parametrize("name", ["searches", "calls", "tokens", "seconds"])
def test_a_budget_below_zero_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match=f"policy.{name}"):
        QueryPolicy(**{name: -1})


@pytest.mark.parametrize("name", ["searches", "seconds"])
def test_nothing_can_be_found_without_a_search_or_without_time(name: str) -> None:
    with pytest.raises(InputError, match=f"policy.{name}"):
        QueryPolicy(**{name: 0})


def test_a_question_may_do_without_the_model() -> None:
    assert allowed(QueryPolicy(calls=0, tokens=0), SETTINGS).calls == 0


@given(
    st.none() | st.integers(1, 1000),
    st.none() | st.integers(0, 1000),
    st.none() | st.integers(0, 10**6),
    st.none() | st.floats(0.001, 10**4),
)
def test_a_policy_lowers_what_the_settings_allow_and_never_raises_it(
    searches: int | None, calls: int | None, tokens: int | None, seconds: float | None
) -> None:
    allowance = allowed(QueryPolicy(searches, calls, tokens, seconds), SETTINGS)
    for name, wanted in {"searches": searches, "calls": calls, "tokens": tokens, "seconds": seconds}.items():
        most = getattr(SETTINGS, name)
        assert getattr(allowance, name) == (most if wanted is None else min(wanted, most))


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
