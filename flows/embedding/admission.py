"""Admit arrived messages that are new, and embed them: the job of the embed step. Blocks: for the pool.

A message may be known (its id was stored from another position of the source), seen again (from the same position: a
replay), of another owner than its conversation, or older than an erasure of its conversation or owner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from flows.cuts import Utterance, embedding_text
from flows.lanes.erasures import Said, Tombstones, is_erased, tombstone_keys
from flows.lanes.owners import conversation_key, conversation_row, message_key, origin_of
from flows.lanes.scheduling import is_defect, worth_retrying
from flows.lanes.services import Services
from mneme.errors import ModelError
from mneme.events import Message
from mneme.records import Owner, StoredMessage
from mneme.rows import Embedding, Key, Row

CREATED = 1  # the version of a message that has not passed the embed step yet


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """Messages on their way to their vectors; after a restart only their keys are known.

    ``rows`` are those with which the messages were stored as they arrived. ``withdrawn`` are ids of
    chunks that were withdrawn a moment ago, which the index may still show; ``chunks`` counts those of documents.
    ``raw`` are the bytes of the events, by the keys of their messages.
    """

    keys: tuple[Key, ...]
    messages: tuple[StoredMessage, ...] | None
    withdrawn: frozenset[str] = frozenset()
    chunks: int = 0
    rows: tuple[Row, ...] = ()
    raw: Mapping[Key, bytes] = field(default_factory=dict)

    @property
    def lanes(self) -> set[str]:
        """The conversations they belong to: their ids begin with it."""
        return {key.id.rpartition("/")[0] for key in self.keys}


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    """A message of another owner than its conversation's (``owner``)."""

    message: StoredMessage
    owner: Owner


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """The messages that are new, with their vectors, and what kept them from having one (``failure``).

    ``replayed`` and ``continuing`` are ids of messages (flows/items.py). ``beginnings`` say whose the conversations are that
    begin here. ``foreign`` are messages of another owner than their conversation's. ``erased`` are messages that an erasure
    has taken away.
    """

    utterances: tuple[Utterance, ...]
    duplicates: int = 0
    failure: str = ""
    replayed: frozenset[str] = frozenset()
    continuing: frozenset[str] = frozenset()
    beginnings: tuple[Row, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    erased: tuple[StoredMessage, ...] = ()


def admit(batch: MessageBatch, services: Services, lately: Tombstones) -> Admitted:
    """Admit the new messages of a batch.

    Args:
        batch: the messages.
        services: index and embedder.
        lately: erasures of a moment ago: what they take away may still be in the index, and they may not be there yet.

    Raises:
        StoreUnavailable, ModelError: worth trying again.
    """
    messages, stored = _read(batch, services)
    new, foreign, erased, continuing = [], [], [], set()
    beginnings: dict[Key, Row] = {}
    for message in messages:
        if is_erased(Said.of(message), stored):
            erased.append(message)
            continue
        key = conversation_key(message.owner.tenant_id, message.conversation_id or "")
        is_chunk = message.document_id is not None  # its owner is its document's
        origin = None if is_chunk else origin_of(stored.get(key))
        if origin is not None and origin.owner != message.owner:
            stored |= services.index.get(_tombstone_keys([message], origin.owner))
        if (
            origin is not None
            and is_erased(Said.first(origin, message.conversation_id or ""), stored, lately)
            and not is_erased(replace(Said.of(message), owner=origin.owner), stored, lately)  # one read again stays refused
        ):
            origin = None
        if origin is not None and origin.owner != message.owner:
            foreign.append(Foreign(message, origin.owner))
            continue
        if origin is None and not is_chunk and key not in beginnings:
            beginnings[key] = conversation_row(message)
        if origin is not None and origin.began_with != message.position:
            continuing.add(message.id)
        if message.id in batch.withdrawn:
            stored.pop(message_key(message.owner, message.id), None)
        if (goes_on := _unless_known(message, stored, lately)) is not None:
            new.append(goes_on)
    living = [message for message in new if not message.deleted]
    embeddings, failure = embeddings_of(living, services)
    known = len(messages) - len(new) - len(erased) - len(foreign)
    return Admitted(
        utterances=tuple(map(Utterance.of, living, embeddings)),
        duplicates=known if batch.messages is not None else 0,
        failure=failure,
        replayed=frozenset(row.id for row in stored.values() if row.version > CREATED),
        continuing=frozenset(continuing),
        beginnings=tuple(beginnings.values()),
        foreign=tuple(foreign),
        erased=tuple(erased),
    )


def belongs_to(owner: Owner) -> str:
    """The reason, for people, why an event of another owner is not taken into a conversation."""
    return f"belongs to {owner.type} {owner.id}; use a conversation_id of its own"


def event_of(message: StoredMessage) -> bytes:
    """An event that says the same, where the bytes of its own were lost with the process."""
    same = message.model_dump(include={*Message.model_fields} & {*StoredMessage.model_fields})
    named = {"tenant_id": message.owner.tenant_id, f"{message.owner.type}_id": message.owner.id}
    same |= named | {"content": message.text, "tool_calls": list(message.tool_calls)}
    return Message.model_construct(**same).to_bytes()


def _read(batch: MessageBatch, services: Services) -> tuple[Sequence[StoredMessage], dict[Key, Row]]:
    """The messages of a batch, and what the index holds of them, their conversations and erasures."""
    get = services.index.get
    if batch.messages is not None:
        messages: Sequence[StoredMessage] = batch.messages
        stored = get([*batch.keys, *_conversations(messages), *_tombstone_keys(messages)])
    else:
        stored = get(batch.keys)
        records = [stored[key].record() for key in batch.keys if key in stored]
        messages = [record for record in records if isinstance(record, StoredMessage)]
        stored |= get([*_conversations(messages), *_tombstone_keys(messages)])
    return messages, stored


def _conversations(messages: Sequence[StoredMessage]) -> list[Key]:
    named = [(message.owner.tenant_id, message.conversation_id) for message in messages if message.document_id is None]
    return [conversation_key(tenant_id, identity) for tenant_id, identity in dict.fromkeys(named) if identity is not None]


def _tombstone_keys(messages: Sequence[StoredMessage], owner: Owner | None = None) -> list[Key]:
    named = dict.fromkeys((owner or message.owner, message.conversation_id, message.document_id) for message in messages)
    return list(dict.fromkeys(key for each in named for key in tombstone_keys(*each)))


def _unless_known(message: StoredMessage, rows: dict[Key, Row], lately: Tombstones) -> StoredMessage | None:
    """The message as it goes on; None for one that came before from elsewhere."""
    key = message_key(message.owner, message.id)
    row = rows.get(key)
    stored = row.record() if row is not None else None
    if not isinstance(stored, StoredMessage):
        return message
    if is_erased(Said.of(stored), rows, lately):  # on its way out: this one is new
        del rows[key]
        return message
    if stored.position != message.position:
        return None
    return stored if stored.edited_by is not None else message


def embeddings_of(messages: Sequence[StoredMessage], services: Services) -> tuple[Sequence[Embedding | None], str]:
    """The embedding of each message, and the reason why they have none ("" if they have). Blocks: for the pool.

    Raises:
        ModelError: the embedder is out of reach (worth trying again).
    """
    if not messages:
        return [], ""
    try:
        of_document = all(message.document_id is not None for message in messages)
        return services.embeddings([embedding_text(message) for message in messages], of_document).result(), ""
    except ModelError as error:
        if worth_retrying(error):
            raise
        return [None] * len(messages), str(error)
    except Exception as error:  # a defect that one text meets must not cost the others theirs
        if not is_defect(error):
            raise
        if len(messages) == 1:
            return [None], f"{type(error).__name__}: {error}"
    each = [embeddings_of([message], services) for message in messages]
    return [embedding for [embedding], _ in each], next((failure for _, failure in each if failure), "")
