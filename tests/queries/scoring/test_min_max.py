"""Scores without training: how features become scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring.field import Field
from queries.scoring.min_max import MinMaxScorer
from tests.contracts.rows import episode, fact

SCORER = MinMaxScorer(alpha=1.0)
bm25, cosine = st.one_of(st.none(), st.floats(0, 30)), st.one_of(st.none(), st.floats(-1, 1))


def candidate(id: str, bm25: float | None = 0.0, cosine: float | None = 0.0, *speakers: str) -> Candidate:
    return Candidate(fact(id, speakers=speakers), bm25, cosine)


def scored(question: str, facts: dict[str, list[Candidate]], scorer: MinMaxScorer = SCORER) -> dict[str, float]:
    episodes = [Candidate(episode(each), 1.0, 0.2) for each in facts]
    return scorer.score(understand(question, None), Field.of(episodes, facts, ()), ()).scores


def statements(question: str, *inside: Candidate) -> dict[str, float]:
    return scored(question, {"e": list(inside)})


def test_a_score_is_the_weighted_mean_of_what_applies():
    best, worst = candidate("f0", 8.0, 0.9), candidate("f2", 0.0, 0.1)
    scores = statements("What?", best, worst)
    assert (scores["f0"], scores["f2"]) == pytest.approx((1.0 / 1.15, 0.15 / 1.15))
    assert statements("What?", best, candidate("f1", 4.0, None))["f1"] == pytest.approx((0.5 + 0.15 * 1.0) / 1.15)
    named = statements("What did Leo say?", best, candidate("f1", 4.0, 0.9, "Leo"))
    assert named["f1"] == pytest.approx((0.75 + 0.15 * 1.0 + 0.2) / 1.35)
    assert statements("What?", candidate("f0", None, None)) == {"e": pytest.approx(1 / 3), "f0": 0.0}


@given(
    st.lists(st.tuples(bm25, st.one_of(st.none(), st.floats(-1, 1))), max_size=6),
    st.sampled_from(["What?", "What did Leo say?"]),
)
def test_scores_stay_between_0_and_1(legs, question):
    scores = statements(question, *(candidate(f"f{at}", *each, "Leo") for at, each in enumerate(legs)))
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores.values())


def test_the_better_neighbour_lifts_a_fact():
    scores = statements("What?", candidate("f0", 8.0, 0.9), candidate("f1"), candidate("f2"), candidate("f3"))
    assert scores["f0"] > scores["f1"] > scores["f2"] == scores["f3"]


def test_facts_of_another_episode_are_no_neighbours():
    scores = scored("What?", {"e": [candidate("f0", 8.0, 0.9)], "d": [candidate("g0"), candidate("g1")]})
    assert scores["g0"] == scores["g1"] == 0.0


def test_who_is_named_goes_first_and_nobody_named_changes_nothing():
    ada, leo = candidate("f0", 5.0, 0.5, "Ada"), candidate("f1", 5.0, 0.5, "Leo")
    named = statements("What did Leo say?", ada, leo)
    unnamed = statements("What was said?", ada, leo)
    assert named["f1"] > named["f0"]
    assert unnamed["f1"] == unnamed["f0"]


def test_a_row_without_a_vector_is_scored_by_its_words_alone():
    scores = statements("What?", candidate("f0", 4.0, None), candidate("f1", 4.0, 0.9), candidate("f2", 0.0, 0.1))
    assert scores["f0"] > scores["f2"]


def test_an_episode_is_its_own_score_its_best_fact_and_the_mean_of_its_facts():
    scores = scored("What?", {"e": [candidate("f0", 8.0, 0.9), candidate("f1")], "d": []})
    best, worst = scores["f0"], scores["f1"]
    assert scores["e"] == pytest.approx((1.0 + best + (best + worst) / 2) / 3)
    assert scores["d"] == pytest.approx(1.0)


def test_alpha_is_the_share_of_the_fact_in_its_score():
    facts = {"e": [candidate("f0", 8.0, 0.9), candidate("f1")], "d": [candidate("g0", 1.0, 0.1)]}
    alone = scored("What?", facts)
    half = scored("What?", facts, MinMaxScorer(alpha=0.5))
    assert half["f1"] == pytest.approx((alone["f1"] + alone["e"]) / 2)
