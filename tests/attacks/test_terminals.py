"""What somebody wrote into a memory, or asked for, is no order to a terminal, and forges no line of a log."""

import json
import logging
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from connectors.telemetry.logs import LogFormat
from mneme.control_characters import escape_control_characters
from mneme.settings import Settings
from queries import Memories
from serving.cli import app
from serving.rest.app import create_app
from serving.service.service import Service
from serving.terminal.output import note, output
from tests.serving.rest.conftest import HERE, WHOSE

STEERING = "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202eturned\u2066"
HOSTILE = "\x1b]52;c;ZXZpbA==\x1b\\ \x1b[31m \x9b2J \x1b]0;title\x07 \r\x08\x7f"
OBEYED = {*map(chr, range(32)), *map(chr, range(127, 160))} - {"\n", "\t"}


def test_no_text_reaches_a_terminal_as_an_order(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    table = Table("memory")
    table.add_row(Text(HOSTILE))
    output().print(table)
    output().print(Text(HOSTILE), HOSTILE, soft_wrap=True)
    note(HOSTILE)
    shown = capsys.readouterr()
    for each in (shown.out, shown.err):
        assert "␛" in each
        assert not OBEYED & set(each)


def test_no_text_is_an_order_in_a_log() -> None:
    record = logging.LogRecord("a", logging.WARNING, "", 1, "a name: %s", (HOSTILE,), None)
    assert not OBEYED & set(LogFormat("text").format(record))
    assert escape_control_characters("Zoë\t said\n 你好") == "Zoë\t said\n 你好"


def test_no_address_writes_a_line_into_the_log(
    memory_settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Memories, "inspect", fail)
    with Service(memory_settings) as service, TestClient(create_app(service), base_url=HERE) as client:
        told = client.get("/api/v1/conversations/x%0A2026-01-01%20ERROR%20forged", params=WHOSE)
    assert told.status_code == 500
    assert "forged" in caplog.text
    assert "\n2026-01-01" not in caplog.text


def test_tabs_lines_and_joined_letters_stay() -> None:
    kept = "a\tb\nc 👩\u200d👧 می\u200cخواهم שלום\u200f"
    assert escape_control_characters(kept) == kept


@pytest.mark.slow
@pytest.mark.parametrize("command", [["search", "--explain"], ["ask"]], ids=["search", "ask"])
def test_what_is_remembered_steers_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.setenv("MNEME_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    said = {"conversation_id": f"c{STEERING}", "user_id": "mira", "sent_at": "2026-03-02T09:00:00Z"}
    said |= {"sender_name": f"Tom{STEERING}", "content": f"I live in Lisbon {STEERING} since May."}
    (tmp_path / "talk.jsonl").write_text(json.dumps(said) + "\n")
    runner = CliRunner()
    assert runner.invoke(app, ["ingest", str(tmp_path / "talk.jsonl")]).exit_code == 0
    shown = runner.invoke(app, [command[0], "Where does Tom live?", "--user", "mira", *command[1:]])
    assert shown.exit_code == 0
    assert "Lisbon" in shown.output
    assert not re.search("[\x1b\x07\x9b\u202e\u2066]", shown.output)
