"""reindex as a user types it: what it says, and what it refuses."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors import models
from flows.maintenance import reindex as move
from serving.cli import app
from tests.flows.maintenance.test_reindex import Turned

EXAMPLES = Path(__file__).parents[2] / "examples"


def mneme(*words: str, answer: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words), input=answer)
    return result.exit_code, result.output


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose index has one memory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEME_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    assert mneme("ingest", str(EXAMPLES / "agent.jsonl"))[0] == 0
    return tmp_path


def test_an_index_is_moved_and_the_one_of_before_dropped_on_request(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mneme("admin", "reindex") == (0, "The index is of this embedder and tokeniser.\n")
    for module in (models, move):
        monkeypatch.setattr(module, "open_embedder", lambda settings: Turned())
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: Turned())
    code, told = mneme("search", "night train", "--agent", "planner")
    assert code == 1
    assert "mneme admin reindex" in told
    code, told = mneme("admin", "reindex", answer="n\n")
    assert code == 1
    assert "from hashed-tokens/tests-and-volume-only/384 to turned/test/384" in told
    code, told = mneme("admin", "reindex", answer="y\n")
    assert code == 0, told
    assert "rows moved in" in told
    assert "--drop-old" in told
    assert mneme("search", "night train", "--agent", "planner")[0] == 0
    assert "1 generation of before removed" in mneme("admin", "reindex", "--drop-old")[1]


def test_there_is_nothing_to_give_up_without_a_move(data: Path) -> None:
    assert mneme("admin", "reindex", "--abandon") == (0, "There is no move to give up.\n")
    code, told = mneme("admin", "reindex", "--abandon", "--yes")
    assert code == 2
    assert "--abandon" in told
