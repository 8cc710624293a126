"""Rebuilding on real servers: from the messages and from the topics, and the flow goes on behind each."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from connectors.kafka.client import connection_arguments
from connectors.publisher import Publisher
from flows.maintenance.rebuild import rebuild_from_messages
from flows.maintenance.rebuild_topics import rebuild_from_topics
from mneme.errors import StoreRejected
from mneme.events import Delete, Document, Edit, Message
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection
from mneme.settings import Kafka, Settings
from tests.end_to_end.flow_process import FlowThread, ingested, said, stored
from tests.flows.river import contents

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"
HANDBOOK = EXAMPLES / "handbook.md"


def test_the_flow_goes_on_behind_a_rebuild_from_messages_and_one_from_topics(
    settings: Settings, index: MemoryIndex, tmp_path: Path
) -> None:
    messages = [*said("friends.jsonl"), *said("team.jsonl")]
    conversations = sorted({message.conversation_id for message in messages})
    about = {"tenant_id": messages[0].tenant_id, "conversation_id": messages[0].conversation_id}
    first = [message for name in ("friends", "team") for message in _half(said(f"{name}.jsonl"), 0)]
    second = [message for name in ("friends", "team") for message in _half(said(f"{name}.jsonl"), 1)]
    amendments = [
        Edit(**about, message_id=messages[3].message_id, content="Rosalind moved to Reykjavik in March."),
        Delete(**about, message_id=messages[5].message_id),
    ]

    def settled(publisher: Publisher) -> Callable[[], bool]:
        ids = [publisher.flush_conversation("default", each) for each in conversations]
        publisher.flush()
        keys = [flush_marker("default", flush_id, datetime.now(UTC)).key for flush_id in ids]
        return lambda: len(index.get(keys)) == len(keys)

    with Publisher(settings.kafka) as publisher:
        with FlowThread(settings) as flow:
            publisher.send_many(first)
            publisher.send_many(amendments)
            publisher.send(Document(document_id=HANDBOOK.name, name=HANDBOOK.name, content=HANDBOOK.read_text()))
            publisher.flush()
            flow.until(lambda: stored(index) >= len(first) // 2)
            flow.until(settled(publisher))
            with pytest.raises(StoreRejected, match="stop it first"):
                rebuild_from_messages(settings)
            with pytest.raises(StoreRejected, match="stop it first"):
                rebuild_from_topics(settings)
            publisher.send_many(second[:20])  # some of them are under way when the flow stops
            publisher.flush()
            flow.until(lambda: stored(index) >= len(first) + 8)

        rebuild_from_messages(settings)
        with FlowThread(settings) as flow:
            publisher.send_many(second[20:])
            publisher.flush()
            flow.until(settled(publisher))
            flow.until(lambda: sections(index) > 0)
        gone_on = contents(index)

        clean = tmp_path / "all.jsonl"
        clean.write_bytes(b"".join(event.to_bytes() + b"\n" for event in (*first, *amendments, *second)))
        with ingested([clean, HANDBOOK], settings, tmp_path / "files") as embedded:
            assert told(gone_on) == told(contents(embedded))

        report = rebuild_from_topics(settings)
        assert report.removed[Collection.MESSAGES] == report.made[Collection.MESSAGES]
        assert contents(index) == gone_on
        with FlowThread(settings) as flow:
            flow.until(settled(publisher))
        assert contents(index) == gone_on


def test_messages_that_the_topics_no_longer_have_are_not_lost_unasked(settings: Settings, index: MemoryIndex) -> None:
    messages = said("friends.jsonl")[:12]
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:
        publisher.send_many(messages)
        publisher.flush()
        flow.until(lambda: stored(index) >= len(messages))
    deleted = retention_deletes(settings.kafka, messages=5)
    before = contents(index).keys()
    with pytest.raises(StoreRejected, match=f"{deleted} of 12 messages are not in the topics any more"):
        rebuild_from_topics(settings)
    assert contents(index).keys() == before
    rebuild_from_topics(settings, force=True)
    index.refresh()
    assert index.count(Collection.MESSAGES) == 12 - deleted


def retention_deletes(kafka: Kafka, messages: int) -> int:
    """The beginning of the partition that has messages goes; how many."""
    from kafka import TopicPartition
    from kafka.admin import KafkaAdminClient

    from connectors.kafka.client import bounds_of

    [number] = [number for number, (_, end) in bounds_of(kafka, kafka.topics.messages).items() if end]
    with KafkaAdminClient(**connection_arguments(kafka)) as admin:
        admin.delete_records({TopicPartition(kafka.topics.messages, number): messages})
    assert bounds_of(kafka, kafka.topics.messages)[number] == (messages, 12)
    return messages


def told(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What conversations say, without when it arrived: files know no time of arrival (which is the handbook's date)."""
    return {
        name: {key: value for key, value in body.items() if key != "created_at"}
        for name, body in found.items()
        if body["owner"]["type"] != "tenant"
    }


def sections(index: MemoryIndex) -> int:
    index.refresh()
    return sum(1 for row in index.scan(Collection.EPISODES) if row.document_id)


def _half(messages: list[Message], which: int) -> list[Message]:
    middle = len(messages) // 2
    return messages[middle:] if which else messages[:middle]
