"""What several searches found becomes one response."""

from datetime import timedelta

from queries.agents.evidence import Evidence
from queries.agents.merged import merged
from queries.agents.query import Order
from queries.responses import SearchResponse
from tests.queries.agents.made import DAY, episode, evidence, fact, message, profile, relationship, response


def one(found: Evidence, limit: int = 10, **options) -> SearchResponse:
    chosen = {"order": Order.SCORE, "facts_per_episode": 5, "newest_first": True, "equal_scores": False} | options
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


class TestOrder:
    def test_by_when_it_was_said_on_request(self):
        late = fact("late", said_at=DAY + timedelta(days=2))
        early = fact("early", said_at=DAY - timedelta(days=2))
        searches = evidence(("a", response(late, profile(), early, message("between"))))
        assert ranks(one(searches, order=Order.CHRONOLOGICAL)) == ["early", "between", "late", "portrait"]


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
        from queries.responses import Graph

        near, far = relationship("Acme", "led_by", "Dana"), relationship("Dana", "married_to", "Lee", hop=2)
        nearer = far.model_copy(update={"hop": 1})
        searches = evidence(
            ("a", response(fact("f"), graph=Graph(relationships=(near, far)))),
            ("b", response(fact("g"), graph=Graph(relationships=(nearer,)))),
        )
        found = one(searches).graph.relationships
        assert [(each.target, each.hop) for each in found] == [("Dana", 1), ("Lee", 1)]
