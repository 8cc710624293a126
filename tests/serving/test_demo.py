"""The demo, whole and for real: the examples through the flow with the local embedder, and again."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.indices import open_index
from mneme.errors import InputError
from mneme.rows import Collection
from serving.cli import app
from serving.commands.demo import HOPS, QUESTIONS, example_files, local_settings


def versions(data: Path) -> dict[str, int]:
    """Every record's id with its version."""
    index = open_index(local_settings(data))
    try:
        collections = [collection for collection in Collection if collection is not Collection.CONTROL]
        return {f"{collection}/{row.id}": row.version for collection in collections for row in index.scan(collection)}
    finally:
        index.close()


@pytest.mark.slow
def test_the_demo_answers_its_questions_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    data = tmp_path / "demo"
    first = CliRunner().invoke(app, ["demo", "--data", str(data)], catch_exceptions=False)
    assert first.exit_code == 0
    assert all(question.text in first.stdout for question in (*QUESTIONS, HOPS))
    answers = " ".join(first.stdout[first.stdout.index("4 · Questions") :].split())  # whatever the lines were broken at
    assert "14 May" in answers
    assert "give up the Q2 deadline" in answers
    assert "I install the new gauge seven" in answers
    assert "民宿五百块一晚" in answers  # a night; two rooms for two nights were booked for 1,900
    assert "from 125 to 140 euros" in answers
    assert "apply pending migrations before the rollout" in answers
    assert "searched for What is the current company of Anton Reyes?" in answers
    assert "Lumen Robotics: Clara Novak ceo of Acme" in answers
    before = versions(data)
    assert len(before) > 400

    second = CliRunner().invoke(app, ["demo", "--data", str(data)], catch_exceptions=False)
    assert second.exit_code == 0
    assert "Nothing changed" in second.stdout
    assert versions(data) == before


def test_the_demo_uses_no_server_and_no_key_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MNEME_INDEX__BACKEND", "opensearch")
    monkeypatch.setenv("MNEME_MODELS__PROVIDER", "openai")
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "openai")
    monkeypatch.setenv("MNEME_BOUNDARIES__DETECTOR", "llm")
    monkeypatch.setenv("MNEME_EXTRACTION__EXTRACTOR", "model")
    monkeypatch.setenv("MNEME_RERANK__PROVIDER", "model")
    monkeypatch.setenv("MNEME_AGENTS__PLANNER", "model")
    monkeypatch.setenv("MNEME_ANSWERS__WRITER", "model")
    settings = local_settings(tmp_path)
    assert settings.index.backend == "embedded"
    assert settings.models.provider == "none"
    assert settings.embedder.provider == "local"
    assert settings.boundaries.detector == "semantic"
    assert settings.extraction.extractor == "local"
    assert settings.rerank.provider == "none"
    assert settings.agents.planner == "rules"
    assert settings.answers.writer == "extractive"


def test_examples_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"friends\.jsonl.*--examples"):
        example_files(tmp_path)
