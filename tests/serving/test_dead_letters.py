"""``mneme admin dead-letters`` on the file of the embedded index; the flow itself is stood in for, except at the end."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import flows
from connectors.dead_letters import FileDeadLetters
from connectors.durable import FolderLock
from connectors.inbox import inbox_folder, unread
from connectors.indices import open_index
from mneme.errors import StoreUnavailable
from mneme.ports import DeadLetter
from mneme.records import Position
from mneme.rows import Collection
from mneme.settings import load_settings
from serving.cli import app

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def letter(number: int, raw: bytes = b"{}", stage: str = "decode", reason: str = "content: missing") -> DeadLetter:
    return DeadLetter(stage, reason, raw, Position(topic="file:abc", partition=0, offset=number), AT + timedelta(hours=number))


def event(number: int, **fields: object) -> bytes:
    said = {"conversation_id": "talk", "user_id": "ana", "content": f"I bought {number} apples", "sent_at": AT.isoformat()}
    return json.dumps({**said, **fields}).encode()


@pytest.fixture(autouse=True)
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileDeadLetters:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
    return FileDeadLetters(tmp_path / "mneme-data" / "dead-letters.sqlite")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", "dead-letters", *arguments])


def listed(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("list", "--json", *arguments).stdout.splitlines()]


def test_letters_are_listed_newest_last_with_everything_that_explains_them(letters: FileDeadLetters):
    letters.send([letter(5, reason="json: \x1b[2Jbroken"), letter(2, b'{"x": 1}', "embed", "edit: unknown")])
    shown = run("list").stdout
    assert [word in shown for word in ("embed", "file:abc/0/2", "edit: unknown", "2026-03-01 11:30:00")] == [True] * 4
    assert "\x1b" not in shown
    assert shown.index("edit: unknown") < shown.index("broken")
    assert listed()[0] == {
        "number": 1,
        "at": "2026-03-01T11:30:00+00:00",
        "stage": "embed",
        "position": {"topic": "file:abc", "partition": 0, "offset": 2},
        "reason": "edit: unknown",
        "bytes": 8,
    }


def test_a_letter_that_a_crash_kept_twice_is_listed_once(letters: FileDeadLetters):
    letters.send([letter(1), letter(1)])
    assert len(listed()) == 1


def test_numbers_stay_those_of_the_whole_list_under_a_filter(letters: FileDeadLetters):
    letters.send([letter(1), letter(2, event(2, content=7)), letter(3, stage="extract"), letter(4, b'{"conversation_id": "ta')])
    assert [each["number"] for each in listed("--stage", "extract")] == [3]


def test_where_nothing_is_kept_the_list_says_so():
    assert run("list").stderr == "no dead letters\n"
    assert listed() == []


def test_a_letter_is_shown_whole_without_secrets_and_without_steering_the_terminal(letters: FileDeadLetters):
    letters.send([letter(1, b'{"content": "\x1b]0;x my api_key=hunter2 \xe6\xb5\xb7 [bold]"}'), letter(2, b"\xff\x00 bytes")])
    text = run("show", "1").stdout
    assert "hunter2" not in text
    assert "\x1b" not in text
    assert [word in text for word in ("api_key=***", "海", "[bold]", "file:abc/0/1", "content: missing")] == [True] * 5
    assert "ff 00 20 62 79 74 65 73" in run("show", "2").stdout


def test_a_number_that_is_not_in_the_list_is_refused(letters: FileDeadLetters):
    letters.send([letter(1)])
    for command in ("show", "replay"):
        result = run(command, "2")
        assert result.exit_code == 2
        assert "no dead letter 2" in result.stderr


def test_replaying_needs_a_choice():
    assert run("replay").exit_code == 2


def test_what_is_still_wrong_stays_and_says_why(letters: FileDeadLetters, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flows, "ingest", lambda *_: pytest.fail("nothing is to be taken in"), raising=False)
    letters.send([letter(1, event(1, content=7)), letter(2, b'{"is": "cut"}', "extract")])
    result = run("replay", "--all")
    assert result.exit_code == 1
    assert "1: not replayed: content" in result.stderr
    assert "2: not replayed: stage extract" in result.stderr
    assert len(listed()) == 2
    assert run("replay", "1").exit_code == 2


def test_a_letter_that_comes_back_is_told_by_the_exit_code(letters: FileDeadLetters, monkeypatch: pytest.MonkeyPatch):
    def ingest(files: list[Path], *_: object) -> None:
        [sent, _] = files[0].read_bytes().splitlines()
        letters.send([letter(8, sent, "embed", "Traceback\nthe embedder refuses it")])

    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    of_two_lines = event(1).replace(b", ", b",\n")  # what is sent has one
    letters.send([letter(1, of_two_lines), letter(2, event(2))])
    result = run("replay", "--all")
    assert result.exit_code == 1
    assert result.stdout == "2 dead letters replayed\n"
    assert "1 letter came back as dead: the embedder refuses it" in result.stderr
    assert len(listed()) == 1


def test_a_letter_that_can_never_be_right_is_discarded(letters: FileDeadLetters, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flows, "ingest", lambda *_: pytest.fail("nothing is to be taken in"), raising=False)
    letters.send([letter(1, event(1)), letter(2, b'{"is": "cut"}', "extract"), letter(3, b"\xff")])
    result = run("replay", "2", "3", "--discard")
    assert (result.exit_code, result.stdout) == (0, "2 dead letters discarded\n")
    assert [each["position"]["offset"] for each in listed()] == [1]
    assert run("replay", "--discard").exit_code == 2


def test_a_replay_that_is_interrupted_keeps_the_letters(letters: FileDeadLetters, monkeypatch: pytest.MonkeyPatch):
    def ingest(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    letters.send([letter(1, event(1))])
    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    assert run("replay", "--all").exit_code == 1
    assert len(listed()) == 1


def test_beside_a_flow_letters_go_back_into_its_inbox(letters: FileDeadLetters, tmp_path: Path):
    letters.send([letter(1, event(1))])
    inbox = inbox_folder(tmp_path / "mneme-data")
    inbox.mkdir()
    flow = FolderLock(inbox, "the inbox")
    try:
        assert run("replay", "--all").stdout == "1 dead letter replayed\n"
    finally:
        flow.release()
    assert unread(tmp_path / "mneme-data", "messages") == 1
    assert listed() == []


def test_only_the_stage_that_was_asked_for_is_replayed(letters: FileDeadLetters):
    letters.send([letter(1, event(1, message_id="m1")), letter(2, event(2, message_id="m2"), "embed")])
    assert run("replay", "--stage", "embed").stdout == "1 dead letter replayed\n"
    assert [each["stage"] for each in listed()] == ["decode"]


def test_a_replayed_event_is_taken_in_once_however_often_it_is_replayed(letters: FileDeadLetters):
    said = [letter(1, event(1, message_id="m1")), letter(2, event(2)), letter(3, b'{"event": "poll"}')]
    letters.send(said)
    assert run("replay", "--all").stdout == "2 dead letters replayed\n"
    assert [each["position"]["offset"] for each in listed()] == [3]
    before = rows()
    assert len(before["messages"]) == 2
    letters.send(said[:1])  # as after a crash before the letters were taken away, and with another choice of them
    letters.send(said[:2])
    assert run("replay", "1").exit_code == 0
    assert run("replay", "1").exit_code == 0
    assert rows() == before


def test_a_conversation_in_quarantine_is_asked_for_again_and_its_letter_taken_away(letters: FileDeadLetters):
    about = {"is": "conversation", "owner": ["default", "user", "ana"], "conversation": "talk"}
    letters.send([DeadLetter("segment", "Traceback\n  frame\nKeyError: 7", json.dumps(about).encode(), None, AT)])
    assert "KeyError: 7" in run("list").stdout
    assert "frame" not in run("list").stdout
    assert len(listed()) == 1
    assert run("replay", "1").stdout == "1 dead letter replayed\n"
    assert listed() == []


def rows() -> dict[str, dict[str, Any]]:
    index = open_index(load_settings(), read_only=True)
    try:
        wanted = [each for each in Collection if each is not Collection.CONTROL]
        return {each.value: {row.id: row.body for row in index.scan(each)} for each in wanted}
    finally:
        index.close()
