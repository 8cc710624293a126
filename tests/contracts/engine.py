"""What every engine promises the lanes (flows/engines/port.py), as tests.

Subclass ``EngineContract`` as ``TestSomething`` and supply ``drive``, which runs a dataflow until its sources end and goes on
where the last run of the same test was, and ``dies``, the error with which a feed ends a process without a farewell.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ClassVar

import pytest

from flows.embed import EmbedLane
from flows.engines.dataflow import Dataflow
from flows.engines.port import Source
from flows.items import Arrived, Pause, WriteBatch
from flows.lanes.pending import Pending
from flows.lanes.state import Versions
from flows.running.feeds import Fed
from flows.write import Writer
from mneme.ports import DeadLetter, Incoming, Remove
from mneme.records import Position
from mneme.rows import Embedding
from mneme.settings import Settings
from mneme.times import utc_now
from tests.flows.river import IDENTITY, Letters, contents, embed, episodes, message, services_for
from tests.memory_index_reference import ReferenceIndex

BUCKETS = 4
COUNT = 40
EOF, ABORT, LATE = "EOF", "ABORT", "LATE"  # in the data: the source ends, the process dies, all wake-ups come late
Mark = tuple[int, str]  # and the number before which it stands


class Listed:
    """A feed of the numbers up to ``COUNT``, three at a time; each of the marks counts once."""

    def __init__(self, place: int | None, pending: Pending, marks: deque[Mark], dies: type[BaseException]) -> None:
        self._at, self._pending, self._marks, self._dies = place or 0, pending, marks, dies
        self._end = COUNT
        self._said_so = False

    def next_batch(self) -> list[Fed]:
        if self._marks and self._marks[0][0] <= self._at < self._end:
            _, mark = self._marks.popleft()
            if mark == ABORT:
                raise self._dies
            if mark == LATE:
                time.sleep(0.06)
            else:
                self._end = self._at
        if self._at < self._end:
            numbers = range(self._at, min(self._at + 3, self._end))
            batch: list[Fed] = [Incoming(b"%d" % n, Position(topic="t", partition=0, offset=n), None) for n in numbers]
            self._at = numbers.stop
        elif not self._said_so:
            self._said_so = True
            batch = [Pause("", "end", bucket=bucket) for bucket in range(BUCKETS)]
        elif self._pending.total == 0:
            raise StopIteration
        else:
            return []
        self._pending.enter(len(batch))
        return batch

    def resume_state(self) -> int:
        return self._at

    def close(self) -> None:
        pass


def decode(incoming: Incoming) -> Iterator[Arrived | Pause | DeadLetter]:
    number = int(incoming.raw)
    text = ["NEW day for Ann", "coffee", "with Bob", "NEW Paris", "rain"][number % 5]
    yield message(number, text, conversation=f"talk{number % 3}")


def dataflow(index: ReferenceIndex, run: int, marks: deque[Mark], dies: type[BaseException]) -> Dataflow:
    settings = Settings(_env_file=None)
    update: dict[str, Any] = {
        "boundaries": settings.boundaries.model_copy(update={"hold_back_seconds": 0.0}),
        "flow": settings.flow.model_copy(update={"buckets": BUCKETS}),
    }
    pending, pool = Pending(), ThreadPoolExecutor(4)
    index.prepare(IDENTITY)
    services = services_for(
        index,
        settings=settings.model_copy(update=update),
        embed=lambda texts: pool.submit(lambda: list(map(Embedding, embed(texts)))),
        submit=ThreadPoolExecutor(4).submit,
        clock=utc_now,
        versions=Versions(run),
        pending=pending,
    )
    writer = Writer(index, Letters(), None, utc_now, threading.Event())
    source = Source("list", ("only",), lambda name, place: Listed(place, pending, marks, dies))
    return Dataflow([source], decode, services, writer)


def _ids(item: object) -> set[str]:
    writes = item.writes if isinstance(item, WriteBatch) else ()
    return {each.key.id if isinstance(each, Remove) else each.row.id for each in writes}


class EngineContract(ABC):
    """The promises, one test each."""

    dies: type[BaseException]
    _undisturbed: ClassVar[dict[type, dict[str, dict[str, Any]]]] = {}

    @abstractmethod
    def drive(self, flow: Dataflow) -> None:
        """Run a dataflow until its sources end, from where the last one of this test was."""

    def to_the_end(self, *marks: Mark) -> tuple[ReferenceIndex, Counter[str]]:
        """The index after all numbers, and the tally of the last run. EOF and ABORT end a run each."""
        index, left = ReferenceIndex(), deque(marks)
        for number, ending in enumerate([*(mark for _, mark in marks if mark != LATE), EOF], start=1):
            flow = dataflow(index, number, left, self.dies)
            with suppress(self.dies):
                self.drive(flow)
            assert ending == ABORT or flow.services.pending.total == 0
        assert not left
        return index, flow.services.tally

    @pytest.fixture
    def undisturbed(self, new_store: None) -> dict[str, dict[str, Any]]:
        if type(self) not in self._undisturbed:
            self._undisturbed[type(self)] = contents(self.to_the_end()[0])
            self.forget()
        return self._undisturbed[type(self)]

    @abstractmethod
    def forget(self) -> None:
        """Forget all positions and states: the next run is a first one."""

    @abstractmethod
    @pytest.fixture
    def new_store(self, *arguments: Any) -> None:
        """Nothing was run yet."""

    def test_everything_that_a_source_gave_is_in_the_index_when_it_ends(self, undisturbed: dict[str, dict[str, Any]]) -> None:
        kinds = Counter(body["kind"] for body in undisturbed.values())
        assert kinds["message"] == kinds["fact"] == COUNT

    @pytest.mark.parametrize("at", [(9,), (3, 12, 30), (6, 6, 6)])
    def test_a_process_that_dies_goes_on_and_ends_at_the_same(
        self, undisturbed: dict[str, dict[str, Any]], at: Sequence[int]
    ) -> None:
        index, tally = self.to_the_end(*((number, ABORT) for number in at))
        assert contents(index) == undisturbed
        assert tally["duplicate"] == 0

    def test_a_source_that_grew_goes_on_where_it_ended_under_the_same_episodes(
        self, undisturbed: dict[str, dict[str, Any]]
    ) -> None:
        index, tally = self.to_the_end((17, EOF))
        assert contents(index) == undisturbed
        assert tally["duplicate"] == 0
        assert len(episodes(index)) > 1

    def test_wake_ups_that_come_late_change_nothing(self, undisturbed: dict[str, dict[str, Any]]) -> None:
        index, _ = self.to_the_end((3, LATE), (6, LATE), (12, ABORT), (15, LATE), (21, EOF), (30, LATE))
        assert contents(index) == undisturbed

    def test_what_a_lane_hands_over_is_written_when_its_second_epoch_is_done(
        self, new_store: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        handed: dict[EmbedLane, list[set[str]]] = {}
        written, missing = set[str](), set[str]()
        on_batch, write = EmbedLane.on_batch, Writer.write

        def hand_over(lane: EmbedLane, items: Any) -> Iterator[Any]:
            for item in on_batch(lane, items):
                handed.setdefault(lane, [set()])[-1].update(_ids(item))
                yield item

        def epoch_done(lane: EmbedLane) -> None:
            *before, _ = handed.setdefault(lane, [set()])
            missing.update(*(ids - written for ids in before))
            handed[lane].append(set())

        def note(writer: Writer, items: Any) -> None:
            write(writer, items)
            written.update(*map(_ids, items))

        monkeypatch.setattr(EmbedLane, "on_batch", hand_over)
        monkeypatch.setattr(EmbedLane, "epoch_done", epoch_done)
        monkeypatch.setattr(Writer, "write", note)
        self.to_the_end()
        assert sum(len(epochs) > 2 for epochs in handed.values()) > 0
        assert missing == set()
