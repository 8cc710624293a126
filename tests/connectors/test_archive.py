"""An owner's memory as a file: what is written comes back, and what is not whole is noticed."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.archive import Header, read_archive, write_archive
from mneme.errors import InputError, StoreUnavailable
from mneme.records import Validity
from mneme.rows import Row
from mneme.store_format import FORMAT
from tests.contracts.memory_index import assert_same
from tests.contracts.rows import ALICE, DIMENSION, NOON, axis, episode, fact, message, towards

ROWS = [message("m1", "你好\n\u2028 \x00"), episode("e1", vector=axis(2)), fact("f1", vector=towards(0.3), version=3 * 10**12)]


def header(rows: list[Row]) -> Header:
    counts = Counter(row.collection for row in rows)
    return Header(owner=ALICE, embedder="e", tokeniser="t", exported_at=NOON, rows=dict(counts))


def read(path: Path) -> list[Row]:
    with read_archive(path) as archive:
        return list(archive.rows)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
vectors = st.lists(st.floats(-1, 1, width=32), min_size=DIMENSION, max_size=DIMENSION).map(
    lambda numbers: np.array(numbers, dtype=np.float32)
)
moments = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 30), timezones=st.just(UTC))
facts = st.builds(
    lambda number, text, version, vector, said, ended, speakers: fact(
        f"f{number}",
        text,
        version,
        vector,
        said_at=said,
        validity=Validity(valid_to=ended),
        speakers=tuple(speakers),
    ),
    st.integers(0, 9),
    texts,
    st.integers(0, 2**63 - 1),
    st.none() | vectors,
    moments,
    st.none() | moments,
    st.lists(texts, max_size=3),
)
messages = st.builds(
    lambda number, text, metadata, deleted: message(f"m{number}", text, metadata=metadata, deleted=deleted),
    st.integers(0, 9),
    texts,
    st.dictionaries(texts, texts | st.booleans() | st.integers() | st.floats(allow_nan=False), max_size=3),
    st.booleans(),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(facts | messages, max_size=6))
def test_rows_come_back_as_they_were(tmp_path: Path, rows: list[Row]) -> None:
    path = tmp_path / "x.jsonl"
    path.unlink(missing_ok=True)
    write_archive(path, header(rows), rows)
    back = read(path)
    assert len(back) == len(rows)
    for one, other in zip(back, rows, strict=True):
        assert_same(replace(one, vector=None), other, with_vector=False)
        assert (one.vector is None) == (other.vector is None)
        if one.vector is not None and other.vector is not None:
            assert one.vector.tobytes() == other.vector.tobytes()


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write_archive(tmp_path / name, header(ROWS), ROWS)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert (tmp_path / "a.jsonl").read_bytes().count(b"\n") == len(ROWS) + 2


def test_the_keys_of_a_body_may_come_in_any_order(tmp_path: Path) -> None:
    turned = [replace(row, body=dict(reversed(row.body.items()))) for row in ROWS]
    write_archive(tmp_path / "a.jsonl", header(ROWS), ROWS)
    write_archive(tmp_path / "b.jsonl", header(ROWS), turned)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda content: b"".join(change(content.splitlines(keepends=True)))


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "without its end": lines(lambda all: all[:-1]),
    "cut in a line": lambda content: content[: len(content) // 2],
    "without a row": lines(lambda all: [all[0], *all[2:]]),
    "with two rows changed over": lines(lambda all: [all[0], all[2], all[1], *all[3:]]),
    "with a row twice": lines(lambda all: [*all[:2], all[1], *all[2:]]),
    "with another word": lambda content: content.replace(b"tomatoes", b"potatoes"),
    "with more behind it": lambda content: content + content,
    "with an unknown column": lambda content: content.replace(
        b'"kind":"episode","message_ids"', b'"kin":"episode","message_ids"'
    ),
    "with a vector that is none": lambda content: content.replace(b'"vector":"', b'"vector":"*'),
    "with a line that is no row": lines(lambda all: [all[0], b"[]\n", *all[1:]]),
    "of another format": lambda content: content.replace(b'"format":%d' % FORMAT, b'"format":1'),
    "of events": lambda content: b'{"event": "message"}\n',
    "of nothing": lambda content: b"",
    "of bytes": lambda content: b"\xff\xfe\x00",
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "x.jsonl"
    write_archive(path, header(ROWS), ROWS)
    content = path.read_bytes()
    assert damage(content) != content
    path.write_bytes(damage(content))
    with pytest.raises(InputError, match=str(path)):
        read(path)


def test_an_error_shows_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_archive(path, header(ROWS), ROWS)
    content = path.read_text().replace('"version":3000000000000', '"version":"tomatoes"')
    path.write_text(content)
    with pytest.raises(InputError) as refusal:
        read(path)
    assert "tomatoes" not in str(refusal.value)
    assert "version" in str(refusal.value)


def test_rows_that_changed_meanwhile_make_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="changed while it was exported"):
        write_archive(tmp_path / "x.jsonl", header(ROWS), ROWS[:-1])
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        write_archive(path, header(ROWS), ROWS)
    assert path.read_text() == "mine"


def test_the_header_tells_what_the_rows_need(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_archive(path, header(ROWS), ROWS)
    first = json.loads(path.read_text().splitlines()[0])
    assert first["owner"] == {"tenant_id": "acme", "type": "user", "id": "alice"}
    assert first["rows"] == {"messages": 1, "episodes": 1, "facts": 1}
    with read_archive(path) as archive:
        assert archive.header.exported_at - NOON == timedelta(0)
