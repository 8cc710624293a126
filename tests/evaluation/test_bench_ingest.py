"""What the benchmark of ingestion makes of its runs; the runs themselves need Kafka and OpenSearch."""

import json
from pathlib import Path

from evaluation.bench_ingest import KAFKA, Measured, copied_file, row_of
from evaluation.process_costs import Costs


def test_copies_are_other_conversations_of_other_owners(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    message = {"event": "message", "conversation_id": "talk", "user_id": "ann", "sender_id": "Ann", "content": "Hello."}
    lines = [message | {"message_id": str(number), "sent_at": f"2026-03-02T09:0{number}:00Z"} for number in range(2)]
    talk.write_text("\n".join(map(json.dumps, lines)))
    assert copied_file(talk, 1, tmp_path) == talk, "the file itself"
    copies = [json.loads(line) for line in copied_file(talk, 3, tmp_path).read_text().splitlines()]
    assert [(each["conversation_id"], each["user_id"]) for each in copies] == [
        *[("talk", "ann")] * 2,
        *[("talk-1", "ann-1")] * 2,
        *[("talk-2", "ann-2")] * 2,
    ]
    assert {each["sender_id"] for each in copies} == {"Ann"}


def test_a_row_has_medians_and_spread_and_no_figure_that_is_not_known() -> None:
    ids = frozenset({"facts:a", "facts:b", "episodes:c"})
    runs = [
        Measured(100, start, seconds, Costs(own, peak, {"opensearch": 4.0, "kafka": None}), ids)
        for start, seconds, own, peak in ((2.0, 1.0, 3.0, 300.0), (1.0, 2.0, 2.0, 200.0), (3.0, 4.0, 9.0, 250.0))
    ]
    row = row_of(KAFKA, runs)
    assert (row["messages"], row["start-up s"], row["seconds"], row["own cpu s"]) == (100, 2.0, 2.0, 3.0)
    assert (row["messages/s"], row["from"], row["to"]) == (50.0, 25.0, 100.0)
    assert (row["opensearch cpu s"], row["kafka cpu s"], row["calls/m"]) == (4.0, "-", "-")
    assert (row["peak MB"], row["facts"], row["episodes"], row["graph"]) == (300, 2, 1, 0)
