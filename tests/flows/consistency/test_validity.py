"""What became of each statement is a pure function of the statements that survive."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.judges import RuleJudge
from flows.consistency.statements import Claim, Pair, Relation, Statement
from flows.consistency.validity import judged_validities, validities
from mneme.records import Validity

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def said(day: int, value: str, about: str = "ann|home", ends: bool = False, event_day: int | None = None) -> Statement:
    return Statement(
        id=f"s{day}",
        kind="fact",
        text=f"{about} {value}",
        said_at=DAY + timedelta(days=day),
        event_at=None if event_day is None else DAY + timedelta(days=event_day),
        message_ids=(f"m{day}",),
        claim=Claim(about, value, ends),
    )


def became(*statements: Statement) -> dict[str, Validity]:
    return judged_validities([statements], lambda older, newer: True, RuleJudge(), "scope")


def standing(*statements: Statement) -> set[str]:
    return {identity for identity, each in became(*statements).items() if not each.valid_to and not each.merged_into}


def test_a_newer_value_ends_the_older_when_it_was_said() -> None:
    result = became(said(1, "berlin"), said(5, "paris"))
    assert result["s1"].valid_to == DAY + timedelta(days=5)
    assert result["s1"].superseded_by == "s5"
    assert result["s5"] == Validity(valid_from=DAY + timedelta(days=5))


def test_a_change_announced_for_later_ends_the_older_only_then() -> None:
    result = became(said(1, "berlin"), said(5, "paris", event_day=30))
    assert result["s1"].valid_to == DAY + timedelta(days=30)


def test_the_same_said_ten_times_is_one_statement_with_ten_sources() -> None:
    result = became(*(said(day, "berlin") for day in range(10)))
    assert result["s0"].repeated_by == tuple(f"s{day}" for day in range(1, 10))
    assert result["s0"].also_said_in == tuple(f"m{day}" for day in range(1, 10))
    assert all(result[f"s{day}"].merged_into == "s0" for day in range(1, 10))


def test_what_holds_again_after_a_change_is_news_and_no_repetition() -> None:
    result = became(said(1, "berlin"), said(2, "paris"), said(3, "berlin"))
    assert result["s1"].superseded_by == "s2"
    assert result["s2"].superseded_by == "s3"
    assert result["s3"].merged_into is None


def test_each_value_is_superseded_by_the_next() -> None:
    result = became(said(1, "a"), said(2, "b"), said(3, "c"))
    assert [result[each].superseded_by for each in ("s1", "s2", "s3")] == ["s2", "s3", None]


def test_without_the_statement_in_between_the_one_before_is_superseded_by_the_one_after() -> None:
    assert became(said(1, "a"), said(3, "c"))["s1"].superseded_by == "s3"


def test_a_statement_that_something_is_over_ends_what_it_names() -> None:
    assert standing(said(1, "google", "ann|employer"), said(2, "google", "ann|employer", ends=True)) == {"s2"}


statements = st.lists(
    st.builds(
        said,
        day=st.integers(0, 40),
        value=st.sampled_from(["berlin", "paris", ""]),
        about=st.sampled_from(["ann|home", "ann|job"]),
        ends=st.booleans(),
        event_day=st.none() | st.integers(0, 50),
    ),
    max_size=12,
    unique_by=lambda each: each.id,
)


@given(statements, st.randoms())
def test_the_order_of_arrival_makes_no_difference(given: list[Statement], random: object) -> None:
    shuffled = list(given)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert became(*shuffled) == became(*given)


@given(statements)
def test_every_repetition_leads_to_a_statement_that_names_it(given: list[Statement]) -> None:
    result = became(*given)
    assert set(result) == {each.id for each in given}
    for identity, validity in result.items():
        if validity.merged_into:
            original = result[validity.merged_into]
            assert original.merged_into is None
            assert identity in original.repeated_by
        if validity.superseded_by:
            assert validity.valid_to is not None
            assert result[validity.superseded_by].merged_into is None


@given(statements)
def test_a_judge_is_asked_about_a_pair_once_and_changes_nothing_but_the_number_of_questions(given: list[Statement]) -> None:
    asked: list[Pair] = []

    class Counting(RuleJudge):
        def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
            asked.extend(pairs)
            return super().judge(pairs, scope)

    rule = RuleJudge()
    result = judged_validities([given], lambda older, newer: True, Counting(), "scope")
    assert result == validities(given, lambda older, newer: rule.judge([(older, newer)], "")[0])
    assert len(asked) == len(set(asked))


@given(
    st.lists(st.sampled_from(["berlin", "paris", "rome"]), max_size=6), st.lists(st.sampled_from(["tea", "coffee"]), max_size=6)
)
def test_groups_that_are_judged_together_become_what_each_becomes_alone(homes: list[str], drinks: list[str]) -> None:
    one = [said(day, value) for day, value in enumerate(homes)]
    other = [said(100 + day, value, "ann|drink") for day, value in enumerate(drinks)]
    together = judged_validities([one, other], lambda older, newer: True, RuleJudge(), "scope")
    assert together == became(*one) | became(*other)


def test_statements_that_are_not_compared_leave_one_another_alone() -> None:
    result = judged_validities([[said(1, "a"), said(2, "b")]], lambda older, newer: False, RuleJudge(), "scope")
    assert not any(each.valid_to for each in result.values())


def test_a_plan_that_is_put_off_is_void_at_once() -> None:
    result = became(said(1, "day=10", "ann|plan|dentist", event_day=10), said(5, "day=30", "ann|plan|dentist", event_day=30))
    assert result["s1"].valid_to == DAY + timedelta(days=5)
