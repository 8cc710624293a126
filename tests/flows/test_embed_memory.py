"""What the embed step remembers: as much as the index may not show yet, whatever came before."""

import json
import zlib
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from flows.items import Pause
from flows.lanes.epochs import EPOCHS
from mneme.rows import Collection
from tests.flows.river import River, message
from tests.memory_index_reference import ReferenceIndex


def settled(flow: River, epochs: int = EPOCHS) -> None:
    flow.settle()
    for _ in range(epochs):
        flow.epoch()


def state_of(flow: River) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(flow._lanes[1].snapshot().partition(b":")[2]))
    return value


def test_a_state_does_not_grow_with_the_conversations_that_ever_were() -> None:
    flow = River(ReferenceIndex())
    for number in range(50):
        flow.feed(message(number, "coffee", conversation=f"talk{number}"))
        settled(flow, 1)
    assert len(state_of(flow)["owners"]) <= EPOCHS


def test_a_repetition_is_known_long_after_it_was_forgotten_here() -> None:
    flow = River(ReferenceIndex())
    first = message(0, "coffee")
    flow.feed(first)
    settled(flow)
    position = first.message.position.model_copy(update={"offset": 77})
    flow.feed(replace(first, message=first.message.model_copy(update={"position": position, "text": "tea"})))
    flow.settle()
    assert flow.tally["duplicate"] == 1
    assert [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)] == ["coffee"]


def test_a_conversation_keeps_its_owner_long_after_that_was_forgotten_here() -> None:
    flow = River(ReferenceIndex())
    flow.feed(message(0, "coffee"))
    settled(flow)
    flow.feed(message(1, "tea", user_id="bob"))
    flow.settle()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}


def test_a_flush_follows_its_conversation_whose_owner_was_forgotten_here() -> None:
    flow = River(ReferenceIndex())
    flow.feed(message(0, "coffee"))
    settled(flow)
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
    for _ in range(3 * EPOCHS):
        flow.epoch()
    assert list(state_of(flow)["owners"]) == ["default/talk"]
    flow.feed(message(1, "tea", user_id="bob"))
    while jobs:
        call, future = jobs.pop(0)
        future.set_result(call())
        flow.turn()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}
