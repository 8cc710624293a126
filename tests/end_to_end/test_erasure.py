"""Proof of absence: after an erasure a word that only the erased said is nowhere in what Mneme keeps."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kafka import KafkaConsumer

from connectors.kafka.client import create_topics
from connectors.kafka.producer import Record, ReliableProducer
from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from mneme.events import Message
from mneme.ports import Filter, MemoryIndex
from mneme.receipts import erasure_receipt
from mneme.records import Owner
from mneme.rows import Collection
from mneme.settings import EmbedderSettings, Kafka, Models, OpenSearch, Settings
from tests.end_to_end.flow_process import FlowProcess, FlowThread, settings_for
from tests.end_to_end.test_kafka_to_opensearch import flushed
from tests.servers.models import ModelServer

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

CANARY = "Quetzalcoatl"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ANN = Owner(tenant_id="default", type="user", id="ann")


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch, model_server: ModelServer) -> Settings:
    create_topics(kafka_settings)
    settings = settings_for(
        tmp_path / "kafka",
        kafka_settings,
        opensearch_settings,
        models=Models(provider="openai", base_url=model_server.url),
        embedder=EmbedderSettings(provider="hash"),
    )
    boundaries = settings.boundaries.model_copy(update={"hold_back_seconds": 0.0})
    extraction = settings.extraction.model_copy(update={"extractor": "model"})
    return settings.model_copy(update={"boundaries": boundaries, "extraction": extraction})


def said(conversation: str, user: str, word: str) -> list[Message]:
    texts = [
        f"My cat is called {word}.",
        f"{word} and I moved to Oslo.",
        "We like the snow.",
        f"Tomorrow I fly with {word} to Rome.",
    ]
    return [
        Message(
            conversation_id=conversation,
            user_id=user,
            sender_name=user.title(),
            message_id=f"{conversation}-{at}",
            sent_at=START + timedelta(minutes=at),
            content=text,
        )
        for at, text in enumerate(texts)
    ]


def test_nothing_of_the_erased_is_left_anywhere_and_nothing_of_the_others_is_gone(
    settings: Settings, index: MemoryIndex
) -> None:
    poison = json.dumps({"conversation_id": "cats", "user_id": "ann", "content": CANARY, "sent_at": "2199-01-01T00:00:00Z"})
    other_poison = json.dumps({"conversation_id": "eve's", "user_id": "eve", "content": 7})
    with Publisher(settings.kafka) as publisher, FlowProcess(settings) as flow:
        publisher.send_many([*said("cats", "ann", CANARY), *said("more", "ann", CANARY), *said("eve's", "eve", "Mia")])
        producer = ReliableProducer(settings.kafka)
        for key, raw in (("default/cats", poison), ("default/eve's", other_poison)):
            producer.send(Record(settings.kafka.topics.messages, key, raw.encode()))
        producer.close()
        flushes = [publisher.flush_conversation("default", name) for name in ("cats", "more", "eve's")]
        flow.until(flushed(index, flushes))
        assert len(list(read_dead_letters(settings.kafka))) == 2
        before = _known(index, "eve")
        assert CANARY in str(_known(index, "ann"))
        of_each, rest = divmod(_answers(settings), 3)  # one answer for each episode, and each conversation has as many
        assert (of_each > 0, rest) == (True, 0)

        first = publisher.forget_conversation("default", "cats")
        flow.until(_is_erased(index, first))
        assert {row["conversation_id"] for row in _known(index, "ann") if row.get("conversation_id")} == {"more"}
        assert _answers(settings) == 2 * of_each

        second = publisher.erase_owner(ANN)
        flow.until(_is_erased(index, second))
        assert flow.terminate() == 0, flow.log()
        log = flow.log()

    assert _known(index, "ann") == []
    assert _known(index, "eve") == before
    assert CANARY not in str([row.body for place in Collection for row in index.scan(place)])
    assert [letter.raw for letter in read_dead_letters(settings.kafka)] == [other_poison.encode()]
    assert _answers(settings) == of_each
    assert CANARY not in log
    for file in settings.data.rglob("*"):  # the recovery store and the answers
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file
    erased = {change["id"] for change in _changes(settings) if change["change"] == "erased"}
    written = {change["id"] for change in _changes(settings) if change["change"] == "written" and "ann" in change["owner"]}
    assert written <= erased

    # What is read again stays out: a new recovery store reads the topics from the start.
    again = settings.model_copy(
        update={"data": settings.data.parent / "again", "flow": settings.flow.model_copy(update={"adopt_index": True})}
    )
    with Publisher(settings.kafka) as publisher, FlowThread(again) as flow:
        flow.until(flushed(index, [publisher.flush_conversation("default", "eve's")]))
    assert _known(index, "ann") == []
    assert _known(index, "eve") == before


def _known(index: MemoryIndex, user: str) -> list[dict[str, object]]:
    """Everything in the index of a user, without what tells how often it was written."""
    index.refresh()
    scope = Filter("default", (Owner(tenant_id="default", type="user", id=user).key,), hidden=True)
    rows = [row for place in Collection for row in index.scan(place, scope)]
    return [{name: value for name, value in row.body.items() if name != "version"} for row in rows]


def _is_erased(index: MemoryIndex, erasure_id: str):
    key = erasure_receipt("default", erasure_id, START, {}).key
    return lambda: bool(index.get([key]))


def _answers(settings: Settings) -> int:
    import sqlite3

    connection = sqlite3.connect(settings.data / "answers.sqlite")
    try:
        return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
    finally:
        connection.close()


def _changes(settings: Settings) -> list[dict[str, object]]:
    consumer = KafkaConsumer(
        settings.kafka.topics.memories,
        bootstrap_servers=settings.kafka.bootstrap_servers,
        auto_offset_reset="earliest",
        consumer_timeout_ms=3000,
    )
    try:
        return [json.loads(record.value) for record in consumer]
    finally:
        consumer.close()
