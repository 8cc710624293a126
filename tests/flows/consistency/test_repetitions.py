"""The same words said again are one statement with several sources, as long as it holds."""

from datetime import UTC, datetime, timedelta

from flows.consistency.repetitions import Repetition, repetitions
from mneme.records import Stated

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def said(day: int, kind: str = "f", until: int | None = None, repeats: bool = True, platform: str = "") -> Stated:
    return Stated(
        id=f"t/c{day:03}/e/{kind}/0",
        said_at=DAY + timedelta(days=day),
        message_ids=(f"m{day}",),
        metadata={"platform": (platform,)} if platform else {},
        repeats=repeats,
        holds_until=None if until is None else DAY + timedelta(days=until),
    )


def test_the_same_said_ten_times_is_one_statement_with_ten_sources() -> None:
    found = repetitions([said(day) for day in range(10)])
    original = found["t/c000/e/f/0"]
    assert original.repeated_by == tuple(f"t/c{day:03}/e/f/0" for day in range(1, 10))
    assert original.also_said_in == tuple(f"m{day}" for day in range(1, 10))
    assert all(found[each] == Repetition(merged_into="t/c000/e/f/0") for each in original.repeated_by)


def test_the_original_has_the_metadata_of_its_repetitions() -> None:
    found = repetitions([said(1, platform="a"), said(2, platform="b"), said(3, platform="c")])
    assert found["t/c001/e/f/0"].also_metadata == {"platform": ("b", "c")}


def test_what_is_said_again_after_it_ended_is_news_which_later_ones_repeat() -> None:
    found = repetitions([said(1, until=3), said(2, until=3), said(4), said(5)])
    assert {identity: each.merged_into for identity, each in found.items() if each.merged_into} == {
        "t/c002/e/f/0": "t/c001/e/f/0",
        "t/c005/e/f/0": "t/c004/e/f/0",
    }


def test_a_foresight_stands_for_no_fact_and_news_of_an_end_for_nothing() -> None:
    assert repetitions([said(1), said(2, "s"), said(3, repeats=False)]) == {}


def test_the_statement_that_stands_for_many_names_the_newest_of_them() -> None:
    found = repetitions([said(day) for day in range(300)])
    assert len(found["t/c000/e/f/0"].repeated_by) == 200
    assert found["t/c000/e/f/0"].repeated_by[-1] == "t/c299/e/f/0"
    assert all(found[f"t/c{day:03}/e/f/0"].merged_into for day in range(1, 300))
