"""The list of all messages in order: sorted whatever the scan was, read from any place, whole or not there."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.reading_order import Listed, ReadingOrder
from mneme.errors import StoreRejected
from mneme.rows import Collection, Key

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
names = st.text("aBé你\U0001f600'", min_size=1, max_size=3)
moments = st.integers(-(10**9), 10**9).map(lambda microseconds: NOON + timedelta(microseconds=microseconds))
messages = st.builds(
    lambda lane, at, name: Listed(lane, at, name, Key(Collection.MESSAGES, f"owner of {lane}", f"{lane}/{name}")),
    *(names, moments, names),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(messages, max_size=20, unique_by=lambda each: each.key), st.integers(1, 7))
def test_conversations_come_one_by_one_each_in_order_of_time(tmp_path: Path, found: list[Listed], batch: int) -> None:
    path = tmp_path / "list.sqlite"
    path.unlink(missing_ok=True)
    ReadingOrder.make(path, iter(found))
    order = ReadingOrder(path)
    read = [entry for start in range(0, len(order), batch) for entry in order.read(start, batch)]
    order.close()
    wanted = sorted(found, key=lambda each: (each.lane, each.said_at, each.message_id))
    assert read == [(each.lane, each.key) for each in wanted]


def one(number: int) -> Listed:
    return Listed("a", NOON, str(number), Key(Collection.MESSAGES, "o", str(number)))


def test_what_was_reached_is_known_to_the_next_process_and_never_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "list.sqlite"
    ReadingOrder.make(path, map(one, range(5)))
    order = ReadingOrder(path)
    assert order.reached == 0
    order.reach(3)
    order.reach(2)
    again = ReadingOrder(path)
    assert again.reached == 3
    again.close()
    order.close()


def test_a_list_that_was_interrupted_is_not_there(tmp_path: Path) -> None:
    def broken():
        yield one(1)
        raise KeyboardInterrupt

    path = tmp_path / "list.sqlite"
    with pytest.raises(KeyboardInterrupt):
        ReadingOrder.make(path, broken())
    assert not path.exists()
    ReadingOrder.make(path, map(one, range(2)))
    order = ReadingOrder(path)
    assert len(order) == 2
    order.close()


def test_a_file_that_is_no_list_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "list.sqlite"
    path.write_bytes(b"no database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreRejected, match="move it away"):
        ReadingOrder(path)
