"""Publishing to a real broker."""

import json
from base64 import b64decode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors import Publisher
from connectors.documents.references import DocumentReferences
from connectors.kafka.producer import ReliableProducer
from mneme.errors import InputError
from mneme.events import LARGEST_EVENT_BYTES, Delete, Document, Edit, Flush, Forget, ForgetDocument, parse_event
from mneme.settings import Documents, Kafka
from tests.connectors.kafka_help import message, read_topic

pytestmark = pytest.mark.kafka

EVENTS = [
    message(1),
    Edit(conversation_id="standup", message_id="m00001", content="better"),
    Delete(conversation_id="standup", message_id="m00001"),
    Flush(conversation_id="standup", flush_id="f1"),
    Forget(conversation_id="standup"),
]


def test_every_event_of_a_conversation_arrives_as_it_was_in_its_order(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        assert publisher.send_many(EVENTS) == len(EVENTS)
    arrived = read_topic(kafka_settings, kafka_settings.topics.messages, len(EVENTS))
    assert [parse_event(each.raw, datetime.now(UTC)) for each in arrived] == EVENTS


def test_a_conversation_stays_in_one_partition_and_conversations_spread(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        publisher.send_many(message(number, conversation=f"c{number % 20}") for number in range(400))
    where: dict[str, set[int]] = {}
    order: dict[str, list[str]] = {}
    for each in read_topic(kafka_settings, kafka_settings.topics.messages, 400):
        event = json.loads(each.raw)
        where.setdefault(event["conversation_id"], set()).add(each.position.partition)
        order.setdefault(event["conversation_id"], []).append(event["message_id"])
    assert {len(partitions) for partitions in where.values()} == {1}
    assert set.union(*where.values()) == {0, 1}
    assert all(ids == sorted(ids) for ids in order.values())


def test_documents_have_a_topic_of_their_own(kafka_settings: Kafka):
    document = Document(document_id="d", name="notes.md", content="# Notes")
    with Publisher(kafka_settings) as publisher:
        publisher.send(document)
    (arrived,) = read_topic(kafka_settings, kafka_settings.topics.documents, 1)
    assert parse_event(arrived.raw, datetime.now(UTC)) == document


def test_a_document_is_sent_with_its_content_and_what_was_sent_is_told(kafka_settings: Kafka, tmp_path: Path):
    report = tmp_path / "report.pdf"
    report.write_bytes(b"%PDF-1.7\x89" * 10)
    limits = Documents(inline_bytes=100, store=str(tmp_path), roots=(str(tmp_path),))
    dated_at = datetime(2026, 3, 1, tzinfo=UTC)
    with Publisher(kafka_settings, documents=limits) as publisher:
        sent = [
            publisher.send_document("Tea – 茶".encode(), name="tea.md", user_id="ada", metadata={"project": "apollo"}),
            publisher.send_document(report, dated_at=dated_at, media_type="application/pdf", tenant_id="acme"),
            publisher.send_document(str(report), document_id="r", group_id="team", agent_id="helper"),
            publisher.send_document(b"%PDF-1.7\x89" * 12, document_id="guides/long", name="long.pdf"),
            publisher.send_document(b"a\xff", document_id="small"),
        ]
    arrived = read_topic(kafka_settings, kafka_settings.topics.documents, len(sent))
    events = [parse_event(each.raw, datetime.now(UTC)) for each in arrived]
    assert sorted(events, key=lambda event: event.key) == sorted(sent, key=lambda event: event.key)
    tea, whole, owned, long, small = sent
    assert (tea.document_id, tea.name, tea.content, tea.metadata) == ("ada/tea.md", "tea.md", "Tea – 茶", {"project": "apollo"})
    assert (whole.name, whole.dated_at, whole.key) == ("report.pdf", dated_at, "acme/report.pdf")
    assert b64decode(whole.data or "") == report.read_bytes()
    assert (owned.document_id, owned.owner.key) == ("r", "default/group/team")
    assert (long.document_id, long.name, long.content, long.data) == ("guides/long", "long.pdf", None, None)
    assert DocumentReferences(limits).read(long.uri or "", "default", long.sha256) == b"%PDF-1.7\x89" * 12
    assert (small.document_id, small.name, small.data) == ("small", "small", "Yf8=")


def test_a_document_that_cannot_be_sent_is_refused_with_the_remedy(kafka_settings: Kafka, tmp_path: Path):
    with Publisher(kafka_settings, documents=Documents(inline_bytes=5)) as publisher:
        for content, fields, reason in (
            (b"Tea", {}, "name: .*document_id"),
            (b"longer", {"name": "a"}, "MNEME_DOCUMENTS__STORE"),
            (b"Tea", {"name": "a", "dated_at": datetime(2026, 3, 1)}, "dated_at has no offset"),
            (tmp_path / "absent.pdf", {}, r"absent\.pdf: no such file"),
            (tmp_path, {}, "is a directory"),
        ):
            with pytest.raises(InputError, match=reason):
                publisher.send_document(content, **fields)
    read_topic(kafka_settings, kafka_settings.topics.documents, 0)


def test_a_document_is_forgotten_on_its_own_topic_behind_what_it_was(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        publisher.send_document(b"Tea", name="tea.md", user_id="ada")
        erasure_id = publisher.forget_document("ada/tea.md", user_id="ada")
        first, second = read_topic(kafka_settings, kafka_settings.topics.documents, 2)
    event = parse_event(second.raw, datetime.now(UTC))
    assert isinstance(event, ForgetDocument)
    assert (event.document_id, event.owner.key, event.erasure_id) == ("ada/tea.md", "default/user/ada", erasure_id)
    assert first.position.partition == second.position.partition


def test_a_backfill_stays_off_the_live_topic(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        publisher.send(message(1), backfill=True)
        publisher.send_many([message(2), message(3)], backfill=True)
    read_topic(kafka_settings, kafka_settings.topics.backfill, 3)
    read_topic(kafka_settings, kafka_settings.topics.messages, 0)


def test_flushing_a_conversation_gives_each_time_another_id(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        ids = [publisher.flush_conversation("acme", "standup") for _ in range(2)]
        arrived = [json.loads(each.raw) for each in read_topic(kafka_settings, kafka_settings.topics.messages, 2)]
    assert [each["flush_id"] for each in arrived] == ids
    assert len(set(ids)) == 2
    assert {(each["tenant_id"], each["conversation_id"], each["event"]) for each in arrived} == {("acme", "standup", "flush")}


def test_what_is_flushed_is_there_while_the_publisher_is_open(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        publisher.send(message(1))
        publisher.flush(timeout=120)
        read_topic(kafka_settings, kafka_settings.topics.messages, 1)


def test_a_document_of_megabytes_arrives_whole(kafka_settings: Kafka):
    document = Document(document_id="d", name="book.txt", content="word " * 1_900_000)
    with Publisher(kafka_settings) as publisher:
        publisher.send(document)
    (arrived,) = read_topic(kafka_settings, kafka_settings.topics.documents, 1)
    assert arrived.raw == document.to_bytes()


def test_a_document_that_no_topic_takes_is_refused_before_it_is_sent(kafka_settings: Kafka):
    with Publisher(kafka_settings) as publisher:
        with pytest.raises(InputError, match=f"{LARGEST_EVENT_BYTES} is the most.*uri"):
            publisher.send(Document(document_id="d", name="book.txt", content="x" * LARGEST_EVENT_BYTES))
        publisher.send(message(1))
    read_topic(kafka_settings, kafka_settings.topics.messages, 1)


def test_the_producer_is_idempotent_and_waits_for_all_replicas(kafka_settings: Kafka):
    producer = ReliableProducer(kafka_settings)
    configuration = producer._producer.config
    producer.close()
    assert configuration["enable_idempotence"] is True
    assert configuration["acks"] == -1, "all"
    assert configuration["max_in_flight_requests_per_connection"] <= 5


def test_the_settings_come_from_the_environment(kafka_settings: Kafka, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_KAFKA__BOOTSTRAP_SERVERS", kafka_settings.bootstrap_servers)
    for name, topic in kafka_settings.topics.model_dump().items():
        monkeypatch.setenv(f"MNEME_KAFKA__TOPICS__{name.upper()}", topic)
    with Publisher() as publisher:
        publisher.send(message(1))
    assert read_topic(kafka_settings, kafka_settings.topics.messages, 1)


def test_a_closed_publisher_says_so(kafka_settings: Kafka):
    publisher = Publisher(kafka_settings)
    publisher.close()
    with pytest.raises(InputError, match="closed"):
        publisher.send(message(1))
