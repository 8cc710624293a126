"""The conversations of a bucket as its state keeps them."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.conversations.dormant import Dormant, DormantConversations, joined, parts_in
from mneme.errors import StoreRejected
from mneme.times import from_milliseconds

HOLD_BACK, IDLE = timedelta(seconds=60), timedelta(seconds=300)
TEXT = st.text(max_size=20)
IDS = st.lists(TEXT, max_size=6, unique=True)
MOMENT = st.integers(min_value=10**12, max_value=2 * 10**12)
EPISODES = st.dictionaries(TEXT, st.tuples(st.integers(0, 50), st.lists(TEXT, max_size=2)).map(list), max_size=3)


def resting(**fields: Any) -> Dormant:
    usual: Dormant = {
        "owner": ["default", "user", "ann"],
        "conversation": "talk",
        "held": [],
        "undecided": [],
        "episode": ["m0", "m1"],
        "because": ["start"],
        "provisional": {},
        "doubtful": [],
        "changes": [],
        "forgotten": False,
        "touched": None,
    }
    return usual | fields


RESTING = st.builds(
    resting,
    conversation=TEXT,
    held=st.dictionaries(TEXT, MOMENT, max_size=4).map(lambda held: [list(each) for each in held.items()]),
    undecided=IDS,
    episode=IDS,
    provisional=EPISODES,
    doubtful=IDS,
    changes=IDS,
    touched=st.none() | MOMENT,
)


def restored(state: bytes) -> DormantConversations:
    shelf = DormantConversations()
    for lane, part in parts_in(state):
        shelf.from_state(lane, part)
    return shelf


def shelf_of(conversations: Iterable[tuple[str, Dormant]]) -> DormantConversations:
    shelf = DormantConversations()
    for lane, conversation in conversations:
        shelf[lane] = conversation
    return shelf


@settings(max_examples=30)
@given(st.dictionaries(TEXT, RESTING, max_size=3))
def test_what_was_laid_down_is_taken_up_again(conversations: dict[str, Dormant]) -> None:
    shelf = shelf_of(conversations.items())
    assert dict(shelf) == conversations
    assert list(shelf) == list(conversations)


@settings(max_examples=30)
@given(st.dictionaries(TEXT, RESTING, max_size=3))
def test_a_state_is_the_same_when_it_was_read_and_written_again(conversations: dict[str, Dormant]) -> None:
    state = joined(shelf_of(conversations.items()).parts())
    assert joined(restored(state).parts()) == state
    again = restored(joined(restored(state).parts()))
    assert dict(again) == dict(restored(state))


def test_after_a_restart_what_was_shown_may_be_more_than_the_state_says() -> None:
    before = resting(held=[["m3", 10**12]], undecided=["m2"], provisional={"e1": [2, ["start"]]})
    [(lane, after)] = restored(joined(shelf_of([("talk", before)]).parts())).items()
    assert lane == "talk"
    assert after["provisional"] == {"e1": (0, ())}
    assert after["doubtful"] == ["m0", "m1", "m2", "m3"]


def test_what_is_laid_down_anew_after_a_restart_is_known_exactly() -> None:
    shelf = restored(joined(shelf_of([("talk", resting())]).parts()))
    shelf["talk"] = resting(provisional={"e1": [2, ["start"]]})
    assert shelf["talk"]["provisional"] == {"e1": [2, ["start"]]}


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({}, None),
        ({"touched": 10**12}, 300),
        ({"touched": 10**12, "held": [["m2", 10**12 + 5000], ["m3", 10**12]]}, 60),
        ({"touched": 10**12, "held": [["m2", 10**12 + 290_000]]}, 300),
    ],
)
def test_a_conversation_is_due_when_its_first_held_message_or_its_idle_time_is(
    fields: dict[str, Any], seconds: float | None
) -> None:
    shelf = shelf_of([("talk", resting(**fields))])
    due = None if seconds is None else from_milliseconds(10**12) + timedelta(seconds=seconds)
    assert shelf.due("talk", HOLD_BACK, IDLE) == due
    assert shelf.is_shown("talk") == ("touched" not in fields)


@pytest.mark.parametrize("fields", [{"changes": ["m1"]}, {"waiting": [{"is": "pause"}]}])
def test_a_conversation_with_work_at_hand_is_due_at_once(fields: dict[str, Any]) -> None:
    due = shelf_of([("talk", resting(touched=10**12, **fields))]).due("talk", HOLD_BACK, IDLE)
    assert due is not None
    assert due < from_milliseconds(10**12)


@given(st.lists(st.tuples(st.integers(0, 40).map(str), st.booleans())), st.integers(0, 10))
def test_a_shelf_keeps_its_limit_and_everything_that_is_not_shown(steps: list[tuple[str, bool]], most: int) -> None:
    shelf = DormantConversations()
    for lane, is_shown in steps:
        shelf.pop(lane, None)  # as a conversation that goes on is taken up before it is laid down again
        shelf[lane] = resting(touched=None if is_shown else 10**12)
        shelf.forget_oldest(most)
    latest = dict(steps)
    assert {lane for lane, is_shown in latest.items() if not is_shown} <= set(shelf)
    if all(latest.values()):
        assert len(shelf) <= most


def test_the_oldest_are_forgotten_first() -> None:
    shelf = shelf_of((f"talk{number}", resting()) for number in range(5))
    shelf.forget_oldest(2)
    assert list(shelf) == ["talk3", "talk4"]


@pytest.mark.parametrize("damage", [lambda state: state[:-1], lambda state: state + b"\1", lambda state: b"4:" + state[2:]])
def test_a_state_that_is_damaged_or_from_the_future_is_refused(damage: Any) -> None:
    state = joined(shelf_of([("talk", resting())]).parts())
    with pytest.raises(StoreRejected):
        restored(damage(state))


def test_a_conversation_takes_little_room() -> None:
    shelf = DormantConversations()
    for number in range(200):
        ids = [f"m{at:05d}-{number * 7919 + at * 104729:010x}" for at in range(10)]
        shown = {f"default/talk{number}/1772442000000-{number:016x}": [10, ["pause of 3 h, new subject"]]}
        shelf[f"default/talk{number}"] = resting(conversation=f"talk{number}", episode=ids, provisional=shown)
    assert len(joined(shelf.parts())) < 200 * 320
