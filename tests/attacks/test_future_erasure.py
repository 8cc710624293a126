"""A message of a file that says it was sent in the future is erased with its conversation and its owner."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from connectors.indices import open_index
from flows import ingest
from mneme.rows import Collection
from mneme.settings import Settings, load_settings
from mneme.times import utc_now

CANARY = "Quetzalcoatl"


@pytest.mark.parametrize("erasure", [{"event": "forget", "conversation_id": "talk"}, {"event": "erase", "user_id": "mira"}])
def test_a_wrong_clock_keeps_nothing_from_being_erased(tmp_path: Path, erasure: dict[str, str]) -> None:
    settings = load_settings(data=tmp_path / "data", embedder={"provider": "hash"})
    ahead = (utc_now() + timedelta(hours=8)).isoformat()
    said = {"event": "message", "conversation_id": "talk", "user_id": "mira", "message_id": "m1", "sent_at": ahead}
    take_in(settings, tmp_path / "said.jsonl", said | {"content": f"My cat is called {CANARY}."})
    assert CANARY in everything(settings)
    take_in(settings, tmp_path / "erased.jsonl", erasure)
    assert CANARY not in everything(settings)


def take_in(settings: Settings, path: Path, event: dict[str, str]) -> None:
    path.write_text(json.dumps(event))
    ingest([path], settings)


def everything(settings: Settings) -> str:
    index = open_index(settings, read_only=True)
    text = " ".join(repr(row) for collection in Collection for row in index.scan(collection))
    index.close()
    return text
