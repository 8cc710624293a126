"""reconcile: an episode joins what is known of its owner. All records made from episodes are written by this lane.

For each owner one job at a time, over everything that waits for it, in order:
1. In the pool: what is known of the owner is what the index holds (realtime) under what this lane wrote lately
   (flows/lanes/state.py). After a restart episodes are first made again from their references.
2. Still there: revise it (flows/consistency/revise.py). The next job of the owner begins only when this one is done, so that it
   sees all of it.
3. On the worker: versions, and one bulk for all writes of the job; then the flushes that waited behind them.

A job that meets a defect is done again one work at a time, and the work that meets it is left out with a dead letter
(flows/lanes/scheduling.py). An erasure takes its place in that order as a job of its own (flows/lanes/erasures.py), once all
its tokens are here.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from functools import partial

from flows.consistency.revise import Revision, revise
from flows.consistency.unit_of_work import Deciders, UnitOfWork
from flows.extract import MessagesGone, dead_letter_of, extract, read_cut
from flows.items import (
    Erasure,
    Extracted,
    FlushDone,
    Pause,
    Reference,
    Retraction,
    SinkItem,
    WriteBatch,
    owner_of,
    refer,
    referred,
    weight_of,
)
from flows.lanes.erasures import SweepResult, sweep
from flows.lanes.scheduling import KeyedJobs, end_of_traceback, is_defect, next_poll
from flows.lanes.services import Services
from flows.lanes.state import EpochBarrier, RecentKeys, decode_state, encode_state
from mneme.errors import ModelError, ModelPaused
from mneme.ids import long_hash
from mneme.ports import DeadLetter, Put, Remove
from mneme.receipts import flush_marker
from mneme.records import Owner
from mneme.rows import Key, Row

STATE_VERSION = 3
_MOST_EPISODES = 32  # of one job: enough to share round trips, few enough that a flush does not wait long

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _ReconcileJob:
    """An item to be reconciled; after a restart only its reference is known."""

    reference: Reference
    extracted: Extracted | None

    @property
    def queue(self) -> str:
        """The queue that keeps its order: the owner's. A pause belongs to its conversation's owner."""
        if self.reference["is"] == "pause":
            pause = referred(self.reference)
            assert isinstance(pause, Pause)
            return pause.owner_key
        return owner_of(self.reference).key


@dataclass(frozen=True, slots=True, eq=False)
class _Reconciled:
    """The changes of a job, and its failures."""

    changes: dict[Key, Row | None]
    failures: tuple[tuple[Reference, str], ...] = ()


class ReconcileLane:
    """The reconcile step of one bucket of owners."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._jobs: KeyedJobs[tuple[_ReconcileJob, ...], _Reconciled | SweepResult] = KeyedJobs(
            services.pool(services.settings.reconcile.judge == "model"), services.clock
        )
        self._unrefreshed: RecentKeys[Key, Row | None] = RecentKeys()
        self._waiting: dict[str, deque[_ReconcileJob]] = {}
        self._at_work: set[str] = set()
        self._one_by_one: Counter[str] = Counter()  # how many of an owner's works are jobs of their own, after a defect
        self._tokens: Counter[str] = Counter()
        self._done: EpochBarrier[FlushDone] = EpochBarrier(services.processes)
        if state is not None:
            restored = decode_state(state, STATE_VERSION)
            self._tokens.update(restored["tokens"])
            for done in restored["done"]:
                self._done.restore(FlushDone(*done))
            for reference in restored["works"]:
                self._wait(_ReconcileJob(reference, None))
            self._begin()

    def on_batch(self, items: Sequence[Extracted | Retraction | Pause | Erasure]) -> Iterator[SinkItem]:
        """Take in episodes."""
        for item in items:
            if isinstance(item, Erasure):
                self._erase(item)
            else:
                self._wait(
                    _ReconcileJob(item.reference, item) if isinstance(item, Extracted) else _ReconcileJob(refer(item), None)
                )
        self._begin()
        yield from self.poll()

    def poll(self) -> Iterator[SinkItem]:
        """Write what is ready, and begin what waited for it."""
        while done := list(self._jobs.finished()):
            for works, outcome in done:
                self._at_work.discard(works[0].queue)
                if isinstance(outcome, BaseException):
                    yield from self._without_defects(works, outcome)
                    continue
                if isinstance(outcome, SweepResult):
                    yield from self._swept(outcome)
                elif outcome is not None:
                    yield from self._write_changes(outcome)
                for work in works:
                    if work.reference["is"] == "pause":
                        pause = referred(work.reference)
                        assert isinstance(pause, Pause)
                        self._done.hold(FlushDone(pause.tenant_id, pause.flush_id))
            self._begin()
        yield from self._done.released()

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""
        return self._jobs.wake_at() or (next_poll(self._services.clock()) if self._done else None)

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work, and flushes that wait for other processes."""
        return sum(weight_of(work.reference) for work in self._works()) + len(self._done)

    def snapshot(self) -> bytes:
        """References to the episodes at work."""
        works = [work.reference for work in self._works()]
        done = [astuple(flush) for flush in self._done.items()]
        return encode_state(STATE_VERSION, {"works": works, "tokens": dict(self._tokens), "done": done})

    def epoch_done(self) -> None:
        """Forget what is in the index by now, and let go what waited for other processes."""
        self._unrefreshed.epoch_done()
        self._done.epoch_done()

    def _works(self) -> Iterator[_ReconcileJob]:
        """Everything unfinished, in order within each owner."""
        for works in self._jobs.items():
            yield from works
        for waiting in self._waiting.values():
            yield from waiting

    def _wait(self, work: _ReconcileJob) -> None:
        self._waiting.setdefault(work.queue, deque()).append(work)

    def _begin(self) -> None:
        """Begin a job for every owner that has none."""
        for queue in [each for each in self._waiting if each not in self._at_work]:
            works = self._next_works(queue)
            self._at_work.add(queue)
            job: Callable[[], _Reconciled | SweepResult] | None = None
            if works[0].reference["is"] == "erasure":
                job = partial(self._sweep, works[0].reference, self._written_lately(queue))
            elif any(work.reference["is"] != "pause" for work in works):
                job = partial(self._reconcile, works, self._written_lately(queue))
            self._jobs.add(queue, works, job)

    def _written_lately(self, owner_key: str) -> dict[Key, Row | None]:
        """An owner's rows as they were written lately; None for one that was removed."""
        epochs = reversed(self._unrefreshed.maps)  # a lookup of each key would take ten times as long
        return {key: row for epoch in epochs for key, row in epoch.items() if key.owner_key == owner_key}

    def _next_works(self, queue: str) -> tuple[_ReconcileJob, ...]:
        """Take the items of an owner's next job: an erasure, or all that wait before the next one."""
        waiting = self._waiting[queue]
        works = [waiting.popleft()]
        if self._one_by_one[queue]:
            self._one_by_one[queue] -= 1
        elif works[0].reference["is"] != "erasure":
            while waiting and len(works) < _MOST_EPISODES and waiting[0].reference["is"] != "erasure":
                works.append(waiting.popleft())
        if not waiting:
            del self._waiting[queue]
        return tuple(works)

    def _reconcile(self, works: Sequence[_ReconcileJob], unrefreshed: dict[Key, Row | None]) -> _Reconciled:
        """In the pool: what the works change."""
        revisions, failures = [], []
        for work in works:
            extracted = work.extracted
            if work.reference["is"] == "pause":
                continue
            if extracted is None and work.reference["is"] == "cut":
                try:
                    done = extract(work.reference, read_cut(work.reference, self._services.index), self._services)
                except MessagesGone as gone:
                    log.warning("%s", gone)
                    continue
                extracted = done.extracted
                if done.failure:
                    failures.append((work.reference, done.failure))
            if extracted is None:
                revisions.append(Revision(work.reference["id"]))
            else:
                revisions.append(Revision(work.reference["id"], extracted.made, extracted.mentions))
        owner = owner_of(next(work.reference for work in works if work.reference["is"] != "pause"))
        return _Reconciled(self._revised(owner, revisions, unrefreshed), tuple(failures))

    def _revised(
        self, owner: Owner, revisions: Sequence[Revision], unrefreshed: dict[Key, Row | None]
    ) -> dict[Key, Row | None]:
        """In the pool: what revisions of an owner's episodes change."""
        services = self._services
        by_rule = Deciders(None, None, services.embed, services.settings)
        write_skill = services.skill_writer(owner.key) if services.skill_writer is not None else None
        work = UnitOfWork(owner, services.index, unrefreshed)
        try:
            revise(work, revisions, replace(by_rule, judge=services.judge, write_skill=write_skill))
        except ModelPaused:
            raise
        except ModelError as error:
            log.warning("the model that keeps memories consistent failed, deciding by claims alone: %s", error)
            work = UnitOfWork(owner, services.index, unrefreshed)
            revise(work, revisions, by_rule)
        return work.changes()

    def _without_defects(self, works: tuple[_ReconcileJob, ...], error: BaseException) -> Iterator[DeadLetter]:
        """A job failed: find the work that it failed with, and leave that out. An erasure is never left out."""
        if not is_defect(error) or works[0].reference["is"] == "erasure":
            raise error
        if len(works) > 1:
            queue = works[0].queue
            self._waiting.setdefault(queue, deque()).extendleft(reversed(works))
            self._one_by_one[queue] += len(works)
            return
        reference = works[0].reference
        log.error("%s is not reconciled: %s; see the dead letter", reference["id"], type(error).__name__)
        yield dead_letter_of(reference, end_of_traceback(error), self._services, stage="reconcile")

    def _write_changes(self, outcome: _Reconciled) -> Iterator[SinkItem]:
        writes = tuple(self._put(row) if row is not None else self._remove(key) for key, row in outcome.changes.items())
        if writes:
            yield WriteBatch(writes)
        for reference, failure in outcome.failures:
            yield dead_letter_of(reference, failure, self._services)

    # --- erasures ----------------------------------------------------------------------------------------------------

    def _erase(self, erasure: Erasure) -> None:
        """Count the tokens of an erasure; behind the last of them it takes its place."""
        self._tokens[erasure.key] += 1
        if self._tokens[erasure.key] == erasure.tokens:
            del self._tokens[erasure.key]
            attempt = self._services.versions.next()
            self._wait(_ReconcileJob(refer(erasure) | {"attempt": attempt}, None))
            self._done.hold(FlushDone(erasure.tenant_id, _marker_id(erasure), attempt))

    def _sweep(self, reference: Reference, unrefreshed: dict[Key, Row | None]) -> SweepResult:
        """In the pool: what an erasure takes away."""
        erasure = referred(reference)
        assert isinstance(erasure, Erasure)
        owner = owner_of(reference)
        marker = flush_marker(erasure.tenant_id, _marker_id(erasure), erasure.arrived_at, reference["attempt"])

        return sweep(
            erasure, marker, self._services.index, unrefreshed, lambda revisions: self._revised(owner, revisions, unrefreshed)
        )

    def _swept(self, swept: SweepResult) -> Iterator[SinkItem]:
        yield from self._write_changes(_Reconciled(swept.changes))
        # With the versions that they have: their lanes may write these rows again. The marker stays: a job that is done
        # again after a crash waits for it.
        yield WriteBatch(tuple(Remove(row.key, row.version) for row in swept.others))
        yield swept.erased

    # --- writes ------------------------------------------------------------------------------------------------------

    def _put(self, row: Row) -> Put:
        row = row.stored_again(self._services.versions.next(), row.embedding)
        self._unrefreshed[row.key] = row
        return Put(row)

    def _remove(self, key: Key) -> Remove:
        self._unrefreshed[key] = None
        return Remove(key, self._services.versions.next())


def _marker_id(erasure: Erasure) -> str:
    """Behind which its sweep begins. A hash, since the id may name whom it is about."""
    return f"before {long_hash(erasure.key)}"
