"""Fitting how hybrid search scores, on a made-up set, through the real flow and back into a search."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.fit_fusion import DEFAULT_OUT, run_fit_fusion
from evaluation.fitting import write_entry
from evaluation.retrieval.bench import run_retrieval
from evaluation.retrieval.sets import answerable
from evaluation.retrieval.systems import read_folds
from mneme.errors import InputError
from mneme.settings import Settings, load_settings
from queries.scoring.learned import Coefficients
from tests.evaluation.made_up_sets import write_chats


def of_each_day(topics: Sequence[list[str]]) -> list[object]:
    return [
        {"question": f"What of the {topic[0]} and the {topic[1]}?", "source_chat_ids": [4 * day]}
        for day, topic in enumerate(topics)
    ]


def one_talk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of our own talks one only."""
    some = folder / "talks.json"
    some.write_text(json.dumps(json.loads(answerable.TALKS.read_text(encoding="utf-8"))[:1]), encoding="utf-8")
    monkeypatch.setattr(answerable, "TALKS", some)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    one_talk(tmp_path, monkeypatch)
    settings = load_settings({})
    return settings.model_copy(update={"embedder": settings.embedder.model_copy(update={"provider": "hash"})})


@pytest.mark.slow
def test_what_was_fitted_scores_the_next_search(settings: Settings, tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    write_chats(chats, "information_extraction", (0, 1, 2), of_each_day)
    fitted, folds = tmp_path / "out" / "fitted.json", tmp_path / "out" / "folds"
    fitted.parent.mkdir()
    printed = io.StringIO()
    run_fit_fusion(settings, Console(file=printed, width=200), beam=[chats], out=fitted, folds=folds)
    (entry,) = json.loads(fitted.read_text())
    assert (entry["backend"], entry["embedder"].startswith("hash")) == ("embedded", True)
    assert "FIT fusion index=embedded" in printed.getvalue()
    assert {path.name for path in read_folds(folds).values()} <= {path.name for path in folds.iterdir()}

    retrieval = settings.retrieval.model_copy(update={"coefficients": fitted})
    learned = settings.model_copy(update={"retrieval": retrieval})
    shown = io.StringIO()
    run_retrieval("beam", [chats], learned, Console(file=shown, width=200), ["hybrid"])
    assert "scored by lr" in shown.getvalue()


def test_a_second_fit_takes_the_place_of_the_first_and_leaves_those_of_others_alone(tmp_path: Path) -> None:
    first, *_ = map(Coefficients.model_validate, json.loads(DEFAULT_OUT.read_text(encoding="utf-8")))
    first = first.model_copy(update={"backend": "embedded"})
    out = tmp_path / "fitted.json"
    for entry in (first, first.model_copy(update={"backend": "opensearch"}), first.model_copy(update={"alpha": 0.125})):
        write_entry(out, entry)
    written = [(each["backend"], each["alpha"]) for each in json.loads(out.read_text())]
    assert written == [("embedded", 0.125), ("opensearch", first.alpha)]


def test_folds_must_know_the_conversation(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mneme bench fit fusion --folds"):
        read_folds(tmp_path)
