"""The index of the settings: the embedder that it is of, and what was interrupted."""

from contextlib import closing
from pathlib import Path

import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from connectors.indices import open_index
from connectors.models import open_embedder
from flows.runner import recovery_store
from mneme.errors import StoreError, StoreRejected, StoreUnavailable
from mneme.settings import EmbedderSettings, Settings
from serving.checks import Check
from serving.checks import servers as index_check
from serving.checks.servers import index


def settings_of(folder: Path, embedder: str = "hash") -> Settings:
    return Settings.model_validate({"data": folder, "embedder": {"provider": embedder, "base_url": "http://127.0.0.1:1/v1"}})


def found(settings: Settings) -> dict[str, Check]:
    return {check.name: check for check in index(settings)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    opened = open_index(settings_of(folder))
    opened.prepare(HashEmbedder().identity)
    opened.close()
    return folder


def test_an_index_that_fits_is_ready(made: Path):
    checks = found(settings_of(made))
    assert checks["memories"].by == "0 messages"
    assert checks["embedder of the index"].state == "ready"


def test_another_embedder_is_missing_and_says_how_to_move_the_index(made: Path):
    check = found(settings_of(made, "openai"))["embedder of the index"]
    assert (check.state, check.needed) == ("missing", True)
    assert "mneme admin reindex" in check.remedy


@pytest.mark.parametrize(
    ("earlier", "missed", "setting"),
    [
        (EmbedderSettings(multilingual=False), "words alone", "MNEME_EMBEDDER__MULTILINGUAL"),
        (EmbedderSettings(token_vectors=False), "late interaction", "MNEME_EMBEDDER__TOKEN_VECTORS"),
    ],
)
def test_what_the_embedder_of_an_earlier_version_lacks_is_told(
    earlier: EmbedderSettings, missed: str, setting: str, tmp_path: Path
):
    settings = Settings(data=tmp_path, embedder=earlier)
    with closing(open_index(settings)) as opened, closing(open_embedder(settings)) as embedder:
        opened.prepare(embedder.identity)
    check = found(Settings(data=tmp_path))["embedder of the index"]
    assert (check.state, missed in check.remedy) == ("partly", True)
    assert f"set {setting}=true, then run `mneme admin reindex`" in check.remedy


@pytest.mark.parametrize(
    ("noted", "name", "remedy"),
    [
        ({"rebuild": "messages"}, "rebuild or move", "repeat it first, `mneme admin rebuild --from messages`"),
        ({"rebuild": "topics"}, "rebuild or move", "repeat it first, `mneme admin rebuild --from topics`"),
        ({"reindex": "e5 with the tokeniser 3"}, "rebuild or move", "repeat `mneme admin reindex` with that embedder"),
        ({"importing": "default/user/ann@2026-03-02"}, "import", "import of default/user/ann has begun and not ended"),
    ],
)
def test_what_was_interrupted_on_the_index_is_told(tmp_path: Path, noted: dict[str, str], name: str, remedy: str):
    settings = settings_of(tmp_path)
    with closing(open_index(settings)) as opened:
        opened.prepare(HashEmbedder().identity)
        opened.set_metadata(noted)
    check = found(settings)[name]
    assert (check.state, check.needed) == ("missing", True)
    assert remedy in check.remedy
    with recovery_store(settings, "kafka"):
        assert name not in found(settings), "it runs"


def test_files_whose_ingestion_was_interrupted_are_told(tmp_path: Path):
    settings, name = settings_of(tmp_path), "ingestion of files"
    note = tmp_path / "recovery" / "files" / "named-files.json"
    note.parent.mkdir(parents=True)
    note.write_text('["/chats/team.jsonl"]')
    check = found(settings)[name]
    assert (check.state, check.by) == ("partly", "interrupted")
    assert "an ingestion of /chats/team.jsonl has begun and not ended: repeat it" in check.remedy
    with recovery_store(settings, "files"):
        assert name not in found(settings), "it runs"
    note.unlink()
    assert name not in found(settings)


@pytest.mark.parametrize(
    ("error", "state"),
    [(StoreRejected("index.json: not JSON; restore it"), "missing"), (StoreUnavailable("no answer; try again"), "unknown")],
)
def test_an_index_that_is_damaged_is_missing_and_one_that_does_not_answer_is_unknown(
    error: StoreError, state: str, made: Path, monkeypatch: pytest.MonkeyPatch
):
    class Failing:
        def metadata(self) -> dict[str, str]:
            raise error

        def close(self) -> None:
            """Nothing is open."""

    monkeypatch.setattr("serving.checks.servers.open_index", lambda *_, **__: Failing())
    check = found(settings_of(made))["memories"]
    assert (check.by, check.state, check.remedy) == ("", state, str(error))


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (index_check._version("2.3.0"), "missing"),
        (index_check._version("2.19.1"), "ready"),
        (index_check._plugin(("opensearch-sql",)), "missing"),
        (index_check._plugin(None), "partly"),
        (index_check._health("red"), "missing"),
        (index_check._health("yellow"), "partly"),
        (next(index_check._disks((20.0, 96.0))), "missing"),
        (next(index_check._disks((20.0, 90.0))), "partly"),
    ],
)
def test_what_a_cluster_tells_is_judged(check: Check, state: str):
    assert check.state == state
    assert check.remedy or state == "ready"
