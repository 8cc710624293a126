"""A rebuild that is killed between two of its steps: repeated it ends, given up it is given up, and flows go on behind it."""

import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.lance.generations import LanceGenerations
from flows import ingest
from flows.maintenance import rebuild as messages
from flows.maintenance import rebuild_topics as topics
from flows.maintenance.bulk import abandon
from flows.maintenance.rebuild import rebuild_from_messages
from flows.maintenance.rebuild_topics import rebuild_from_topics
from mneme.errors import StoreRejected
from mneme.rows import Collection
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


@pytest.mark.slow
def test_one_from_topics_that_was_killed_loses_nothing_and_is_repeated_or_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = tmp_path / "talk.jsonl"
    said = '{"conversation_id": "c", "user_id": "u", "sent_at": "2026-03-02T09:00:00Z", "content": "I like tea."}\n'
    talk.write_text(said)
    settings = settings_of(tmp_path / "data")
    adopting = settings.replace(flow={"adopt_index": True})
    ingest([talk], settings)
    monkeypatch.setattr(topics, "create_topics", lambda kafka: None)
    monkeypatch.setattr(topics, "input_topic_ids", lambda kafka: {})
    with pytest.raises(StoreRejected, match="1 of 1 messages are not in the topics"):
        rebuild_from_topics(settings)

    def die() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(LanceGenerations, "switch", killed)
            with pytest.raises(Killed):
                rebuild_from_topics(settings, force=True)
        with pytest.raises(StoreRejected, match="--from topics"):
            ingest([talk], settings)

    die()
    assert abandon(settings)
    with closing(open_index(settings, read_only=True)) as index:
        assert index.count(Collection.MESSAGES) == 1, "nothing was removed"
    ingest([talk], adopting)  # what was read of the file is forgotten
    die()
    assert rebuild_from_topics(settings, force=True).restarted == ("kafka",)
    assert ingest([talk], settings).messages == 1
