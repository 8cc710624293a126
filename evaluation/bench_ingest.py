"""``mneme bench ingest``: from Kafka to searchable, and the same ids as from files.

1. Publish a file's events to topics of their own, with a flush for every conversation.
2. Run the flow from Kafka into OpenSearch until all flushes are answered: everything is searchable then.
3. Ingest the same file into an embedded index, undisturbed by any transport.
4. Compare the ids of all records.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from connectors.files.files import read_file
from connectors.indices import open_index
from connectors.publisher import Publisher
from evaluation.own_index import fresh_index
from evaluation.report import Report, print_table
from flows import ingest, run
from mneme.errors import StoreError
from mneme.events import Message, parse_event
from mneme.ids import short_hash
from mneme.ports import MemoryIndex
from mneme.rows import Collection, Key, flush_marker
from mneme.settings import Settings, Topics
from mneme.times import utc_now

_LONGEST_SECONDS = 1800.0
_POLL_SECONDS = 0.2


def run_ingest(path: Path, settings: Settings, out: Path, console: Console | None = None) -> Report:
    """Measure, print, and write ``out`` (JSON).

    Args:
        path: a file of conversations in any format of connectors/files/files.py.
        settings: where Kafka and OpenSearch are; topics and indices are the benchmark's own.
        out: where the JSON goes.
        console: where the table goes; None is standard output.

    Raises:
        InputError: the file cannot be read.
        StoreError: a server does not answer, or not everything is searchable within 30 minutes.
    """
    console = console or Console()
    with fresh_index(settings, "ingest") as own:
        own = _own_topics(own)
        # 1.
        with console.status("publishing"):
            started = time.monotonic()
            published, markers = _publish(path, own)
            publish_seconds = time.monotonic() - started
        # 2.
        with console.status("Kafka to OpenSearch"):
            started = time.monotonic()
            through_kafka = _through_kafka(own, markers)
            kafka_seconds = time.monotonic() - started
        # 3.
        embedded = own.model_copy(
            update={"data": own.data / "embedded", "index": own.index.model_copy(update={"backend": "embedded"})}
        )
        with console.status("files to the embedded index"):
            report = ingest([path], embedded)
            from_files = _ids(embedded)
    # 4.
    rows = [
        _row("kafka -> opensearch", published, kafka_seconds, through_kafka),
        _row("files -> embedded", report.messages, report.seconds, from_files),
    ]
    result = Report(
        bench="ingest",
        settings={"embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"})},
        rows=rows,
        headline={
            "messages": published,
            "kafka_opensearch_seconds": round(kafka_seconds, 1),
            "files_embedded_seconds": round(report.seconds, 1),
            "publish_seconds": round(publish_seconds, 1),
            "records": len(through_kafka),
            "different_ids": len(through_kafka ^ from_files),
        },
    )
    print_table(console, "Ingest, from the first poll to searchable", rows, list(rows[0]))
    result.write(out)
    console.print(result.line(), soft_wrap=True, highlight=False)
    return result


def _own_topics(settings: Settings) -> Settings:
    name = f"bench-{short_hash(str(settings.data))}"
    topics = Topics(**{field: f"{name}.{field.replace('_', '-')}" for field in Topics.model_fields})
    kafka = settings.kafka.model_copy(update={"topics": topics, "group_id": name})
    return settings.model_copy(update={"kafka": kafka, "index": settings.index.model_copy(update={"backend": "opensearch"})})


def _publish(path: Path, settings: Settings) -> tuple[int, list[Key]]:
    conversations: dict[tuple[str, str], None] = {}
    count = 0
    with Publisher(settings.kafka) as publisher:
        for incoming in read_file(path):
            event = parse_event(incoming.raw, utc_now())
            publisher.send(event)
            count += 1
            if isinstance(event, Message):
                conversations[event.tenant_id, event.conversation_id] = None
        ids = [(tenant, publisher.flush_conversation(tenant, conversation)) for tenant, conversation in conversations]
        publisher.flush()
    return count, [flush_marker(tenant, flush_id, utc_now()).key for tenant, flush_id in ids]


def _through_kafka(settings: Settings, markers: list[Key]) -> set[str]:
    """The ids of all records once the flow has answered every flush."""
    with _running(settings) as failed, _opened(settings) as index:
        deadline = time.monotonic() + _LONGEST_SECONDS
        while not _are_there(index, markers):
            if failed:
                raise failed[0]
            if time.monotonic() > deadline:
                raise StoreError("not everything was searchable within 30 minutes; see the flow's log for what it waits for")
            time.sleep(_POLL_SECONDS)
    return _ids(settings)


@contextmanager
def _running(settings: Settings) -> Iterator[list[BaseException]]:
    """The flow in a thread; what it fails with is in the list."""
    stopping = threading.Event()
    failed: list[BaseException] = []

    def flow() -> None:
        try:
            run(settings, stopping)
        except BaseException as error:  # noqa: BLE001  carried to the thread that waits
            failed.append(error)

    thread = threading.Thread(target=flow, name="flow")
    thread.start()
    try:
        yield failed
    finally:
        stopping.set()
        thread.join()


@contextmanager
def _opened(settings: Settings) -> Iterator[MemoryIndex]:
    index = open_index(settings, read_only=True)
    try:
        yield index
    finally:
        index.close()


def _are_there(index: MemoryIndex, keys: list[Key]) -> bool:
    try:
        return len(index.get(keys)) == len(keys)
    except StoreError:  # the flow has not made the index yet
        return False


def _ids(settings: Settings) -> set[str]:
    with _opened(settings) as index:
        wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
        return {f"{collection}:{row.id}" for collection in wanted for row in index.scan(collection)}


def _row(way: str, messages: int, seconds: float, ids: set[str]) -> dict[str, str | float | int]:
    return {
        "way": way,
        "messages": messages,
        "seconds": round(seconds, 1),
        "messages/s": round(messages / seconds, 1),
        **{
            name: sum(identity.startswith(f"{name}:") for identity in ids)
            for name in (Collection.EPISODES.value, Collection.FACTS.value, Collection.GRAPH.value, Collection.MEMORIES.value)
        },
    }
