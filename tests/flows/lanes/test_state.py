"""State kept for some epochs: what was written, what passed, what waits for other processes; and versions."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from flows.lanes.state import EPOCHS_KEPT, WRITES_PER_RUN, EpochBarrier, RecentKeys, Versions

NAMES = st.sampled_from("abcdef")
STEPS = st.lists(st.one_of(st.tuples(st.just("set"), NAMES), st.tuples(st.just("forget"), NAMES), st.just(("snapshot", ""))))


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


@given(STEPS)
def test_it_holds_what_was_set_since_the_last_few_snapshots(steps: list[tuple[str, str]]) -> None:
    lately: RecentKeys[str, int] = RecentKeys()
    expected: dict[str, tuple[int, int]] = {}
    snapshots = 0
    for number, (step, name) in enumerate(steps):
        if step == "set":
            lately[name] = number
            expected[name] = number, snapshots
        elif step == "forget":
            assert lately.pop(name, None) == expected.pop(name, (None, 0))[0]
        else:
            lately.epoch_done()
            snapshots += 1
            expected = {name: (value, at) for name, (value, at) in expected.items() if at > snapshots - EPOCHS_KEPT}
        assert dict(lately) == {name: value for name, (value, _) in expected.items()}
        assert len(lately) == len(expected)


def test_each_waits_for_the_second_snapshot_after_it_came_and_they_go_in_order() -> None:
    held = EpochBarrier[str](processes=2)
    held.epoch_done()  # of an epoch before
    held.hold("a")
    held.hold("b")
    held.epoch_done()
    held.hold("c")
    held.epoch_done()
    assert list(held.released()) == ["a", "b"]
    assert held.items() == ["c"]
    held.epoch_done()
    assert list(held.released()) == ["c"]


def test_what_a_snapshot_held_goes_at_once_after_a_restart() -> None:
    held = EpochBarrier[str](processes=2)
    held.restore("flush")
    assert held.items() == ["flush"], "until it is released the next snapshot holds it too"
    assert list(held.released()) == ["flush"]
