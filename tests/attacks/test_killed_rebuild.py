"""A rebuild that is killed between two of its steps: repeated it ends, given up it is given up, and flows go on behind it."""

import tarfile
from pathlib import Path

import pytest

from connectors.lance.generations import LanceGenerations
from flows import ingest
from flows.maintenance import rebuild as messages
from flows.maintenance.bulk import abandon
from flows.maintenance.rebuild import rebuild_from_messages
from mneme.errors import StoreRejected
from mneme.settings import EmbedderSettings, Settings

OLDER = Path(__file__).parents[1] / "flows" / "maintenance" / "format_2"


class Killed(BaseException):
    """The process ends here."""


def killed(*_: object) -> None:
    raise Killed


def settings_of(data: Path) -> Settings:
    return Settings(_env_file=None).model_copy(update={"data": data, "embedder": EmbedderSettings(provider="hash")})


@pytest.mark.slow
def test_flows_go_on_behind_one_that_was_killed_before_its_store_took_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their recovery stores of the older format are forgotten by then, and the new store must not ask for them."""
    with tarfile.open(OLDER / "store.tar.xz") as archive:
        archive.extractall(tmp_path / "older", filter="data")
    settings = settings_of(tmp_path / "older")
    with monkeypatch.context() as patched:
        patched.setattr(LanceGenerations, "switch", killed)
        with pytest.raises(Killed):
            rebuild_from_messages(settings)
    assert rebuild_from_messages(settings).restarted == ("files",)
    assert ingest([OLDER / "events.jsonl"], settings).dead_letters == 0


@pytest.mark.slow
def test_one_that_was_killed_when_the_index_said_so_and_its_folder_not_yet_can_be_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = tmp_path / "talk.jsonl"
    said = '{"conversation_id": "c", "user_id": "u", "sent_at": "2026-03-02T09:00:00Z", "content": "I like tea."}\n'
    talk.write_text(said)
    settings = settings_of(tmp_path / "data")
    ingest([talk], settings)
    with monkeypatch.context() as patched:
        patched.setattr(messages, "replace_json", killed)
        with pytest.raises(Killed):
            rebuild_from_messages(settings)
    with pytest.raises(StoreRejected, match="--abandon"):
        ingest([talk], settings)
    assert abandon(settings)
    assert ingest([talk], settings).dead_letters == 0
    assert not abandon(settings)
