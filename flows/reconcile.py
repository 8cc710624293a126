"""reconcile: an episode joins what is known of its owner. All records made from episodes are written by this lane.

For each owner one job at a time, over everything that waits for it, in order:
1. In the pool: what is known of the owner is what the index holds (realtime) under what this lane wrote lately
   (flows/unseen.py). After a restart episodes are first made again from their references.
2. Still there: revise it (flows/consistency/revise.py). The next job of the owner begins only when this one is done, so that it
   sees all of it.
3. On the worker: versions, and one bulk for all writes of the job; then the flushes that waited behind them.
"""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from flows.consistency.deciders import Deciders
from flows.consistency.judges import RuleJudge
from flows.consistency.revise import Revision, revise
from flows.consistency.view import View
from flows.extract import extract, letter
from flows.items import Extracted, FlushDone, Pause, Reference, Retraction, SinkItem, WriteBatch
from flows.pump import Pump
from flows.references import MessagesGone, owner_of, read_cut, refer, referred, weight_of
from flows.services import Services
from flows.state import decode_state, encode_state
from flows.unseen import Unseen
from mneme.errors import ModelError
from mneme.ports import Put, Remove
from mneme.rows import Key, Row

STATE_VERSION = 1
_MOST_EPISODES = 32  # of one job: enough to share round trips, few enough that a flush does not wait long

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """What is to be reconciled; after a restart only its reference is known."""

    reference: Reference
    extracted: Extracted | None

    @property
    def queue(self) -> str:
        """What keeps its order: the owner. A pause belongs to its conversation's."""
        if self.reference["is"] == "pause":
            pause = referred(self.reference)
            assert isinstance(pause, Pause)
            return pause.owner_key
        return owner_of(self.reference).key


@dataclass(frozen=True, slots=True, eq=False)
class _Reconciled:
    """What a job changes, and what failed in it."""

    changes: dict[Key, Row | None]
    failures: tuple[tuple[Reference, str], ...] = ()


class ReconcileLane:
    """The reconcile step of one bucket of owners."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._pump: Pump[tuple[_Work, ...], _Reconciled] = Pump(
            services.pool(services.settings.reconcile.judge == "model"), services.clock
        )
        self._unseen = Unseen()
        self._waiting: dict[str, deque[_Work]] = {}
        self._at_work: set[str] = set()
        if state is not None:
            for reference in decode_state(state, STATE_VERSION):
                self._wait(_Work(reference, None))
            self._begin()

    def on_batch(self, items: Sequence[Extracted | Retraction | Pause]) -> Iterator[SinkItem]:
        """Take in episodes."""
        for item in items:
            self._wait(_Work(item.reference, item) if isinstance(item, Extracted) else _Work(refer(item), None))
        self._begin()
        yield from self.poll()

    def poll(self) -> Iterator[SinkItem]:
        """Write what is ready, and begin what waited for it."""
        while done := list(self._pump.finished()):
            for works, outcome in done:
                if isinstance(outcome, BaseException):
                    raise outcome
                self._at_work.discard(works[0].queue)
                if outcome is not None:
                    yield from self._settled(outcome)
                for work in works:
                    if work.reference["is"] == "pause":
                        pause = referred(work.reference)
                        assert isinstance(pause, Pause)
                        yield FlushDone(pause.tenant_id, pause.flush_id)
            self._begin()

    def wake_at(self) -> datetime | None:
        """When to poll again."""
        return self._pump.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work."""
        return sum(weight_of(work.reference) for work in self._works())

    def snapshot(self) -> bytes:
        """References to the episodes at work."""
        self._unseen.snapshot_taken()
        return encode_state(STATE_VERSION, [work.reference for work in self._works()])

    def _works(self) -> Iterator[_Work]:
        """Everything unfinished, in order within each owner."""
        for works in self._pump.items():
            yield from works
        for waiting in self._waiting.values():
            yield from waiting

    def _wait(self, work: _Work) -> None:
        self._waiting.setdefault(work.queue, deque()).append(work)

    def _begin(self) -> None:
        """Begin a job for every owner that has none."""
        for queue in [each for each in self._waiting if each not in self._at_work]:
            waiting = self._waiting[queue]
            works = tuple(waiting.popleft() for _ in range(min(len(waiting), _MOST_EPISODES)))
            if not waiting:
                del self._waiting[queue]
            self._at_work.add(queue)
            needs_a_job = any(work.reference["is"] != "pause" for work in works)
            self._pump.add(queue, works, partial(self._reconcile, works, self._unseen.of(queue)) if needs_a_job else None)

    def _reconcile(self, works: Sequence[_Work], unseen: dict[Key, Row | None]) -> _Reconciled:
        """In the pool: what the works change."""
        revisions, failures = [], []
        for work in works:
            extracted = work.extracted
            if work.reference["is"] == "pause":
                continue
            if extracted is None and work.reference["is"] == "cut":
                try:
                    done = extract(work.reference, read_cut(work.reference, self._services), self._services)
                except MessagesGone as gone:
                    log.warning("%s", gone)
                    continue
                extracted = done.extracted
                if done.failure:
                    failures.append((work.reference, done.failure))
            if extracted is None:
                revisions.append(Revision(work.reference["id"]))
            else:
                revisions.append(Revision(work.reference["id"], extracted.rows, extracted.mentions))
        owner = owner_of(next(work.reference for work in works if work.reference["is"] != "pause"))
        services, scope = self._services, owner.key
        by_rule = Deciders(RuleJudge(), None, lambda texts: services.embed(texts).result(), services.settings, scope)
        write_skill = services.skill_writer(scope) if services.skill_writer is not None else None
        view = View(owner, services.index, unseen)
        try:
            revise(view, revisions, replace(by_rule, judge=services.judge, write_skill=write_skill))
        except ModelError as error:
            log.warning("the model that keeps memories consistent failed, deciding by rule: %s", error)
            view = View(owner, services.index, unseen)
            revise(view, revisions, by_rule)
        return _Reconciled(view.changes(), tuple(failures))

    def _settled(self, outcome: _Reconciled) -> Iterator[SinkItem]:
        writes = tuple(self._put(row) if row is not None else self._remove(key) for key, row in outcome.changes.items())
        if writes:
            yield WriteBatch(writes)
        for reference, failure in outcome.failures:
            yield letter(reference, failure, self._services)

    def _put(self, row: Row) -> Put:
        version = self._services.versions.next()
        row = replace(row, version=version, body={**row.body, "version": version})
        self._unseen.wrote(row.key, row)
        return Put(row)

    def _remove(self, key: Key) -> Remove:
        self._unseen.wrote(key, None)
        return Remove(key, self._services.versions.next())
