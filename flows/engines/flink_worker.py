"""One Python worker of Flink: everything outside the steps, opened once, and the lanes of a group of buckets.

Nothing here knows PyFlink. What differs from an engine that sees epochs:

- Flink encodes state at the end of each bundle, and tells no Python function that a checkpoint is complete. So what the steps
  of a bundle hand over is written as soon as its state is asked for, or before a flush or an erasure goes on (``Unwritten``).
  ``CheckpointWatch`` asks the JobManager which checkpoint is complete.
- A killed TaskManager leaves its workers behind for a moment (flows/engines/flink_start.py). What they still write has lower
  versions: the counter of a worker begins with the time since the run began (``versions_of``).
- Memory shared by the processes of one machine means nothing. A step waits for its pool instead (``LimitedCalls``).
"""

import logging
import pickle
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import httpx
from pydantic import BaseModel

from connectors.folders import private_folder
from connectors.telemetry.meters import StepMeter
from flows.engines.dataflow import Step, goes_to_the_writer
from flows.engines.port import Failures, HostedLane
from flows.items import Erasure, Pause
from flows.lanes.pending import Backlogs, Pending
from flows.lanes.scheduling import next_poll
from flows.lanes.services import Services, Submit
from flows.lanes.state import Versions
from flows.running.open_services import open_prepared, open_services, with_kafka_sinks
from flows.write import Writer
from mneme.errors import StoreRejected
from mneme.settings import Settings
from mneme.times import to_milliseconds, utc_now

_WRITES_PER_MILLISECOND = 10  # of one worker, more than any can do: a later one begins above all that an earlier one wrote
_GLANCE_SECONDS = 2.0  # between looks at the JobManager, as between checkpoints
_ANSWER_SECONDS = 5.0
_ALIVE = ("CREATED", "RUNNING", "RESTARTING")  # states of a job
# Each wake-up of a group is a round trip through Java, and those of one moment are one. The rest between two of a group doubles
# while nothing has happened, as while it waits for a model, up to the longest.
_WAKE_UPS_MILLISECONDS = 40
_REST, _LONGEST_REST = timedelta(milliseconds=20), timedelta(milliseconds=300)
_SOON = timedelta(milliseconds=_WAKE_UPS_MILLISECONDS)  # what is due by then is not worth another wake-up
MOVED = Path("moved")  # in the working directory of a worker: the states of a store that came from another engine
_WAITING, _WRITTEN = "waiting", "written"  # in the state of a group, beside its buckets
_REST_AFTER_A_WRITE = 4  # times as long as it took: what comes meanwhile is written together
_LONGEST_REST_SECONDS = 0.5
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

Result = TypeVar("Result")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FlinkRun:
    """One run of the flow on Flink, as its workers need it.

    Attributes:
        settings: where and how.
        number: of the run, higher than that of every earlier one.
        began_at: when it was submitted.
        name: of the job.
        jobmanager: ``host:port`` of its REST address.
        topic_ids: the id of each topic that is read, by its name.
        moved: the archive that becomes ``MOVED``, until all that is in it is taken over; else None.
    """

    settings: Settings
    number: int
    began_at: datetime
    name: str
    jobmanager: str
    topic_ids: Mapping[str, str]
    moved: Path | None = None


def versions_of(run: FlinkRun, now: datetime) -> Versions:
    """The versions of a worker that begins now, higher than those of all workers that began before it in the same run."""
    since = max(0, to_milliseconds(now) - to_milliseconds(run.began_at))
    return Versions(run.number, since * _WRITES_PER_MILLISECOND)


class CheckpointWatch:
    """Counts epochs: what a step did before the last two that were counted is in a complete checkpoint, and written.

    One checkpoint runs at a time. One that completes may have begun before something was done; the next began behind it. So
    every second one that completes ends an epoch.

    Args:
        jobmanager: ``host:port`` of its REST address.
        name: of the job.
    """

    def __init__(self, jobmanager: str, name: str) -> None:
        self._jobmanager = f"http://{jobmanager}"
        self._name = name
        self._job: str | None = None
        self._completed = 0
        self._seen = 0

    @property
    def epoch(self) -> int:
        """The number of epochs that are over since the worker began."""
        return self._seen // 2

    def look(self, client: httpx.Client) -> None:
        """Ask once.

        Raises:
            httpx.HTTPError: the JobManager does not answer.
        """
        if self._job is None:
            jobs = client.get(f"{self._jobmanager}/jobs/overview").raise_for_status().json()["jobs"]
            running = [job for job in jobs if job["name"] == self._name and job["state"] in _ALIVE]
            if not running:
                return
            self._job = max(running, key=lambda job: job["start-time"])["jid"]
        answer = client.get(f"{self._jobmanager}/jobs/{self._job}/checkpoints").raise_for_status().json()
        newest = (answer.get("latest") or {}).get("completed") or {}
        if int(newest.get("id", 0)) > self._completed:
            self._completed = int(newest["id"])
            self._seen += 1

    def watch(self) -> NoReturn:
        """Look once in a while, as long as the process lives."""
        with httpx.Client(timeout=_ANSWER_SECONDS) as client:
            while True:
                time.sleep(_GLANCE_SECONDS)
                try:
                    self.look(client)
                except (httpx.HTTPError, ValueError, KeyError) as error:
                    self._job = None  # of a JobManager that died another one may go on with the job
                    log.debug("the JobManager does not tell its checkpoints: %s", error)


class LimitedCalls:
    """A pool that lets nobody hand in more than so many calls: who would, waits. That is the back-pressure of a step."""

    def __init__(self, submit: Submit, most: int) -> None:
        self._submit = submit
        self._room = threading.Semaphore(most)

    def __call__(self, call: Callable[[], Result], /) -> "Future[Result]":
        """The future of the call's result, as soon as there is room."""
        self._room.acquire()
        future = self._submit(call)
        future.add_done_callback(lambda done: self._room.release())
        return future


class Uncounted(Pending):
    """A backlog that is always empty: what one worker takes in, another finishes."""

    def _publish(self) -> None:
        """Nothing is told."""


class Worker:
    """Services and a writer for all functions of one Python process.

    Raises:
        SettingsError, StoreError: the index, a model or the broker cannot be used.
    """

    def __init__(self, run: FlinkRun) -> None:
        settings = run.settings
        private_folder(settings.data)
        self.failures = Failures()
        stopping, self._stack = threading.Event(), ExitStack()  # nothing is closed: the process ends with its job
        index, embedder = open_prepared(settings, stopping, self._stack)
        index.refresh()  # what a worker that died wrote must be found by the searches of this one
        sources_and_sinks = self._stack.enter_context(with_kafka_sinks(settings, [], Backlogs(Uncounted(), chunks=Uncounted())))
        versions = versions_of(run, utc_now())
        services, self.writer, _ = open_services(settings, index, embedder, versions, sources_and_sinks, stopping, self._stack)
        reading, most = services.reading, settings.flow.pending_limit
        self.services: Services = replace(
            services,
            submit=LimitedCalls(services.submit, most),
            submit_call=LimitedCalls(services.submit_call, most) if services.submit_call is not None else None,
            reading=replace(reading, submit=LimitedCalls(reading.submit, most)) if reading else None,
        )
        self.checkpoints = CheckpointWatch(run.jobmanager, run.name)
        threading.Thread(target=self.checkpoints.watch, name="checkpoints", daemon=True).start()


_opening = threading.Lock()
_open: dict[int, Worker] = {}


def worker_of(run: FlinkRun) -> Worker:
    """The worker of this process, opened by the first function that asks."""
    with _opening:
        if run.number not in _open:
            _open[run.number] = Worker(run)
        return _open[run.number]


State = tuple[bytes | None, ...]  # of the lanes of a bucket


class BucketLanes:
    """The lanes of some steps for one bucket, one behind the other."""

    def __init__(self, steps: Sequence[Step], worker: Worker, name: str, states: State | None) -> None:
        self._checkpoints = worker.checkpoints
        services, failures = worker.services, worker.failures
        self._lanes = [
            HostedLane(f"{step.name}-{name}", step.lane(services, state), services, failures, StepMeter(step.name))
            for step, state in zip(steps, states or (None,) * len(steps), strict=True)
        ]
        self._epoch = worker.checkpoints.epoch
        self._at_work = states is not None
        self._told: State | None = None

    def news(self) -> State | None:
        """The states of the lanes; None where they are what was told before: for Flink, each is a call of its own."""
        states = tuple(lane.snapshot() for lane in self._lanes)
        if states == self._told:
            return None
        self._told = states
        return states

    def wake_at(self) -> datetime | None:
        """The time of the next wake-up; the past where an epoch is over that it has to hear of."""
        if self._at_work and self._epoch < self._checkpoints.epoch:
            return _LONG_AGO
        return min((at for at in (lane.wake_at() for lane in self._lanes) if at is not None), default=None)

    def work(self, items: list[Any], writes: list[Any]) -> list[Any]:
        """Do what is due with what has come; what goes to the writer is added to ``writes``, the rest is returned."""
        if self._epoch < (epoch := self._checkpoints.epoch):
            for lane in self._lanes if self._at_work else ():
                lane.epoch_done()
            self._epoch, self._at_work = epoch, False  # of what begins now no epoch is over, however long there was nothing
        is_awake = bool(items)
        for lane in self._lanes:
            is_awake = is_awake or lane.wake_at() is not None
            given = lane.on_batch(items) if items else lane.poll()
            items = [item for item in given if not goes_to_the_writer(item)]
            writes += [item for item in given if goes_to_the_writer(item)]
        self._at_work = self._at_work or is_awake
        return items


class _NamingFields(pickle.Pickler):
    """Writes the fields of objects by name. ``pickle`` goes by their order, so that a new one would shift the values."""

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if is_dataclass(kind):
            return _made, (kind, {each.name: getattr(value, each.name) for each in fields(kind) if each.init})
        if isinstance(value, BaseModel):
            return _made, (kind, value.__dict__, value.model_fields_set)
        return (_made, (kind, value._asdict())) if hasattr(kind, "_asdict") else NotImplemented


def _made(kind: type[Any], values: Mapping[str, Any], given: set[str] | None = None) -> Any:
    if given is None:
        return kind(**values)
    if gone := sorted(values.keys() - kind.model_fields.keys()):  # what pydantic would leave out
        raise TypeError(f"{kind.__name__} has no field {gone[0]}")
    made = kind.model_construct(given, **values)
    if len(made.__dict__) < len(kind.model_fields):
        raise TypeError(f"{kind.__name__} has a field without a value")
    return made


def packed(item: Any) -> bytes:
    """An item as it is sent, and as it waits in the state of a group: for this version of Mneme, and for the next."""
    _NamingFields(written := BytesIO()).dump(item)
    return written.getvalue()


def unpacked(item: bytes) -> Any:
    """The item of ``packed``; fields that its version did not have are as by default.

    Raises:
        StoreRejected: it has no such fields, or others have no default.
    """
    try:
        return pickle.loads(item)  # noqa: S301  sent by a job of this flow
    except (TypeError, AttributeError, ImportError) as error:
        raise StoreRejected(
            f"another version of Mneme wrote what waits in the checkpoint ({error}): go on with that version, and stop it with "
            "SIGTERM when nothing more comes"
        ) from error


class Unwritten:
    """Items for the writer that the groups of one function handed over in a bundle.

    It is part of the state of each of these groups. Pickled it is nothing: Flink asks for the state when a bundle ends, and
    then everything is written in one go. ``rests_until`` is when the groups may begin to work again.
    """

    def __init__(self, writer: Writer) -> None:
        self.rests_until = _LONG_AGO
        self._writer = writer
        self._items: list[Any] = []

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[()]]:
        self.write()
        return tuple, ()

    def add(self, items: Sequence[Any]) -> None:
        """Take in items."""
        self._items += items

    def write(self) -> None:
        """Write what is there; durable on return."""
        if self._items:
            began = time.monotonic()
            self._writer.write(self._items)
            self._items = []
            rest = min(_REST_AFTER_A_WRITE * (time.monotonic() - began), _LONGEST_REST_SECONDS)
            self.rests_until = utc_now() + timedelta(seconds=rest)


class GroupLanes:
    """The lanes of the buckets that Flink keeps under one key: they are worked on together, and written in one go.

    Args:
        steps: whose lanes follow one another, all of the same key.
        worker: services.
        unwritten: takes what goes to the writer; the same for all groups of a function.
        name: of the group, unlike that of all others in the process.
        held: the state of each bucket, and items that wait, packed; empty for a new group.
        moved: the states of a new group that came from another engine.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        worker: Worker,
        unwritten: Unwritten,
        name: str,
        held: Mapping[str, Any],
        moved: Mapping[str, State],
    ) -> None:
        self._steps = steps
        self._worker = worker
        self._unwritten = unwritten
        self._name = name
        self._waiting: list[bytes] = list(held.get(_WAITING, ()))
        self._rest = _REST
        states = {bucket: state for bucket, state in (held or moved).items() if bucket not in (_WAITING, _WRITTEN)}
        self._lanes = {bucket: self._made(bucket, state) for bucket, state in states.items()}
        self._changes: dict[str, Any] = {}
        if not held:  # a group that has any state is no longer new
            self._changes = {_WAITING: self._waiting, **{bucket: lanes.news() for bucket, lanes in self._lanes.items()}}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, item: bytes) -> None:
        """Take in an item, packed, to be worked on together with those that come within a moment."""
        self._waiting.append(item)
        self._changes[_WAITING] = self._waiting

    def wake_at(self, now: datetime, soonest: timedelta | None = None) -> datetime | None:
        """The time of the next wake-up, ``soonest`` from now (None: its rest) and behind the rest after a write."""
        if (due := self._due_at(now)) is None:
            return None
        return next_poll(max(due, now + (self._rest if soonest is None else soonest)), _WAKE_UPS_MILLISECONDS)

    def is_due(self, now: datetime) -> bool:
        """Return whether there is something to do."""
        return (due := self._due_at(now)) is not None and due <= now + _SOON

    def work(self) -> list[Any]:
        """Do what is due, hand over what is to be written, and return what goes on."""
        waiting, self._waiting = [unpacked(item) for item in self._waiting], []
        if waiting:
            self._changes[_WAITING] = self._waiting
        soon = utc_now() + _SOON
        writes = [item for item in waiting if goes_to_the_writer(item)]
        given: dict[str, list[Any]] = {
            bucket: [] for bucket, lanes in self._lanes.items() if (at := lanes.wake_at()) is not None and at <= soon
        }
        for item in waiting:
            if not goes_to_the_writer(item):
                given.setdefault(self._steps[0].key(item, self._worker.services.settings.flow.buckets), []).append(item)
        on: list[Any] = []
        for bucket, items in given.items():
            if bucket not in self._lanes:
                self._lanes[bucket] = self._made(bucket, None)
            on += self._lanes[bucket].work(items, writes)
        states = {bucket: news for bucket in given if (news := self._lanes[bucket].news()) is not None}
        self._changes |= states
        if writes:
            self._unwritten.add(writes)
            self._changes[_WRITTEN] = self._unwritten
        self._rest = _REST if states or writes or on else min(2 * self._rest, _LONGEST_REST)
        if any(isinstance(item, Pause | Erasure) for item in on):
            self._unwritten.write()  # the end of a flush, and of an erasure, stands for everything that came before it
        return on

    def changes(self) -> dict[str, Any]:
        """The parts that are not in the state yet, by the names under which they are held there."""
        changes, self._changes = self._changes, {}
        return changes

    def _due_at(self, now: datetime) -> datetime | None:
        times = [at for at in (lanes.wake_at() for lanes in self._lanes.values()) if at is not None]
        times += [now] if self._waiting else []
        return max(min(times), self._unwritten.rests_until) if times else None

    def _made(self, bucket: str, states: State | None) -> BucketLanes:
        return BucketLanes(self._steps, self._worker, f"{self._name}-{bucket}", states)


def moved_states(steps: Sequence[Step]) -> dict[str, State]:
    """The states of the lanes of these steps, by bucket, as the engine before left them."""
    left = [{file.name: file.read_bytes() for file in (MOVED / step.name).glob("*")} for step in steps]
    return {bucket: tuple(states.get(bucket) for states in left) for bucket in sorted(set[str]().union(*left))}
