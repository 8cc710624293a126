"""embed: a message is stored the moment it arrives, then told apart from repetitions and given its vector.

For each batch of a bucket:
1. An id that this lane has seen a moment ago is a repetition and is dropped.
2. ``Create`` the message without a vector: searchable at once, and there to be read again after a restart.
3. In the pool (flows/embedding/admission.py): look up (realtime get) whether the id was stored before. From another position
   of the source it is an old repetition and goes no further. From the same position it is a replay and goes on: as it is stored
   if it was edited since, not at all if it was deleted. A message of another owner than its conversation's is a dead letter:
   the first message, as it comes in here, decides, and the row of step 5 remembers it.
4. In the same job: the vectors, batched with those of all other lanes.
5. ``Put`` the message with its vector, and pass it on, in the order of arrival. With the first message of a conversation,
   ``Put`` the row that says whose it is: this lane alone writes it, so that a late write of a process that died loses.

An edit or a delete takes its place in that order (flows/embedding/amendments.py): it is kept in the index while it is at
work, applied in the pool as soon as all before it is passed on, and the message is ``Put`` as it is now, and passed on. So does
an erasure: from then on nothing older comes in (flows/lanes/erasures.py), and what was known here of the erased is forgotten.
"""

import logging
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import partial

from flows.cuts import Utterance, lane_of_message, lane_of_row
from flows.embedding.admission import Admitted, Foreign, MessageBatch, admit, belongs_to, event_of
from flows.embedding.amendments import AmendmentResult, PendingAmendment, apply_amendment
from flows.items import (
    Amended,
    Amendment,
    Arrived,
    Embedded,
    Erasure,
    Pause,
    Read,
    Retraction,
    SinkItem,
    Withdrawn,
    WriteBatch,
    owner_from,
    owner_values,
    refer,
    referred,
)
from flows.lanes.erasures import Said, Tombstone, Tombstones, tombstone_row
from flows.lanes.owners import message_key, origin_of, owner_of_lane, tenant_of
from flows.lanes.parked_events import amendment_row
from flows.lanes.scheduling import KeyedJobs
from flows.lanes.services import Services
from flows.lanes.state import RecentKeys, decode_state, encode_state
from mneme.ids import chunk_episode_id, conversation_path
from mneme.ports import Create, DeadLetter, Put, Remove, Write
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key, Row, row_of

STATE_VERSION = 2
_JOB_MESSAGES = 32  # messages of one job: few enough that a flush does not wait long behind a backfill

Passed = Embedded | Amended | Retraction | Erasure | Pause | SinkItem
Item = MessageBatch | PendingAmendment | Withdrawn | Erasure | Pause

log = logging.getLogger(__name__)


class EmbedLane:
    """The embed step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._jobs: KeyedJobs[Item, Admitted | AmendmentResult | Owner | None] = KeyedJobs(services.submit, services.clock)
        self._recent: RecentKeys[str, tuple[Owner, ...]] = RecentKeys()  # who sent a message of this id
        self._messages: RecentKeys[str, StoredMessage] = RecentKeys()  # as they were passed on lately
        self._withdrawn: RecentKeys[str, None] = RecentKeys()
        self._kept_out: RecentKeys[str, None] = RecentKeys()  # messages that were older than an erasure
        self._owners: RecentKeys[str, Owner] = RecentKeys()  # as the first message seen lately says, not the index
        self._decided: RecentKeys[str, Owner] = RecentKeys()  # as the messages that were admitted lately say
        self._begun: RecentKeys[str, Owner] = RecentKeys()  # of conversations that began lately and go on, as their rows say
        self._erased = Tombstones()
        if state is not None:
            self._restore(decode_state(state, STATE_VERSION))

    def on_batch(self, items: Sequence[Read]) -> Iterator[Passed]:
        """Take in what arrived."""
        fresh: list[Arrived] = []
        for item in items:
            if isinstance(item, Arrived):
                owner, senders = self._decided.get(item.lane), self._recent.get(item.message.id, ())
                if item.message.document_id is not None and self._services.reading is not None:
                    self._services.reading.in_flight.leave()  # from here on it is counted among what is at work in this step
                if self._erased.cover(Said.of(item.message)):
                    self._services.tally["erased"] += 1
                    self._kept_out[item.message.id] = None
                elif owner not in (None, item.message.owner):
                    yield self._refused(Foreign(item.message, owner), item.raw)
                elif item.message.owner in senders:
                    self._services.tally["duplicate"] += 1
                else:
                    self._recent[item.message.id] = (*senders, item.message.owner)
                    self._kept_out.pop(item.message.id, None)
                    fresh.append(item)
                continue
            yield from self._submit(fresh)
            fresh = []
            if isinstance(item, Amendment) and (self._erased.cover_amendment(item) or item.stored_id in self._kept_out):
                self._services.tally["erased"] += 1
            elif isinstance(item, Amendment):
                row = amendment_row(item, self._services.versions.next())
                yield WriteBatch((Put(row),))
                self._amend(PendingAmendment(row.key, item.tenant_id, item.conversation_id, item.message_id, item))
            elif isinstance(item, Erasure):
                yield from self._erase(item)
            elif isinstance(item, Withdrawn):
                self._withdraw(item)
            elif isinstance(item, Embedded):  # of a rebuild: stored long ago, and nothing before it is at work
                yield from self.poll()
                yield item
            else:
                owner = self._owners.get(item.lane)
                pause = replace(item, owner_key=owner.key) if owner else item
                self._jobs.add("", pause, self._call_of(pause))
        yield from self._submit(fresh)
        yield from self.poll()

    def poll(self) -> Iterator[Passed]:
        """Pass on what is ready."""
        for item, outcome in self._jobs.finished():
            if isinstance(item, Pause) and (outcome is None or isinstance(outcome, Owner)):
                yield replace(item, owner_key=outcome.key) if outcome else item
            elif isinstance(item, Erasure) and (outcome is None or isinstance(outcome, Owner)):
                yield replace(item, owner=outcome or item.owner or tenant_of(item.tenant_id))
            elif isinstance(item, Withdrawn):
                yield WriteBatch((Remove(message_key(item.owner, item.chunk_id), self._services.versions.next()),))
                yield Retraction(item.lane, item.owner, chunk_episode_id(item.chunk_id))
            elif isinstance(outcome, Admitted):
                assert isinstance(item, MessageBatch)
                yield from self._pass_on(item, outcome)
            elif isinstance(item, PendingAmendment) and (outcome is None or isinstance(outcome, AmendmentResult)):
                yield from self._pass_on_change(item, outcome)
            else:
                assert isinstance(outcome, BaseException)
                raise outcome
        self._count_chunks()

    def wake_at(self) -> datetime | None:
        """The time of the next poll."""
        return self._jobs.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages, amendments and pauses on their way."""
        return sum(len(item.keys) if isinstance(item, MessageBatch) else 1 for item in self._jobs.items())

    def snapshot(self) -> bytes:
        """References to what is on its way, and whose the conversations are of which the index may not tell yet."""
        pending = []
        for item in self._jobs.items():
            match item:
                case Pause() | Erasure():
                    pending.append(refer(item))
                case Withdrawn():
                    pending.append({"withdrawn": [*owner_values(item.owner), item.document_id, item.chunk_id]})
                case PendingAmendment():
                    about = [item.tenant_id, item.conversation_id, item.message_id]
                    pending.append({"amendment": [item.key.owner_key, item.key.id], "about": about})
                case MessageBatch():
                    pending.append({"keys": [[key.owner_key, key.id] for key in item.keys]})
        owners = {lane: owner_values(owner) for lane, owner in self._owners.items()}
        return encode_state(STATE_VERSION, {"owners": owners, "pending": pending})

    def epoch_done(self) -> None:
        """Forget what the index tells by now."""
        for lane in {lane for item in self._jobs.items() if isinstance(item, MessageBatch) for lane in item.lanes}:
            for owners in (self._owners, self._decided, self._begun):
                if lane in owners:  # what begins with these is not in the index yet, or was not when they looked
                    owners[lane] = owners[lane]
        for each in (self._owners, self._decided, self._begun, self._recent, self._messages, self._withdrawn, self._kept_out):
            each.epoch_done()

    def _restore(self, state: dict[str, object]) -> None:
        owners = state["owners"]
        assert isinstance(owners, dict)
        for lane, owner in owners.items():
            self._owners[lane] = owner_from(owner)
        pending = state["pending"]
        assert isinstance(pending, list)
        for entry in pending:
            if "keys" in entry:
                keys = tuple(Key(Collection.MESSAGES, owner_key, identity) for owner_key, identity in entry["keys"])
                self._add(MessageBatch(keys, None))
            elif "withdrawn" in entry:
                *owner, document_id, chunk_id = entry["withdrawn"]
                self._withdraw(Withdrawn(owner_from(owner), document_id, chunk_id))
            elif "amendment" in entry:
                self._amend(PendingAmendment(Key(Collection.CONTROL, *entry["amendment"]), *entry["about"]))
            else:
                waiting = referred(entry)
                assert isinstance(waiting, Pause | Erasure)
                if isinstance(waiting, Erasure):
                    self._erased.add(waiting, ())
                self._jobs.add("", waiting, self._call_of(waiting))

    # --- messages ----------------------------------------------------------------------------------------------------

    def _submit(self, arrived: Sequence[Arrived]) -> Iterator[WriteBatch]:
        for start in range(0, len(arrived), _JOB_MESSAGES):
            part = [each.message for each in arrived[start : start + _JOB_MESSAGES]]
            rows = [row_of(message) for message in part]
            keys = tuple(row.key for row in rows)
            raw = dict(zip(keys, (each.raw for each in arrived[start : start + _JOB_MESSAGES]), strict=True))
            for message in part:
                lane = lane_of_message(message)
                self._owners[lane] = self._owners.get(lane, message.owner)
            yield WriteBatch(tuple(map(Create, rows)))
            withdrawn = frozenset(message.id for message in part if message.id in self._withdrawn)
            chunks = sum(message.document_id is not None for message in part)
            self._add(MessageBatch(keys, tuple(part), withdrawn, chunks, tuple(rows), raw))

    def _add(self, batch: MessageBatch) -> None:
        self._jobs.add("", batch, lambda: admit(batch, self._services, self._erased))

    def _pass_on(self, batch: MessageBatch, served: Admitted) -> Iterator[Embedded | SinkItem]:
        taken_in, foreign, erased = [], list(served.foreign), list(served.erased)
        for each in served.utterances:
            message, lane = each.message, lane_of_message(each.message)
            if self._is_missed_by_a_sweep(message):
                erased.append(message)
                continue
            if (owner := self._decided.get(lane, message.owner)) != message.owner:  # by a message that came just before
                foreign.append(Foreign(message, owner))
                continue
            taken_in.append(each)
            if message.document_id is None and not self._erased.cover(Said.of(message)):
                self._decided[lane] = owner
        self._services.tally["duplicate"] += served.duplicates
        self._services.tally["erased"] += len(erased)
        if served.failure:  # kept as text; what is extracted from it is embedded again (flows/extract.py)
            log.warning("%d messages go on without a vector: %s", len(taken_in), served.failure)
            self._services.tally["without_vector"] += len(taken_in)
        versions = self._services.versions
        arrived = dict(zip(map(id, batch.messages or ()), batch.rows, strict=False))  # a message that was changed is another
        utterances, puts = [], []
        for each in taken_in:
            message = each.message.model_copy(update={"version": versions.next()})
            utterances.append(Utterance(message, each.vector))
            row = arrived.get(id(each.message))
            puts.append(
                Put(row.stored_again(message.version, each.embedding) if row is not None else row_of(message, each.embedding))
            )
        for message in erased:
            self._kept_out[message.id] = None
        self._forget_owners({lane_of_message(message) for message in erased})
        beginnings = [row for row in served.beginnings if not any(_is_begun_with(row, message) for message in erased)]
        gone = [*erased, *(each.message for each in foreign)]
        writes: list[Write] = [Remove(message_key(message.owner, message.id), versions.next()) for message in gone]
        writes += [Put(replace(row, version=versions.next())) for row in beginnings if self._begins(row)]
        writes += puts
        if writes:
            yield WriteBatch(tuple(writes))
        for stranger in foreign:
            identity, lane = stranger.message.id, lane_of_message(stranger.message)
            if self._owners.get(lane) == stranger.message.owner:
                del self._owners[lane]
            senders = self._recent.get(identity, ())
            self._recent[identity] = tuple(each for each in senders if each != stranger.message.owner)
            yield self._refused(stranger, batch.raw.get(message_key(stranger.message.owner, identity), b""))
        for utterance in utterances:
            message = utterance.message
            self._owners[lane_of_message(message)] = message.owner
            self._note(message)
            yield Embedded(utterance, replayed=message.id in served.replayed, continues=message.id in served.continuing)

    def _forget_owners(self, lanes: Set[str]) -> None:
        """Let the messages that wait tell the owner of their conversations: another erasure may be among them."""
        for lane in lanes:
            self._owners.pop(lane, None)
        for batch in self._jobs.items() if lanes else ():
            for message in (batch.messages or ()) if isinstance(batch, MessageBatch) else ():
                if (lane := lane_of_message(message)) in lanes:
                    self._owners[lane] = self._owners.get(lane, message.owner)

    def _refused(self, foreign: Foreign, raw: bytes) -> DeadLetter:
        message = foreign.message
        reason = f"{message.owner.type}_id: conversation {message.conversation_id} {belongs_to(foreign.owner)}"
        log.warning("%s names another owner than its conversation's; see the dead letter", message.position)
        at = self._services.clock() if message.position.is_in_a_file else message.created_at  # a replay counts from it
        return DeadLetter("embed", reason, raw or event_of(message), message.position, at)

    def _begins(self, beginning: Row) -> bool:
        """Return whether a conversation begins with this, as far as is known here.

        The index may not have shown what began a moment ago. What an erasure covers keeps nothing from beginning anew.
        """
        origin, lane = origin_of(beginning), lane_of_row(beginning)
        if origin is None or lane in self._begun or self._decided.get(lane, origin.owner) != origin.owner:
            return False
        if not self._erased.cover(Said.first(origin, beginning.conversation_id or "")):
            self._begun[lane] = origin.owner
        return True

    # --- documents ---------------------------------------------------------------------------------------------------

    def _count_chunks(self) -> None:
        if (reading := self._services.reading) is not None:
            count = sum(item.chunks for item in self._jobs.items() if isinstance(item, MessageBatch))
            reading.in_flight.jobs(f"embed-{id(self)}", count)

    def _withdraw(self, withdrawn: Withdrawn) -> None:
        """A chunk goes in its turn, behind what was sent on of it; if it comes again, it is new."""
        self._recent.pop(withdrawn.chunk_id, None)
        self._withdrawn[withdrawn.chunk_id] = None
        self._jobs.add("", withdrawn, None)

    # --- erasures ----------------------------------------------------------------------------------------------------

    def _erase(self, erasure: Erasure) -> Iterator[WriteBatch]:
        """Keep older events out from here on, and forget what is known here of the erased."""
        if erasure.bucket == 0 or erasure.speech:  # one for all tokens of an owner
            tombstone = tombstone_row(erasure, self._services.versions.next())
            # A newer one may be there already; the sweep knows which stays.
            yield WriteBatch((Create(tombstone) if erasure.is_dated else Put(tombstone),))
        if erasure.conversation_id is not None and (owner := self._owners.get(erasure.lane)) is not None:
            erasure = replace(erasure, owner=owner)
        lanes = [lane for lane, owner in self._owners.items() if erasure.concerns(lane, owner)]
        self._erased.add(erasure, lanes)
        for owners in (self._decided, self._begun):
            for lane in [lane for lane, owner in owners.items() if erasure.concerns(lane, owner)]:
                del owners[lane]
        for lane in lanes:
            del self._owners[lane]
            for ids in (self._recent, self._messages):
                for identity in [each for each in ids if each.startswith(f"{lane}/")]:
                    del ids[identity]
        self._jobs.add("", erasure, self._call_of(erasure))

    def _call_of(self, waiting: Pause | Erasure) -> Callable[[], Owner | None] | None:
        """The job that finds the owner of a conversation that was forgotten here; None if the owner is known."""
        if isinstance(waiting, Pause):
            is_known = bool(waiting.owner_key) or not waiting.lane
        else:
            is_known = waiting.owner is not None or waiting.conversation_id is None
        return None if is_known else partial(owner_of_lane, self._services.index, waiting.tenant_id, waiting.lane)

    def _is_missed_by_a_sweep(self, message: StoredMessage) -> bool:
        """Return whether a message was erased after it was admitted, and no sweep that waits will remove it.

        The first to arrive in a conversation counts as its owner, even if an erasure keeps that message out.
        """
        if not self._erased.cover(Said.of(message)):
            return False
        lane, erasures = lane_of_message(message), (item for item in self._jobs.items() if isinstance(item, Erasure))
        return not any(
            each.owner == message.owner
            and each.concerns(lane, message.owner)
            and Tombstone(each.position, each.arrived_at).covers(message.position, message.created_at)
            for each in erasures
        )

    # --- amendments --------------------------------------------------------------------------------------------------

    def _amend(self, waiting: PendingAmendment) -> None:
        owner = self._owners.get(conversation_path(waiting.tenant_id, waiting.conversation_id))

        def apply() -> AmendmentResult | None:
            return apply_amendment(waiting, self._messages.get(waiting.stored_id), owner, self._services, self._erased)

        self._jobs.add("", waiting, apply, at_head=True)

    def _pass_on_change(self, waiting: PendingAmendment, change: AmendmentResult | None) -> Iterator[Amended | SinkItem]:
        key = waiting.key
        if change is None:
            log.warning("%s is no longer in the index, nor is its message", key.id)
            return
        version = self._services.versions.next()
        amendment, utterance = change.amendment, change.utterance
        if utterance is None:
            assert amendment is not None, "only what is known is refused"
            yield WriteBatch((Remove(key, version),))
            if change.erased or amendment.stored_id in self._kept_out:
                self._services.tally["erased"] += 1
                return
            yield DeadLetter("embed", change.refused, amendment.raw, amendment.position, self._services.clock())
            return
        if change.failure:
            log.warning("an edited message goes on without a vector: %s", change.failure)
            self._services.tally["without_vector"] += 1
        message = utterance.message.model_copy(update={"version": version})
        self._note(message)
        yield WriteBatch((Put(row_of(message, utterance.embedding)), Remove(key, version)))
        yield Amended(replace(utterance, message=message), replayed=change.replayed)

    def _note(self, message: StoredMessage) -> None:
        """Remember a message as it is passed on, unless it is erased already."""
        if message.document_id is None and not self._erased.cover(Said.of(message)):
            self._messages[message.id] = message


def _is_begun_with(beginning: Row, message: StoredMessage) -> bool:
    origin = origin_of(beginning)
    return origin is not None and origin.began_with == message.position
