"""Changes and questions go through the flow, and end with their line."""

import io
import json

import pytest
from rich.console import Console

from evaluation.truth import changes, material, questions
from mneme.settings import load_settings
from tests.queries.world import WordEmbedder


@pytest.fixture(autouse=True)
def words_only(monkeypatch):
    for module in ("flows.running.open_services", "queries.memories"):
        monkeypatch.setattr(f"{module}.open_embedder", lambda settings: WordEmbedder())


@pytest.mark.slow
def test_the_changes_are_asked_and_counted(tmp_path, monkeypatch):
    some = [each for each in material.changes() if each.question.id in ("en-moved", "zh-job", "as-city", "de-preis")]
    wanted = {each.question.id for each in some}
    messages = tmp_path / "messages.jsonl"
    lines = material.CHANGE_MESSAGES.read_text(encoding="utf-8").splitlines(keepends=True)
    messages.write_text("".join(line for line in lines if json.loads(line)["conversation_id"] in wanted), encoding="utf-8")
    monkeypatch.setattr(changes, "CHANGE_MESSAGES", messages)
    monkeypatch.setattr(changes, "changes", lambda: some)
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    report = changes.run_changes(load_settings({}, data=tmp_path / "untouched"), console).finish(console, tmp_path / "out.json")
    assert [row["of"] for row in report.rows] == ["everyday en", "everyday zh", "assistant", "languages", "languages de"]
    assert len(json.loads((tmp_path / "out.json").read_text())["changes"]) == 4
    assert printed.getvalue().rstrip().splitlines()[-1].startswith("BENCH truth-changes everyday_en=")


@pytest.mark.slow
def test_the_questions_are_asked_and_counted(tmp_path, monkeypatch):
    some = [each for each in material.questions() if each.question.category == "english"]
    monkeypatch.setattr(questions, "chats", lambda: [path for path in material.chats() if path.stem == "english"])
    monkeypatch.setattr(questions, "questions", lambda: some)
    printed = io.StringIO()
    report = questions.run_questions(load_settings({}, data=tmp_path / "untouched"), Console(file=printed, width=200))
    whole = report.rows[0]
    assert whole["questions"] == whole["right"] + whole["wrong"] + whole["abstained"] == 9
    assert whole["unanswerable"] == 4
    assert 0 < whole["rank 1"] <= whole["top 3"]
    assert report.line().startswith("BENCH truth-questions questions=9 rank_1=")
    assert "ask without a model" in printed.getvalue()
