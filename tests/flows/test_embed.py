"""The embed step: whose a conversation is, and edits and deletes between messages."""

import zlib
from typing import Any

import pytest

from flows.embedding.admission import MessageBatch, admit
from flows.items import Arrived
from flows.lanes.erasures import Tombstones
from mneme.rows import Collection, Key, row_of
from tests.flows.river import River, at_once, contents, edit, episodes, erase, message
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
    flow._submit = lambda call: _Never()  # type: ignore[assignment, return-value]
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
    flow.feed(message(2, "of somebody else?", user_id="eve"), message(3, "no", user_id="eve"))
    flow.end()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}
    assert episodes(flow.index) == [("m000", "m001", "m002", "m003")[0 if text else 1 :]]


def test_a_repetition_is_known_though_the_owner_of_its_conversation_was_forgotten() -> None:
    flow = river()
    flow.feed(message(0, "coffee"))
    flow.end()
    flow.epoch()
    flow.crash()
    forget_owners(flow)
    copy = message(0, "coffee", user_id="eve").message
    flow.feed(Arrived(copy.model_copy(update={"position": copy.position.model_copy(update={"offset": 50})})))
    flow.end()
    assert flow.tally["duplicate"] == 1


class _Never:
    """A future that is never done."""

    def done(self) -> bool:
        return False


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
    assert beginning.row.body["began_with"]["offset"] == 21
