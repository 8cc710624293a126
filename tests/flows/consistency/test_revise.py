"""Entities, relationships and profiles are a pure function of their mentions."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.aggregates.mentions import LONGEST_SUMMARY
from flows.consistency.revise import rebuilt
from flows.items import AggregateMention
from mneme.records import Entity, Mention, Owner, Profile, ProfileItem, Relationship

ANN = Owner(tenant_id="t", type="user", id="ann")
DAY = datetime(2026, 3, 2, tzinfo=UTC)
EDGE = ("Bob", "works_at", "Acme")


def mention(episode: int, text: str, **more: Any) -> Mention:
    return Mention(episode_id=f"e{episode}", text=text, at=DAY + timedelta(days=episode), **more)


def says(episode: int, text: str) -> AggregateMention:
    return AggregateMention("row", mention(episode, text, name="Bob", type="person"))


def at_work(episode: int, since: datetime) -> AggregateMention:
    return AggregateMention("row", mention(episode, "Bob works_at Acme", date=since), EDGE)


def line(episode: int, text: str, category: str, implicit: bool = False) -> AggregateMention:
    shown = mention(episode, text)
    return AggregateMention(
        "row", ProfileItem(about="Ann", statement=text, category=category, implicit=implicit, evidence=(shown,))
    )


def after(*steps: tuple[str, list[AggregateMention]]) -> Entity | Relationship | Profile | None:
    aggregate = None
    for episode, mentions in steps:
        aggregate = rebuilt("row", ANN, aggregate, {episode: mentions})
    return aggregate


@given(order=st.permutations(range(5)))
def test_the_order_in_which_episodes_come_makes_no_difference(order: list[int]) -> None:
    in_order = after(*((f"e{n}", [says(n, f"Bob did thing {n}.")]) for n in range(5)))
    shuffled = after(*((f"e{n}", [says(n, f"Bob did thing {n}.")]) for n in order))
    assert shuffled == in_order


def test_an_episode_that_comes_again_replaces_what_it_said() -> None:
    entity = after(("e1", [says(1, "Bob bakes.")]), ("e2", [says(2, "Bob sings.")]), ("e1", [says(1, "Bob cooks.")]))
    assert isinstance(entity, Entity)
    assert entity.summary == "Bob cooks. Bob sings."


def test_an_aggregate_of_which_nobody_speaks_any_more_is_gone() -> None:
    assert after(("e1", [says(1, "Bob bakes.")]), ("e1", [])) is None


def test_a_summary_keeps_the_newest_and_stays_within_500_characters() -> None:
    entity = after(*((f"e{n}", [says(n, f"{n:03d} " + "x" * 90)]) for n in range(50)))
    assert isinstance(entity, Entity)
    assert len(entity.summary) <= LONGEST_SUMMARY
    assert entity.summary.startswith("045") or entity.summary.startswith("046")
    assert "049 " in entity.summary


def test_a_relationship_keeps_its_earliest_date() -> None:
    later = at_work(1, datetime(2024, 5, 1, tzinfo=UTC))
    earlier = at_work(2, datetime(2023, 1, 1, tzinfo=UTC))
    edge = after(("e1", [later]), ("e2", [earlier]))
    assert isinstance(edge, Relationship)
    assert edge.date == datetime(2023, 1, 1, tzinfo=UTC)
    assert len(edge.mentions) == 2


def test_a_profile_tells_what_was_said_from_what_was_shown() -> None:
    profile = after(
        ("e1", [line(1, "Ann likes tea.", "preference")]),
        ("e2", [line(2, "Ann plans ahead.", "trait", implicit=True)]),
        ("e3", [line(3, "Ann plans ahead.", "trait", implicit=True)]),
    )
    assert isinstance(profile, Profile)
    said = [(item.statement, item.implicit) for item in profile.evidence]
    assert said == [("Ann likes tea.", False), ("Ann plans ahead.", True), ("Ann plans ahead.", True)]
