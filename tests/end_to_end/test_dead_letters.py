"""Dead letters on real servers: sent again they are taken in, once, as they would have been."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.kafka.client import create_topics
from connectors.kafka.sinks import KafkaDeadLetters, read_dead_letters
from connectors.publisher import Publisher
from evaluation.faults.flow_process import environment
from mneme.errors import StoreError
from mneme.events import Edit, Message, parse_event
from mneme.ids import message_id
from mneme.ports import DeadLetter, MemoryIndex
from mneme.receipts import flush_marker
from mneme.records import Position
from mneme.rows import Collection
from mneme.settings import Kafka, OpenSearch, Settings
from serving.cli import app
from tests.end_to_end.flow_process import FlowThread, settings_for

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

AT = datetime.now(UTC) - timedelta(hours=3)
HELLO = {"conversation_id": "talk", "user_id": "ana", "content": "We meet in Lisbon in May."}
NAMELESS = {"conversation_id": "talk", "user_id": "ana", "content": "Bring the blue tent, please."}


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    create_topics(kafka_settings)
    settings = settings_for(tmp_path / "data", kafka_settings, opensearch_settings)
    quick = settings.boundaries.model_copy(update={"hold_back_seconds": 0.5})
    return settings.model_copy(
        update={"embedder": settings.embedder.model_copy(update={"provider": "hash"}), "boundaries": quick}
    )


def test_replayed_letters_are_taken_in_once_with_the_identity_they_would_have_had(settings: Settings, index: MemoryIndex):
    letters = refused_before(settings)
    with FlowThread(settings) as flow:
        keep(settings, letters)
        assert replay(settings) == "2 dead letters replayed\n"
        assert list(read_dead_letters(settings.kafka)) == []
        settle(settings, index, flow)
        before = records(index)
        nameless = parse_event(json.dumps(NAMELESS).encode(), AT, letters[1].position.offset)
        assert isinstance(nameless, Message)
        assert {message_id("default", "talk", each) for each in ("m1", nameless.message_id)} <= before.keys()

        keep(settings, letters)  # as after a crash between sending them and taking them away
        assert replay(settings) == "2 dead letters replayed\n"
        settle(settings, index, flow)
        assert records(index) == before
        assert list(read_dead_letters(settings.kafka)) == []


def test_an_edit_that_came_before_its_message_is_applied_when_it_is_replayed(settings: Settings, index: MemoryIndex):
    edit = Edit(conversation_id="talk", message_id="m1", content="We meet in Porto in June.")
    with FlowThread(settings) as flow, Publisher(settings.kafka) as publisher:
        publisher.send(edit)
        publisher.flush()
        flow.until(lambda: len(list(read_dead_letters(settings.kafka))) == 1)
        publisher.send(Message(**HELLO, message_id="m1", sent_at=AT))
        publisher.flush()
        flow.until(lambda: message_id("default", "talk", "m1") in records(index))
        assert replay(settings) == "1 dead letter replayed\n"
        flow.until(lambda: records(index)[message_id("default", "talk", "m1")]["text"] == edit.text)
        assert list(read_dead_letters(settings.kafka)) == []


def refused_before(settings: Settings) -> list[DeadLetter]:
    """Letters of events that an older Mneme did not know and this one takes."""
    events = [{**HELLO, "message_id": "m1"}, NAMELESS]
    topic = settings.kafka.topics.messages
    return [
        DeadLetter("decode", "unknown", json.dumps(event).encode(), Position(topic=topic, partition=0, offset=number), AT)
        for number, event in enumerate(events)
    ]


def keep(settings: Settings, letters: list[DeadLetter]) -> None:
    store = KafkaDeadLetters(settings.kafka, settings.data / "dead-letters.lock")
    store.send(letters)
    store.close()


def replay(settings: Settings) -> str:
    result = CliRunner().invoke(app, ["admin", "dead-letters", "replay", "--all"], env=environment(settings))
    assert result.exit_code == 0, result.output
    return result.stdout


def settle(settings: Settings, index: MemoryIndex, flow: FlowThread) -> None:
    """Wait until everything published so far is searchable."""
    with Publisher(settings.kafka) as publisher:
        flush_id = publisher.flush_conversation("default", "talk")
    marker = flush_marker("default", flush_id, datetime.now(UTC)).key

    def is_done() -> bool:
        try:
            return bool(index.get([marker]))
        except StoreError:  # the flow has not made the index yet
            return False

    flow.until(is_done)


def records(index: MemoryIndex) -> dict[str, dict[str, Any]]:
    """Everything that can be found, without the counters of the lanes."""
    try:
        index.refresh()
    except StoreError:  # the flow has not made the index yet
        return {}
    wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
    rows = [row for collection in wanted for row in index.scan(collection)]
    return {row.id: {name: value for name, value in row.body.items() if name != "version"} for row in rows}
