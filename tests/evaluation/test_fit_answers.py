"""Fitting what answers a question, on the small talks, through the real flow."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.answers.records import ABSTENTION
from evaluation.fit_answers import run_fit_answers
from evaluation.retrieval.sets import answerable
from mneme.errors import InputError
from mneme.settings import load_settings
from queries.answers.features import FEATURES


def test_of_the_questions_about_the_small_talks_many_have_no_answer() -> None:
    questions = answerable.load()
    said = {event["message_id"] for event in questions.events}
    assert all(each.evidence <= said for each in questions.questions)
    without = sum(each.category == ABSTENTION for each in questions.questions)
    assert 0.25 < without / len(questions.questions) < 0.6


@pytest.mark.slow
def test_what_shares_the_words_of_a_question_or_reads_like_its_answer_is_the_likelier_to_answer_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = tmp_path / "talks.json"
    some.write_text(json.dumps(json.loads(answerable.TALKS.read_text(encoding="utf-8"))[:3]), encoding="utf-8")
    monkeypatch.setattr(answerable, "TALKS", some)
    shown, out = io.StringIO(), tmp_path / "likeliness.json"
    run_fit_answers(load_settings({}), None, -1.5, out, Console(file=shown, width=120))
    fitted = json.loads(out.read_text(encoding="utf-8"))
    assert set(fitted) == {"read", "unread"}
    for each in fitted.values():
        assert set(each["weights"]) == set(FEATURES)
        assert each["enough"] == -1.5
    assert fitted["unread"]["weights"]["in_words"] > 0
    assert fitted["read"]["weights"]["reading"] > 0
    assert fitted["unread"]["weights"]["reading"] == 0
    assert "answered anyway" in shown.getvalue()


def test_a_folder_that_is_not_there_is_refused_before_anything_is_ingested(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no file in a folder that exists"):
        run_fit_answers(load_settings({}), out=tmp_path / "nowhere" / "likeliness.json")
