"""The same in, the same out: two stores made of the same messages are equal, whatever came together with what."""

from contextlib import closing
from pathlib import Path

import pytest

from connectors.indices import open_index
from evaluation.faults.texts import Volume, live_traffic, read_templates
from flows import IngestReport, ingest
from mneme.rows import Collection, Row
from mneme.settings import Flow
from tests.flows.deployment import deployed_in

pytestmark = pytest.mark.slow

MESSAGES = 360
_COUNTERS = ("version",)  # when a row was written last, not what it says
_OF_A_RUN = ("flush", "erasure")


def store_of(file: Path, data: Path, source_batch: int, epoch_seconds: float) -> tuple[IngestReport, dict[str, object]]:
    flow = Flow().model_copy(update={"source_batch": source_batch, "epoch_seconds": epoch_seconds})
    settings = deployed_in(data, flow=flow)
    report = ingest([file], settings)
    with closing(open_index(settings, read_only=True)) as index:
        return report, {
            f"{row.key}": content(row)
            for collection in Collection
            for row in index.scan(collection, with_vectors=True)
            if row.kind not in _OF_A_RUN
        }


def content(row: Row) -> tuple[object, ...]:
    body = {name: value for name, value in row.body.items() if name not in _COUNTERS}
    vector = None if row.vector is None else row.vector.tobytes()
    return row.kind, row.at, row.valid_to, row.event_at, row.message_ids, row.tokens, body, vector


def test_two_runs_over_the_messages_of_two_busy_owners_make_the_same_store(tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    file.write_bytes(
        b"\n".join(event.to_bytes() for event in live_traffic(read_templates(), Volume(MESSAGES, 6, owners=2), seed=7))
    )
    report, store = store_of(file, tmp_path / "one", source_batch=500, epoch_seconds=1.0)
    report_again, again = store_of(file, tmp_path / "other", source_batch=17, epoch_seconds=0.2)
    assert [key for key in store.keys() | again.keys() if store.get(key) != again.get(key)] == []
    assert (report_again.messages, report_again.episodes, report_again.facts) == (MESSAGES, report.episodes, report.facts)
