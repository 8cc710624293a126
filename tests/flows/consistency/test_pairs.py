"""What a judge of pairs makes of statements is a pure function of those that survive."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.judge import Pair, Relation
from flows.consistency.pairs import judged_validities, validities
from flows.consistency.validity import place
from mneme.records import AtomicFact, Claim, Statement, Validity
from tests.contracts.rows import fact

DAY = datetime(2026, 3, 2, tzinfo=UTC)


class ByLastWord:
    """A judge for tests: the last word is a value of what the words before say."""

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        return [relation(older, newer) for older, newer in pairs]

    def known(self, pairs: Sequence[Pair], scope: str) -> list[Relation | None]:
        return [None] * len(pairs)


def relation(older: Statement, newer: Statement) -> Relation:
    (about, value), (other, new_value) = older.text.rsplit(" ", 1), newer.text.rsplit(" ", 1)
    if about != other:
        return Relation.NEITHER
    return Relation.SAME if value == new_value else Relation.REPLACES


def said(day: int, value: str, about: str = "ann home", event_day: int | None = None, plan: bool = False) -> Statement:
    record = fact(
        f"s{day}",
        f"{about} {value}",
        said_at=DAY + timedelta(days=day),
        event_at=None if event_day is None else DAY + timedelta(days=event_day),
        message_ids=(f"m{day}",),
        claims=(Claim(subject="ann", attribute="plan:move", value=value),) if plan else (),
    ).record()
    assert isinstance(record, AtomicFact)
    return record


def became(*statements: Statement) -> dict[str, Validity]:
    return judged_validities([statements], lambda older, newer: True, ByLastWord(), "scope")


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


statements = st.lists(
    st.builds(
        said,
        day=st.integers(0, 40),
        value=st.sampled_from(["berlin", "paris"]),
        about=st.sampled_from(["ann home", "ann job"]),
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

    class Counting(ByLastWord):
        def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
            asked.extend(pairs)
            return super().judge(pairs, scope)

    result = judged_validities([given], lambda older, newer: True, Counting(), "scope")
    assert result == validities(given, relation)
    ids = [(older.id, newer.id) for older, newer in asked]
    assert len(ids) == len(set(ids))


@given(statements, st.integers(0, 12))
def test_what_one_run_heard_answers_another_however_it_is_divided(given: list[Statement], divided_at: int) -> None:
    heard: dict[tuple[str, str], Relation] = {}

    class Remembering(ByLastWord):
        def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
            verdicts = super().judge(pairs, scope)
            heard.update(zip(((older.id, newer.id) for older, newer in pairs), verdicts, strict=True))
            return verdicts

        def known(self, pairs: Sequence[Pair], scope: str) -> list[Relation | None]:
            return [heard.get((older.id, newer.id)) for older, newer in pairs]

    judge, in_order = Remembering(), sorted(given, key=place)
    judged_validities([in_order], lambda older, newer: True, judge, "scope")
    asked = len(heard)
    for part in (in_order[:divided_at], in_order):
        judged_validities([part], lambda older, newer: True, judge, "scope")
    assert len(heard) == asked


@given(
    st.lists(st.sampled_from(["berlin", "paris", "rome"]), max_size=6), st.lists(st.sampled_from(["tea", "coffee"]), max_size=6)
)
def test_groups_that_are_judged_together_become_what_each_becomes_alone(homes: list[str], drinks: list[str]) -> None:
    one = [said(day, value) for day, value in enumerate(homes)]
    other = [said(100 + day, value, "ann drink") for day, value in enumerate(drinks)]
    together = judged_validities([one, other], lambda older, newer: True, ByLastWord(), "scope")
    assert together == became(*one) | became(*other)


def test_statements_that_are_not_compared_leave_one_another_alone() -> None:
    result = judged_validities([[said(1, "a"), said(2, "b")]], lambda older, newer: False, ByLastWord(), "scope")
    assert not any(each.valid_to for each in result.values())


def test_a_plan_that_is_put_off_is_void_at_once() -> None:
    result = became(said(1, "10", "dentist", 10, plan=True), said(5, "30", "dentist", 30, plan=True))
    assert result["s1"].valid_to == DAY + timedelta(days=5)
