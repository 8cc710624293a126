"""State values, versions, pending work, and what a lane wrote but the index may not show."""

import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.lanes.epochs import WRITES_PER_RUN, UnrefreshedWrites, Versions
from flows.lanes.pending import Pending
from flows.lanes.snapshots import decode_state, encode_state
from mneme.errors import StoreRejected
from mneme.rows import Collection, Key, Row

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(state=values)
def test_a_state_value_comes_back_as_it_was(state: object) -> None:
    assert decode_state(encode_state(3, state), 3) == state


@pytest.mark.parametrize("value", [encode_state(9, {}), b"", b"nonsense", b"1:not deflated"])
def test_a_state_value_that_is_newer_or_foreign_is_refused(value: bytes) -> None:
    with pytest.raises(StoreRejected, match=r"recovery store"):
        decode_state(value, 3)


def test_versions_grow_within_a_run_and_over_runs_and_threads() -> None:
    versions, seen = Versions(7), []
    threads = [threading.Thread(target=lambda: seen.extend(versions.next() for _ in range(1000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 4000
    assert max(seen) < Versions(8).next()
    assert Versions(2**23).next() + WRITES_PER_RUN < 2**63, "an index takes a signed long"
    assert WRITES_PER_RUN > 10_000 * 3 * 365 * 86_400, "writes of three busy years without a restart"


def test_pending_counts_what_moves_and_what_is_at_work() -> None:
    pending = Pending()
    pending.enter(5)
    pending.jobs("embed-1", 3)
    pending.jobs("embed-1", 2)
    pending.jobs("extract-1", 4)
    pending.leave(5)
    assert pending.total == 6
    pending.jobs("embed-1", 0)
    pending.jobs("extract-1", 0)
    assert pending.total == 0


def test_what_a_lane_wrote_is_known_until_some_snapshots_later() -> None:
    key = Key(Collection.GRAPH, "t/user/u", "x")
    row = _row(1)
    unseen = UnrefreshedWrites()
    unseen.wrote(key, row)
    assert unseen.of("t/user/u") == {key: row}
    assert unseen.of("t/user/other") == {}
    unseen.epoch_done()
    unseen.wrote(key, None)
    assert unseen.of("t/user/u") == {key: None}
    for _ in range(3):
        unseen.epoch_done()
    assert unseen.of("t/user/u") == {}


def _row(version: int) -> Row:
    return Row(Collection.GRAPH, "x", "entity", version, "t", "t/user/u", "user", "u", datetime(2026, 1, 1, tzinfo=UTC), {})
