"""What newer statements do to older ones, by rule."""

from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

from flows.consistency.claims import claim_of
from flows.consistency.judges import RuleJudge
from flows.consistency.statements import Relation, Statement
from flows.consistency.validity import validities
from mneme.dates import resolve_dates

MARCH = datetime(2026, 3, 2, 9, tzinfo=UTC)


def said(text: str, days: int = 0, kind: Literal["fact", "foresight"] = "fact", message: str = "") -> Statement:
    at = MARCH + timedelta(days=days)
    dates = resolve_dates(text, at, UTC)
    event_at = dates[0].since if dates else None
    return Statement(f"{days:03d}-{kind}", kind, text, at, event_at, (message or f"m{days}",), claim_of(text, event_at))


def relation(older: str, newer: str) -> Relation:
    [answer] = RuleJudge().judge([(said(older), said(newer, 3))], "scope")
    return answer


def test_it_looks_only_at_statements_about_the_same() -> None:
    assert not RuleJudge().looks_around
    assert RuleJudge().judge([], "scope") == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann works at Google.", "Ann started working at Stripe."),
        ("Ann works at Google.", "Ann quit Ann's job at Google."),
        ("Ann works at Google.", "Ann is out of work."),
        ("Ann is single.", "Ann is dating Felix."),
        ("Ann is looking for a job.", "Ann got a job at Figma."),
        ("Tom is a junior developer at Acme.", "Tom is team lead now."),
        ("Ann lives in Berlin.", "Ann moved to Portugal."),
        ("Ann loves coffee.", "Ann doesn't like coffee any more."),
        ("The launch is on 20 April.", "The launch is pushed back to 11 May."),
        ("The team dinner is on Thursday at 7.", "The team dinner is off."),
        ("小明住在上海。", "小明搬到杭州了。"),
    ],
)
def test_another_value_and_an_ending_replace(older: str, newer: str) -> None:
    assert relation(older, newer) is Relation.REPLACES


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann left Google.", "Ann works at Stripe."),  # what ended stays as history
        ("Ann works at Google.", "Ann quit Ann's job at Nokia."),
        ("Ann works at Google.", "Ann works as a designer."),
        ("Ann works at Google.", "Ann is looking for a new job."),
        ("Ann lives in Berlin.", "Ann lives in Germany."),
        ("Ann lives in Berlin.", "Ann moved to Paris in 2012."),
        ("Ann has a meeting on Thursday.", "Ann has a meeting on Friday."),
        ("The launch is on 20 April.", "The launch is at the Old Mill."),
        ("The rehearsal is on Thursday.", "No rehearsal next week."),
        ("Ann broke up with Felix.", "Ann is engaged to Max."),
    ],
)
def test_what_can_be_true_beside_it_stands(older: str, newer: str) -> None:
    assert relation(older, newer) is Relation.NEITHER


def test_the_same_value_is_the_same_only_when_nothing_is_added() -> None:
    assert relation("Ann works at Siemens.", "Ann still works at Siemens.") is Relation.SAME
    assert relation("Ann works at Siemens.", "Ann works at Siemens and hates the canteen.") is Relation.NEITHER


def test_a_fact_and_a_foresight_are_not_merged_but_replace_each_other() -> None:
    fact, foresight = said("The launch is on 20 April."), said("The launch is on 20 April.", 3, "foresight")
    off = said("The launch is cancelled.", 5)
    assert RuleJudge().judge([(fact, foresight), (foresight, off)], "s") == [Relation.NEITHER, Relation.REPLACES]


def test_one_message_says_nothing_against_itself() -> None:
    one, other = said("Ann lives in Berlin.", 0, message="m"), said("Ann lives in Bonn.", 1, message="m")
    assert RuleJudge().judge([(one, other)], "s") == [Relation.NEITHER]


def test_a_plan_whose_day_is_over_is_history() -> None:
    older = said("The sprint review is on Thursday.")
    later = said("The sprint review is on Thursday, as usual.", 14)
    assert RuleJudge().judge([(older, later)], "s") == [Relation.NEITHER]


def test_an_old_job_comes_back_as_news() -> None:
    told = [said(text, day) for day, text in enumerate(["Ann works at Google.", "Ann works at Meta.", "Ann works at Google."])]
    became = validities(told, lambda older, newer: RuleJudge().judge([(older, newer)], "s")[0])
    assert [became[each.id].valid_to is None for each in told] == [False, False, True]
    assert all(each.merged_into is None for each in became.values())
