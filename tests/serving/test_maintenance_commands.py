"""export, import, rebuild and reindex as a user types them: what they say, and what they refuse."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import flows
from connectors import models
from flows.maintenance import reindex as move
from mneme.settings import load_settings
from queries import Memories
from serving.cli import app
from tests.flows.maintenance.test_reindex import Turned

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def mneme(*words: str, answer: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words), input=answer)
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``MNEME_DATA`` with one memory in its index."""
    settings = load_settings({}, data=tmp_path_factory.mktemp("transfer") / "data", embedder={"provider": "hash"})
    flows.ingest([EXAMPLES / "friends.jsonl"], settings)
    return settings.data


@pytest.fixture
def data(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEME_DATA", str(shutil.copytree(ingested, tmp_path / "data")))
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    return tmp_path


def found(question: str) -> list[tuple[int, str, str]]:
    with Memories.connect() as memories:
        return [(item.rank, item.id, item.text) for item in memories.search(question, filters={"user_id": "mira"}).ranked()]


QUESTIONS = ["When is Jason's birthday?", "Where do they go in summer?", "Tideworks", "the seaside with the dog"]


@pytest.mark.parametrize("backend", ["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)])
def test_a_memory_moves_to_another_index_and_is_found_there_the_same(
    data: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, backend: str
) -> None:
    before = [found(question) for question in QUESTIONS]
    code, text = mneme("admin", "export", "--user", "mira", "mira.jsonl")
    assert code == 0, text
    assert "rows of user mira" in text
    monkeypatch.setenv("MNEME_DATA", str(data / "other"))
    if backend == "opensearch":
        opensearch = request.getfixturevalue("opensearch_settings")
        monkeypatch.setenv("MNEME_INDEX__BACKEND", "opensearch")
        monkeypatch.setenv("MNEME_OPENSEARCH__URL", opensearch.url)
        monkeypatch.setenv("MNEME_OPENSEARCH__INDEX_PREFIX", opensearch.index_prefix)
    code, told = mneme("admin", "import", "mira.jsonl")
    assert code == 0, told
    assert told.split(" imported")[0] == text.split(" written")[0]
    after = [found(question) for question in QUESTIONS]
    if backend == "embedded":
        assert after == before
    for there, here in zip(after, before, strict=True):  # Lucene rounds the lengths of texts: close scores change places
        common = {identity for _, identity, _ in there} & {identity for _, identity, _ in here}
        assert len(common) >= 0.8 * len(here)
    assert mneme("admin", "import", "mira.jsonl")[0] == 1


def test_whose_memory_is_exported_must_be_said(data: Path) -> None:
    code, text = mneme("admin", "export", "x.jsonl")
    assert code == 2
    assert "--user" in text
    assert mneme("admin", "export", "--user", "mira", "--group", "dockside-team", "x.jsonl")[0] == 2


def test_a_file_that_is_no_export_is_refused(data: Path) -> None:
    code, text = mneme("admin", "import", str(EXAMPLES / "friends.jsonl"))
    assert code == 2
    assert "mneme ingest" in text


def test_an_import_of_a_missing_file_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.maintenance.transfer.import_owner", lambda *_, **__: pytest.fail("the index is opened"))
    code, text = mneme("admin", "import", "missing.jsonl")
    assert code == 2
    assert "missing.jsonl" in text


def test_a_rebuild_asks_and_tells(data: Path) -> None:
    before = [found(question) for question in QUESTIONS]
    code, text = mneme("admin", "rebuild", "--from", "messages", answer="n\n")
    assert code == 1
    assert "beside the one in use?" in text
    assert not (data / "data" / "rebuild" / "messages.sqlite").exists()
    code, text = mneme("admin", "rebuild", answer="y\n")
    assert code == 0, text
    assert "there are now: " in text
    assert "`mneme admin reindex --drop-old`" in text
    assert "episodes" in text
    assert [found(question) for question in QUESTIONS] == before
    code, text = mneme("admin", "rebuild", "--yes", "--drop-old")
    assert code == 0
    assert "[y/N]" not in text
    assert "2 generations of before removed" in text
    assert "no rebuild to give up" in mneme("admin", "rebuild", "--abandon")[1]
    assert mneme("admin", "rebuild", "--abandon", "--from", "topics")[0] == 2


def test_the_file_tells_its_owner(data: Path) -> None:
    assert mneme("admin", "export", "--user", "mira", "mira.jsonl")[0] == 0
    first = json.loads((data / "mira.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["owner"] == {"tenant_id": "default", "type": "user", "id": "mira"}
    code, text = mneme("admin", "export", "--group", "dockside-team", "team.jsonl")
    assert code == 2
    assert "nothing is known of group 'dockside-team'" in text


def test_an_index_is_moved_and_the_one_of_before_dropped_on_request(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mneme("admin", "reindex") == (0, "The index is of this embedder and tokeniser.\n")
    for module in (models, move):
        monkeypatch.setattr(module, "open_embedder", lambda settings: Turned())
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: Turned())
    code, told = mneme("search", "birthday", "--user", "mira")
    assert code == 1
    assert "mneme admin reindex" in told
    code, told = mneme("admin", "reindex", answer="n\n")
    assert code == 1
    assert "from hashed-tokens/tests-and-volume-only/384 to turned/test/384" in told
    code, told = mneme("admin", "reindex", answer="y\n")
    assert code == 0, told
    assert "rows moved in" in told
    assert "--drop-old" in told
    assert mneme("search", "birthday", "--user", "mira")[0] == 0
    assert "1 generation of before removed" in mneme("admin", "reindex", "--drop-old")[1]


def test_there_is_nothing_to_give_up_without_a_move(data: Path) -> None:
    assert mneme("admin", "reindex", "--abandon") == (0, "There is no move to give up.\n")
    code, told = mneme("admin", "reindex", "--abandon", "--yes")
    assert code == 2
    assert "--abandon" in told
