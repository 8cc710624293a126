"""Files through the whole flow with the real embedder and the embedded index: resumed, appended, interrupted."""

import errno
import itertools
import os
import shutil
import signal
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from flows import ingest
from flows.runner import WrittenRows
from flows.running import recovery
from mneme.errors import DiskFull, StoreRejected
from mneme.events import Delete, Edit, Message
from mneme.rows import Collection
from mneme.settings import Settings
from tests.flows.deployment import remembered, stop_at, with_index
from tests.flows.long_talk import TALK
from tests.flows.river import START

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None).model_copy(update={"data": tmp_path / "data"})


def chat(path: Path, count: int, user: str = "ann") -> Path:
    """A chat of some messages, a minute apart."""
    lines = [
        Message(
            conversation_id=f"talk-{user}",
            user_id=user,
            message_id=f"m{number}",
            sent_at=START.replace(minute=number % 60, hour=9 + number // 60),
            content=f"Thing number {number} happened in the garden of Bob.",
        ).to_bytes()
        for number in range(count)
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def bodies(settings: Settings) -> dict[str, dict[str, Any]]:
    kept = [collection for collection in Collection if collection is not Collection.CONTROL]
    return with_index(settings, lambda index: {row.id: row.body for each in kept for row in index.scan(each)})  # type: ignore[no-any-return]


def test_a_second_run_changes_nothing(settings: Settings, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", 6)
    assert ingest([path], settings).messages == 6
    before = bodies(settings)
    report = ingest([path], settings)
    assert (report.messages, report.facts, report.duplicates) == (0, 0, 0)
    assert bodies(settings) == before, "not even a version"


def test_a_file_that_grew_is_read_on_under_the_same_ids(settings: Settings, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", 4)
    ingest([path], settings)
    before = set(bodies(settings))
    report = ingest([chat(path, 9)], settings)
    assert (report.messages, report.duplicates) == (5, 0)
    assert before <= set(bodies(settings))
    [episode] = with_index(settings, lambda index: list(index.scan(Collection.EPISODES)))
    assert episode.message_ids == tuple(f"m{number}" for number in range(9))


def test_progress_goes_from_nothing_to_everything(settings: Settings, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    ingest([chat(tmp_path / "chat.jsonl", 6)], settings, on_progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 6)
    assert seen[-1] == (6, 6)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_interrupt_leaves_what_the_next_run_completes(settings: Settings, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", 80)

    with pytest.raises(KeyboardInterrupt):
        ingest([path], settings, on_progress=stop_at(0.25))
    ingest([path], settings)
    undisturbed = settings.model_copy(update={"data": tmp_path / "undisturbed"})
    ingest([path], undisturbed)
    assert set(bodies(settings)) == set(bodies(undisturbed))


def test_an_index_that_was_copied_while_a_run_wrote_to_it_does_not_replace_what_the_run_made(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_BETWEEN_MARKS_SECONDS", 0.0)
    path, index, copy = chat(tmp_path / "chat.jsonl", 80), settings.data / "index", tmp_path / "copy"

    rows = itertools.count()

    def copy_halfway(kind: str, identity: str) -> None:
        if next(rows) == 40:
            shutil.copytree(index, copy)

    ingest([path], settings, on_written=copy_halfway)
    shutil.rmtree(index)
    copy.rename(index)
    with pytest.raises(StoreRejected, match="has not seen what was written until"):
        ingest([path], settings)


@pytest.fixture(autouse=True)
def _handlers_are_put_back() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_a_full_disk_is_named(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("flows.runner.replace_json", full)
    with pytest.raises(DiskFull, match="make room there"):
        ingest([chat(tmp_path / "chat.jsonl", 1)], settings)


def test_a_later_file_may_edit_and_delete_what_an_earlier_one_said(settings: Settings, tmp_path: Path) -> None:
    def line(number: int, text: str) -> Message:
        at, who, _ = TALK[number]
        sent_at = START + timedelta(seconds=at)
        return Message(
            conversation_id="talk", user_id="ann", message_id=f"m{number}", sender_name=who, sent_at=sent_at, content=text
        )

    def written(name: str, events: list[Message | Edit | Delete]) -> Path:
        (tmp_path / name).write_bytes(b"\n".join(event.to_bytes() for event in events) + b"\n")
        return tmp_path / name

    said = {number: words for number, (_, _, words) in enumerate(TALK[:60])}
    first = written("first.jsonl", [line(number, words) for number, words in said.items() if number != 25])
    changes: list[Message | Edit | Delete] = [
        Edit(conversation_id="talk", message_id="m12", content="He is called Socks"),
        Delete(conversation_id="talk", message_id="m34"),
        line(25, said[25]),
    ]
    ingest([first], settings)
    assert ingest([written("changes.jsonl", changes)], settings).dead_letters == 0
    now = {number: words for number, words in (said | {12: "He is called Socks"}).items() if number != 34}
    clean = settings.model_copy(update={"data": tmp_path / "clean"})
    ingest([written("clean.jsonl", [line(number, words) for number, words in now.items()])], clean)
    assert remembered(settings) == remembered(clean)


def test_a_row_counts_once_as_what_it_is_in_the_end() -> None:
    wrote = WrittenRows()
    for kind, identity in [
        ("fact", "a"),
        ("fact", "b"),
        ("fact", "c"),
        ("repetition", "b"),
        ("fact", "a"),
        ("", "c"),
        ("", "d"),
    ]:
        wrote(kind, identity)
    assert wrote.rows() == {"fact": 1, "repetition": 1}
