"""embed: a message is stored the moment it arrives, then told apart from repetitions and given its vector.

For each batch of a bucket:
1. An id that this lane has seen a moment ago is a repetition and is dropped.
2. ``Create`` the message without a vector: searchable at once, and there to be read again after a restart. With the first
   message of a conversation, ``Create`` the row that says whose it is.
3. In the pool: look up (realtime get) whether the id was stored before from another position of the source; then it
   is an old repetition and goes no further. From the same position it is a replay and goes on: as it is stored if it was
   edited since, not at all if it was deleted.
4. In the same job: the vectors, batched with those of all other lanes.
5. ``Put`` the message with its vector, and pass it on, in the order of arrival.

An edit or a delete takes its place in that order (flows/conversations/amendments.py): it is kept in the index while it is at
work, applied in the pool, and the message is ``Put`` as it is now, and passed on.
"""

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flows.conversations.amendments import DELETED, Change, Waiting, amendment_row, change_of, message_key
from flows.conversations.owners import conversation_key, conversation_row, origin_of
from flows.cuts import Utterance
from flows.items import Amended, Amendment, Arrived, Embedded, Pause, SinkItem, WriteBatch
from flows.pump import Pump
from flows.references import refer, referred
from flows.services import Services
from flows.state import decode_state, encode_state
from flows.vectors import vectors_of
from mneme.ports import Create, DeadLetter, Put, Remove, Write
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key, Row, row_of

STATE_VERSION = 2
_JOB_MESSAGES = 32  # messages of one job: few enough that a flush does not wait long behind a backfill
_RECENT_IDS = 8192  # of a bucket; more than can be between this step and the index, which knows all older ones
_CREATED = 1  # the version of a message that has not passed this step yet
_OWNERS = 8192  # conversations of a bucket whose owner is remembered

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Messages on their way to their vectors; after a restart only their keys are known."""

    keys: tuple[Key, ...]
    messages: tuple[StoredMessage, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Served:
    """What a job found: the messages that are new, with their vectors, and what kept them from having one.

    ``replayed`` and ``continuing`` are ids of messages (flows/items.py); ``misplaced`` are rows of messages that were
    stored under another owner than their conversation's.
    """

    utterances: tuple[Utterance, ...]
    duplicates: int = 0
    failure: str = ""
    replayed: frozenset[str] = frozenset()
    continuing: frozenset[str] = frozenset()
    misplaced: tuple[Key, ...] = ()


class EmbedLane:
    """The embed step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._pump: Pump[_Batch | Waiting | Pause, _Served | Change | None] = Pump(services.submit, services.clock)
        self._recent: OrderedDict[str, None] = OrderedDict()
        self._deleted: OrderedDict[str, None] = OrderedDict()
        self._owners: OrderedDict[str, Owner] = OrderedDict()
        if state is not None:
            self._restore(decode_state(state, STATE_VERSION, {1: lambda older: older}))

    def on_batch(self, items: Sequence[Arrived | Amendment | Pause]) -> Iterator[Embedded | Amended | Pause | SinkItem]:
        """Take in what arrived."""
        fresh: list[StoredMessage] = []
        for item in items:
            if isinstance(item, Arrived):
                if item.message.id in self._recent:
                    self._services.tally["duplicate"] += 1
                else:
                    _remember(self._recent, item.message.id)
                    fresh.append(item.message)
                continue
            yield from self._submit(fresh)
            fresh = []
            if isinstance(item, Amendment):
                row = amendment_row(item, self._services.versions.next())
                yield WriteBatch((Put(row),))
                self._amend(Waiting(row.key, item.tenant_id, item.conversation_id, item.message_id, item))
            else:
                owner = self._owners.get(item.lane)
                self._pump.add("", replace(item, owner_key=owner.key) if owner else item, None)
        yield from self._submit(fresh)
        yield from self.poll()

    def poll(self) -> Iterator[Embedded | Amended | Pause | SinkItem]:
        """Pass on what is ready."""
        for item, outcome in self._pump.finished():
            if isinstance(item, Pause):
                yield item
            elif isinstance(outcome, _Served):
                yield from self._pass_on(outcome)
            elif isinstance(item, Waiting) and (outcome is None or isinstance(outcome, Change)):
                yield from self._pass_on_change(item.key, outcome)
            else:
                assert isinstance(outcome, BaseException)
                raise outcome

    def wake_at(self) -> datetime | None:
        """When to poll again."""
        return self._pump.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages, amendments and pauses on their way."""
        return sum(len(item.keys) if isinstance(item, _Batch) else 1 for item in self._pump.items())

    def snapshot(self) -> bytes:
        """References to what is on its way, and whose the conversations are."""
        pending = []
        for item in self._pump.items():
            match item:
                case Pause():
                    pending.append(refer(item))
                case Waiting():
                    about = [item.tenant_id, item.conversation_id, item.message_id]
                    pending.append({"amendment": [item.key.owner_key, item.key.id], "about": about})
                case _Batch():
                    pending.append({"keys": [[key.owner_key, key.id] for key in item.keys]})
        owners = {lane: [owner.tenant_id, owner.type, owner.id] for lane, owner in self._owners.items()}
        return encode_state(STATE_VERSION, {"owners": owners, "pending": pending})

    def _restore(self, state: dict[str, object]) -> None:
        owners = state["owners"]
        assert isinstance(owners, dict)
        for lane, (tenant_id, owner_type, owner_id) in owners.items():
            self._owners[lane] = Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)
        pending = state["pending"]
        assert isinstance(pending, list)
        for entry in pending:
            if "keys" in entry:
                keys = tuple(Key(Collection.MESSAGES, owner_key, identity) for owner_key, identity in entry["keys"])
                self._add(_Batch(keys, None))
            elif "amendment" in entry:
                self._amend(Waiting(Key(Collection.CONTROL, *entry["amendment"]), *entry["about"]))
            else:
                pause = referred(entry)
                assert isinstance(pause, Pause)
                self._pump.add("", pause, None)

    # --- messages ----------------------------------------------------------------------------------------------------

    def _submit(self, messages: Sequence[StoredMessage]) -> Iterator[WriteBatch]:
        for start in range(0, len(messages), _JOB_MESSAGES):
            writes: list[Write] = []
            part = []
            for message in messages[start : start + _JOB_MESSAGES]:
                lane = Arrived(message).lane
                if lane not in self._owners and message.conversation_id is not None:
                    writes.append(Create(conversation_row(message)))
                owner = self._owners.setdefault(lane, message.owner)
                self._owners.move_to_end(lane)
                if len(self._owners) > _OWNERS:
                    self._owners.popitem(last=False)
                part.append(_owned_by(owner, message))
                writes.append(Create(row_of(part[-1])))
            yield WriteBatch(tuple(writes))
            self._add(_Batch(tuple(row_of(message).key for message in part), tuple(part)))

    def _add(self, batch: _Batch) -> None:
        self._pump.add("", batch, lambda: self._serve(batch))

    def _serve(self, batch: _Batch) -> _Served:
        """In the pool: which of the messages are new, and their vectors."""
        messages, stored = self._read(batch)
        new, misplaced, continuing = [], [], set()
        for message in messages:
            origin = origin_of(stored.get(conversation_key(message.owner.tenant_id, message.conversation_id or "")))
            if origin is not None and origin.began_with != message.position:
                continuing.add(message.id)
            if origin is not None and origin.owner != message.owner:  # it had been forgotten here whose this is
                misplaced.append(message_key(message.owner, message.id))
                message = _owned_by(origin.owner, message)
                stored |= self._services.index.get([message_key(origin.owner, message.id)])
            row = stored.get(message_key(message.owner, message.id))
            if (goes_on := _unless_known(message, row)) is not None:
                new.append(goes_on)
        known = len(messages) - len(new)
        living = [message for message in new if not message.deleted]
        vectors, failure = vectors_of(living, self._services)
        return _Served(
            utterances=tuple(map(Utterance, living, vectors)),
            duplicates=known if batch.messages is not None else 0,
            failure=failure,
            replayed=frozenset(row.id for row in stored.values() if row.version > _CREATED),
            continuing=frozenset(continuing),
            misplaced=tuple(misplaced),
        )

    def _read(self, batch: _Batch) -> tuple[Sequence[StoredMessage], dict[Key, Row]]:
        """The messages of a batch, and what the index holds of them and their conversations."""
        get = self._services.index.get
        if batch.messages is not None:
            return batch.messages, get([*batch.keys, *_conversations(batch.messages)])
        stored = get(batch.keys)
        records = [stored[key].record() for key in batch.keys if key in stored]
        messages = [record for record in records if isinstance(record, StoredMessage)]
        return messages, stored | get(_conversations(messages))

    def _pass_on(self, served: _Served) -> Iterator[Embedded | SinkItem]:
        self._services.tally["duplicate"] += served.duplicates
        if served.failure:  # kept as text; what is extracted from it is embedded again (flows/extract.py)
            log.warning("%d messages go on without a vector: %s", len(served.utterances), served.failure)
            self._services.tally["without_vector"] += len(served.utterances)
        versions = self._services.versions
        utterances = [replace(u, message=u.message.model_copy(update={"version": versions.next()})) for u in served.utterances]
        writes: list[Write] = [Remove(key, versions.next()) for key in served.misplaced]
        writes += [Put(row_of(u.message, u.vector)) for u in utterances]
        if writes:
            yield WriteBatch(tuple(writes))
        for utterance in utterances:
            message = utterance.message
            if served.misplaced:
                self._owners[Arrived(message).lane] = message.owner
            yield Embedded(utterance, replayed=message.id in served.replayed, continues=message.id in served.continuing)

    # --- amendments --------------------------------------------------------------------------------------------------

    def _amend(self, waiting: Waiting) -> None:
        amendment = waiting.amendment
        owner = self._owners.get(amendment.lane) if amendment else None
        was_seen = amendment is not None and amendment.stored_id in self._recent
        asked_at = self._services.clock()
        self._pump.add("", waiting, lambda: change_of(waiting, owner, asked_at if was_seen else None, self._services))

    def _pass_on_change(self, key: Key, change: Change | None) -> Iterator[Amended | SinkItem]:
        if change is None:
            log.warning("%s is no longer in the index, nor is its message", key.id)
            return
        version = self._services.versions.next()
        amendment, utterance, refused = change.amendment, change.utterance, change.refused
        is_new_text = amendment is not None and amendment.text is not None and not change.replayed
        if amendment is not None and is_new_text and amendment.stored_id in self._deleted:
            refused = amendment.refusal(DELETED)  # it was a moment ago: the job could not see it yet
        if utterance is None or refused:
            assert amendment is not None, "only what is known is refused"
            yield WriteBatch((Remove(key, version),))
            yield DeadLetter("embed", refused, amendment.raw, amendment.position, self._services.clock())
            return
        if change.failure:
            log.warning("an edited message goes on without a vector: %s", change.failure)
            self._services.tally["without_vector"] += 1
        message = utterance.message.model_copy(update={"version": version})
        if message.deleted:
            _remember(self._deleted, message.id)
        yield WriteBatch((Put(row_of(message, utterance.vector)), Remove(key, version)))
        yield Amended(replace(utterance, message=message), replayed=change.replayed)


def _remember(ids: OrderedDict[str, None], identity: str) -> None:
    ids[identity] = None
    if len(ids) > _RECENT_IDS:
        ids.popitem(last=False)


def _owned_by(owner: Owner, message: StoredMessage) -> StoredMessage:
    """A conversation has one owner, fixed by its first message."""
    return message if owner == message.owner else message.model_copy(update={"owner": owner})


def _conversations(messages: Sequence[StoredMessage]) -> list[Key]:
    named = [(message.owner.tenant_id, message.conversation_id) for message in messages]
    return [conversation_key(tenant_id, identity) for tenant_id, identity in dict.fromkeys(named) if identity is not None]


def _unless_known(message: StoredMessage, row: Row | None) -> StoredMessage | None:
    """The message as it goes on; None for one that came before from elsewhere."""
    stored = row.record() if row is not None else None
    if not isinstance(stored, StoredMessage):
        return message
    if stored.position != message.position:
        return None
    return stored if stored.edited_by is not None else message
