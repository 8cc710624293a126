"""Flows by partition range: what is read, what is refused, and which recovery stores may be bound to one index."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.kafka.client import dead_letters_topic
from connectors.kafka.producer import partition_of, record_key
from flows.decode import decode
from flows.items import Arrived
from flows.runner import run
from flows.running.partition_range import PartitionRange, range_of, share_partitions, store_name
from flows.running.recovery import RecoveryStore, deployment_of, flows_by_range
from mneme.errors import SettingsError, StoreRejected
from mneme.events import Erase, Message
from mneme.ports import DeadLetter, Incoming
from mneme.records import Position
from mneme.settings import Index, Kafka, Settings
from tests.flows.river import IDENTITY
from tests.memory_index_reference import ReferenceIndex

LOWER = Kafka(keyed_by="tenant", partitions_read="0-3")


@pytest.fixture
def index() -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(IDENTITY)
    return index


def settings_of(kafka: Kafka, backend: str = "opensearch") -> Settings:
    return Settings(_env_file=None, kafka=kafka, index=Index(backend=backend))


def begin(folder: Path, name: str, index: ReferenceIndex, adopt: bool = False) -> None:
    with RecoveryStore(folder / name, name, 256, 2) as store:
        store.begin_run(index, adopt)


def test_a_flow_reads_all_partitions_unless_a_range_is_set() -> None:
    assert range_of(Kafka()) is None
    assert range_of(LOWER) == PartitionRange(0, 3, 8)
    assert range_of(LOWER.model_copy(update={"partitions_read": "5"})) == PartitionRange(5, 5, 8)


@pytest.mark.parametrize("chosen", ["3-2", "4-8", "8"])
def test_partitions_that_do_not_exist_are_refused(chosen: str) -> None:
    with pytest.raises(SettingsError, match="of 0 to 7"):
        range_of(LOWER.model_copy(update={"partitions_read": chosen}))


def test_a_range_of_topics_keyed_by_conversation_is_refused() -> None:
    with pytest.raises(SettingsError, match="MNEME_KAFKA__KEYED_BY=tenant"):
        range_of(Kafka(partitions_read="0-3"))


def test_a_range_is_refused_where_one_process_writes_the_index_or_there_are_no_topics() -> None:
    with pytest.raises(SettingsError, match="one writing process"):
        store_name(settings_of(LOWER, "embedded"))
    with pytest.raises(SettingsError, match="the inbox has none"):
        run(settings_of(LOWER, "embedded"), intake="inbox")


def test_each_range_has_a_recovery_store_and_dead_letters_of_its_own() -> None:
    upper = LOWER.model_copy(update={"partitions_read": "4-7"})
    names = [store_name(settings_of(each)) for each in (Kafka(), LOWER, upper)]
    assert names == ["kafka", "kafka-0-3-of-8", "kafka-4-7-of-8"]
    assert len({dead_letters_topic(each) for each in (Kafka(), LOWER, upper)}) == 3


@pytest.mark.parametrize(
    ("other", "shares"),
    [
        ("kafka", True),
        ("kafka-0-3-of-8", True),
        ("kafka-3-5-of-8", True),
        ("kafka-4-7-of-8", False),
        ("kafka-4-7-of-16", True),  # its tenants are others
        ("files", False),
    ],
)
def test_ranges_share_partitions_where_they_meet(other: str, shares: bool) -> None:
    assert share_partitions("kafka-0-3-of-8", other) is shares
    assert share_partitions(other, "kafka-0-3-of-8") is shares


def test_flows_of_different_partitions_are_bound_to_one_index(tmp_path: Path, index: ReferenceIndex) -> None:
    for name in ("kafka-0-3-of-8", "kafka-4-7-of-8", "files", "kafka-0-3-of-8"):
        begin(tmp_path, name, index)
    assert flows_by_range(index.metadata()) == ["kafka-0-3-of-8", "kafka-4-7-of-8"]
    assert deployment_of(index.metadata()) == index.metadata()["recovery_kafka-0-3-of-8"]


@pytest.mark.parametrize("name", ["kafka", "kafka-2-5-of-8", "kafka-0-3-of-16"])
def test_a_flow_that_reads_what_another_read_is_refused_unless_told(tmp_path: Path, index: ReferenceIndex, name: str) -> None:
    begin(tmp_path, "kafka-0-3-of-8", index)
    begin(tmp_path, "kafka-4-7-of-8", index)
    with pytest.raises(StoreRejected, match="MNEME_FLOW__ADOPT_INDEX"):
        begin(tmp_path, name, index)
    begin(tmp_path, name, index, adopt=True)
    with pytest.raises(StoreRejected, match="partitions that recovery_kafka-0-3-of-8 reads too"):
        begin(tmp_path, "kafka-0-3-of-8", index)


def test_the_tenant_chooses_the_partition_where_topics_are_keyed_by_it() -> None:
    events = [Message(tenant_id="a/b", conversation_id=name, user_id="ann", content="hello") for name in ("one", "two")]
    keys = {record_key(LOWER, event) for event in [*events, Erase(tenant_id="a/b", user_id="ann")]}
    assert keys == {"a/b"}
    assert {record_key(Kafka(), event) for event in events} == {"a/b/one", "a/b/two"}


def test_partitions_are_those_of_kafkas_own_partitioner() -> None:
    # Of org.apache.kafka.common.utils.UtilsTest.testMurmur2: "21" has the hash -973932308, "foobar" -790332482.
    assert partition_of("21", 1000) == (-973932308 & 0x7FFFFFFF) % 1000
    assert partition_of("foobar", 1000) == (-790332482 & 0x7FFFFFFF) % 1000


def test_an_event_outside_its_tenants_partition_is_a_dead_letter() -> None:
    raw = json.dumps({"tenant_id": "acme", "conversation_id": "talk", "user_id": "ann", "content": "hello"}).encode()

    def decoded(partition: int) -> object:
        incoming = Incoming(raw, Position(topic="t", partition=partition, offset=7), datetime(2026, 3, 2, tzinfo=UTC))
        (item,) = decode(incoming, 4, lambda tenant: partition_of(tenant, 8))
        return item

    own = partition_of("acme", 8)
    assert isinstance(decoded(own), Arrived)
    refused = decoded((own + 1) % 8)
    assert isinstance(refused, DeadLetter)
    assert f"into partition {own}" in refused.reason
    assert refused.raw == raw
