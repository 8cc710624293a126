"""A file of JSON lines with keys: the first of a key holds, whatever crashes and whoever else writes."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.durable import replace_bytes
from evaluation.recording.recordings import KeyedLines
from mneme.errors import StoreRejected, StoreUnavailable


def key_of(line: Any) -> str:
    return str(line["k"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "lines.jsonl"


def opened(path: Path) -> KeyedLines:
    return KeyedLines(path, "test line", key_of)


def test_a_file_appears_with_its_first_line(path: Path) -> None:
    lines = opened(path)
    assert (len(lines), lines.find("a"), list(lines)) == (0, None, [])
    assert not path.parent.exists()
    assert lines.add({"k": "a", "text": "Grüße 你好"})
    assert path.read_text(encoding="utf-8") == '{"k": "a", "text": "Grüße 你好"}\n'
    assert lines.find("a") == {"k": "a", "text": "Grüße 你好"}


def test_the_first_line_of_a_key_holds(path: Path) -> None:
    lines = opened(path)
    assert [lines.add({"k": "a", "n": n}) for n in range(3)] == [1, 0, 0]
    assert lines.add({"k": "b", "n": 1}, {"k": "a", "n": 9}, {"k": "b", "n": 2}) == 1
    path.write_bytes(path.read_bytes() + b'{"k": "a", "n": 7}\n')
    assert list(opened(path)) == [{"k": "a", "n": 0}, {"k": "b", "n": 1}]


def test_what_another_instance_adds_is_seen(path: Path) -> None:
    one, other = opened(path), opened(path)
    one.add({"k": "a"})
    assert other.find("a") == {"k": "a"}
    assert not other.add({"k": "a"})
    other.add({"k": "b"})
    assert [len(one), len(other)] == [2, 2]


def test_threads_add_each_key_once(path: Path) -> None:
    lines = opened(path)
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda n: lines.add({"k": str(n % 20)}), range(200)))
    assert sum(added) == 20
    assert len(path.read_bytes().splitlines()) == 20


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(min_value=1, max_value=60), text=st.text(max_size=12))
def test_a_crash_costs_at_most_the_last_line(tmp_path: Path, caplog: pytest.LogCaptureFixture, cut: int, text: str) -> None:
    path = tmp_path / "torn.jsonl"
    path.unlink(missing_ok=True)
    opened(path).add({"k": "a", "text": text}, {"k": "b", "text": text})
    whole = path.read_bytes()
    first = len(whole.splitlines(keepends=True)[0])
    path.write_bytes(whole[: max(len(whole) - cut, first)])
    caplog.clear()
    again = opened(path)
    is_torn = first < len(path.read_bytes()) < len(whole) - 1
    assert ("is torn" in caplog.text) == is_torn
    assert [line["k"] for line in again] == (["a", "b"] if path.stat().st_size >= len(whole) - 1 else ["a"])
    again.add({"k": "b", "text": text}, {"k": "c", "text": text})
    assert [json.loads(line)["k"] for line in path.read_bytes().splitlines()] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("damaged", "named"),
    [(b"{half\n", "line 2"), (b'{"other": 1}\n', "KeyError('k')"), (b"\xff\xfe\n", "line 2"), (b"[]\n", "line 2")],
)
def test_a_damaged_line_within_is_named(path: Path, damaged: bytes, named: str) -> None:
    opened(path).add({"k": "a"})
    path.write_bytes(path.read_bytes() + damaged + b'{"k": "c"}\n')
    with pytest.raises(StoreRejected) as raised:
        opened(path)
    assert named in str(raised.value)
    assert f"{path}, line 2: no test line" in str(raised.value)


def test_blank_lines_are_none(path: Path) -> None:
    opened(path).add({"k": "a"})
    path.write_bytes(b"\n" + path.read_bytes() + b"  \n")
    assert list(opened(path)) == [{"k": "a"}]


@pytest.mark.parametrize(
    "put",
    [lambda path, content: replace_bytes(path, content), lambda path, content: path.write_bytes(content)],
    ids=["renamed", "cut"],
)
def test_another_file_in_its_place_is_read(path: Path, put: Callable[[Path, bytes], object]) -> None:
    lines = opened(path)
    lines.add({"k": "a"}, {"k": "b"})
    put(path, b'{"k": "c"}\n')
    assert list(lines) == [{"k": "c"}]
    path.unlink()
    assert (len(lines), lines.find("c")) == (0, None)
    lines.add({"k": "d"})
    assert list(opened(path)) == [{"k": "d"}]


def test_a_rewritten_file_is_read_by_all(path: Path) -> None:
    one, other = opened(path), opened(path)
    one.add(*({"k": key} for key in "cab"))
    one.rewrite(lambda lines: sorted(lines, key=key_of)[:2])
    assert list(one) == list(other) == [{"k": "a"}, {"k": "b"}]
    other.add({"k": "c"})
    assert len(one) == 3


def test_a_text_that_is_half_a_surrogate_pair_is_kept(path: Path) -> None:
    opened(path).add({"k": "a", "text": "\udc80 \ud83d"})
    assert opened(path).find("a") == {"k": "a", "text": "\udc80 \ud83d"}


def test_only_its_owner_may_read_it(path: Path) -> None:
    lines = opened(path)
    lines.add({"k": "a"})
    assert path.stat().st_mode & 0o777 == 0o600
    lines.rewrite(list)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    with pytest.raises(StoreUnavailable, match="not a directory"):
        opened(tmp_path / "a file" / "lines.jsonl").add({"k": "a"})
    with pytest.raises(StoreUnavailable, match="is a directory"):
        opened(tmp_path)


def test_a_line_is_on_the_disk_when_add_returns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(path).add({"k": "a"})
    synced: list[bytes] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(path.read_bytes()), fsync(descriptor)))
    opened(path).add({"k": "b"})
    assert synced == [b'{"k": "a"}\n{"k": "b"}\n']
