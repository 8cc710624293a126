"""Fitting how agentic search scores together what several searches found."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from evaluation.fit_agents import Example, fit, run_fit_agents, wanted
from evaluation.fit_fusion import run_fit_fusion
from evaluation.retrieval.bench import run_retrieval
from evaluation.retrieval.question_set import Question
from mneme.errors import InputError
from mneme.settings import Settings, load_settings
from queries.agents.joint import FEATURES
from tests.evaluation.made_up_sets import write_chats
from tests.evaluation.test_fit_fusion import one_talk

QUIET = Console(file=io.StringIO())
SEVERAL, ONE = "Which towns has Ann seen?", "When did Ann move?"


def question(text: str, *evidence: str, category: str = "recall") -> Question:
    return Question("q", "talk", {"user_id": "ann"}, text, category, frozenset(evidence))


def example(messages: list[tuple[str, ...]], *right: str, feature: list[float]) -> Example:
    numbers = np.zeros((len(messages), len(FEATURES)))
    numbers[:, 0] = feature
    return Example(question(SEVERAL, *right), numbers, messages)


@pytest.mark.parametrize(
    ("asked", "is_wanted"),
    [
        (question(SEVERAL, "a", "b"), True),
        (question(SEVERAL, "a"), False),
        (question(ONE, "a", "b"), False),
        (question(ONE, "a", category="multi-hop"), True),
    ],
)
def test_questions_that_several_messages_answer_are_fitted_on(asked: Question, is_wanted: bool) -> None:
    assert wanted(asked) is is_wanted


def test_a_feature_that_tells_gets_its_weight() -> None:
    examples = [example([("a",), ("b",), ("c",)], "a", feature=[1.0, 0.0, 0.0]) for _ in range(5)]
    model = fit(examples)
    assert model.weights[0] > 0.0
    assert np.all(model.weights[1:] == 0.0)


def test_of_two_messages_one_that_answers_is_half_right() -> None:
    assert example([("a", "b"), ("b",), ("a",)], "a", feature=[0.0] * 3).right.tolist() == [0.5, 0.0, 1.0]


def of_two_days(topics: Sequence[list[str]]) -> list[object]:
    [topic, *_] = topics
    return [{"question": f"What are all the {topic[0]} and {topic[1]}?", "source_chat_ids": [0, 8]}]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    one_talk(tmp_path, monkeypatch)
    settings = load_settings({})
    return settings.model_copy(update={"embedder": settings.embedder.model_copy(update={"provider": "hash"})})


@pytest.mark.slow
def test_what_was_fitted_orders_the_next_agentic_search(settings: Settings, tmp_path: Path) -> None:
    chats, folds, fitted = tmp_path / "chats", tmp_path / "folds", tmp_path / "fitted.json"
    write_chats(chats, "multi_session_reasoning", (0, 1, 0), of_two_days)
    run_fit_fusion(settings, QUIET, beam=[chats], out=tmp_path / "fusion.json", folds=folds)
    run_fit_agents(folds, settings, QUIET, beam=[chats], out=fitted)
    (entry,) = json.loads(fitted.read_text())
    assert set(entry["weights"]) == set(FEATURES)
    assert {path.name for path in folds.iterdir()} >= {"agents-0.json", "agents-1.json"}
    report = run_retrieval("beam", [chats], settings, QUIET, ["hybrid", "agentic"], folds)
    assert {row["method"] for row in report.rows} == {"hybrid", "agentic"}


def test_folds_of_the_single_search_are_needed(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mneme bench fit fusion --folds"):
        run_fit_agents(tmp_path, settings, QUIET, beam=[tmp_path], out=tmp_path / "out.json")
