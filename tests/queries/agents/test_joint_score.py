"""What several searches found is scored together by coefficients."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from connectors.embedders.precision import MODEL, VARIANTS
from mneme.errors import ModelTimeout, SettingsError
from mneme.ports import EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import load_settings
from queries.agents.evidence import Evidence
from queries.agents.joint_features import FEATURES
from queries.agents.joint_score import FITTED, JointCoefficients, JointScorer, joint_coefficients_for
from tests.queries.agents.made import message, response

QUESTION = "Which books has Maya read?"


class Counting:
    """An embedder that counts the texts it is given."""

    identity = EmbedderIdentity("counting", "fp32", 2, ("*",))

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        if self.fails:
            raise ModelTimeout("gone")
        self.texts += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def close(self) -> None:
        pass


def coefficients(**weights: float) -> JointCoefficients:
    values = dict.fromkeys(FEATURES, 0.0) | weights
    return JointCoefficients(
        backend="embedded", embedder="counting", weights=values, bias=0.0, fitted_on="nothing", date=date(2026, 3, 2)
    )


def scorer(embedder: Counting | None = None, **weights: float) -> JointScorer:
    return JointScorer(lambda: coefficients(**weights), embedder or Counting())


def found(question: str = QUESTION, scoring: str = "lr", people: tuple[str, ...] = ("Maya",)) -> Evidence:
    evidence = Evidence()
    first = response(message("plain", "we talked"), message("titled", 'I read "Emma"'))
    evidence.add(question, first.model_copy(update={"metrics": first.metrics.model_copy(update={"scoring": scoring})}))
    if people:
        evidence.add(f"{question} (Maya)", first, people)
    return evidence


def test_the_weights_decide_the_order() -> None:
    places = scorer(quotes=5.0).places(QUESTION, found())
    assert places is not None
    assert [each.item.id for each in places] == ["titled", "plain"]
    assert 0.0 <= places[1].score < places[0].score <= 1.0


@pytest.mark.parametrize(
    "evidence",
    [Evidence(), found(scoring="min-max"), found("When did Maya move?", people=())],
    ids=["nothing found", "scores of another scale", "a question for one thing, searched for once"],
)
def test_what_it_was_not_fitted_on_is_left_as_it_is(evidence: Evidence) -> None:
    assert scorer().places(evidence.queries[0] if evidence.queries else QUESTION, evidence) is None


def test_without_coefficients_it_is_not_fitted() -> None:
    none = JointScorer(lambda: None, Counting())
    assert not none.fitted
    assert none.places(QUESTION, found()) is None


def test_an_embedder_that_does_not_answer_leaves_it_as_it_is() -> None:
    assert scorer(Counting(fails=True)).places(QUESTION, found()) is None


def test_a_text_is_embedded_once() -> None:
    embedder = Counting()
    again = scorer(embedder)
    again.places(QUESTION, found())
    again.places(QUESTION, found())
    assert len(embedder.texts) == len(set(embedder.texts))


def test_coefficients_are_those_of_the_index_and_the_embedder(tmp_path: Path) -> None:
    path = tmp_path / "coefficients.json"
    mine = coefficients().model_copy(update={"embedder": Counting.identity.fingerprint})
    path.write_bytes(FITTED.dump_json((coefficients(quotes=1.0), mine)))
    settings = load_settings(data=tmp_path, agents={"coefficients": path})
    assert joint_coefficients_for(settings, Counting.identity) == mine
    other = settings.model_copy(update={"index": settings.index.model_copy(update={"backend": "opensearch"})})
    assert joint_coefficients_for(other, Counting.identity) is None


def test_a_file_that_cannot_be_used_names_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "coefficients.json"
    path.write_text(json.dumps([{"backend": "embedded"}]))
    with pytest.raises(SettingsError, match=r"(?s)MNEME_AGENTS__COEFFICIENTS.*mneme fit agents"):
        joint_coefficients_for(load_settings(data=tmp_path, agents={"coefficients": path}), Counting.identity)


def test_coefficients_of_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match="fit again"):
        JointCoefficients(
            backend="embedded", embedder="e", weights={"quotes": 1.0}, bias=0.0, fitted_on="", date=date(2026, 3, 2)
        )


@pytest.mark.parametrize("precision", VARIANTS.values())
def test_those_that_ship_can_be_read(tmp_path: Path, precision: str) -> None:
    local = EmbedderIdentity(MODEL, precision, 384, ("en",))
    shipped = joint_coefficients_for(load_settings(data=tmp_path), local)
    assert shipped is not None
    assert set(shipped.weights) == set(FEATURES)
