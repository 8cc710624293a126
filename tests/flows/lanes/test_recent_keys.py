"""What passed a lane a moment ago: remembered for some snapshots, whatever passes."""

from hypothesis import given
from hypothesis import strategies as st

from flows.lanes.epochs import EPOCHS, RecentKeys

NAMES = st.sampled_from("abcdef")
STEPS = st.lists(st.one_of(st.tuples(st.just("set"), NAMES), st.tuples(st.just("forget"), NAMES), st.just(("snapshot", ""))))


@given(STEPS)
def test_it_holds_what_was_set_since_the_last_few_snapshots(steps: list[tuple[str, str]]) -> None:
    lately: RecentKeys[int] = RecentKeys()
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
            expected = {name: (value, at) for name, (value, at) in expected.items() if at > snapshots - EPOCHS}
        assert dict(lately) == {name: value for name, (value, _) in expected.items()}
        assert len(lately) == len(expected)


def test_what_is_set_again_is_remembered_longer() -> None:
    lately: RecentKeys[str] = RecentKeys()
    lately["talk"] = "ann"
    for _ in range(10 * EPOCHS):
        lately.epoch_done()
        lately["talk"] = lately["talk"]
    assert lately["talk"] == "ann"


def test_it_does_not_grow_with_what_ever_passed() -> None:
    lately: RecentKeys[None] = RecentKeys()
    for number in range(10_000):
        lately[str(number)] = None
        if number % 100 == 99:
            lately.epoch_done()
    assert len(lately) <= 100 * EPOCHS
