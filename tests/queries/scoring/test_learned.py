"""Scores by coefficients."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.embedders import MODEL, VARIANTS
from mneme.errors import SettingsError
from mneme.ports import EmbedderIdentity
from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES
from queries.scoring.field import Field
from queries.scoring.first_places import FIRST_PLACES_FEATURES
from queries.scoring.learned import Coefficients, LearnedScorer, Model, coefficients_for
from queries.scoring.weights import Weights
from tests.contracts.rows import episode, fact
from tests.queries.world import settings

QUESTION = understand("What was said?", None)
EMBEDDER = EmbedderIdentity("words", "test", 8)
measured = st.one_of(st.none(), st.floats(0, 20))


def coefficients(alpha: float = 0.5, late_interaction: bool = False, **fields: object) -> Coefficients:
    """Only BM25 counts."""
    return Coefficients(
        backend="embedded",
        embedder=EMBEDDER.fingerprint,
        late_interaction=late_interaction,
        alpha=alpha,
        statements=Weights(weights=dict.fromkeys(STATEMENT_FEATURES, 0.0) | {"bm25": 4.0}, bias=-3.0),
        episodes=Weights(weights=dict.fromkeys(EPISODE_FEATURES, 0.0) | {"bm25": 2.0}, bias=-1.0),
        fitted_on="made up",
        date="2026-11-21",
        **fields,
    )


def field_of(facts: dict[str, list[float | None]], others: tuple[float, ...] = ()) -> Field:
    """Facts by episode, and what stands alone, with their BM25; of the episodes the first fits best."""
    episodes = [Candidate(episode(name), float(len(facts) - place), 0.0) for place, name in enumerate(facts)]
    inside = {
        name: [Candidate(fact(f"{name}/f/{at}", parent_episode_id=name), bm25, 0.1) for at, bm25 in enumerate(each)]
        for name, each in facts.items()
    }
    return Field.of(episodes, inside, [Candidate(fact(f"o{at}"), bm25, 0.1) for at, bm25 in enumerate(others)])


def scores(field: Field, alpha: float = 0.5) -> dict[str, float]:
    return LearnedScorer(coefficients(alpha)).score(QUESTION, field, ()).scores


def test_other_languages_have_a_model_of_their_own():
    """Here one to which BM25 says nothing."""
    nothing = Model(
        statements=Weights(weights=dict.fromkeys(STATEMENT_FEATURES, 0.0), bias=0.0),
        episodes=Weights(weights=dict.fromkeys(EPISODE_FEATURES, 0.0), bias=0.0),
    )
    scorer, field = LearnedScorer(coefficients(other_languages=nothing)), field_of({"e": [2.0, 1.0]})
    in_english = scorer.score(QUESTION, field, ()).scores
    in_german = scorer.score(understand("Wer hat was gesagt, und wann?", None), field, ()).scores
    assert in_english["e/f/0"] > in_english["e/f/1"]
    assert in_german["e/f/0"] == in_german["e/f/1"] == 0.5


def test_a_fact_counts_with_its_episode_as_alpha_says():
    field = field_of({"e": [2.0], "d": [2.0]})
    alone, together = scores(field, alpha=1.0), scores(field, alpha=0.5)
    assert alone["e/f/0"] == alone["d/f/0"]
    assert together["e/f/0"] > together["d/f/0"]


@given(
    st.dictionaries(st.sampled_from("abcd"), st.lists(measured, max_size=4), max_size=4), st.lists(st.floats(0, 20), max_size=3)
)
def test_every_candidate_has_a_score_from_0_to_1_and_the_best_fact_stands_above_its_episode(facts, others):
    field = field_of(facts, tuple(others))
    found = scores(field)
    assert found.keys() == {each.row.id for each in (*field.episodes, *field.statements)}
    assert all(0.0 <= score <= 1.0 for score in found.values())
    for name, inside in facts.items():
        if inside:
            assert max(found[f"{name}/f/{at}"] for at in range(len(inside))) >= found[name] - 1e-9


def test_what_stands_alone_is_no_worse_than_the_same_in_the_worst_episode():
    found = scores(field_of({"e": [9.0], "d": [4.0]}, (4.0,)))
    assert found["o0"] >= found["d/f/0"]


def test_nothing_has_no_scores():
    assert scores(field_of({})) == {}


class TestWhichCoefficients:
    def test_those_of_the_file_for_this_index_and_this_embedder(self, tmp_path):
        path = tmp_path / "fitted.json"
        path.write_text(json.dumps([coefficients().model_dump(mode="json")]))
        given_ = settings(coefficients=path)
        found = coefficients_for(given_, EMBEDDER)
        assert found is not None
        assert coefficients_for(given_, EmbedderIdentity("another", "test", 8)) is None
        elsewhere = given_.model_copy(update={"index": given_.index.model_copy(update={"backend": "opensearch"})})
        assert coefficients_for(elsewhere, EMBEDDER) is None

    def test_those_with_late_interaction_serve_where_there_are_vectors_of_tokens(self, tmp_path):
        path = tmp_path / "fitted.json"
        with_tokens = replace(EMBEDDER, token_dimension=64)
        chosen = {}
        for there in ((False,), (True,), (False, True)):
            path.write_text(json.dumps([coefficients(late_interaction=each).model_dump(mode="json") for each in there]))
            found = [coefficients_for(settings(coefficients=path), embedder) for embedder in (EMBEDDER, with_tokens)]
            chosen[there] = [each and each.late_interaction for each in found]
        assert chosen == {(False,): [False, False], (True,): [None, True], (False, True): [False, True]}

    @pytest.mark.parametrize("content", ["", "{}", '[{"backend": "embedded"}]'])
    def test_a_file_that_cannot_be_used_names_the_setting(self, tmp_path, content):
        path = tmp_path / "fitted.json"
        path.write_text(content)
        with pytest.raises(SettingsError, match="MNEME_RETRIEVAL__COEFFICIENTS"):
            coefficients_for(settings(coefficients=path), EMBEDDER)

    def test_coefficients_of_other_features_say_to_fit_again(self, tmp_path):
        entry = coefficients().model_dump(mode="json")
        entry["episodes"]["weights"]["length_of_beard"] = 1.0
        path = tmp_path / "fitted.json"
        path.write_text(json.dumps([entry]))
        with pytest.raises(SettingsError, match=r"length_of_beard.*mneme bench fit fusion"):
            coefficients_for(settings(coefficients=path), EMBEDDER)

    def test_an_order_of_the_first_places_wants_a_weight_for_every_feature(self, tmp_path):
        weights = dict.fromkeys(FIRST_PLACES_FEATURES, 0.0)
        entry = coefficients(first_places=Weights(weights=weights, bias=0.0)).model_dump(mode="json")
        del entry["first_places"]["weights"]["reading"]
        path = tmp_path / "fitted.json"
        path.write_text(json.dumps([entry]))
        with pytest.raises(SettingsError, match=r"reading.*mneme bench fit fusion"):
            coefficients_for(settings(coefficients=path), EMBEDDER)

    def test_those_that_are_shipped_can_be_read(self):
        for backend in ("embedded", "opensearch"):
            given_ = settings()
            given_ = given_.model_copy(update={"index": given_.index.model_copy(update={"backend": backend})})
            assert coefficients_for(given_, EmbedderIdentity("nobody's", "test", 8)) is None
            for precision in VARIANTS.values():
                assert coefficients_for(given_, EmbedderIdentity(MODEL, precision, 384)) is not None
