"""Clocks that are wrong: what says it is of the future is erased with its owner, and keeps nobody out for ever."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from connectors.indices import open_index
from flows import ingest
from mneme.errors import InputError
from mneme.events import parse_event
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


WHOSE = {
    "erase": {"user_id": "mira"},
    "forget": {"conversation_id": "c"},
    "forget_document": {"document_id": "d", "user_id": "mira"},
}


def event(kind: str, requested_at: datetime) -> bytes:
    return json.dumps({"event": kind, "requested_at": requested_at.isoformat(), **WHOSE[kind]}).encode()


@pytest.mark.parametrize("kind", WHOSE)
@pytest.mark.parametrize("later", [timedelta(days=1, minutes=1), timedelta(days=365 * 7000)])
def test_an_erasure_of_a_file_is_not_of_the_future(kind: str, later: timedelta) -> None:
    with pytest.raises(InputError, match=r"^requested_at: .* more than a day after"):
        parse_event(event(kind, datetime.now(UTC) + later), received_at=None)


@pytest.mark.parametrize("kind", WHOSE)
def test_one_that_arrived_counts_from_its_arrival_whatever_it_says(kind: str) -> None:
    assert parse_event(event(kind, datetime(9990, 1, 1, tzinfo=UTC)), received_at=datetime.now(UTC)).event == kind
    assert parse_event(event(kind, datetime.now(UTC)), received_at=None).event == kind
