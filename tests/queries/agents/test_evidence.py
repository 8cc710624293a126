"""The results of all searches: fused, and as one response."""

from hypothesis import given
from hypothesis import strategies as st

from queries.agents.evidence import Evidence, merged, parent_of
from queries.responses import FoundEpisode, FoundFact, FoundMessage, Graph, SearchResponse
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
def test_the_best_of_all_is_listed_once_as_a_whole_or_in_parts(searches: list, limit: int) -> None:
    found = found_by(searches)
    everything, places = found.places(1000), found.places(limit)
    listed, all_listed = [place.item.id for place in places], [place.item.id for place in everything]
    assert len(listed) == len(set(listed)) == min(limit, len(all_listed))
    assert listed[:1] == all_listed[:1]
    whole = {place.item.id for place in places if isinstance(place.item, FoundEpisode)}
    assert not whole & {parent_of(place.item) for place in places}
    parents = {item.id: parent_of(item) or item.id for item in ITEMS}
    assert {parents[each] for each in all_listed} == {parents[each] for each in found.ids}
    scores = [place.score for place in everything]
    assert scores == sorted(scores, reverse=True)


@given(several, st.integers(1, 14))
def test_the_best_of_each_search_has_a_place_where_there_are_as_many(searches: list, spare: int) -> None:
    found = found_by(searches)
    eligible = set(ids(found))
    listed = set(ids(found, len(searches) + spare))
    for ranking in searches:
        best = next((item.id for item in ranking if item.id in eligible), None)
        assert best is None or best in listed


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


def one(found: Evidence, limit: int = 10, **options) -> SearchResponse:
    chosen = {"facts_per_episode": 5, "newest_first": True, "equal_scores": False} | options
    lists = merged(found, found.places(limit), limit, **chosen)
    first = found.first
    assert first is not None
    return SearchResponse(**lists, query=first.query, metrics=first.metrics)


def ranks(found: SearchResponse) -> list[str]:
    return [each.id for each in found.ranked()]


class TestPlaces:
    def test_ranks_are_counted_over_all_types_without_gaps(self):
        found = one(evidence(("a", response(fact("f"), profile(), message("m")))))
        assert [each.rank for each in found.ranked()] == [1, 2, 3]

    def test_what_is_searched_for_once_keeps_its_place(self):
        found = one(evidence(("a", response(fact("f"), profile(), fact("g"))), ("b", response(fact("h"), fact("g")))))
        assert ranks(found)[1] == "portrait"
        assert set(ranks(found)) == {"f", "g", "h", "portrait"}

    def test_there_are_no_more_places_than_asked_for(self):
        found = one(evidence(("a", response(*(fact(f"f{n}") for n in range(9)), profile()))), limit=3)
        assert len(found.ranked()) == 3

    def test_a_search_that_found_nothing_but_a_portrait_shows_it(self):
        assert ranks(one(evidence(("a", response(profile()))))) == ["portrait"]

    def test_what_superseded_another_stands_before_it(self):
        old = fact("old", valid_to=DAY, superseded_by="new")
        searches = evidence(("a", response(old, fact("other"))), ("b", response(fact("x"), fact("new"))))
        assert ranks(one(searches)).index("new") < ranks(one(searches)).index("old")
        assert ranks(one(searches, newest_first=False))[0] == "old"


class TestScores:
    def test_scores_never_rise_with_the_rank(self):
        searches = evidence(("a", response(fact("f"), profile(), message("m"))), ("b", response(message("m"), fact("g"))))
        scores = [each.score for each in one(searches).ranked()]
        assert scores == sorted(scores, reverse=True)

    def test_a_single_search_keeps_its_scores(self):
        single = response(fact("f"), fact("g"))
        assert [each.score for each in one(evidence(("a", single))).ranked()] == [each.score for each in single.ranked()]

    def test_all_scores_are_one_on_request(self):
        searches = evidence(("a", response(fact("f"), profile())), ("b", response(fact("g"))))
        assert {each.score for each in one(searches, equal_scores=True).ranked()} == {1.0}


class TestEpisodes:
    def test_an_episode_nests_what_any_search_found_of_it(self):
        whole = episode("walk", fact("f", episode="walk"))
        again = episode("walk", fact("g", episode="walk"))
        (walk,) = one(evidence(("a", response(whole)), ("b", response(again)))).episodes
        assert {each.id for each in walk.atomic_facts} == {"f", "g"}
        assert walk.rank == 1

    def test_the_episode_of_a_fact_is_shown_without_a_place(self):
        found = one(evidence(("a", response(fact("f", episode="walk"))), ("b", response(fact("g")))))
        walk = next(each for each in found.episodes if each.id == "walk")
        assert walk.rank is None
        assert [each.rank for each in walk.atomic_facts] == [1]

    def test_a_nested_fact_that_lost_its_place_has_no_rank(self):
        facts = [fact(f"f{number}", episode="walk") for number in range(4)]
        (walk,) = one(evidence(("a", response(*facts))), limit=2).episodes
        assert [each.rank for each in walk.atomic_facts] == [1, 2, None, None]

    def test_no_more_facts_are_nested_than_the_settings_say_but_for_those_with_a_place(self):
        facts = [fact(f"f{number}", episode="walk") for number in range(6)]
        (walk,) = one(evidence(("a", response(*facts))), limit=3, facts_per_episode=2).episodes
        assert [each.rank for each in walk.atomic_facts] == [1, 2, 3]

    def test_documents_stay_knowledge(self):
        first = response(fact("f"))
        first = first.model_copy(update={"knowledge": (episode("section", rank=2),)})
        found = one(evidence(("a", first)))
        assert [each.id for each in found.knowledge] == ["section"]
        assert "section" not in {each.id for each in found.episodes}


class TestGraph:
    def test_the_graphs_of_all_searches_are_joined_nearest_first(self):
        near, far = relationship("Acme", "led_by", "Dana"), relationship("Dana", "married_to", "Lee", hop=2)
        nearer = far.model_copy(update={"hop": 1})
        searches = evidence(
            ("a", response(fact("f"), graph=Graph(relationships=(near, far)))),
            ("b", response(fact("g"), graph=Graph(relationships=(nearer,)))),
        )
        found = one(searches).graph.relationships
        assert [(each.target, each.hop) for each in found] == [("Dana", 1), ("Lee", 1)]
