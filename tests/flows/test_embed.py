"""The embed step: whose a conversation is, edits and deletes between messages, and what is remembered of the index."""

import json
import random
import zlib
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from evaluation.pools import at_once
from flows.decode import decode
from flows.embedding.admission import MessageBatch, admit
from flows.items import Arrived, Pause
from flows.lanes.erasures import Tombstones
from flows.lanes.state import EPOCHS_KEPT
from mneme.events import Message, parse_event
from mneme.ports import Incoming
from mneme.records import Position
from mneme.rows import Collection, Key, row_of
from tests.flows.river import START, Never, River, contents, edit, episodes, erase, message
from tests.flows.test_river_chaos import SlowPool
from tests.memory_index_reference import ReferenceIndex


def river(**settings: Any) -> River:
    return River(ReferenceIndex(), **settings)


def stored(flow: River, number: int) -> dict[str, Any]:
    key = Key(Collection.MESSAGES, "default/user/ann", f"default/talk/m{number:03d}")
    return flow.index.get([key])[key].body


def forget_owners(flow: River) -> None:
    flow._lanes[1]._owners.clear()


def test_an_edit_keeps_everything_of_a_message_but_its_text() -> None:
    flow = river()
    flow.feed(message(0, "coffee with Bob"))
    flow.settle()
    before = stored(flow, 0)
    flow.feed(edit(0, "tea", 7))
    flow.settle()
    after = stored(flow, 0)
    assert {name for name in after if after[name] != before[name]} == {"text", "tokens", "edited_by", "version"}
    assert (after["text"], after["edited_by"]["offset"]) == ("tea", 7)


def test_an_edited_message_is_embedded_anew() -> None:
    flow, clean = river(), river()
    flow.feed(message(0, "coffee with Bob"))
    flow.settle()
    flow.feed(edit(0, "tea", 7))
    flow.settle()
    clean.feed(message(0, "tea"))
    key = row_of(message(0, "tea").message).key
    vectors = [each.index.get([key], with_vectors=True)[key].vector for each in (flow, clean)]
    assert vectors[0] is not None
    assert vectors[0].tolist() == vectors[1].tolist()  # type: ignore[union-attr]


def test_a_message_and_its_edit_may_come_together() -> None:
    flow, clean = river(), river()
    flow.feed(message(0, "coffee"), edit(0, "tea", 7), message(1, "milk"), edit(1, None, 8))
    flow.end()
    clean.feed(message(0, "tea"))
    clean.end()
    assert flow.letters.letters == []
    assert contents(flow.index) == contents(clean.index)


def test_an_older_edit_that_comes_again_does_not_win() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.settle()
    flow.epoch()
    flow.feed(edit(0, "tea", 7), edit(0, "milk", 8))
    flow.settle()
    flow.feed(edit(0, "tea", 7))
    flow.settle()
    assert stored(flow, 0)["text"] == "milk"


def test_a_message_that_is_replayed_goes_on_as_it_was_edited() -> None:
    flow = river()
    flow.feed(message(0, "coffee"), message(1, "cake"), message(2, "bread"))
    flow.feed(edit(0, "tea", 7), edit(1, None, 8))
    flow.settle()
    flow._fed_in_epoch = flow._fed_in_epoch[:3]  # the edits come from elsewhere and not again
    flow.crash()
    flow.end()
    assert episodes(flow.index) == [("m000", "m002")]
    assert stored(flow, 0)["text"] == "tea"


def test_an_amendment_that_was_at_work_when_the_process_died_is_read_again() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.settle()
    flow._submit = Never  # type: ignore[assignment, return-value]
    flow.epoch()
    flow.crash()
    flow.feed(edit(0, "confidential", 7))
    flow.epoch()
    assert flow._snapshot[1] is not None
    assert b"confidential" not in zlib.decompress(flow._snapshot[1].partition(b":")[2])
    flow._submit = at_once
    flow.crash()
    flow.settle()
    assert stored(flow, 0)["text"] == "confidential"
    assert not {row.kind for row in flow.index.scan(Collection.CONTROL)} & {"amendment", "flush"}


@pytest.mark.parametrize("text", ["tea", None])
def test_the_owner_of_a_conversation_is_found_again_after_it_was_forgotten(text: str | None) -> None:
    flow = river()
    flow.feed(message(0, "coffee"), message(1, "milk"))
    flow.end()
    forget_owners(flow)
    flow.feed(edit(0, text, 7))
    flow.end()
    assert flow.letters.letters == []
    assert stored(flow, 0)["text"] == (text or "")
    forget_owners(flow)
    flow.feed(message(2, "bread"), message(3, "cake"))
    flow.end()
    assert episodes(flow.index) == [("m000", "m001", "m002", "m003")[0 if text else 1 :]]


def pin(number: int) -> Arrived:
    """A message of Eve's in Ann's conversation, with the bytes of its event."""
    return replace(message(number, "my PIN is 9911", user_id="eve"), raw=b"as it came")


def reasons(flow: River) -> list[str]:
    return [letter.reason for letter in flow.letters.letters]


OF_ANN = "user_id: conversation talk belongs to user ann; use a conversation_id of its own"


@pytest.mark.parametrize("between", ["nothing", "an epoch", "a restart", "idleness"])
def test_a_message_of_another_owner_than_its_conversation_is_a_dead_letter(between: str) -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    if between != "nothing":
        flow.settle()
        flow.epoch()
    if between == "a restart":
        flow.crash()
    if between == "idleness":
        flow.end()
        for _ in range(5):
            flow.epoch()
    flow.feed(pin(1), message(2, "bread"))
    flow.end()
    [letter] = flow.letters.letters
    assert (letter.stage, letter.reason, letter.raw, str(letter.position)) == ("embed", OF_ANN, b"as it came", "t/0/1")
    assert episodes(flow.index) == [("m000", "m002")], "the stream goes on"
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_message_of_another_owner_leaves_one_of_the_same_id_as_it_is(is_forgotten: bool) -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.end()
    flow.epoch()
    if is_forgotten:
        flow.crash()
    flow.feed(pin(0))
    flow.end()
    assert (stored(flow, 0)["text"], reasons(flow), flow.tally["duplicate"]) == ("coffee", [OF_ANN], 0)
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}


@pytest.mark.parametrize("begins", ["here", "long ago"])
@pytest.mark.parametrize("comes", ["first", "second"])
@pytest.mark.parametrize("together", [True, False])
def test_a_stranger_takes_no_id_from_the_owner(begins: str, comes: str, together: bool) -> None:
    pool = SlowPool(random.Random(0))
    flow = River(ReferenceIndex(), submit=pool)
    flow.feed(message(0, "coffee"))
    if begins == "long ago":
        settled(flow, pool)
        for _ in range(5):
            flow.epoch()
        flow.crash()
    both = [pin(1), message(1, "tea")] if comes == "first" else [message(1, "tea"), pin(1)]
    for items in [both] if together else [[each] for each in both]:
        flow.feed(*items)
    settled(flow, pool)
    flow.feed(pin(1), message(1, "tea"), pin(2), message(2, "bread"))
    flow.feed(Pause("", "end"))
    settled(flow, pool)
    assert [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)] == ["coffee", "tea", "bread"]
    assert episodes(flow.index) == [("m000", "m001", "m002")]
    assert {(letter.reason, letter.raw) for letter in flow.letters.letters} == {(OF_ANN, b"as it came")}


def settled(flow: River, pool: SlowPool) -> None:
    for _ in range(100):
        pool.work(4)
        flow.wait(0.1)
    assert not flow.unfinished


def test_who_comes_first_again_in_a_forgotten_conversation_does_not_own_it() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.end()
    flow.epoch()
    flow.crash()
    flow.feed(pin(1), message(2, "bread"))
    flow.feed(pin(3), message(4, "cake"))
    flow.end()
    assert episodes(flow.index) == [("m000", "m002", "m004")]
    assert reasons(flow) == [OF_ANN, OF_ANN]


def test_a_replay_refuses_the_same_messages() -> None:
    flow, clean = river(), river()
    flow.feed(message(0, "coffee"), pin(1), message(2, "bread"))
    flow.settle()
    flow.crash()
    flow.end()
    clean.feed(message(0, "coffee"), message(2, "bread"))
    clean.end()
    assert contents(flow.index) == contents(clean.index)
    assert set(reasons(flow)) == {OF_ANN}


def test_a_message_that_a_restart_finds_at_work_is_refused_with_an_event_that_says_the_same() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.settle()
    flow.epoch()
    for _ in range(5):
        flow.epoch()
    flow._submit = Never  # type: ignore[assignment, return-value]
    flow.crash()
    flow.feed(pin(1))
    flow.epoch()
    flow._submit = at_once
    flow.crash()
    flow.end()
    [letter] = flow.letters.letters
    event = parse_event(letter.raw, None)
    assert isinstance(event, Message)
    assert (event.user_id, event.message_id, event.content, letter.reason) == ("eve", "m001", "my PIN is 9911", OF_ANN)
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}


@pytest.mark.parametrize(
    ("first", "then", "is_taken_in"),
    [
        ({"user_id": "ann"}, {"user_id": "ann", "sender_id": "bob"}, True),
        ({"user_id": "ann"}, {"user_id": "ann", "agent_id": "helper", "role": "assistant"}, True),
        ({"user_id": "ann"}, {"user_id": None, "agent_id": "helper", "role": "assistant"}, False),
        ({"group_id": "team"}, {"group_id": "team", "user_id": "bob"}, True),
        ({"group_id": "team"}, {"user_id": "ann"}, False),
        ({"user_id": "ann"}, {"group_id": "team", "user_id": "ann"}, False),
    ],
)
def test_owners_are_compared_and_not_speakers(first: dict[str, Any], then: dict[str, Any], is_taken_in: bool) -> None:
    flow = river()
    flow.feed(message(0, "coffee", **first), message(1, "tea", **then))
    flow.end()
    assert episodes(flow.index) == [("m000", "m001") if is_taken_in else ("m000",)]
    assert len(flow.letters.letters) == (not is_taken_in)


def test_a_correction_of_another_owner_changes_nothing() -> None:
    flow = river()
    flow.feed(message(0, "I live in Rome."))
    flow.settle()
    event = {"event": "correct", "conversation_id": "talk", "user_id": "eve", "message_id": "c", "corrects": "m000"}
    event |= {"words": "I live in Rome.", "content": "I live in Milan.", "sent_at": "2026-03-02T10:00:00+00:00"}
    raw = json.dumps(event).encode()
    flow.feed(*decode(Incoming(raw, Position(topic="t", partition=0, offset=9), START), 1))  # type: ignore[arg-type]
    flow.end()
    assert stored(flow, 0)["corrected"] == {}
    assert [letter.raw for letter in flow.letters.letters] == [raw, raw]
    assert all("belongs to user ann" in reason for reason in reasons(flow))


def test_a_conversation_begins_anew_behind_an_erasure_that_the_index_does_not_show_yet() -> None:
    flow, lately = river(), Tombstones()
    flow.feed(message(0, "coffee"))
    flow.settle()
    row = row_of(message(21, "tea").message)
    batch = MessageBatch((row.key,), (message(21, "tea").message,), rows=(row,))
    assert admit(batch, flow._lanes[1]._services, lately).continuing == {"default/talk/m021"}
    lately.add(erase(20), ())
    admitted = admit(batch, flow._lanes[1]._services, lately)
    assert admitted.continuing == set()
    [beginning] = admitted.beginnings
    assert beginning.body["began_with"]["offset"] == 21


# --- what it remembers -----------------------------------------------------------------------------------------------


def after_epochs(flow: River, epochs: int = EPOCHS_KEPT) -> None:
    flow.settle()
    for _ in range(epochs):
        flow.epoch()


def state_of(flow: River) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(flow._lanes[1].snapshot().partition(b":")[2]))
    return value


def test_a_state_does_not_grow_with_the_conversations_that_ever_were() -> None:
    flow = river()
    for number in range(50):
        flow.feed(message(number, "coffee", conversation=f"talk{number}"))
        after_epochs(flow, 1)
    assert len(state_of(flow)["owners"]) <= EPOCHS_KEPT


def test_a_repetition_is_known_long_after_it_was_forgotten_here() -> None:
    flow = river()
    first = message(0, "coffee")
    flow.feed(first)
    after_epochs(flow)
    position = first.message.position.model_copy(update={"offset": 77})
    flow.feed(replace(first, message=first.message.model_copy(update={"position": position, "text": "tea"})))
    flow.settle()
    assert flow.tally["duplicate"] == 1
    assert [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)] == ["coffee"]


def test_a_flush_follows_its_conversation_whose_owner_was_forgotten_here() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    after_epochs(flow)
    lane = flow._lanes[1]
    out = list(lane.on_batch([Pause("default/talk", "flush", tenant_id="default", flush_id="f1")]))
    assert [pause.owner_key for pause in out] == ["default/user/ann"]


def test_an_owner_is_remembered_while_what_began_with_it_is_at_work() -> None:
    jobs: list[Any] = []

    def later(call: Any) -> Any:
        jobs.append((call, Future()))
        return jobs[-1][1]

    flow = River(ReferenceIndex(), submit=later)
    flow.feed(message(0, "coffee"))
    for _ in range(3 * EPOCHS_KEPT):
        flow.epoch()
    assert list(state_of(flow)["owners"]) == ["default/talk"]
    flow.feed(message(1, "tea", user_id="bob"))
    while jobs:
        call, future = jobs.pop(0)
        future.set_result(call())
        flow.turn()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}
