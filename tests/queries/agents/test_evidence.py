"""What several searches found becomes one list: each thing once, and each search with a place."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from queries.agents.evidence import Evidence, parent_of, time_of
from queries.responses import FoundEpisode, FoundFact, FoundMessage, Graph
from tests.queries.agents.made import DAY, episode, evidence, fact, message, profile, relationship, response

EPISODES = [episode(f"e{number}") for number in range(5)]
ITEMS = [
    *EPISODES,
    *(fact(f"f{number}.{part}", episode=f"e{number}") for number in range(5) for part in range(3)),
    *(message(f"r{number}", parent_episode_id=f"e{number}") for number in range(3)),
    *(message(f"m{number}") for number in range(4)),
]
rankings = st.lists(st.sampled_from(ITEMS), max_size=12, unique_by=lambda item: item.id)
several = st.lists(rankings, min_size=1, max_size=6)


def found_by(searches: list[list[FoundEpisode | FoundFact | FoundMessage]]) -> Evidence:
    return evidence(*((f"query {number}", response(*ranking)) for number, ranking in enumerate(searches)))


def ids(found: Evidence, limit: int = 1000) -> list[str]:
    return [place.item.id for place in found.places(limit)]


@given(several, st.integers(1, 20))
def test_nothing_is_listed_twice_and_no_more_than_the_limit(searches: list, limit: int) -> None:
    listed = ids(found_by(searches), limit)
    assert len(listed) == len(set(listed)) == min(limit, len(ids(found_by(searches))))


@given(several, st.integers(1, 20))
def test_never_an_episode_and_a_part_of_it(searches: list, limit: int) -> None:
    places = found_by(searches).places(limit)
    whole = {place.item.id for place in places if isinstance(place.item, FoundEpisode)}
    assert not whole & {parent_of(place.item) for place in places}


@given(several)
def test_whatever_was_found_is_listed_or_told_by_what_is(searches: list) -> None:
    found = found_by(searches)
    listed = set(ids(found))
    parents = {item.id: parent_of(item) or item.id for item in ITEMS}
    assert {parents[each] for each in listed} == {parents[each] for each in found.ids}


@given(several, st.integers(1, 14))
def test_the_best_of_each_search_has_a_place_where_there_are_as_many(searches: list, spare: int) -> None:
    found = found_by(searches)
    eligible = set(ids(found))
    listed = set(ids(found, len(searches) + spare))
    for ranking in searches:
        best = next((item.id for item in ranking if item.id in eligible), None)
        assert best is None or best in listed


@given(several, st.integers(1, 20))
def test_what_is_best_of_all_stays_first(searches: list, limit: int) -> None:
    found = found_by(searches)
    assert ids(found, limit)[:1] == ids(found)[:1]


@given(several)
def test_scores_never_rise_where_all_places_are_listed(searches: list) -> None:
    scores = [place.score for place in found_by(searches).places(1000)]
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.sampled_from([item for item in ITEMS if isinstance(item, FoundFact)]), unique_by=lambda item: item.id))
def test_one_search_alone_keeps_its_order_and_its_scores(ranking: list[FoundFact]) -> None:
    alone = response(*ranking)
    places = evidence(("query", alone)).places(1000)
    assert [(place.item.id, place.score) for place in places] == [(each.id, each.score) for each in alone.ranked()]


def test_what_two_searches_find_stands_before_what_one_finds() -> None:
    found = found_by([[message("m9")], [message("m1"), message("m0")], [message("m2"), message("m0")]])
    assert ids(found) == ["m9", "m0", "m1", "m2"]


def test_what_the_question_itself_finds_stands_before_what_another_query_finds() -> None:
    assert ids(found_by([[message("m1"), message("m2")], [message("m0")]])) == ["m1", "m2", "m0"]


def test_what_one_search_finds_first_stands_before_what_two_have_low() -> None:
    rankings = [[message(name), *(message(f"{name} {place}") for place in (2, 3)), message("noise")] for name in ("a", "b")]
    order = ids(found_by([[message("question")], *rankings]))
    assert order.index("a") < order.index("b") < order.index("noise")


def test_of_an_episode_and_its_fact_the_better_one_stands() -> None:
    told = fact("f", episode="e")
    assert ids(found_by([[told, episode("e"), message("m")]])) == ["f", "m"]
    assert ids(found_by([[episode("e"), told, message("m")]])) == ["e", "m"]


def test_a_search_that_found_only_what_is_low_gets_the_last_place() -> None:
    searches = [[message(f"m{number}") for number in range(5)], [message(f"m{number}") for number in range(5)], [message("m9")]]
    assert ids(found_by(searches), 3) == ["m0", "m1", "m9"]


def test_what_one_search_has_first_stands_beside_what_all_have_low() -> None:
    noise = [message(f"noise {number}") for number in range(8)]
    found = found_by([[message("first"), *noise], [message("second"), *noise], [message("third"), *noise]])
    assert set(ids(found, 5)) == {"noise 0", "noise 1", "first", "second", "third"}


def test_what_is_new_is_counted_once() -> None:
    found = Evidence()
    assert found.add("a", response(message("m0"), message("m1"))) == 2
    assert found.add("b", response(message("m1"), message("m2"))) == 1
    assert found.ids == ("m0", "m1", "m2")
    assert len(found) == 3
    assert found.queries == ("a", "b")


def test_portraits_stand_by_and_are_not_fused() -> None:
    first = response(profile(), message("m0"))
    found = evidence(("a", first))
    assert ids(found) == ["m0"]
    assert [each.id for each in found.standing_by(first)] == ["portrait"]


def test_what_no_episode_holds_yet_stands_by_in_long_term_memory() -> None:
    first = response(message("open"), message("closed", parent_episode_id="e"))
    found = evidence(("a", first), long_term=True)
    assert ids(found) == ["closed"]
    assert [each.id for each in found.standing_by(first)] == ["open"]


def test_a_view_lists_its_own_places_of_the_same_searches() -> None:
    found = found_by([[message("m0"), message("m1"), message("m2")]])
    view = found.in_order(reversed(found.places(3)))
    assert ids(view) == ["m2", "m1", "m0"]
    assert ids(view, 1) == ["m2"]
    assert view.queries == found.queries
    assert ids(found) == ["m0", "m1", "m2"]


def test_an_episode_is_shown_with_what_any_search_nested_under_it() -> None:
    one, other = fact("f1", episode="e", score=0.4), fact("f2", episode="e", score=0.7)
    better = one.model_copy(update={"score": 0.9})
    found = evidence(("a", response(episode("e", one))), ("b", response(episode("e", other, better))))
    assert [(each.id, each.score) for each in found.episodes()["e"].atomic_facts] == [("f1", 0.9), ("f2", 0.7)]


def test_a_relationship_is_there_once_and_as_near_as_any_search_came() -> None:
    far, near = relationship("Lee", "works_at", "Initech", hop=2), relationship("Lee", "works_at", "Initech", hop=1)
    other = relationship("Eve", "ceo_of", "Acme", hop=1)
    found = evidence(
        ("a", response(graph=Graph(relationships=(other, far)))), ("b", response(graph=Graph(relationships=(near,))))
    )
    assert found.graph().relationships == (other, near)


def test_each_kind_is_told_at_its_own_time() -> None:
    later = DAY + timedelta(days=1)
    told = (episode("e", started_at=later), fact("f", said_at=later), message("m", sent_at=later))
    assert {time_of(each) for each in told} == {later}
