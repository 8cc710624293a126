"""embed: a message is stored the moment it arrives, then told apart from repetitions and given its vector.

For each batch of a bucket:
1. An id that this lane has seen a moment ago is a repetition and is dropped.
2. ``Create`` the message without a vector: searchable at once, and there to be read again after a restart.
3. In the pool: look up (realtime get) whether the id was stored before from another position of the source; then it
   is an old repetition and goes no further. From the same position it is a replay and goes on.
4. In the same job: the vectors, batched with those of all other lanes.
5. ``Put`` the message with its vector, and pass it on, in the order of arrival.
"""

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flows.cuts import Utterance, embedding_text
from flows.items import Arrived, Embedded, Pause, SinkItem, WriteBatch
from flows.pump import Pump, worth_retrying
from flows.references import refer, referred
from flows.services import Services
from flows.state import decode_state, encode_state
from mneme.errors import ModelError
from mneme.ports import Create, Put
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key, row_of

STATE_VERSION = 1
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
    """What a job found: the messages that are new, with their vectors, and what kept them from having one."""

    utterances: tuple[Utterance, ...]
    duplicates: int = 0
    failure: str = ""
    replayed: frozenset[str] = frozenset()


class EmbedLane:
    """The embed step of one bucket of conversations."""

    def __init__(self, services: Services, state: bytes | None) -> None:
        self._services = services
        self._pump: Pump[_Batch | Pause, _Served] = Pump(services.submit, services.clock)
        self._recent: OrderedDict[str, None] = OrderedDict()
        self._owners: OrderedDict[str, Owner] = OrderedDict()
        if state is not None:
            self._restore(decode_state(state, STATE_VERSION))

    def on_batch(self, items: Sequence[Arrived | Pause]) -> Iterator[Embedded | Pause | SinkItem]:
        """Take in what arrived."""
        fresh: list[StoredMessage] = []
        for item in items:
            if isinstance(item, Pause):
                yield from self._submit(fresh)
                fresh = []
                owner = self._owners.get(item.lane)
                self._pump.add("", replace(item, owner_key=owner.key) if owner else item, None)
            elif item.message.id in self._recent:
                self._services.tally["duplicate"] += 1
            else:
                self._recent[item.message.id] = None
                fresh.append(self._with_owner_of_conversation(item))
        yield from self._submit(fresh)
        while len(self._recent) > _RECENT_IDS:
            self._recent.popitem(last=False)
        yield from self.poll()

    def poll(self) -> Iterator[Embedded | Pause | SinkItem]:
        """Pass on what is ready."""
        for item, served in self._pump.finished():
            if isinstance(item, Pause):
                yield item
            elif isinstance(served, _Served):
                yield from self._pass_on(served)
            else:
                assert isinstance(served, BaseException)
                raise served

    def wake_at(self) -> datetime | None:
        """When to poll again."""
        return self._pump.wake_at()

    @property
    def unfinished(self) -> int:
        """Messages and pauses on their way."""
        return sum(1 if isinstance(item, Pause) else len(item.keys) for item in self._pump.items())

    def snapshot(self) -> bytes:
        """References to what is on its way, and whose the conversations are."""
        return encode_state(
            STATE_VERSION,
            {
                "owners": {lane: [owner.tenant_id, owner.type, owner.id] for lane, owner in self._owners.items()},
                "pending": [
                    refer(item) if isinstance(item, Pause) else {"keys": [[key.owner_key, key.id] for key in item.keys]}
                    for item in self._pump.items()
                ],
            },
        )

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
            else:
                pause = referred(entry)
                assert isinstance(pause, Pause)
                self._pump.add("", pause, None)

    def _with_owner_of_conversation(self, item: Arrived) -> StoredMessage:
        """A conversation has one owner, fixed by its first message."""
        owner = self._owners.setdefault(item.lane, item.message.owner)
        self._owners.move_to_end(item.lane)
        if len(self._owners) > _OWNERS:
            self._owners.popitem(last=False)
        return item.message if owner == item.message.owner else item.message.model_copy(update={"owner": owner})

    def _submit(self, messages: list[StoredMessage]) -> Iterator[WriteBatch]:
        for start in range(0, len(messages), _JOB_MESSAGES):
            part = tuple(messages[start : start + _JOB_MESSAGES])
            rows = [row_of(message) for message in part]
            yield WriteBatch(tuple(Create(row) for row in rows))
            self._add(_Batch(tuple(row.key for row in rows), part))

    def _add(self, batch: _Batch) -> None:
        self._pump.add("", batch, lambda: self._serve(batch))

    def _serve(self, batch: _Batch) -> _Served:
        """In the pool: which of the messages are new, and their vectors."""
        stored = self._services.index.get(batch.keys)
        if batch.messages is None:
            new = [record for key in batch.keys if key in stored and isinstance(record := stored[key].record(), StoredMessage)]
        else:
            new = [
                message
                for key, message in zip(batch.keys, batch.messages, strict=True)
                if key not in stored or _stored_from_here(stored[key].record(), message)
            ]
        duplicates = len(batch.keys) - len(new) if batch.messages is not None else 0
        if not new:
            return _Served((), duplicates)
        replayed = frozenset(row.id for row in stored.values() if row.version > _CREATED)
        try:
            vectors = self._services.embed([embedding_text(message) for message in new]).result()
        except ModelError as error:
            if worth_retrying(error):
                raise
            return _Served(tuple(Utterance(message, None) for message in new), duplicates, str(error), replayed)
        utterances = tuple(Utterance(message, vector) for message, vector in zip(new, vectors, strict=True))
        return _Served(utterances, duplicates, replayed=replayed)

    def _pass_on(self, served: _Served) -> Iterator[Embedded | SinkItem]:
        self._services.tally["duplicate"] += served.duplicates
        if served.failure:  # kept as text; what is extracted from it is embedded again (flows/extract.py)
            log.warning("%d messages go on without a vector: %s", len(served.utterances), served.failure)
            self._services.tally["without_vector"] += len(served.utterances)
        utterances = [
            replace(u, message=u.message.model_copy(update={"version": self._services.versions.next()}))
            for u in served.utterances
        ]
        if utterances:
            yield WriteBatch(tuple(Put(row_of(u.message, u.vector)) for u in utterances))
        for utterance in utterances:
            yield Embedded(utterance, replayed=utterance.message.id in served.replayed)


def _stored_from_here(stored: object, message: StoredMessage) -> bool:
    return isinstance(stored, StoredMessage) and stored.position == message.position
