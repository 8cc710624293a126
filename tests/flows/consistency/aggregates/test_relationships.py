"""Edges: what closes them, what opens them again, and which are one."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.consistency.aggregates.relationships import edge_of, relationship_of, revalidated, slots
from mneme.ids import relationship_id
from mneme.records import Mention, Owner, Relationship

OWNER = Owner(tenant_id="t", type="user", id="ann")


def on(month: int, day: int = 1, year: int = 2024) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


class Graph:
    """The edges of an owner, kept as the owner's lane keeps them."""

    def __init__(self) -> None:
        self.edges: dict[str, Relationship] = {}

    def found(self, wanted: Collection[str]) -> list[Relationship]:
        """The edges in any of the slots."""
        return [each for each in self.edges.values() if set(slots(each)) & set(wanted)]

    def say(
        self,
        at: datetime,
        source: str,
        relation: str,
        target: str,
        *,
        date: datetime | None = None,
        ended: bool = False,
        episode: str | None = None,
        withdrawn: bool = False,
    ) -> None:
        """An episode says that an edge is there, or is over; or (withdrawn) nothing of it any more."""
        edge = edge_of(source, relation, target)
        identity = relationship_id(OWNER.key, *edge)
        episode = episode or f"e{at:%m%d}"
        mention = Mention(episode_id=episode, text=" ".join(edge), at=at, date=date, ended=ended)
        before = self.edges.pop(identity, None)
        after = relationship_of(identity, OWNER, before, {episode}, edge, [] if withdrawn else [mention])
        if after is not None:
            self.edges[identity] = after
        changes = revalidated([each for each in (before, after) if each is not None], self.found)
        self.edges |= {each.id: each for each in changes}

    def holds(self, target: str, source: str = "Ann") -> tuple[datetime | None, datetime | None]:
        """From when until when."""
        edge = next(each for each in self.edges.values() if {each.source, each.target} == {source, target})
        return edge.validity.valid_from, edge.validity.valid_to

    def replaced_by(self, target: str) -> str | None:
        """The target of the edge that closed an edge."""
        edge = next(each for each in self.edges.values() if each.target == target)
        return self.edges[edge.validity.superseded_by].target if edge.validity.superseded_by else None


def test_an_edge_holds_from_its_date_or_from_when_it_was_said() -> None:
    graph = Graph()
    graph.say(on(3), "Ann", "works_at", "Google", date=on(1))
    graph.say(on(3), "Ann", "likes", "Tea")
    assert graph.holds("Google") == (on(1), None)
    assert graph.holds("Tea") == (on(3), None)


def test_an_end_that_is_told_again_ended_when_it_was_first_told() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(3), "Ann", "works_at", "Google", ended=True)
    graph.say(on(5), "Ann", "works_at", "Google", ended=True)
    assert graph.holds("Google") == (on(1), on(3))


def test_a_mention_that_it_is_over_closes_it_and_a_later_one_opens_it_again() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "member_of", "Choir")
    graph.say(on(3), "Ann", "member_of", "Choir", ended=True, date=on(2, 20))
    assert graph.holds("Choir") == (on(1), on(2, 20))
    graph.say(on(6), "Ann", "member_of", "Choir")
    assert graph.holds("Choir") == (on(6), None)


def test_an_end_without_a_date_is_when_it_was_said_and_an_edge_only_known_by_its_end_has_no_beginning() -> None:
    graph = Graph()
    graph.say(on(3), "Ann", "works_at", "Google", ended=True)
    assert graph.holds("Google") == (None, on(3))


def test_a_new_employer_closes_the_old_one_from_its_date_on() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(6), "Ann", "works_at", "Meta", date=on(5))
    assert graph.holds("Google") == (on(1), on(5))
    assert graph.replaced_by("Google") == "Meta"
    assert graph.holds("Meta") == (on(5), None)


def test_without_a_date_it_is_closed_when_the_new_one_was_said() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(6), "Ann", "works_at", "Meta")
    assert graph.holds("Google") == (on(1), on(6))


def test_an_edge_confirmed_after_the_date_of_the_new_one_holds_until_the_new_one_was_said() -> None:
    graph = Graph()
    graph.say(on(4), "Ann", "works_at", "Google")
    graph.say(on(6), "Ann", "works_at", "Meta", date=on(2))
    assert graph.holds("Google") == (on(4), on(6))


def test_one_who_goes_back_works_there_again() -> None:
    graph = Graph()
    for month, company in ((1, "Google"), (3, "Meta"), (5, "Google")):
        graph.say(on(month), "Ann", "works_at", company)
    assert graph.holds("Google") == (on(5), None)
    assert graph.holds("Meta") == (on(3), on(5))


def test_an_employer_of_the_past_that_is_told_of_later_closes_nothing() -> None:
    graph = Graph()
    graph.say(on(3), "Ann", "works_at", "Google", date=on(1, year=2020))
    graph.say(on(5), "Ann", "works_at", "IBM", date=on(1, year=2010))
    assert graph.holds("Google") == (on(1, year=2020), None)
    assert graph.holds("IBM") == (on(1, year=2010), on(1, year=2020))
    assert graph.replaced_by("IBM") == "Google"


def test_a_job_that_begins_later_closes_the_present_one_then_and_speaking_of_the_present_one_changes_nothing() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(7), "Ann", "works_at", "Meta", date=on(9))
    graph.say(on(8), "Ann", "works_at", "Google")
    assert graph.holds("Google") == (on(1), on(9))
    assert graph.holds("Meta") == (on(9), None)


def test_a_job_that_was_called_off_before_it_began_closes_nothing() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(7), "Ann", "works_at", "Meta", date=on(9))
    graph.say(on(8), "Ann", "works_at", "Meta", ended=True)
    assert graph.holds("Google") == (on(1), None)


def test_what_is_said_at_the_same_moment_stands_together() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google", episode="e")
    graph.say(on(1), "Ann", "works_at", "Meta", episode="e")
    assert graph.holds("Google")[1] is None
    assert graph.holds("Meta")[1] is None


def test_one_has_many_friends_and_another_person_works_elsewhere() -> None:
    graph = Graph()
    for month, name in ((1, "Bob"), (2, "Carl")):
        graph.say(on(month), "Ann", "friend_of", name)
    graph.say(on(3), "Ann", "works_at", "Google")
    graph.say(on(4), "Bob", "works_at", "Meta")
    assert graph.holds("Bob")[1] is None
    assert graph.holds("Google")[1] is None


def test_a_new_employer_that_is_withdrawn_leaves_no_trace() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "works_at", "Google")
    graph.say(on(6), "Ann", "works_at", "Meta")
    graph.say(on(6), "Ann", "works_at", "Meta", withdrawn=True)
    assert graph.holds("Google") == (on(1), None)
    assert len(graph.edges) == 1


def test_a_marriage_is_one_edge_from_either_side() -> None:
    graph = Graph()
    graph.say(on(1), "Bob", "married_to", "Ann")
    graph.say(on(2), "Ann", "married to", "Bob")
    assert [(each.source, each.relation, each.target) for each in graph.edges.values()] == [("Ann", "married_to", "Bob")]
    assert len(next(iter(graph.edges.values())).mentions) == 2


def test_a_new_marriage_of_either_closes_the_old_one() -> None:
    graph = Graph()
    graph.say(on(1), "Ann", "married_to", "Zoe")
    graph.say(on(5), "Tom", "married_to", "Zoe")
    assert graph.holds("Zoe") == (on(1), on(5))


def test_the_newest_mention_decides_how_names_are_written() -> None:
    graph = Graph()
    graph.say(on(2), "ann", "works_at", "google")
    graph.say(on(1), "Ann", "works_at", "Google")
    assert [(each.source, each.target) for each in graph.edges.values()] == [("ann", "google")]


@pytest.mark.parametrize(
    ("said", "edge"),
    [
        (("Ann", "works for", "Google"), ("Ann", "works_at", "Google")),
        (("Ann", "Lives-In", "Oslo"), ("Ann", "lives_in", "Oslo")),
        (("Zoe", "wife_of", "Ann"), ("Ann", "married_to", "Zoe")),
        (("Zoe", "parent_of", "Ann"), ("Zoe", "parent_of", "Ann")),
        (("Ann", "plays_with", "Rex"), ("Ann", "plays_with", "Rex")),
    ],
)
def test_relations_have_one_spelling_and_symmetric_ones_one_direction(
    said: tuple[str, str, str], edge: tuple[str, str, str]
) -> None:
    assert edge_of(*said) == edge


edges = st.tuples(
    st.integers(1, 6),
    st.sampled_from(["Ann", "Bob", "Zoe"]),
    st.sampled_from(["works_at", "married_to", "friend_of"]),
    st.sampled_from(["Carl", "Dan", "Ann"]),
    st.sampled_from([None, 1, 3, 8]),
    st.booleans(),
)
Said = tuple[int, str, str, str, int | None, bool]


def told(said: Sequence[Said], places: Sequence[int]) -> Graph:
    graph = Graph()
    for place in places:
        month, source, relation, target, date, ended = said[place]
        graph.say(on(month), source, relation, target, date=on(date) if date else None, ended=ended, episode=f"e{place}")
    return graph


@settings(max_examples=100)
@given(said=st.lists(edges, max_size=8), data=st.data())
def test_the_order_of_arrival_makes_no_difference_and_what_is_withdrawn_leaves_no_trace(
    said: list[Said], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(said))))
    graph = told(said, order)
    in_order = told(said, range(len(said)))
    assert graph.edges == in_order.edges
    assert revalidated(list(graph.edges.values()), graph.found) == []
    gone = data.draw(st.sets(st.sampled_from(range(len(said))))) if said else set()
    for place in gone:
        month, source, relation, target, _, _ = said[place]
        graph.say(on(month), source, relation, target, episode=f"e{place}", withdrawn=True)
    assert graph.edges == told(said, [place for place in range(len(said)) if place not in gone]).edges
