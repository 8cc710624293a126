"""Apply edits and deletes to stored messages."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.cuts import Utterance
from flows.embedding.admission import embeddings_of
from flows.items import Amendment
from flows.lanes.erasures import conversation_tombstone_key, tombstone_of
from flows.lanes.owners import message_key, owner_in
from flows.lanes.parked_events import amendment_in
from flows.lanes.scheduling import NotReady
from flows.lanes.services import Services
from mneme.ids import message_id
from mneme.records import Owner, Position, StoredMessage
from mneme.rows import Key
from mneme.tokens import estimate_tokens

UNKNOWN = "is not known here; send the message first, then this event again"
DELETED = "was deleted; send the new text as a message with another message_id"
_ON_ITS_WAY = timedelta(seconds=60)  # how long a message that was seen may take to reach the index


@dataclass(frozen=True, slots=True)
class PendingAmendment:
    """An amendment at work: where it waits in the index, and its message; after a restart only these are known."""

    key: Key
    tenant_id: str
    conversation_id: str
    message_id: str
    amendment: Amendment | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AmendmentResult:
    """The message as an amendment leaves it, or why it is ``refused``.

    ``replayed`` when an earlier run of the flow had got at least so far with it; then the amendment itself may be gone.
    ``failure`` kept the message from having a vector. ``erased`` when its conversation was erased after it.
    """

    amendment: Amendment | None
    utterance: Utterance | None = None
    replayed: bool = False
    refused: str = ""
    failure: str = ""
    erased: bool = False


def apply_amendment(
    waiting: PendingAmendment, owner: Owner | None, seen_at: datetime | None, services: Services
) -> AmendmentResult | None:
    """Apply an amendment to its stored message. Blocks: for the pool.

    Args:
        waiting: the amendment.
        owner: its conversation's, where that is remembered.
        seen_at: when the amendment came, if the message itself had come a moment before; else None.
        services: where to read and embed.

    Returns:
        None if neither the amendment nor the message is there any more.

    Raises:
        NotReady: the message was seen and is still on its way to the index.
        StoreUnavailable, ModelError: worth trying again.
    """
    row = None if waiting.amendment else services.index.get([waiting.key]).get(waiting.key)
    amendment = waiting.amendment if row is None else amendment_in(row)
    stored = stored_message(waiting.tenant_id, waiting.conversation_id, waiting.message_id, owner, services)
    if stored is None:
        if seen_at is not None and services.clock() < seen_at + _ON_ITS_WAY:
            raise NotReady(f"message {waiting.message_id} is on its way to the index")
        if amendment is None:
            return None
        return AmendmentResult(amendment, refused=amendment.refusal(UNKNOWN), erased=_is_erased(amendment, services))
    if amendment is None or _is_in(stored, amendment):
        changed = stored
    elif stored.deleted and amendment.text is not None:
        return AmendmentResult(amendment, refused=amendment.refusal(DELETED))
    else:
        changed = amended(stored, amendment)
    [embedding], failure = ([None], "") if changed.deleted else embeddings_of([changed], services)
    return AmendmentResult(amendment, Utterance.of(changed, embedding), _is_replayed(stored, amendment), failure=failure)


def amended(stored: StoredMessage, amendment: Amendment) -> StoredMessage:
    """The message as the amendment leaves it. A deleted one keeps its id, its sender and its times."""
    if amendment.text is not None:
        new = {"text": amendment.text, "tokens": estimate_tokens(amendment.text)}
    else:
        new = {"text": "", "tokens": 0, "tool_calls": (), "metadata": {}, "deleted": True}
    return stored.model_copy(update={**new, "edited_by": amendment.position})


def stored_message(
    tenant_id: str, conversation_id: str, caller_id: str, owner: Owner | None, services: Services
) -> StoredMessage | None:
    """A message as the index holds it; ``owner`` is its conversation's, where the index does not tell. Blocks: for the pool."""
    owner = owner_in(services.index, tenant_id, conversation_id) or owner
    if owner is None:
        return None
    key = message_key(owner, message_id(tenant_id, conversation_id, caller_id))
    row = services.index.get([key]).get(key)
    record = row.record() if row is not None else None
    return record if isinstance(record, StoredMessage) else None


def _is_erased(amendment: Amendment, services: Services) -> bool:
    key = conversation_tombstone_key(amendment.tenant_id, amendment.conversation_id)
    tombstone = tombstone_of(services.index.get([key]).get(key))
    return tombstone is not None and tombstone.covers(amendment.position, amendment.received_at or tombstone.arrived_at)


def _is_in(stored: StoredMessage, amendment: Amendment) -> bool:
    """Return whether this amendment, or a later one of its source, is in the stored message."""
    done = stored.edited_by
    return done is not None and _is_same_source(done, amendment.position) and done.offset >= amendment.position.offset


def _is_replayed(stored: StoredMessage, amendment: Amendment | None) -> bool:
    """Return whether an earlier run may have got as far; not to be known where an amendment of another source came over it."""
    if amendment is None or stored.edited_by is None:
        return amendment is None
    return _is_in(stored, amendment) or not _is_same_source(stored.edited_by, amendment.position)


def _is_same_source(one: Position, other: Position) -> bool:
    return (one.topic, one.partition) == (other.topic, other.partition)
