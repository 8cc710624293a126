"""Hostile documents, exports and archives: each is refused with its reason or read within the limits, and nothing is left."""

import json
import re
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from connectors.archive import Header, read_archive, write_archive
from connectors.documents.kinds import kind_of, media_kind
from connectors.documents.pool import ParserPool
from connectors.endpoints import pictures
from connectors.files.files import read_file
from mneme.errors import InputError
from mneme.events import parse_event
from mneme.settings import Documents
from mneme.times import utc_now
from tests.attacks.hostile_files import grey_png, hostile_files, many_members
from tests.connectors.files.exports_help import CHATGPT, CLAUDE, MEM0, MEMMACHINE, SAMPLE, SLACK, TALK, edge, everos
from tests.contracts.rows import ALICE, NOON, axis, episode, fact, message

pytestmark = pytest.mark.slow

Tried = Callable[[Sequence[Any]], Sequence[Any]]

_SECONDS = 60  # none of the short ones comes near
_MEGABYTES = 900


# --- documents --------------------------------------------------------------------------------------------------------


Hostile = Sequence[tuple[str, bytes, str]]


@pytest.fixture(scope="module")
def hostile(is_long: bool) -> Hostile:
    """Made once: to pack a gigabyte takes seconds."""
    return list(hostile_files(is_long))


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ParserPool]:
    """A pool of one process, whose temporary files are nobody else's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pool = ParserPool(Documents(seconds=_SECONDS, megabytes=_MEGABYTES).model_copy(update={"processes": 1}))
    yield pool
    pool.close(0)


def test_hostile_files_end_within_the_limits_and_the_pool_goes_on(
    pool: ParserPool, hostile: Hostile, tmp_path: Path, is_long: bool, tried: Tried
) -> None:
    wrong = {}
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    for name, content, expected in tried(hostile):
        try:
            pool.parse(content, name, None)
        except InputError as refused:
            reason = str(refused)
            if not reason.startswith(f"{name}: ") or expected not in reason or (not is_long and "__SECONDS" in reason):
                wrong[name] = reason
        else:
            if expected:
                wrong[name] = "read"
    assert wrong == {}
    assert pool.parse(b"still here", "notes.txt", None).sections[0].text == "still here"
    pool.close(0)
    assert list(tmp_path.iterdir()) == []
    assert {process.pid for process in psutil.Process().children(recursive=True)} <= before


def test_what_runs_before_the_pool_looks_at_first_bytes_and_opens_nothing(
    monkeypatch: pytest.MonkeyPatch, hostile: Hostile, tried: Tried
) -> None:
    """What a picture or a recording is, the flow's own process tells."""
    for module in ("zipfile.ZipFile", "PIL.Image.open", "olefile.OleFileIO"):
        monkeypatch.setattr(module, lambda *_, **__: pytest.fail("a library opened a file in the flow's own process"))
    refused = set()
    for name, content, _ in tried(hostile):
        try:
            media_kind(content)
        except InputError:
            refused.add(name)
    assert refused == {"film.m4a"}


def test_members_of_an_archive_are_counted_before_it_is_opened(monkeypatch: pytest.MonkeyPatch, tried: Tried) -> None:
    """``mneme ingest`` looks into archives itself: 900,000 members were 10 seconds and a gigabyte."""
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_, **__: pytest.fail("the archive was opened"))
    for count in tried([20_001, 100_000, 900_000]):
        with pytest.raises(InputError, match=f"{count:,} members"):
            kind_of(many_members(count), "letter.docx", None)


def test_pictures_for_a_model_are_decoded_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the flow's own process: one of 99 million pixels takes hundreds of megabytes, and ten calls may be in flight."""
    running: list[int] = []
    made_fit = pictures._converted

    def watched(image: Any) -> tuple[bytes, str]:
        running.append(1)
        assert len(running) == 1
        try:
            time.sleep(0.01)
            return made_fit(image)
        finally:
            running.pop()

    monkeypatch.setattr(pictures, "_converted", watched)
    content, shown = grey_png(2_100), []
    threads = [threading.Thread(target=lambda: shown.append(pictures.picture_for_models(content))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shown) == len(threads)


# --- exports of other programs ----------------------------------------------------------------------------------------

WHEN = "2026-01-01T00:00:00Z"
EXPORTS: dict[str, Any] = {
    "chatgpt": [CHATGPT],
    "claude": [CLAUDE],
    "slack": SLACK[:1],
    "roles": TALK,
    "tools": {"messages": [{**TALK[0], "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}]},
    "locomo": [SAMPLE],
    "mem0": {"results": MEM0["results"][:2]},
    "graphiti": {"edges": [edge("u1", "Ines lives in Faro")]},
    "everos": everos("team"),
    "memmachine": MEMMACHINE,
}
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        1e308,
        -1e18,
        float("nan"),
        float("inf"),
        10**400,
        "",
        [],
        {},
        [[]],
        [{}],
        {"a": {}},
        "\ud800",
        "x" * 10_000,
    ),
    *("9" * 4_000, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a value, each as the keys that lead there."""
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*above, key))


def with_value(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = json.loads(json.dumps(data))
    inner = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def outcome(path: Path) -> Counter[str]:
    """How many events a file gives, and how many of them are refused. Whatever else is raised fails the test."""
    found = Counter[str]()
    try:
        for incoming in read_file(path, user_id="ann"):
            found["events"] += 1
            try:
                parse_event(incoming.raw, utc_now())
            except InputError:
                found["refused"] += 1
    except InputError as error:
        found["file refused" if str(path) in str(error) else "file refused without its name"] += 1
    return found


def test_an_export_with_any_value_anywhere_is_read_or_refused(tmp_path: Path, tried: Tried) -> None:
    path = tmp_path / "export.json"
    for form, data in EXPORTS.items():
        path.write_text(json.dumps(data))
        assert outcome(path)["events"] > 0, form
        for place, value in tried([(place, value) for place in places(data) for value in VALUES]):
            path.write_text(json.dumps(with_value(data, place, value)))
            assert "file refused without its name" not in outcome(path), (form, place)


def test_a_chat_of_nodes_in_a_circle_or_ten_thousand_deep_ends(tmp_path: Path, tried: Tried) -> None:
    path = tmp_path / "conversations.json"
    said = CHATGPT["mapping"]["b"]["message"]
    circle = {
        f"n{at}": {"message": {**said, "id": f"m{at}"}, "parent": f"n{(at + 1) % 50}", "children": []} for at in range(50)
    }
    deep = {f"n{at}": {"message": {**said, "id": f"m{at}"}, "parent": f"n{at + 1}", "children": []} for at in range(10_000)}
    for mapping in tried([circle, deep]):
        path.write_text(json.dumps([{**CHATGPT, "mapping": mapping, "current_node": "n0"}]))
        assert outcome(path) == Counter(events=len(mapping))
    for text in tried(["[" * 100_000, '{"messages":' * 100_000, '[{"role": "user", "content": ' + "[" * 100_000]):
        path.write_text(text)
        assert outcome(path) == Counter({"file refused": 1})


BROKEN_LINES: tuple[bytes, ...] = (
    b"{",
    b"[" * 50_000,
    b'{"a":' * 50_000,
    b"null",
    b"1e999",
    b'"text"',
    b"\xff\xfe\0\0",
    b'{"event": "message"}',
    b'{"event": "bomb", "schema": 1}',
    b'{"schema": 1e308}',
    b'{"conversation_id": "\\ud800"}',
    b'{"a": ' + b"9" * 5_000 + b"}",
    b"\0" * 100,
    b"x" * 200_000,
    b'{"schema": 1, "schema": 2}',
)


def test_each_broken_line_of_events_is_refused_by_itself_and_none_is_lost(tmp_path: Path, tried: Tried) -> None:
    sound = {"schema": "1", "event": "message", "conversation_id": "c", "user_id": "ann", "content": "hi", "sent_at": WHEN}
    lines = []
    for number, broken in enumerate(tried(BROKEN_LINES)):
        lines += [json.dumps({**sound, "message_id": f"m{number}"}).encode(), broken]
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join(lines))
    found = list(read_file(path, user_id="ann"))
    assert [each.position.offset for each in found] == list(range(len(lines)))
    judged = []
    for each in found:
        try:
            judged.append(parse_event(each.raw, utc_now()))
        except InputError:
            judged.append(None)
    assert [each is not None for each in judged] == [True, False] * len(BROKEN_LINES)


# --- archives of mneme admin export -----------------------------------------------------------------------------------


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    rows = [message("m1", "hello"), episode("e1", vector=axis(2)), fact("f1", vector=axis(1), version=3 * 10**12)]
    counts = Counter(row.collection for row in rows)
    path = tmp_path / "ann.jsonl"
    write_archive(path, Header(owner=ALICE, embedder="e", tokeniser="t", exported_at=NOON, rows=dict(counts)), rows)
    return path


def test_an_archive_with_any_byte_of_its_rows_changed_is_refused(
    archive: Path, tmp_path: Path, tried: Tried, is_long: bool
) -> None:
    """The header has no hash; the import compares it with the rows (tests/flows/maintenance/test_transfer.py)."""
    content = archive.read_bytes()
    body = content.index(b"\n") + 1
    changed = tmp_path / "changed.jsonl"
    for at in tried(range(body, len(content) - 1, 1 if is_long else 7)):
        changed.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(InputError), read_archive(changed) as found:
            list(found.rows)


def test_an_archive_with_any_line_gone_twice_or_moved_is_refused(archive: Path, tried: Tried) -> None:
    header, *rows, end = archive.read_bytes().splitlines(keepends=True)
    forms = [[header, *rows], [header, *rows[1:], end], [header, rows[0], *rows, end], [header, *rows[::-1], end], [*rows, end]]
    forms += [[header, end], [header, *rows, end, end], [header, header, *rows, end], [end], [header, *rows, b"{}\n", end]]
    for lines in tried(forms):
        archive.write_bytes(b"".join(lines))
        with pytest.raises(InputError, match=re.escape(str(archive))), read_archive(archive) as found:
            list(found.rows)


def test_an_archive_whose_header_claims_what_cannot_be_is_refused(archive: Path, tried: Tried) -> None:
    header, *rest = archive.read_bytes().splitlines(keepends=True)
    said = json.loads(header)
    claims: list[Any] = [
        {"rows": {"facts": "many"}},
        {"rows": {"cellar": 1}},
        {"rows": None},
        {"owner": None},
        {"owner": {"id": ""}},
    ]
    claims += [{"format": 10**9}, {"format": None}, {"exported_at": "soon"}, {"embedder": 1}, {"more": 1}, {"mneme": "end"}]
    for claim in tried(claims):
        archive.write_bytes(json.dumps({**said, **claim}).encode() + b"\n" + b"".join(rest))
        with pytest.raises(InputError, match=re.escape(str(archive))), read_archive(archive) as found:
            list(found.rows)
