"""Files that are ingested one after another: of one that grew only what is new is carried out, and an erasure has its day."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connectors.indices import open_index
from flows import ingest
from mneme.rows import Collection
from mneme.settings import Settings
from tests.flows import deployment
from tests.flows.deployment import deployed_in

pytestmark = pytest.mark.slow

Line = dict[str, Any]
Ingest = Callable[..., Path]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return deployed_in(tmp_path / "data")


@pytest.fixture
def taken_in(settings: Settings) -> Ingest:
    """Write a file and ingest it."""
    return lambda name, *lines: deployment.taken_in(settings, name, [json.dumps(line).encode() for line in lines])


def said(name: str, day: str, conversation: str = "talk", text: str = "") -> Line:
    who = {"conversation_id": conversation, "user_id": "ann", "message_id": name}
    return {"event": "message", **who, "sent_at": f"2026-{day}T09:00:00Z", "content": text or f"I like tea of the kind {name}."}


def forget(day: str) -> Line:
    return {"event": "forget", "conversation_id": "talk", "requested_at": f"2026-{day}T10:00:00Z"}


def erase(day: str) -> Line:
    return {"event": "erase", "user_id": "ann", "requested_at": f"2026-{day}T10:00:00Z"}


def stored(settings: Settings) -> dict[str, str]:
    """The messages of the index, with their texts."""
    with closing(open_index(settings, read_only=True)) as index:
        return {row.id.rpartition("/")[2]: row.body["text"] for row in index.scan(Collection.MESSAGES)}


def test_a_forget_is_not_carried_out_again(settings: Settings, taken_in: Ingest) -> None:
    lines = [said("assam", "03-01"), forget("03-02"), said("ceylon", "03-03")]
    taken_in("chat.jsonl", *lines)
    taken_in("chat.jsonl", *lines, said("darjeeling", "03-04"))
    assert stored(settings).keys() == {"ceylon", "darjeeling"}


def test_an_edit_is_not_carried_out_again(settings: Settings, taken_in: Ingest) -> None:
    edit = {"event": "edit", "conversation_id": "talk", "message_id": "home"}
    lines = [said("home", "01-01", text="I live in Rome."), {**edit, "content": "I live in Milan."}]
    taken_in("a.jsonl", *lines)
    taken_in("b.jsonl", {**edit, "content": "I live in Lyon."})
    taken_in("a.jsonl", *lines, said("assam", "01-02"))
    assert stored(settings)["home"] == "I live in Lyon."


def test_a_line_that_was_half_written_is_read_when_it_is_whole_and_nothing_before_it_again(
    settings: Settings, taken_in: Ingest, tmp_path: Path
) -> None:
    edit = {"event": "edit", "conversation_id": "talk", "message_id": "home"}
    lines = [said("home", "01-01", text="I live in Rome."), {**edit, "content": "I live in Milan."}, said("assam", "01-02")]
    whole = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    growing = tmp_path / "growing.jsonl"
    growing.write_bytes(whole[:-30])
    first = ingest([growing], settings)
    assert (first.messages, first.dead_letters) == (1, 0)
    (skipped,) = first.skipped
    assert skipped.reason.startswith("line 3 is half written")
    taken_in("b.jsonl", {**edit, "content": "I live in Lyon."})
    growing.write_bytes(whole)
    assert ingest([growing], settings).skipped == ()
    assert stored(settings) == {"home": "I live in Lyon.", "assam": "I like tea of the kind assam."}


def test_what_a_grown_file_changes_in_its_old_lines_is_in_order(settings: Settings, taken_in: Ingest) -> None:
    """Positions before and behind the place at which the file grew are of one source."""
    lines = [said("assam", "03-01"), forget("03-05")]
    taken_in("chat.jsonl", *lines)
    taken_in("chat.jsonl", *lines, said("ceylon", "03-04"))  # behind the erasure, whatever its time
    assert stored(settings).keys() == {"ceylon"}


def test_an_erasure_of_an_owner_is_not_carried_out_again(settings: Settings, taken_in: Ingest) -> None:
    lines = [said("assam", "01-01"), erase("01-02")]
    taken_in("january.jsonl", *lines)
    taken_in("summer.jsonl", said("ceylon", "07-01", "other"))
    taken_in("january.jsonl", *lines, said("darjeeling", "11-01"))
    assert stored(settings).keys() == {"ceylon", "darjeeling"}


def test_an_erasure_leaves_what_other_files_say_after_its_day(settings: Settings, taken_in: Ingest) -> None:
    taken_in("spring.jsonl", said("assam", "03-01"))
    taken_in("summer.jsonl", said("ceylon", "07-01"), said("darjeeling", "07-02", "other"))
    taken_in("april.jsonl", erase("04-01"))
    assert stored(settings).keys() == {"ceylon", "darjeeling"}
    with closing(open_index(settings, read_only=True)) as index:
        told = [row.body["message_ids"] for row in index.scan(Collection.EPISODES)]
    assert sorted(told) == [["ceylon"], ["darjeeling"]]
    taken_in("again.jsonl", said("jasmine", "03-02"), said("oolong", "07-03"))
    assert stored(settings).keys() == {"ceylon", "darjeeling", "oolong"}
