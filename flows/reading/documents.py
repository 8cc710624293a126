"""Reading a document: fetched, parsed and cut, unless it is the one that is known. Blocks: for the pool."""

from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime

from flows.items import Erasure, Unread
from flows.lanes.erasures import Said, Tombstones, is_erased, tombstone_keys
from flows.lanes.services import Services
from flows.reading.editions import About, Edition, edition_of, record_of
from mneme.errors import InputError
from mneme.events import Document
from mneme.ids import content_hash
from mneme.ports import ParsedDocument, References
from mneme.records import Owner, Position, StoredDocument
from mneme.rows import Collection, Key
from mneme.times import utc_now


@dataclass(frozen=True, slots=True, eq=False)
class ReadDocument:
    """The edition of a document, None where it is the one that is known, and its record before.

    What was not read of it, or of which something was not, is read again: what was missing may be there by now.
    """

    edition: Edition | None
    before: StoredDocument | None


class UnreadableDocument(InputError):
    """A document of which no version was read before: ``record`` lists it with the reason."""

    def __init__(self, reason: str, record: StoredDocument) -> None:
        super().__init__(reason)
        self.record = record


def read_document(unread: Unread, before: StoredDocument | None, erased: Tombstones, services: Services) -> ReadDocument | None:
    """Read the document of an event; None if the document was erased since.

    Args:
        unread: the event.
        before: what its lane remembers of the document; None: the index is asked.
        erased: the erasures of a moment ago, which the index may not show yet.
        services: what reads it, and where.

    Raises:
        InputError: it cannot be read; UnreadableDocument if no earlier version of it is there.
        StoreUnavailable, ModelError: worth trying again.
    """
    event = unread.event
    assert isinstance(event, Document)
    reading = services.reading
    assert reading is not None, "a flow that takes documents has what reads them"
    documents, about = services.settings.documents, about_event(event, unread.position, unread.received_at)
    row_key = Key(Collection.CONTROL, about.owner.key, about.key)
    stored = services.index.get([row_key, *tombstone_keys(about.owner, None, about.document_id)])
    if is_erased(Said(about.owner, None, about.document_id, about.position, about.arrived_at), stored):
        return None
    row = stored.get(row_key)
    if before is None and row is not None:
        record = row.record()
        if isinstance(record, StoredDocument):
            said = Said(record.owner, None, record.document_id, record.position, record.created_at)
            before = record if not is_erased(said, stored, erased) else None
    edition = ""
    try:
        content = content_of(event, reading.references)
        edition = about.edition(content_hash(content), documents)
        if before is not None and before.edition == edition and before.status == "read" and not before.unread:
            return ReadDocument(None, before)
        parsed = reading.reader.read(content, event.name, event.media_type, f"{about.owner.key}/{about.document_id}")
        return ReadDocument(edition_of(about, parsed, edition, documents), before)
    except InputError as error:
        if before is not None:
            raise
        reason = str(error)
        raise UnreadableDocument(
            reason, record_of(about, ParsedDocument("", (), unread=(reason,)), edition, is_read=False)
        ) from error


def known_document(erasure: Erasure, recent: StoredDocument | None, services: Services) -> StoredDocument | None:
    """The record of a document that is to be erased. Blocks: for the pool."""
    assert erasure.owner is not None, "a document's owner is known from the start"
    return recent or stored_document(erasure.owner, erasure.lane, services)


def stored_document(owner: Owner, identity: str, services: Services) -> StoredDocument | None:
    """The record of a document, by its id. Blocks: for the pool."""
    key = Key(Collection.CONTROL, owner.key, identity)
    row = services.index.get([key]).get(key)
    record = row.record() if row is not None else None
    return record if isinstance(record, StoredDocument) else None


def about_event(event: Document, position: Position, received_at: datetime | None) -> About:
    """The description of a document in its event."""
    return About(
        owner=event.owner,
        document_id=event.document_id,
        name=event.name,
        position=position,
        arrived_at=received_at or event.dated_at or utc_now(),
        dated_at=event.dated_at,
        modified_at=event.modified_at,
        media_type=event.media_type,
        uri=event.uri,
        metadata=dict(event.metadata),
    )


def content_of(event: Document, references: References) -> bytes:
    """The bytes of a document."""
    if event.uri is not None:
        return references.read(event.uri, event.tenant_id, event.sha256)
    return b64decode(event.data) if event.data is not None else (event.content or "").encode()
