"""The lanes as a keyed function of Flink hosts them, without Flink: the contract of engines, and what only this one needs."""

import pickle
import threading
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from flows.cuts import Utterance
from flows.engines.dataflow import EMBED, EXTRACT, READ, RECONCILE, SEGMENT, Dataflow, Step, goes_to_the_writer
from flows.engines.flink_worker import (
    BucketLanes,
    CheckpointWatch,
    FlinkRun,
    GroupLanes,
    LimitedCalls,
    Unwritten,
    packed,
    unpacked,
    versions_of,
)
from flows.engines.port import Failures
from flows.items import Amendment, Arrived, Embedded, Erasure, FlushDone, Pause, Unread
from flows.lanes.pending import Pending
from flows.running.feeds import Feed
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.events import Document
from mneme.records import Corrected, Owner, Position, StoredMessage
from mneme.settings import Settings
from mneme.times import utc_now
from tests.contracts.engine import EngineContract
from tests.flows.river import message

_FUNCTIONS = ((READ,), (EMBED, SEGMENT, EXTRACT), (RECONCILE,))
_GROUPS = 2
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Died(Exception):
    """The process dies."""


@dataclass
class Checkpoints:
    epoch: int = 0


class Host:
    """What ``Worker`` is, around a dataflow of the contract."""

    def __init__(self, flow: Dataflow) -> None:
        self.services, self.failures, self.checkpoints = flow.services, flow.failures, Checkpoints()
        self.writer = self
        self._flow = flow

    def write(self, items: list[Any]) -> None:
        self._flow.write(items)


class TestGroupLanes(EngineContract):
    """Each round is a bundle with a tick for every group; the pickled states of every second one are a checkpoint."""

    dies = Died

    @pytest.fixture(autouse=True)
    def new_store(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.position: Any = None
        self.states: dict[tuple[int, int], dict[str, bytes]] = {}

    def drive(self, flow: Dataflow) -> None:
        host, bundles = Host(flow), 0
        held = {place: {name: pickle.loads(state) for name, state in states.items()} for place, states in self.states.items()}
        states: dict[tuple[int, int], dict[str, bytes]] = {place: dict(each) for place, each in self.states.items()}
        unwritten = [Unwritten(host.writer) for _ in _FUNCTIONS]
        groups = {
            (number, group): GroupLanes(steps, host, unwritten[number], f"{group}", held.get((number, group), {}), {})
            for number, steps in enumerate(_FUNCTIONS)
            for group in range(_GROUPS)
        }
        flow.services.pending.enter(sum(map(len, groups.values())))  # what waited when the states were taken
        [source] = flow.sources
        feed: Feed = source.open("only", self.position)
        is_over = False
        while not is_over:
            try:
                self._give(_FUNCTIONS[0], 0, flow.decoded(feed.next_batch()), flow, groups)
            except StopIteration:
                is_over = True
            for (number, _), each in groups.items():
                if each.is_due(utc_now()):
                    on = each.work()
                    if number + 1 < len(_FUNCTIONS):
                        self._give(_FUNCTIONS[number + 1], number + 1, on, flow, groups)
            for place, each in groups.items():
                states.setdefault(place, {}).update({name: pickle.dumps(part) for name, part in each.changes().items()})
            bundles += 1
            if bundles % 2 == 0 or is_over:
                self.position, self.states = feed.resume_state(), {place: dict(each) for place, each in states.items()}
                host.checkpoints.epoch = bundles // 4
            time.sleep(0.005)

    def _give(
        self, steps: tuple[Step, ...], number: int, items: list[Any], flow: Dataflow, groups: dict[tuple[int, int], GroupLanes]
    ) -> None:
        for item in items:
            bucket = 0 if goes_to_the_writer(item) else int(steps[0].key(item, flow.buckets))
            groups[number, bucket % _GROUPS].add(packed(item))


def run(began_at: datetime) -> FlinkRun:
    return FlinkRun(Settings(_env_file=None), 3, began_at, "mneme x", "flink:8081", {"m": "id"})


def test_a_worker_that_begins_later_in_a_run_writes_higher_versions_whatever_an_earlier_one_wrote() -> None:
    earlier, later = versions_of(run(NOON), NOON), versions_of(run(NOON), NOON + timedelta(seconds=10))
    wrote = [earlier.next() for _ in range(10_000)]
    assert max(wrote) < later.next()


def test_an_epoch_ends_with_every_second_checkpoint_that_completes() -> None:
    completed = iter([0, 5, 5, 6, 7, 9])

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/jobs/overview":
            return httpx.Response(200, json={"jobs": [{"jid": "j", "name": "mneme x", "state": "RUNNING", "start-time": 1}]})
        newest = next(completed)
        return httpx.Response(200, json={"latest": {"completed": {"id": newest} if newest else None}})

    watch, epochs = CheckpointWatch("flink:8081", "mneme x"), []
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        for _ in range(6):
            watch.look(client)
            epochs.append(watch.epoch)
    assert epochs == [0, 0, 0, 1, 1, 2]


def test_who_hands_in_more_than_there_is_room_for_waits() -> None:
    futures: list[Future[Any]] = []

    def submit(call: Any) -> Future[Any]:
        futures.append(Future())
        return futures[-1]

    bounded = LimitedCalls(submit, 1)
    bounded(lambda: None)
    second = threading.Thread(target=bounded, args=(lambda: None,))
    second.start()
    assert len(futures) == 1
    futures[0].set_result(None)
    second.join(10)
    assert len(futures) == 2


def test_what_the_groups_of_a_bundle_hand_over_is_written_in_one_go_when_the_first_state_is_asked_for() -> None:
    written: list[list[str]] = []
    unwritten = Unwritten(SimpleNamespace(write=lambda items: written.append(list(items))))
    unwritten.add(["a"])
    unwritten.add(["b"])
    assert written == []
    assert [pickle.loads(pickle.dumps(unwritten)) for _ in range(2)] == [(), ()]
    assert written == [["a", "b"]]
    assert unwritten.rests_until <= utc_now() + timedelta(seconds=1)


def test_what_could_not_be_written_is_not_dropped() -> None:
    def refuse(items: Any) -> None:
        raise StoreUnavailable("no index")

    unwritten = Unwritten(SimpleNamespace(write=refuse))
    unwritten.add(["a"])
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            pickle.dumps(unwritten)


class KeepsState:
    """A lane that has nothing to do."""

    unfinished = 0

    def __init__(self, services: Any, state: bytes | None) -> None:
        self._state = state or b"new"

    def wake_at(self) -> None:
        return None

    def snapshot(self) -> bytes:
        return self._state


def kept_by(held: dict[str, Any], moved: dict[str, tuple[bytes | None, ...]]) -> dict[str, Any]:
    """The parts that a group would put into its state at once."""
    services = SimpleNamespace(pending=Pending(), tally=Counter[str]())
    host = SimpleNamespace(services=services, failures=Failures(), checkpoints=Checkpoints())
    steps = (Step("first", KeepsState, READ.key), Step("second", KeepsState, READ.key))
    group = GroupLanes(steps, host, Unwritten(SimpleNamespace()), "group", held, moved)
    return {name: pickle.loads(pickle.dumps(part)) for name, part in group.changes().items()}


def test_a_lane_that_had_nothing_to_do_for_many_epochs_waits_for_the_end_of_the_one_in_which_it_works_again() -> None:
    lanes: list[CountsEpochs] = []

    def made(services: Any, state: bytes | None) -> CountsEpochs:
        lanes.append(CountsEpochs())
        return lanes[-1]

    services = SimpleNamespace(pending=Pending(), tally=Counter[str]())
    host = SimpleNamespace(services=services, failures=Failures(), checkpoints=Checkpoints())
    bucket = BucketLanes((Step("only", made, READ.key),), host, "bucket", None)
    heard = []
    for epoch, items in ((7, ["first"]), (7, []), (8, []), (9, []), (20, ["second"]), (20, []), (21, [])):
        host.checkpoints.epoch = epoch
        bucket.work(items, [])
        heard.append(lanes[0].epochs)
    assert heard == [0, 0, 1, 1, 1, 1, 2]


class CountsEpochs:
    """A lane that sleeps whenever nothing has come."""

    unfinished = 0
    epochs = 0

    def on_batch(self, items: Any) -> list[Any]:
        return []

    def poll(self) -> list[Any]:
        return []

    def wake_at(self) -> None:
        return None

    def snapshot(self) -> bytes:
        return b""

    def epoch_done(self) -> None:
        self.epochs += 1


def test_what_came_before_a_flush_is_written_before_the_flush_goes_on() -> None:
    written: list[Any] = []
    marker = FlushDone("default", "before it")
    pause = Pause("default/talk", "flush", "default", "f")
    assert waiting_in_a_group(written, packed(marker), packed(pause)).work() == [pause]
    assert written == [marker]


def waiting_in_a_group(written: list[Any], *waiting: bytes) -> GroupLanes:
    """A group of lanes that hand on what they get, restored from a state."""
    services = SimpleNamespace(pending=Pending(), tally=Counter[str](), settings=Settings(_env_file=None))
    host = SimpleNamespace(services=services, failures=Failures(), checkpoints=Checkpoints())
    step = Step("only", lambda services, state: HandsOn(), READ.key)
    return GroupLanes((step,), host, Unwritten(SimpleNamespace(write=written.extend)), "group", {"waiting": waiting}, {})


class HandsOn(CountsEpochs):
    """A lane that gives what it gets."""

    def on_batch(self, items: Any) -> list[Any]:
        return list(items)


def test_a_new_group_takes_in_what_was_moved_and_puts_it_into_its_state() -> None:
    assert kept_by({}, {"0003": (b"x", None)}) == {"waiting": [], "0003": (b"x", b"new")}


def test_a_group_that_has_any_state_takes_in_nothing_that_was_moved() -> None:
    assert kept_by({}, {}) == {"waiting": []}
    assert kept_by({"waiting": []}, {"0003": (b"x", None)}) == {}


SAID = message(3, "Ann moved to Lisbon.")
PLACE = Position(topic="t", partition=0, offset=3)
FLUSH = Pause("default/talk", "flush", "default", "f")


@pytest.mark.parametrize(
    "item",
    [
        SAID,
        Unread(Document(user_id="ann", document_id="d", name="d.md", content="Text.", flush_id="f"), PLACE, NOON, b"raw"),
        Amendment("default", "talk", "m3", "Other.", PLACE, NOON, b"raw", corrected=Corrected(by="m4", at=NOON)),
        Embedded(Utterance(SAID.message, np.ones(4, np.float32), b"tokens"), replayed=True),
        Erasure(
            "default", None, Owner(tenant_id="default", type="user", id="ann"), "e", NOON, PLACE, tokens=4, speech=("talk",)
        ),
    ],
    ids=lambda item: type(item).__name__,
)
def test_what_is_packed_comes_out_as_it_went_in(item: Any) -> None:
    assert repr(unpacked(packed(item))) == repr(item)


class MessageWithHue(StoredMessage):
    hue: str = "none"


class MessageOfHue(StoredMessage):
    hue: str


@dataclass(frozen=True, slots=True)
class PauseWithHue:
    hue: str = "none"
    lane: str = ""
    reason: str = "idle"
    tenant_id: str = ""
    flush_id: str = ""
    owner_key: str = ""
    bucket: int = 0


@dataclass(frozen=True, slots=True)
class PauseOfHue:
    hue: str


def test_what_waits_in_a_state_is_taken_by_a_version_with_more_fields_each_value_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = [packed(SAID), packed(FLUSH)]
    monkeypatch.setattr("mneme.records.sources.StoredMessage", MessageWithHue)
    monkeypatch.setattr("flows.items.Pause", PauseWithHue)
    arrived, pause = waiting_in_a_group([], *waiting).work()
    assert arrived == Arrived(MessageWithHue(**dict(SAID.message)))
    assert pause == PauseWithHue(lane="default/talk", reason="flush", tenant_id="default", flush_id="f")


@pytest.mark.parametrize("item", [SAID, FLUSH], ids=["record", "item"])
def test_what_waits_in_a_state_is_refused_by_a_version_that_cannot_fill_a_field(
    item: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = packed(item)
    monkeypatch.setattr("mneme.records.sources.StoredMessage", MessageOfHue)
    monkeypatch.setattr("flows.items.Pause", PauseOfHue)
    with pytest.raises(StoreRejected, match="another version of Mneme wrote what waits"):
        waiting_in_a_group([], waiting).work()


def test_what_waits_in_a_state_is_refused_by_a_version_that_no_longer_has_a_field(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = packed(Arrived(MessageWithHue(**dict(SAID.message))))
    monkeypatch.setattr(f"{__name__}.MessageWithHue", StoredMessage)
    with pytest.raises(StoreRejected, match="StoredMessage has no field hue"):
        waiting_in_a_group([], waiting).work()
