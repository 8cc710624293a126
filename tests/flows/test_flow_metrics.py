"""A run of the flow tells what came in, what each step did and what was written."""

import json
from pathlib import Path

import flows
from mneme.settings import load_settings
from tests.connectors.telemetry.counted import counted

SAID = ("I moved to Lisbon in May.", "My sister Ana visits me in June.", "I work at the harbour since Monday.")


def test_a_run_over_a_file_is_counted_from_end_to_end(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    events = [
        {"conversation_id": "c", "user_id": "u", "sent_at": f"2026-03-02T09:0{minute}:00Z", "content": text}
        for minute, text in enumerate((*SAID, SAID[0]))
    ]
    events[3] |= {"message_id": "m", "content": "Again."}
    file.write_text("\n".join(json.dumps(event) for event in (*events, events[3], {"conversation_id": "c"})))
    settings = load_settings({}, data=tmp_path / "data", embedder={"provider": "hash"}).replace(flow={"buckets": 8})
    with counted() as grown:
        report = flows.ingest([file], settings)
        assert report.messages == 4
        assert grown("flow_events_total", lane="files") == 6
        assert grown("flow_step_items_total", step="embed") == 5 + 8  # and the end, for each bucket
        for step in ("embed", "segment", "extract", "reconcile"):
            assert grown("flow_step_seconds_count", step=step) > 0, step
        assert grown("flow_records_written_total", kind="message") >= 4
        assert grown("flow_records_written_total", kind="episode") >= report.episodes > 0
        assert grown("flow_duplicates_total") == report.duplicates == 1
        assert grown("flow_dead_letters_total", stage="decode") == report.dead_letters == 1
        assert grown("index_bulk_seconds_count") > 0
        assert grown("embedder_texts_total") > 0
        assert grown("flow_raw_seconds_count") == 0  # what lies in a file did not arrive just now
