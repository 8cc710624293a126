"""The whole benchmark on a conversation made up for it, through the real flow into a real embedded index."""

import io
import json

import pytest
from rich.console import Console

from evaluation.bench_locomo import run_locomo
from mneme.errors import InputError
from mneme.settings import load_settings
from tests.queries.world import WordEmbedder

TURNS = [
    ("Ada", "Good morning Leo, the beans in my garden are finally up"),
    ("Leo", "Lovely! I bought a yellow kayak at the market in Lugano"),
    ("Ada", "A kayak, how nice, is it for the lake or for the river?"),
    ("Leo", "For the lake, my sister Nora will teach me next Saturday"),
]
QUESTIONS = [
    {"question": "What did Leo buy in Lugano?", "answer": "a kayak", "evidence": ["D1:2"], "category": 4},
    {"question": "Who teaches Leo?", "answer": "Nora", "evidence": ["D1:4"], "category": 1},
]


@pytest.fixture
def talks(tmp_path, monkeypatch):
    monkeypatch.setattr("flows.running.process.open_embedder", lambda settings: WordEmbedder())
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: WordEmbedder())
    session = [{"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(TURNS, 1)]
    conversation = {
        "speaker_a": "Ada",
        "speaker_b": "Leo",
        "session_1_date_time": "9:05 am on 2 March, 2026",
        "session_1": session,
    }
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"sample_id": "talk-1", "conversation": conversation, "qa": QUESTIONS}]))
    return path


@pytest.mark.slow
def test_it_prints_tables_and_writes_json_and_a_plot(talks, tmp_path):
    printed = io.StringIO()
    out = tmp_path / "results" / "locomo.json"
    settings = load_settings({}, data=tmp_path / "untouched")
    run_locomo(talks, settings, out, console=Console(file=printed, width=200))
    written = json.loads(out.read_text())
    assert written["bench"] == "locomo"
    assert set(written) == {"bench", "date", "machine", "settings", "rows"}
    overall = {row["method"]: row for row in written["rows"] if row["category"] == "all"}
    assert set(overall) == {"keyword", "vector", "hybrid"}
    assert overall["hybrid"]["recall@5"] == 1.0
    assert overall["hybrid"]["questions"] == 2
    assert {row["category"] for row in written["rows"]} == {"all", "multi-hop", "single-hop"}
    assert written["settings"]["messages"] == 4
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    last = printed.getvalue().rstrip().splitlines()[-1]
    assert last.startswith("BENCH locomo index=embedded keyword_recall@10=")
    assert "hybrid_recall@10=1.0" in last
    assert not settings.data.exists()


def test_a_file_of_another_kind_is_refused_before_anything_is_ingested(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text("{}")
    with pytest.raises(InputError, match=r"notes\.json"):
        run_locomo(path, load_settings({}, data=tmp_path / "data"), tmp_path / "out.json")
