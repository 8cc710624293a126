"""What ingestion asks of models, measured against the protocol server."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.bench_models import EndedCalls, Steady, run_models
from mneme.errors import InputError, SettingsError
from mneme.settings import EmbedderSettings, Models, Settings
from tests.servers.models import Fault, ModelServer

TALK = [
    ("2026-03-02T09:00:00+00:00", "I moved to Lisbon last week and the flat has a large balcony."),
    ("2026-03-02T09:01:00+00:00", "How lovely, is it near the river or up on one of the hills?"),
    ("2026-03-02T09:02:00+00:00", "It is up on the hill, near the old tram stop and the market."),
    ("2026-03-04T09:00:00+00:00", "The dentist has time for me on Friday at ten in the morning."),
    ("2026-03-04T09:01:00+00:00", "Then you will need somebody to look after the dog on Friday."),
]


@pytest.fixture
def chat_file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    lines = [
        {
            "event": "message",
            "conversation_id": f"talk-{number}",
            "user_id": f"user-{number}",
            "message_id": str(place),
            "sender_id": "Ann" if place % 2 == 0 else "Ben",
            "sent_at": sent_at,
            "content": text,
        }
        for number in range(2)
        for place, (sent_at, text) in enumerate(TALK)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def settings_for(server: ModelServer, data: Path) -> Settings:
    return Settings(_env_file=None).model_copy(
        update={
            "data": data,
            "models": Models(provider="openai", base_url=server.url, calls_in_flight=3),
            "embedder": EmbedderSettings(provider="openai", base_url=server.url, dimension=64),
        }
    )


def test_it_counts_calls_and_tokens_for_each_message_and_measures_the_speed(
    tmp_path: Path, chat_file: Path, model_server: ModelServer
) -> None:
    model_server.latency = 0.02
    out = tmp_path / "out.json"
    console = Console(record=True, width=200)
    report = run_models(chat_file, settings_for(model_server, tmp_path / "data"), out, copies=3, console=console)
    *prices, speed = report.rows
    by_role = {row["role"]: row for row in prices}
    assert by_role["extraction"]["calls"] == 4, "two episodes of two conversations"
    assert by_role["boundary"]["calls"] == 2, "one where each conversation goes on after its rest"
    assert by_role["all"]["calls"] == sum(row["calls"] for role, row in by_role.items() if role != "all")
    assert by_role["all"]["calls/m"] == by_role["all"]["calls"] / 10
    assert speed["conversations"] == 6
    assert speed["messages"] == 30
    assert 1 <= speed["at once"] <= 3 == speed["allowed"]
    assert 0 < speed["busy"] <= 1
    assert 0 < speed["of expected"] == pytest.approx(speed["steady/s"] / speed["expected/s"], abs=0.02)
    assert speed["filling s"] + speed["steady s"] + speed["draining s"] <= speed["seconds"] + 1
    assert speed["s/call"] >= 0.02
    assert speed["cpu ms/m"] > 0
    assert speed["cores"] > 0
    assert model_server.calls() == by_role["all"]["calls"] + speed["calls"], "each part pays for itself"
    assert json.loads(out.read_text())["bench"] == "models"
    assert "BENCH models messages=10 calls_per_message=" in console.export_text()
    assert not (tmp_path / "data").exists(), "its index is its own"


def test_it_needs_a_model(tmp_path: Path, chat_file: Path) -> None:
    with pytest.raises(SettingsError, match="MNEME_MODELS__PROVIDER"):
        run_models(chat_file, Settings(_env_file=None), tmp_path / "out.json")


def test_it_needs_conversations(tmp_path: Path, model_server: ModelServer) -> None:
    note = tmp_path / "note.md"
    note.write_text("# A note\nNobody talks.")
    with pytest.raises(InputError, match="conversation"):
        run_models(note, settings_for(model_server, tmp_path / "data"), tmp_path / "out.json")


def test_figures_of_a_model_that_fails_are_not_given(tmp_path: Path, chat_file: Path, model_server: ModelServer) -> None:
    model_server.fault_rate, model_server.fault_kinds = 1.0, (Fault("refusal"),)
    settings = settings_for(model_server, tmp_path / "data").model_copy(update={"embedder": EmbedderSettings()})
    with pytest.raises(InputError, match="dead letters"):
        run_models(chat_file, settings, tmp_path / "out.json")


def test_filling_and_draining_do_not_count_as_steady() -> None:
    ended = EndedCalls()
    for second, count in enumerate((5, 5, 6, 15, 35, 55, 75, 95, 104, 105)):
        ended.note(100.0 + second, count, processor=2.0 * second)
    assert ended.steady() == Steady(began=103.0, ended=107.0, calls=80, processor=8.0)
