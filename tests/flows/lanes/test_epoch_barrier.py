"""What waits for other processes: the second snapshot after its arrival lets it go."""

from flows.lanes.epochs import EpochBarrier


def test_with_one_process_nothing_is_held() -> None:
    held = EpochBarrier[str](processes=1)
    held.hold("flush")
    assert list(held.released()) == ["flush"]
    assert not held


def test_with_several_an_item_goes_at_the_second_snapshot_after_it_came() -> None:
    held = EpochBarrier[str](processes=2)
    held.epoch_done()  # of an epoch before
    held.hold("flush")
    assert list(held.released()) == []
    held.epoch_done()
    assert list(held.released()) == [], "others may still be writing what came in the same epoch"
    held.epoch_done()
    assert list(held.released()) == ["flush"]
    assert not held


def test_each_waits_for_itself_and_they_go_in_order() -> None:
    held = EpochBarrier[str](processes=2)
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
