"""`mneme admin backfill` on real servers: what waits on the topics is taken in, and the flow goes on behind it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.publisher import Publisher
from flows.maintenance.backfill import backfill
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection
from mneme.settings import Settings
from tests.end_to_end.flow_process import FlowProcess, FlowThread, ingested, said, stored
from tests.end_to_end.test_rebuild import told
from tests.flows.river import contents

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_history_is_taken_in_also_after_a_kill_and_the_flow_goes_on_behind_it(
    settings: Settings, index: MemoryIndex, tmp_path: Path
) -> None:
    history, later = said("friends.jsonl"), said("team.jsonl")
    with Publisher(settings.kafka) as publisher:
        publisher.send_many(history[:5])
        for each in history[5:]:
            publisher.send(each, backfill=True)
        publisher.flush()

        with FlowProcess(settings, command=("admin", "backfill"), log="backfill.log") as killed:
            killed.until(lambda: stored(index) > 0, poll=0.05)
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

    both = tmp_path / "both.jsonl"
    both.write_bytes(b"".join(event.to_bytes() + b"\n" for event in (*history, *later)))
    with ingested([both], settings, tmp_path / "files") as embedded:
        assert told(contents(index)) == told(contents(embedded))
