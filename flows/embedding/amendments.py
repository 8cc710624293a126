"""Apply edits, deletes, corrections and retractions to stored messages."""

from dataclasses import dataclass, replace

from flows.cuts import Utterance
from flows.embedding.admission import belongs_to, embeddings_of
from flows.items import Amendment
from flows.lanes.erasures import Tombstones, has_erased, is_amendment_erased
from flows.lanes.owners import message_key, owner_in
from flows.lanes.parked_events import amendment_in
from flows.lanes.services import Services
from flows.words import hash_of, says, without
from mneme.ids import message_id
from mneme.records import Owner, StoredMessage
from mneme.rows import Key
from mneme.text import estimate_tokens

UNKNOWN = "is not known here; send the message first, then this event again"
OF_NOBODY = f"{UNKNOWN}. Its words are not kept: nobody knows its conversation, so they may be of somebody who was erased"
NOT_KEPT = (
    f"an edit, a delete or a retraction: its message {UNKNOWN}. It is not kept: a file tells no time of it, so it may be of "
    "what was erased"
)
DELETED = "was deleted; send the new text as a message with another message_id"
_NOTHING_LEFT = {"text": "", "tokens": 0, "tool_calls": (), "metadata": {}, "deleted": True}
_NOT_SAID = "does not say these words; give them as the fact's quote has them"


@dataclass(frozen=True, slots=True)
class PendingAmendment:
    """An amendment at work: where it waits in the index, and its message; after a restart only these are known."""

    key: Key
    tenant_id: str
    conversation_id: str
    message_id: str
    amendment: Amendment | None = None

    @property
    def stored_id(self) -> str:
        """The id of the message it is about."""
        return message_id(self.tenant_id, self.conversation_id, self.message_id)


@dataclass(frozen=True, slots=True, eq=False)
class AmendmentResult:
    """The message as an amendment leaves it, or why it is ``refused``.

    ``replayed`` when an earlier run of the flow had got at least so far with it; then the amendment itself may be gone.
    ``failure`` kept the message from having a vector. ``erased`` when its conversation, or its owner, was erased after it.
    """

    amendment: Amendment | None
    utterance: Utterance | None = None
    replayed: bool = False
    refused: str = ""
    failure: str = ""
    erased: bool = False


def apply_amendment(
    waiting: PendingAmendment,
    recent: StoredMessage | None,
    owner: Owner | None,
    services: Services,
    recent_tombstones: Tombstones,
) -> AmendmentResult | None:
    """Apply an amendment to its stored message. Blocks: for the pool, when all that came before it has been passed on.

    Args:
        waiting: the amendment.
        recent: its message as its lane passed it on a moment ago, which the index may not show yet.
        owner: its conversation's, where that is remembered.
        services: where to read and embed.
        recent_tombstones: erasures of a moment ago, which the index may not show yet.

    Returns:
        None if neither the amendment nor the message is there any more.

    Raises:
        StoreUnavailable, ModelError: worth trying again.
    """
    row = None if waiting.amendment else services.index.get([waiting.key]).get(waiting.key)
    amendment = waiting.amendment if row is None else amendment_in(row)
    stored = recent or stored_message(waiting.tenant_id, waiting.conversation_id, waiting.message_id, owner, services)
    if amendment is not None and is_amendment_erased(amendment, stored, owner, recent_tombstones, services.index):
        if stored is None and amendment.received_at is None:
            return AmendmentResult(replace(amendment, raw=b""), refused=NOT_KEPT)
        return AmendmentResult(amendment, erased=True)
    if stored is None:
        if amendment is None:
            return None
        is_known = amendment.owner or owner or owner_in(services.index, waiting.tenant_id, waiting.conversation_id)
        if is_known or not has_erased(waiting.tenant_id, services.index):
            return AmendmentResult(amendment, refused=amendment.refusal(UNKNOWN))
        return AmendmentResult(amendment.without_words(), refused=amendment.refusal(OF_NOBODY))
    if amendment is None or _is_applied(stored, amendment):
        changed = stored
    elif refused := _refusal(stored, amendment, services):
        return AmendmentResult(amendment, refused=amendment.refusal(refused))
    else:
        changed = amended(stored, amendment)
    embedding, failure = None, ""
    if not changed.deleted:
        [embedding], failure = embeddings_of([changed], services)
    return AmendmentResult(amendment, Utterance.of(changed, embedding), _is_replayed(stored, amendment), failure=failure)


def amended(stored: StoredMessage, amendment: Amendment) -> StoredMessage:
    """The message as the amendment leaves it. A deleted one keeps its id, its sender and its times.

    An edit says the message anew: what was retracted may be said again, what was corrected is still wrong.
    """
    text, words, hashed = amendment.text, amendment.words, hash_of(amendment.words)
    new: dict[str, object] = {}
    if amendment.corrected is not None:
        if hashed not in stored.retracted:
            new = {"corrected": {**stored.corrected, words: amendment.corrected}}
    elif words:
        text = without(stored.text, words)
        kept = {each: by for each, by in stored.corrected.items() if not says(each, words) and not says(words, each)}
        new = {"corrected": kept, "retracted": tuple(dict.fromkeys((*stored.retracted, hashed)))}
        if text or stored.tool_calls or stored.deleted:
            new |= {"text": text, "tokens": estimate_tokens(text)}
        else:
            new |= _NOTHING_LEFT
    elif text is not None:
        new = {"text": text, "tokens": estimate_tokens(text), "retracted": ()}
    else:
        new = {**_NOTHING_LEFT, "corrected": {}}
    return stored.model_copy(update={**new, "edited_by": amendment.position})


def _refusal(stored: StoredMessage, amendment: Amendment, services: Services) -> str:
    """The reason why an amendment is not applied; none for a retraction of what is gone already."""
    if amendment.owner not in (None, stored.owner):
        return belongs_to(stored.owner)
    if not amendment.words:
        return DELETED if stored.deleted and amendment.text is not None else ""
    is_known = hash_of(amendment.words) in stored.retracted or (stored.deleted and amendment.corrected is None)
    if is_known or says(stored.text, amendment.words):
        return ""
    if stored.deleted:
        return DELETED
    return "" if services.extractor.calls_a_model else _NOT_SAID  # a model may have put it otherwise


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


def _is_applied(stored: StoredMessage, amendment: Amendment) -> bool:
    """Return whether this amendment, or a later one of its source, is in the stored message."""
    done = stored.edited_by
    return done is not None and done.is_beside(amendment.position) and done.offset >= amendment.position.offset


def _is_replayed(stored: StoredMessage, amendment: Amendment | None) -> bool:
    """Return whether an earlier run may have got as far; not to be known where an amendment of another source came over it."""
    if amendment is None or stored.edited_by is None:
        return amendment is None
    return _is_applied(stored, amendment) or not stored.edited_by.is_beside(amendment.position)
