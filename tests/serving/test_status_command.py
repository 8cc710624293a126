"""``mneme admin status``: what is here or what a service tells, as a table and as JSON; what does not answer is named."""

import json
import os
import shutil
from datetime import timedelta
from io import StringIO
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from connectors.dead_letters import FileDeadLetters
from connectors.durable import FolderLock
from connectors.embedders.hash_embedder import HashEmbedder
from connectors.inbox import InboxTransport
from connectors.indices import open_index
from connectors.kafka.state import KafkaState
from mneme.ports import DeadLetter, Put
from mneme.settings import Settings
from mneme.times import utc_now
from serving.cli import app
from serving.commands import setup as command
from serving.status import Status, local_status
from serving.terminal.tables import status_view
from tests.queries.world import MAYA, messages

METRICS = """
mneme_model_paused_until_seconds{endpoint="http://a/v1/chat/completions",reason="asked"} 4102444800.0
mneme_model_paused_until_seconds{endpoint="http://b/v1/embeddings",reason="down"} 12.0
mneme_flow_owed_episodes 24
"""


def settings_of(folder: Path, **values: object) -> Settings:
    return Settings.model_validate({"data": folder, "embedder": {"provider": "hash"}, **values})


def filled(folder: Path) -> Settings:
    settings = settings_of(folder)
    index = open_index(settings)
    index.prepare(HashEmbedder().identity)
    index.write([Put(row.embedded(None)) for row in messages(MAYA, "c", [("Maya", "one"), ("Maya", "two")])])
    index.close()
    return settings


def test_an_embedded_mneme_is_told_whole(tmp_path: Path):
    settings = filled(tmp_path)
    FileDeadLetters(tmp_path / "dead-letters.sqlite").send([DeadLetter("decode", "why", b"{", None, utc_now())])
    inbox = InboxTransport(tmp_path)
    inbox.send("messages", "acme/c", b"{}")
    inbox.close()
    told = local_status(settings)
    assert (told.health, told.problems, told.flow) == ("green", (), "rests")
    assert told.rows["messages"] == told.messages == 2
    assert told.lag == {"messages": 1, "documents": 0, "backfill": 0}
    assert told.dead_letters == 1
    assert told.index_bytes is not None
    assert told.index_bytes > 1000
    (tmp_path / "recovery" / "inbox").mkdir(parents=True)
    lock = FolderLock(tmp_path / "recovery" / "inbox", "the recovery store")
    assert local_status(settings).flow == "runs"
    lock.release()


@pytest.mark.parametrize(("free", "health"), [(99_000_000, "red"), (5_000_000_000, "green")])
def test_a_full_disk_is_a_problem(free: int, health: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settings = filled(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    told = local_status(settings)
    assert (told.health, told.free_bytes) == (health, free)
    assert [f"99 MB are free where {tmp_path} lies" in problem for problem in told.problems] == [True] * (health == "red")


def test_a_data_folder_that_cannot_be_written_is_a_problem_unless_this_mneme_only_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = filled(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    told = local_status(settings)
    assert (told.health, told.free_bytes) == ("red", None)
    assert f"{tmp_path} cannot be written" in told.problems[0]
    assert local_status(settings_of(tmp_path, service={"intake": "none"})).health == "green"


@pytest.mark.parametrize(
    ("seconds", "flow"),
    [(2, "runs"), (600, "rests"), (None, "unknown")],
)
def test_a_flow_from_kafka_on_another_data_folder_is_seen_by_its_commits(
    seconds: int | None, flow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    at = None if seconds is None else utc_now() - timedelta(seconds=seconds)
    state = KafkaState(1, (), {"mneme.messages": 0}, begun=True, lost=(), dead_letters=0, committed_at=at)
    monkeypatch.setattr("connectors.kafka.state.read_state", lambda kafka: state)
    told = local_status(settings_of(tmp_path, service={"intake": "kafka"}))
    assert (told.flow, told.flow_seen_at) == (flow, at and at.isoformat())


def test_what_does_not_answer_is_a_problem_and_the_rest_is_told(tmp_path: Path):
    away = {"index": {"backend": "opensearch"}, "opensearch": {"url": "http://127.0.0.1:1"}}
    told = local_status(settings_of(tmp_path, service={"intake": "inbox"}, **away))
    assert told.health == "red"
    assert "MNEME_OPENSEARCH__URL" in told.problems[0]
    assert len(told.problems) == 1
    assert told.lag == {"messages": 0, "documents": 0, "backfill": 0}


def test_endpoints_that_are_left_alone_are_told_by_the_metrics_of_the_flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("serving.status._metrics", lambda settings: METRICS)
    assert local_status(filled(tmp_path)).waits == (
        "http://a/v1/chat/completions asked for time: nothing is called until 00:00:00 UTC",
        "24 episodes will be extracted again when the model is back",
    )


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", "status", *arguments])


def test_one_look_is_a_table_or_json_and_its_exit_code_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    monkeypatch.setenv("MNEME_DATA", str(filled(tmp_path).data))
    monkeypatch.setattr(command, "_RATE_SECONDS", 0.01)
    table = run("--once")
    assert table.exit_code == 0
    assert "messages 2" in table.stdout
    told = json.loads(run("--json").stdout)
    assert told["rows"]["messages"] == 2
    assert told["messages_per_second"] == 0.0


def test_messages_a_second_are_those_between_two_looks(monkeypatch: pytest.MonkeyPatch):
    moments = iter([0.0, 10.0, 20.0, 30.0, 40.0])
    monkeypatch.setattr("time.monotonic", lambda: next(moments))
    counted = iter([10, 30, 3, None, 5])  # between the second and the third the service began again
    monkeypatch.setattr("serving.status.local_status", lambda _: Status("here", messages=next(counted)))
    looks = command._looks(Settings())
    assert [rate for _, rate in islice(looks, 5)] == [None, 2.0, None, None, None]


@pytest.mark.parametrize(("content", "engine"), [('{"run": 3, "engine": "flink"}', "flink"), ('{"run"', None), (None, None)])
def test_the_engine_is_that_of_the_recovery_store(tmp_path: Path, content: str | None, engine: str | None):
    if content is not None:
        (tmp_path / "recovery" / "kafka").mkdir(parents=True)
        (tmp_path / "recovery" / "kafka" / "mneme.json").write_text(content)
    assert local_status(filled(tmp_path)).engine == engine


def test_the_table_shows_trouble():
    console = Console(width=100, record=True, file=StringIO())
    status = Status(
        "here",
        "red",
        ("no flow runs",),
        {"messages": 1200},
        "rests",
        "flink",
        dead_letters=3,
    )
    console.print(status_view(status, 12.34))
    shown = console.export_text()
    for text in ("red", "rests, on flink", "12.3", "messages 1,200", "no flow runs"):
        assert text in shown
