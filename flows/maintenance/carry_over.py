"""Carry rows of the old store over into the new one, under the ids of now and with its tokens and vectors.

Only what nothing else tells is carried over: messages, the records of documents and conversations, tombstones, receipts of
erasures and markers of flushes. All else is derived from them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from flows.cuts import embedding_text
from flows.lanes.erasures import Said, is_erased, tombstone_keys
from flows.lanes.owners import conversation_key, tenant_of
from flows.lanes.parked_events import PARKED
from flows.maintenance.reindex import embed_unless_refused
from mneme.ids import chunk_id, conversation_path, document_key, message_id
from mneme.ports import MemoryIndex
from mneme.records import StoredDocument, StoredMessage
from mneme.rows import Embedding, Row, row_of

_NOTES = ("erased", "erasure", "flush")  # their ids are lasting names: only the key of their tenant may be another

Embed = Callable[[Sequence[str]], Sequence[Embedding]]


def carried_notes(rows: Iterable[Row], with_parked: bool) -> list[Row]:
    """The rows of ``control`` that are carried over; ``with_parked``: with the events that a flow has at work."""
    return [carried for row in rows if (carried := _note(row, with_parked)) is not None]


def carried_messages(rows: Iterable[Row], made: MemoryIndex, embed: Embed, keep_vectors: bool) -> list[Row]:
    """The messages that are carried over: all but those that a tombstone covers, of an erasure that had not ended.

    Args:
        rows: of the collection of messages, with their vectors.
        made: the store that is being made; it has the tombstones already.
        embed: gives the vectors that are missing.
        keep_vectors: whether those that are there are of this embedder.

    Raises:
        ModelError: the embedder does not answer, or refuses everything.
        StoreError: the store does not answer.
    """
    messages = [(_renamed(record), row.embedding) for row in rows if isinstance(record := row.record(), StoredMessage)]
    keys = {key for each, _ in messages for key in tombstone_keys(each.owner, each.conversation_id, each.document_id)}
    tombstones = made.get(list(keys))
    living = ((message, kept) for message, kept in messages if not is_erased(Said.of(message), tombstones))
    staying = [(message, kept if keep_vectors else None) for message, kept in living]
    bare = [message for message, kept in staying if kept is None and not message.deleted]
    new = dict(zip([each.id for each in bare], embed_unless_refused(list(map(embedding_text, bare)), embed), strict=True))
    return [row_of(message, new.get(message.id, kept)) for message, kept in staying]


def _renamed(message: StoredMessage) -> StoredMessage:
    if message.document_id is not None:
        renamed = chunk_id(document_key(message.owner.key, message.document_id), message.message_id)
    else:
        assert message.conversation_id is not None, "a message is of a document or of a conversation"
        renamed = message_id(message.owner.tenant_id, message.conversation_id, message.message_id)
    return message.model_copy(update={"id": renamed})


def _note(row: Row, with_parked: bool) -> Row | None:
    tenant = tenant_of(row.tenant_id)
    if row.kind in _NOTES:
        return replace(row, owner_key=tenant.key)
    if row.kind == "conversation":
        assert row.conversation_id is not None, "the row of a conversation names it"
        return replace(row, owner_key=tenant.key, id=conversation_key(row.tenant_id, row.conversation_id).id)
    if row.kind == "document":
        record = row.record()
        assert isinstance(record, StoredDocument)
        return row_of(_renamed_document(record))
    return row if row.kind in PARKED and with_parked else None


def _renamed_document(document: StoredDocument) -> StoredDocument:
    """The record with its id and those of its chunks, or of the messages that are its speech."""
    assert document.document_id is not None, "the record of a document names it"
    key = document_key(document.owner.key, document.document_id)

    def renamed(ids: Iterable[str], speech: str | None) -> tuple[str, ...]:
        conversation = conversation_path(document.owner.tenant_id, speech or "")
        places = (identity.rpartition("/") for identity in ids)
        return tuple(f"{key if lane == document.id else conversation}/{name}" for lane, _, name in places)

    return document.model_copy(
        update={
            "id": key,
            "chunk_ids": renamed(document.chunk_ids, document.conversation_id),
            "replaced_ids": renamed(document.replaced_ids, document.replaced_speech),
        }
    )
