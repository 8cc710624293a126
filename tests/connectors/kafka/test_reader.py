"""Reading a partition of a real broker."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from kafka import KafkaProducer
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import LogTruncationError

from connectors.kafka.client import administering, connection_arguments, create_topics
from connectors.kafka.reader import PartitionReader
from connectors.kafka.state import read_state
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.settings import Kafka
from mneme.times import utc_now
from tests.connectors.kafka_help import delete_records, make_anew, read, reading, write_raw
from tests.servers.process import free_port

pytestmark = pytest.mark.kafka


@pytest.fixture
def settings(kafka_settings: Kafka) -> Kafka:
    create_topics(kafka_settings)
    return kafka_settings


@pytest.fixture
def topic(settings: Kafka) -> str:
    """The messages topic, with ten events in partition 0."""
    write_raw(settings, settings.topics.messages, [b"%d" % number for number in range(10)])
    return settings.topics.messages


def test_a_partition_is_read_in_order_from_the_earliest(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        events = read(reader, 10)
    assert [event.raw for event in events] == [b"%d" % number for number in range(10)]
    assert [str(event.position) for event in events] == [f"{topic}/0/{number}" for number in range(10)]


def test_an_event_has_the_time_at_which_kafka_received_it(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        (event,) = read(reader, 1)
    assert event.received_at is not None
    assert event.received_at.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - event.received_at) < timedelta(minutes=1)


def test_reading_goes_on_from_an_offset(settings: Kafka, topic: str):
    with reading(settings, topic, offset=7) as reader:
        assert reader.position == 7
        assert [event.raw for event in read(reader, 3)] == [b"7", b"8", b"9"]


def test_what_poll_returned_moves_the_position_and_nothing_else_does(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        read(reader, 4, limit=3)
        assert reader.position == 4
    with reading(settings, topic, offset=4) as reader:
        assert [event.raw for event in read(reader, 6)] == [b"%d" % number for number in range(4, 10)]


def test_poll_returns_no_more_than_its_limit(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        deadline = time.monotonic() + 120
        while not (first := reader.poll(3)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(first) == 3


def test_poll_does_not_wait_when_there_is_nothing(settings: Kafka, topic: str):
    with reading(settings, topic, offset=10) as reader:
        reader.poll(10)
        started = time.monotonic()
        assert [reader.poll(10) for _ in range(20)] == [[]] * 20
        assert time.monotonic() - started < 4.0  # twenty polls that wait would take longer


def test_the_offset_after_the_last_event_is_a_place_to_go_on_from(settings: Kafka, topic: str):
    with reading(settings, topic, offset=10) as reader:
        write_raw(settings, topic, [b"new"])
        (event,) = read(reader, 1)
    assert (event.raw, event.position.offset) == (b"new", 10)


def test_lag_counts_down_to_zero_and_up_with_new_events(settings: Kafka, topic: str):
    with reading(settings, topic, offset=2) as reader:
        assert reader.lag() == 8, "known before the first event is read"
        read(reader, 5)
        assert reader.lag() == 3
        read(reader, 3)
        assert reader.lag() == 0
        write_raw(settings, topic, [b"a", b"b", b"c"])
        assert len(read(reader, 1)) == 1
        assert reader.lag() == 2


def test_the_partitions_of_a_topic_are_read_apart(settings: Kafka, topic: str):
    write_raw(settings, topic, [b"other"], partition=1)
    with reading(settings, topic, partition=1) as reader:
        assert [event.raw for event in read(reader, 1)] == [b"other"]
        assert reader.lag() == 0


def test_partitions_that_are_added_are_told_of_once(settings: Kafka, topic: str, caplog: pytest.LogCaptureFixture):
    with reading(settings, topic) as reader:
        read(reader, 10)
        with administering(settings, "adding partitions") as admin:
            admin.create_partitions({topic: settings.partitions + 1})
        deadline = time.monotonic() + 60
        while not told(caplog, topic) and time.monotonic() < deadline:
            reader._consumer._cluster.request_update()  # by itself the client asks every five minutes
            assert reader.poll(10) == []
            time.sleep(0.05)
        for _ in range(10):
            reader.poll(10)
    partitions = f"{topic} has {settings.partitions + 1} partitions now"
    assert told(caplog, topic) == [f"{partitions}: start the flow again, it reads the new ones from then on"]


def told(caplog: pytest.LogCaptureFixture, topic: str) -> list[str]:
    return [message for message in caplog.messages if message.startswith(topic)]


def test_a_tombstone_has_a_place_and_no_bytes(settings: Kafka, topic: str):
    write_raw(settings, topic, [None, b"after"])
    with reading(settings, topic, offset=10) as reader:
        assert [(event.raw, event.position.offset) for event in read(reader, 2)] == [(b"", 10), (b"after", 11)]


def test_a_sender_whose_clock_is_no_time_at_all_holds_nothing_up(settings: Kafka, topic: str):
    with administering(settings, "letting senders tell the time") as admin:
        own_clocks = {"message.timestamp.type": "CreateTime", "message.timestamp.after.max.ms": str(2**63 - 1)}
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, own_clocks)])
    write_raw(settings, topic, [b"odd"], timestamp_ms=2**62)
    write_raw(settings, topic, [b"after"])
    with reading(settings, topic, offset=10) as reader:
        odd, after = read(reader, 2)
    assert (odd.raw, odd.received_at) == (b"odd", None)
    assert (after.raw, after.received_at is None) == (b"after", False)


def test_what_a_transaction_did_not_commit_is_not_read_and_is_no_lag(settings: Kafka, topic: str):
    producer = KafkaProducer(**connection_arguments(settings), transactional_id=settings.group_id)
    producer.init_transactions()
    for value, commit in ((b"committed", True), (b"aborted", False)):
        producer.begin_transaction()
        producer.send(topic, key=b"key", value=value, partition=0)
        producer.flush()
        if commit:
            producer.commit_transaction()
        else:
            producer.abort_transaction()
    producer.close()
    with reading(settings, topic, offset=10) as reader:
        found = read(reader, 2, seconds=3)
        assert [event.raw for event in found] == [b"committed"]
        assert reader.lag() == 0
        assert reader.position == 14, "each transaction ended with a marker that has an offset too"


class TestLostOffsets:
    def test_an_offset_that_retention_deleted_is_refused_by_name(self, settings: Kafka, topic: str):
        delete_records(settings, topic, before=6)
        with pytest.raises(StoreRejected, match=rf"{topic}/0/3,.*it has 6 to 10; its retention deleted.*ADOPT_INDEX"):
            PartitionReader(settings, topic, 0, 3)

    def test_the_first_offset_that_is_left_is_fine(self, settings: Kafka, topic: str):
        delete_records(settings, topic, before=6)
        with reading(settings, topic, offset=6) as reader:
            assert [event.raw for event in read(reader, 4)] == [b"6", b"7", b"8", b"9"]

    def test_without_an_offset_reading_begins_with_what_is_left(self, settings: Kafka, topic: str):
        delete_records(settings, topic, before=6)
        with reading(settings, topic) as reader:
            assert reader.position == 6

    def test_events_deleted_before_they_were_read_stop_the_reader(self, settings: Kafka, topic: str):
        with reading(settings, topic, offset=0) as reader:
            delete_records(settings, topic, before=6)
            with pytest.raises(StoreRejected, match=rf"{topic}/0/0,.*it has 6 to 10"):
                read(reader, 10)

    def test_an_end_that_was_lost_behind_what_was_read_stops_the_reader(
        self, settings: Kafka, topic: str, monkeypatch: pytest.MonkeyPatch
    ):
        def diverged(*_: object, **__: object) -> None:
            raise LogTruncationError({})

        with reading(settings, topic) as reader:
            read(reader, 10)
            monkeypatch.setattr(reader._consumer, "position", diverged)
            with pytest.raises(StoreRejected, match=rf"{topic}/0/10,.*it has 0 to 10"):
                reader.poll(10)

    def test_an_offset_behind_the_end_is_refused_by_name(self, settings: Kafka, topic: str):
        with pytest.raises(StoreRejected, match=rf"{topic}/0/12,.*it has 0 to 10; the topic lost its end"):
            PartitionReader(settings, topic, 0, 12)

    def test_where_an_offset_is_lost_an_operator_may_go_on_with_the_earliest_there_is(self, settings: Kafka, topic: str):
        delete_records(settings, topic, before=6)
        with closing(PartitionReader(settings, topic, 0, 3, adopt=True)) as reader:
            assert [event.raw for event in read(reader, 4)] == [b"6", b"7", b"8", b"9"]

    def test_a_partition_that_is_not_there_is_named(self, settings: Kafka, topic: str):
        with pytest.raises(StoreRejected, match=f"{topic}/7"):
            PartitionReader(settings, topic, 7, None)


class TestTopicsMadeAnew:
    """Offsets begin at 0 again: one of the old topic may lie within the new one."""

    def test_a_place_in_the_old_topic_is_refused_by_name(self, settings: Kafka, topic: str):
        with reading(settings, topic) as reader:
            read(reader, 4)
            place = reader.place
        make_anew(settings, topic)
        write_raw(settings, topic, [b"new"] * 8)
        with pytest.raises(StoreRejected, match=rf"{topic}/0/4,.*it has 0 to 8; the topic was made anew.*ADOPT_INDEX"):
            PartitionReader(settings, topic, 0, place)
        with closing(PartitionReader(settings, topic, 0, place, adopt=True)) as reader:
            assert len(read(reader, 8)) == 8, "from the beginning of the new one"

    def test_a_reader_at_work_gives_nothing_of_the_new_topic(self, settings: Kafka, topic: str):
        with reading(settings, topic) as reader:
            read(reader, 10)
            make_anew(settings, topic)
            write_raw(settings, topic, [b"new"] * 12)
            with pytest.raises(StoreRejected, match=f"{topic}/0/10,.*made anew"):
                read(reader, 1, seconds=30)

    def test_neither_does_one_whose_client_has_not_heard_of_it_yet(
        self, settings: Kafka, topic: str, monkeypatch: pytest.MonkeyPatch
    ):
        with reading(settings, topic) as reader, ThreadPoolExecutor(1) as pool:
            read(reader, 10)
            monkeypatch.setattr(reader._consumer._cluster, "update_metadata", lambda metadata: None)
            made = pool.submit(make_anew, settings, topic)
            while not made.done():
                assert reader.poll(10) == []
            write_raw(settings, topic, [b"new"] * 12)
            assert read(reader, 1, seconds=1.5) == []
            monkeypatch.undo()
            with pytest.raises(StoreRejected, match=f"{topic}/0/10,.*made anew"):
                read(reader, 1, seconds=30)

    def test_positions_in_the_old_and_in_the_new_topic_differ(self, settings: Kafka, topic: str):
        with reading(settings, topic) as reader:
            (before,) = read(reader, 1)
        make_anew(settings, topic)
        write_raw(settings, topic, [b"new"])
        with reading(settings, topic) as reader:
            (after,) = read(reader, 1)
        assert str(before.position) == str(after.position) == f"{topic}/0/0"
        assert before.position != after.position
        assert before.position.key != after.position.key
        assert not before.position.is_beside(after.position)


def test_without_a_broker_the_address_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.kafka.client._BOOTSTRAP_MS", 300)
    port = free_port()
    with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{port}"):
        PartitionReader(Kafka(bootstrap_servers=f"127.0.0.1:{port}"), "mneme.messages", 0, None)


def test_a_commit_is_the_offset_that_lag_monitors_see(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        read(reader, 10)
        reader.commit(3)
        reader.commit(9)
    with KafkaAdminClient(**connection_arguments(settings)) as admin:
        offsets = admin.list_group_offsets([settings.group_id])
    (found,) = [offset for partition, offset in offsets[settings.group_id].items() if partition.topic == topic]
    assert found.offset == 9
    committed_at = read_state(settings).committed_at
    assert committed_at is not None
    assert abs(utc_now() - committed_at) < timedelta(minutes=1)


def test_what_was_committed_does_not_decide_where_reading_begins(settings: Kafka, topic: str):
    with reading(settings, topic) as reader:
        reader.commit(9)
    with reading(settings, topic) as reader:
        assert reader.position == 0
        assert read(reader, 1)[0].raw == b"0"
