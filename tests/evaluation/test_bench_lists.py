"""The items of lists are said somewhere, and counted where the writer sees them."""

import io
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.bench_lists import Listed, _of_locomo, _own, run_lists
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import GOLD_LOADERS
from mneme.errors import InputError
from mneme.settings import load_settings
from mneme.text import tokenise
from tests.evaluation.answers.made_up_gold import conversation_of
from tests.queries.world import WordEmbedder

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_each_item_of_our_own_lists_is_said_in_one_message() -> None:
    lines = [json.loads(line) for line in (files("evaluation") / "lists.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len({line["id"] for line in lines}) == 40
    for line in lines:
        events = [json.loads(event) for event in (EXAMPLES / line["file"]).read_text(encoding="utf-8").splitlines()]
        said = [set(tokenise(f"{event['sender_name']} {event['content']}")) for event in events]
        for item in line["items"]:
            assert any(words.issuperset(tokenise(item)) for words in said), f"{line['id']}: nobody says {item!r}"


def talk(tmp_path: Path, *questions: dict[str, object]) -> Path:
    turns = [("Ada", "I keep bees and a goat"), ("Leo", "I row, and I paint boats"), ("Ada", "Goats climb")]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"sample_id": "talk", "conversation": conversation_of(turns), "qa": questions}]))
    return path


def asked(answer: str, category: int = 1, *evidence: str) -> dict[str, object]:
    return {"question": "What?", "answer": answer, "evidence": evidence or ["D1:1", "D1:2"], "category": category}


def test_of_a_set_a_list_is_a_gold_of_three_parts_with_the_items_that_its_evidence_says(tmp_path: Path) -> None:
    path = talk(tmp_path, asked("Bees, a goat, rowing and painting"), asked("bees, goat"), asked("bees, goat, cats", 2))
    [only] = _of_locomo(GOLD_LOADERS["locomo"]([path]))
    assert (only.question.id, only.items) == ("talk/0", ("Bees", "a goat", "rowing", "painting"))
    path = talk(tmp_path, asked("bees, a goat, a horse"), asked("bees, a horse, a cow"))
    assert [each.items for each in _of_locomo(GOLD_LOADERS["locomo"]([path]))] == [("bees", "a goat")]


def first_of(own: tuple[QuestionSet, list[Listed]]) -> tuple[QuestionSet, list[Listed]]:
    """The questions about one talk, and the first messages of it."""
    questions, lists = own
    events = [event for event in questions.events if event["conversation_id"] == "dockside"][:20]
    return replace(questions, events=events), [each for each in lists if each.question.conversation == "team.jsonl"]


@pytest.mark.slow
def test_the_lists_are_asked_and_their_items_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("flows.running.open_services", "queries.memories"):
        monkeypatch.setattr(f"{module}.open_embedder", lambda settings: WordEmbedder())
    monkeypatch.setattr("evaluation.bench_lists._own", lambda examples: first_of(_own(examples)))
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    path = talk(tmp_path, asked("bees, a goat, rowing"))
    report = run_lists(EXAMPLES, load_settings({}, data=tmp_path), console, [path])
    assert [(row["of"], row["questions"]) for row in report.rows] == [("all", 12), ("examples", 11), ("LoCoMo", 1)]
    assert report.rows[2]["share"] == 1.0
    assert 0 < report.rows[1]["low"] <= report.rows[1]["share"] <= report.rows[1]["high"] <= 1
    assert report.line().startswith("BENCH lists questions=12 items=")


def test_who_has_no_examples_is_told_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"friends\.jsonl: cannot be read .* give the folder examples/"):
        run_lists(tmp_path, load_settings({}), Console(file=io.StringIO()))


def test_a_set_without_a_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no gold in it is a list"):
        run_lists(EXAMPLES, load_settings({}), Console(file=io.StringIO()), [talk(tmp_path, asked("bees"))])
