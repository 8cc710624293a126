"""reconcile: an episode joins what is known of its owner. All records made from episodes are written by this lane.

For each episode, in the order of its owner:
1. In the pool: read (realtime) what the index holds of this episode and of the aggregates it speaks of.
2. Take what this lane wrote since and the index may not show yet, where it has written.
3. ADD: the facts are put beside the older ones (merge and invalidation are not decided here yet).
4. What an earlier revision of the episode had and this one has not is removed, in the same bulk.
5. Entities, relationships and the profile are built again from their mentions (flows/aggregates.py).
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flows.aggregates import rebuilt
from flows.extract import extract, letter
from flows.items import AggregateMention, Extracted, FlushDone, Pause, Reference, Retraction, SinkItem, WriteBatch
from flows.pump import Pump
from flows.references import MessagesGone, owner_of, read_cut, refer, referred, weight_of
from flows.services import Services
from flows.state import decode_state, encode_state
from flows.unseen import Unseen
from mneme.ports import Put, Remove, Write
from mneme.records import Entity, Episode, Owner, Profile, Relationship
from mneme.rows import Collection, Key, Row, row_of

STATE_VERSION = 1

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be reconciled, and after how many snapshots it was begun (flows/unseen.py)."""

    reference: Reference
    begun: int


@dataclass(frozen=True, slots=True, eq=False)
class _Revision:
    """An episode as it is now (no rows: it is gone), and what the index held of it and its aggregates."""

    episode_key: Key
    rows: tuple[Row, ...]
    mentions: tuple[AggregateMention, ...]
    indexed: dict[Key, Row]
    failure: str = ""


class ReconcileLane:
    """The reconcile step of one bucket of owners."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._pump: Pump[_Work, _Revision] = Pump(services.submit, services.clock)
        self._unseen = Unseen()
        if state is not None:
            for reference in decode_state(state, STATE_VERSION):
                self._add(reference, None)

    def on_batch(self, items: Sequence[Extracted | Retraction | Pause]) -> Iterator[SinkItem]:
        """Take in episodes."""
        for item in items:
            if isinstance(item, Extracted):
                self._add(item.reference, item)
            else:
                self._add(refer(item), None)
        yield from self.poll()

    def poll(self) -> Iterator[SinkItem]:
        """Write what is ready."""
        for work, revision in self._pump.finished():
            reference = work.reference
            if isinstance(revision, _Revision):
                if writes := tuple(self._writes(owner_of(reference), revision)):
                    yield WriteBatch(writes)
                if revision.failure:
                    yield letter(reference, revision.failure, self._services)
            elif revision is None:
                pause = referred(reference)
                assert isinstance(pause, Pause)
                yield FlushDone(pause.tenant_id, pause.flush_id)
            elif isinstance(revision, MessagesGone):
                log.warning("%s", revision)
            else:
                raise revision

    def wake_at(self) -> datetime | None:
        """When to poll again."""
        return self._pump.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages of the episodes at work."""
        return sum(weight_of(work.reference) for work in self._pump.items())

    def snapshot(self) -> bytes:
        """References to the episodes at work."""
        at_work = self._pump.items()
        self._unseen.snapshot_taken(min((work.begun for work in at_work), default=None))
        return encode_state(STATE_VERSION, [work.reference for work in at_work])

    def _add(self, reference: Reference, extracted: Extracted | None) -> None:
        call = None if reference["is"] == "pause" else lambda: self._read(reference, extracted)
        self._pump.add("", _Work(reference, self._unseen.taken), call)

    def _read(self, reference: Reference, extracted: Extracted | None) -> _Revision:
        """In the pool: what the index holds of it. After a restart the episode itself is made again first."""
        failure = ""
        if extracted is None and reference["is"] == "cut":
            done = extract(reference, read_cut(reference, self._services), self._services)
            extracted, failure = done.extracted, done.failure
        owner = owner_of(reference)
        key = Key(Collection.EPISODES, owner.key, reference["id"])
        indexed = self._services.index.get([key])
        mentions = extracted.mentions if extracted else ()
        ids = {mention.row_id for mention in mentions} | set(_episode(indexed.get(key)).aggregate_ids if key in indexed else ())
        if ids:
            indexed |= self._services.index.get([_aggregate_key(owner, identity) for identity in sorted(ids)])
        return _Revision(key, extracted.rows if extracted else (), mentions, indexed, failure)

    def _writes(self, owner: Owner, revision: _Revision) -> Iterator[Write]:
        """Everything that one revision of an episode changes."""
        old_row = self._unseen.newest(revision.episode_key, revision.indexed.get(revision.episode_key))
        old = _episode(old_row) if old_row is not None else None
        for row in revision.rows:
            yield self._put(row)
        kept = {row.id for row in revision.rows}
        for key in _children(owner, old) if old else ():
            if key.id not in kept:
                yield self._remove(key)
        if old is not None and not revision.rows:
            yield self._remove(revision.episode_key)
        by_aggregate: dict[str, list[AggregateMention]] = {identity: [] for identity in (old.aggregate_ids if old else ())}
        for mention in revision.mentions:
            by_aggregate.setdefault(mention.row_id, []).append(mention)
        for identity, mentions in by_aggregate.items():
            yield from self._aggregate(owner, identity, revision, mentions)

    def _aggregate(
        self, owner: Owner, identity: str, revision: _Revision, mentions: Sequence[AggregateMention]
    ) -> Iterator[Write]:
        key = _aggregate_key(owner, identity)
        row = self._unseen.newest(key, revision.indexed.get(key))
        before = row.record() if row is not None else None
        assert before is None or isinstance(before, Entity | Relationship | Profile)
        after = rebuilt(identity, owner, before, revision.episode_key.id, mentions)
        if after is not None:
            yield self._put(row_of(after))
        elif before is not None:
            yield self._remove(key)

    def _put(self, row: Row) -> Put:
        version = self._services.versions.next()
        row = replace(row, version=version, body={**row.body, "version": version})
        self._unseen.wrote(row.key, row)
        return Put(row)

    def _remove(self, key: Key) -> Remove:
        self._unseen.wrote(key, None)
        return Remove(key, self._services.versions.next())


def _episode(row: Row | None) -> Episode:
    record = row.record() if row is not None else None
    assert isinstance(record, Episode)
    return record


def _children(owner: Owner, episode: Episode) -> Iterator[Key]:
    """Everything that lies in the index because of one episode and belongs to it alone."""
    for identity in episode.fact_ids:
        yield Key(Collection.FACTS, owner.key, identity)
    for identity in (*episode.foresight_ids, *((episode.case_id,) if episode.case_id else ())):
        yield Key(Collection.MEMORIES, owner.key, identity)


def _aggregate_key(owner: Owner, identity: str) -> Key:
    is_profile = identity == f"{owner.key}/p"
    return Key(Collection.MEMORIES if is_profile else Collection.GRAPH, owner.key, identity)
