"""Two flows share the partitions of the topics by range, and make of them what one flow makes; on real servers."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.kafka.producer import Record, ReliableProducer, partition_of
from connectors.kafka.replay import replay
from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from flows import ingest
from mneme.events import Erase, Message
from mneme.ports import Filter, MemoryIndex
from mneme.rows import Collection, Key, Row, flush_marker
from mneme.settings import EmbedderSettings, Kafka, OpenSearch, Settings
from mneme.times import utc_now
from tests.end_to_end.flow_process import FlowProcess, settings_for
from tests.end_to_end.test_kafka_to_opensearch import CONVERSATIONS

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE = 240.0  # seconds; each process alone needs some 3 s of a processor to begin
TENANTS = tuple(next(f"tenant{n}" for n in range(99) if partition_of(f"tenant{n}", 2) == partition) for partition in (0, 1))


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    base = settings_for(tmp_path / "flow", kafka_settings.model_copy(update={"keyed_by": "tenant"}), opensearch_settings)
    create_topics(base.kafka)
    boundaries = base.boundaries.model_copy(update={"hold_back_seconds": 0.0})  # as of files
    return base.model_copy(update={"embedder": EmbedderSettings(provider="hash"), "boundaries": boundaries})


@pytest.fixture
def index(settings: Settings) -> Iterator[MemoryIndex]:
    index = open_index(settings)
    yield index
    index.close()


def reading(settings: Settings, partition: int) -> Settings:
    """The same deployment, for the flow of one partition; it could run on another machine."""
    kafka = settings.kafka.model_copy(update={"partitions_read": str(partition)})
    return settings.model_copy(update={"data": settings.data / str(partition), "kafka": kafka})


def messages() -> list[Message]:
    """The talks of two examples in each tenant, all of one owner."""
    lines = [json.loads(line) for path in CONVERSATIONS[:2] for line in path.read_text().splitlines()]
    events = [{name: value for name, value in line.items() if name != "group_id"} for line in lines]
    return [Message(**event | {"tenant_id": tenant, "user_id": "mira"}) for event in events for tenant in TENANTS]


def undisturbed(settings: Settings, tmp_path: Path, events: list[Message]) -> dict[str, tuple[object, ...]]:
    """What the same events give from a file, in one flow."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(event.to_bytes() + b"\n" for event in events))
    embedded = settings.index.model_copy(update={"backend": "embedded"})
    files = settings.model_copy(update={"data": tmp_path / "files", "index": embedded})
    ingest([path], files)
    index = open_index(files)
    try:
        return contents(index)
    finally:
        index.close()


def contents(index: MemoryIndex) -> dict[str, tuple[object, ...]]:
    """Every record by its id, apart from where and when it was read, and what showed it."""
    index.refresh()
    wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
    return {f"{each}:{row.id}": _said(row) for each in wanted for row in index.scan(each)}


def _said(row: Row) -> tuple[object, ...]:
    passing = {"version", "position", "created_at", "updated_at"}
    passing |= {"closed_by", "provisional"}  # a flush shows here what the end of the file shows there
    body = {name: value for name, value in row.body.items() if name not in passing}
    return row.owner_key, row.conversation_id, json.dumps(body, sort_keys=True, default=str)


def are_there(index: MemoryIndex, keys: list[Key]) -> bool:
    from mneme.errors import StoreError

    try:
        return len(index.get(keys)) == len(keys)
    except StoreError:  # no flow has made the index yet
        return False


def test_two_flows_of_two_partitions_make_what_one_flow_makes(settings: Settings, index: MemoryIndex, tmp_path: Path) -> None:
    events = messages()
    astray, *sent = events
    flows = [reading(settings, partition) for partition in (0, 1)]
    with ExitStack() as stack:
        running = [stack.enter_context(FlowProcess(each)) for each in flows]
        for flow in running:
            flow.until_reading(PATIENCE)
        publisher = stack.enter_context(Publisher(settings.kafka))
        # A producer that keys otherwise: its message is nobody's, until it is sent again.
        other = ReliableProducer(settings.kafka)
        key = next(key for key in map(str, range(99)) if partition_of(key, 2) != partition_of(astray.tenant_id, 2))
        other.send(Record(settings.kafka.topics.messages, key, astray.to_bytes()))
        other.close()
        wrong = flows[partition_of(key, 2)]
        running[flows.index(wrong)].until(lambda: len(list(read_dead_letters(wrong.kafka))) == 1, PATIENCE)
        replay(settings.kafka, list(read_dead_letters(wrong.kafka)))
        publisher.send_many(sent)
        talks = sorted({(event.tenant_id, event.conversation_id) for event in events})
        ids = [(tenant, publisher.flush_conversation(tenant, talk)) for tenant, talk in talks]
        markers = [flush_marker(tenant, flush_id, utc_now()).key for tenant, flush_id in ids]
        running[0].until(lambda: are_there(index, markers), PATIENCE)
        assert {row.body["position"]["partition"] for row in index.scan(Collection.MESSAGES)} == {0, 1}
        made = contents(index)
        assert made == undisturbed(settings, tmp_path, events)

        # An erasure reaches all of an owner, and nobody of the same name in another tenant.
        publisher.send(Erase(tenant_id=TENANTS[0], user_id="mira", erasure_id="gone"))
        publisher.flush()
        running[0].until(
            lambda: not index.count(Collection.MESSAGES, Filter(TENANTS[0], (f"{TENANTS[0]}/user/mira",), hidden=True)),
            PATIENCE,
        )
        left = {name: record for name, record in made.items() if str(record[0]).startswith(f"{TENANTS[1]}/")}
        assert left
        running[0].until(lambda: contents(index) == left, PATIENCE)
        assert [flow.terminate(60) for flow in running] == [0, 0], [flow.log() for flow in running]
