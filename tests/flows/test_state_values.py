"""State values that were written once can be continued, and no form changes without a new version and format."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.conversations.dormant import DormantConversations, parts_in
from flows.embed import EmbedLane
from flows.extract import ExtractLane
from flows.lanes.state import decode_state, encode_state
from flows.reconcile import ReconcileLane
from flows.segment import SegmentLane
from mneme.errors import StoreRejected
from tests.flows.river import River, contents
from tests.flows.state_scenes import BEFORE, FILE, SCENES, TEXTS, begin, current, feed, kept
from tests.memory_index_reference import ReferenceIndex

KEPT = kept()


def whole(river: River) -> dict[str, Any]:
    """What is known once everything was said and the source has ended."""
    river.end()
    return contents(river.index)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    river = River(ReferenceIndex())
    feed(river, 0, len(TEXTS))
    return whole(river)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("written", KEPT)
def test_a_state_is_continued_and_ends_where_an_undisturbed_run_ends(
    written: str, scene: str, undisturbed: dict[str, Any]
) -> None:
    index = ReferenceIndex()
    dying = River(index, hold_back_seconds=90.0 if scene == "holding back" else 0.0)
    begin(dying)  # what the process that wrote the state had written to the index
    river = River(index)
    river._run = 10
    river._snapshot = [None, *KEPT[written][scene]]
    river.crash()
    feed(river, BEFORE, len(TEXTS))
    assert whole(river) == undisturbed


@pytest.mark.parametrize("written", KEPT)
def test_a_flush_that_waited_when_the_state_was_written_is_answered(written: str) -> None:
    index = ReferenceIndex()
    feed(River(index), 0, BEFORE)
    river = River(index)
    river._run = 10
    river._snapshot = [None, *KEPT[written]["reconcile"]]
    river.crash()
    river.settle()
    assert river.is_flushed("f1")


def test_the_form_of_a_state_does_not_change_without_a_new_version() -> None:
    for written, scenes in current().items():
        remedy = (
            f"the states that are written now (versions {written}) are not those in {FILE.name}. If their form has changed, "
            "raise STATE_VERSION of the step and FORMAT (mneme/store_format.py); then `python -m tests.flows.state_scenes`"
        )
        assert written in KEPT, remedy
        for scene, states in scenes.items():
            for new, old in zip(states, KEPT[written][scene], strict=True):
                assert plain(new) == plain(old), remedy


def plain(state: bytes) -> Any:
    """What is in a state value."""
    version = int(state.partition(b":")[0])
    try:
        return decode_state(state, version)
    except StoreRejected:  # of the segment step: its conversations are packed one by one
        shelf = DormantConversations()
        for lane, part in parts_in(state):
            shelf.from_state(lane, part)
        return dict(shelf)


@pytest.mark.parametrize("lane", [EmbedLane, SegmentLane, ExtractLane, ReconcileLane])
@pytest.mark.parametrize("other", [b"1", b"999"])
def test_a_state_of_another_version_is_refused_with_the_remedy(lane: Any, other: bytes) -> None:
    river = River(ReferenceIndex())
    feed(river, 0, BEFORE)
    river.epoch()
    step = 1 + [EmbedLane, SegmentLane, ExtractLane, ReconcileLane].index(lane)
    state = river._snapshot[step]
    assert state is not None
    river._snapshot[step] = other + b":" + state.partition(b":")[2]
    with pytest.raises(StoreRejected, match=r"another version of Mneme.*`mneme admin rebuild`"):
        river.crash()


@pytest.mark.parametrize(("scene", "step"), [("embed", 0), ("holding back", 1), ("extract", 2), ("reconcile", 3)])
@pytest.mark.parametrize("written", KEPT)
def test_each_scene_has_something_under_way_at_its_step(written: str, scene: str, step: int) -> None:
    others = [states[step] for name, states in KEPT[written].items() if name != scene]
    assert len(KEPT[written][scene][step]) > max(map(len, others if step != 1 else [b""]))


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
