"""The whole benchmark on sets made up for it, through the real flow into a real embedded index."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from evaluation.retrieval.bench import run_retrieval, with_constants
from evaluation.retrieval.systems import METHODS
from mneme.errors import InputError
from mneme.settings import load_settings
from serving.cli import app
from tests.evaluation.made_up_sets import write_beam, write_locomo_talk, write_longmemeval, write_memdaily
from tests.queries.world import WordEmbedder

QUIET = Console(file=io.StringIO())
TURNS = [
    ("Ada", "Good morning Leo, the beans in my garden are finally up"),
    ("Leo", "Lovely! I bought a yellow kayak at the market in Lugano"),
    ("Ada", "A kayak, how nice, is it for the lake or for the river?"),
    ("Leo", "For the lake, my sister Nora will teach me next Saturday"),
]
QUESTIONS = [
    {"question": "What did Leo buy in Lugano?", "answer": "a kayak", "evidence": ["D1:2"], "category": 4},
    {"question": "Who teaches Leo?", "answer": "Nora", "evidence": ["D1:4"], "category": 1},
]


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of words everywhere."""
    monkeypatch.setattr("flows.running.open_services.open_embedder", lambda settings: WordEmbedder())
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: WordEmbedder())


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    return write_locomo_talk(tmp_path / "talks.json", TURNS, QUESTIONS)


@pytest.mark.slow
def test_every_method_is_measured_and_every_answer_kept(talks: Path, tmp_path: Path) -> None:
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    out = tmp_path / "results" / "locomo.json"
    settings = load_settings({}, data=tmp_path / "untouched")
    run_retrieval("locomo", [talks], settings, console, METHODS).finish(console, out)
    written = json.loads(out.read_text())
    assert written["bench"] == "locomo"
    assert set(written) == {"bench", "date", "command", "machine", "settings", "headline", "rows", "differences", "answers"}
    overall = {row["method"]: row for row in written["rows"] if row["category"] == "all"}
    assert list(overall) == list(METHODS)
    for method in ("keyword", "hybrid", "reflect"):
        assert overall[method]["recall@5"] == 1.0, method
    assert overall["hybrid"]["questions"] == 2
    assert {row["category"] for row in written["rows"]} == {"all", "multi-hop", "single-hop"}
    assert written["settings"]["runs"][0]["messages"] == 4
    assert {(each["against"], each["figure"]) for each in written["differences"]} >= {("vector", "recall@600tokens")}
    answers = [each for each in written["answers"] if each["method"] == "hybrid"]
    assert [each["question"] for each in answers] == ["talk-1/0", "talk-1/1"]
    assert "D1:2" in answers[0]["messages"]
    assert "kayak" not in out.read_text().lower()  # no text of the set lies in the results
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    last = printed.getvalue().rstrip().splitlines()[-1]
    assert last.startswith("BENCH locomo index=embedded keyword_recall@10=")
    assert "hybrid_recall@10=1.0" in last
    assert not settings.data.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("beam", lambda folder: write_beam(folder)),
        ("longmemeval", lambda folder: write_longmemeval(folder / "s.json")),
        ("memdaily", lambda folder: write_memdaily(folder / "memdaily_simple.json")),
    ],
)
def test_every_set_goes_the_same_way(name: str, write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "set"
    folder.mkdir()
    write(folder)
    report = run_retrieval(name, [folder], load_settings({}), QUIET, ["keyword", "hybrid"])
    overall = {row["method"]: row for row in report.rows if row["category"] == "all"}
    assert overall["keyword"]["recall@10"] > 0  # type: ignore[operator]
    assert overall["hybrid"]["hit@10"] == 1.0


def test_a_constant_of_retrieval_is_changed_for_a_run() -> None:
    settings = with_constants(load_settings({}), ["alpha=1.0", "competition=false"])
    assert (settings.retrieval.alpha, settings.retrieval.competition) == (1.0, False)


@pytest.mark.parametrize(
    ("given", "message"), [("magic=0", "'magic' is no constant"), ("alpha=half", "'half' of alpha is no JSON")]
)
def test_what_is_no_constant_is_refused_by_its_name(given: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_constants(load_settings({}), [given])


def test_a_file_of_another_kind_is_refused_before_anything_is_ingested(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("{}")
    with pytest.raises(InputError, match=r"notes\.json"):
        run_retrieval("locomo", [path], load_settings({}, data=tmp_path / "data"), QUIET)
    with pytest.raises(InputError, match="magic not known; accepted are keyword, vector, hybrid, agentic, reflect"):
        run_retrieval("locomo", [path], load_settings({}), QUIET, ["magic"])


@pytest.mark.parametrize("command", ["locomo", "beam", "longmemeval", "memdaily", "compare"])
def test_a_file_that_is_not_there_ends_the_command_with_its_name(command: str, tmp_path: Path) -> None:
    files = [str(tmp_path / "absent.json")] * (2 if command == "compare" else 1)
    result = CliRunner().invoke(app, ["bench", command, *files, "--out", str(tmp_path / "out.json")])
    assert result.exit_code != 0
    assert "absent.json" in f"{result.output} {result.exception}"
