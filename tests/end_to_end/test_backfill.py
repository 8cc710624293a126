"""`mneme admin backfill` on real servers: what waits on the topics is taken in, and the flow goes on behind it."""

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.opensearch.index import OpenSearchIndex
from connectors.publisher import Publisher
from flows import ingest
from flows.maintenance.backfill import backfill
from mneme.errors import StoreError
from mneme.events import Message, parse_event
from mneme.rows import Collection, flush_marker
from mneme.settings import EmbedderSettings, Kafka, OpenSearch
from tests.end_to_end.flow_process import FlowProcess, FlowThread, settings_for
from tests.end_to_end.test_rebuild import told
from tests.flows.river import contents

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"


def said(name: str) -> list[Message]:
    now = datetime.now(UTC)
    events = [parse_event(line.encode(), now) for line in (EXAMPLES / name).read_text().splitlines()]
    return [event for event in events if isinstance(event, Message)]


def test_history_is_taken_in_also_after_a_kill_and_the_flow_goes_on_behind_it(
    tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch
) -> None:
    create_topics(kafka_settings)
    settings = settings_for(tmp_path / "kafka", kafka_settings, opensearch_settings, embedder=EmbedderSettings(provider="hash"))
    history, later = said("friends.jsonl"), said("team.jsonl")
    index = open_index(settings)
    assert isinstance(index, OpenSearchIndex)
    with Publisher(settings.kafka) as publisher:
        publisher.send_many(history[:5])
        for each in history[5:]:
            publisher.send(each, backfill=True)
        publisher.flush()

        with FlowProcess(settings, command=("admin", "backfill"), log="backfill.log") as killed:
            killed.until(lambda: has_messages(index))
            killed.kill()

        report = backfill([], settings, merge=True)
        assert report.is_merged
        assert index.count(Collection.MESSAGES) == len(history)
        assert index.count(Collection.EPISODES) > 0

        with FlowThread(settings) as flow:
            publisher.send_many(later)
            ids = [publisher.flush_conversation("default", each) for each in {one.conversation_id for one in later}]
            publisher.flush()
            keys = [flush_marker("default", each, datetime.now(UTC)).key for each in ids]
            flow.until(lambda: len(index.get(keys)) == len(keys))

    files = settings.model_copy(
        update={"data": tmp_path / "files", "index": settings.index.model_copy(update={"backend": "embedded"})}
    )
    both = tmp_path / "both.jsonl"
    both.write_bytes(b"".join(event.to_bytes() + b"\n" for event in (*history, *later)))
    ingest([both], files)
    embedded = open_index(files)
    assert told(contents(index)) == told(contents(embedded))
    embedded.close()
    index.close()


def has_messages(index: OpenSearchIndex) -> bool:
    """Whether the index is there, and finds something."""
    time.sleep(0.05)
    with suppress(StoreError):
        return index.count(Collection.MESSAGES) > 0
    return False
