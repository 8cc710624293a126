"""The documents of an owner, and what became of each: ``Memories.documents``."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Literal

from pydantic import BaseModel, ConfigDict

from mneme.errors import InputError
from mneme.ids import chunk_episode_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import Scalar, StoredDocument
from mneme.rows import Collection
from queries.filtering.scope import Scope
from queries.records import shared_fields

MOST_DOCUMENTS = 100_000  # that are looked through, by id; others are asked for by conversation_id and document_id

Status = Literal["reading", "read", "unread"]


class ListedDocument(BaseModel):
    """A document, or an attachment of a message (then with ``conversation_id`` and ``message_id``).

    ``status``: ``reading`` until all of it is searchable, then ``read``; ``unread`` where nothing of it could be read, and it
    is found by its name alone. ``unread`` says what of it was not read, and why. ``pages`` (or sheets, or slides) is null where
    the format knows none; ``chunks`` are what it was cut into. ``dated_at`` is its own date, ``received_at`` when it came.
    ``owner`` is ``tenant/type/id``: of the tenant's knowledge ``tenant``.
    """

    model_config = ConfigDict(frozen=True)

    document_id: str
    owner: str
    name: str
    title: str
    format: str
    media_type: str | None
    status: Status
    unread: tuple[str, ...]
    pages: int | None
    characters: int
    chunks: int
    dated_at: datetime
    received_at: datetime
    uri: str | None
    conversation_id: str | None
    message_id: str | None
    metadata: dict[str, Scalar]

    @property
    def is_complete(self) -> bool:
        """True if all of it was read."""
        return self.status == "read" and not self.unread


class DocumentList(BaseModel):
    """Documents, the newest first. ``notes`` say what was left out."""

    model_config = ConfigDict(frozen=True)

    documents: tuple[ListedDocument, ...]
    notes: tuple[str, ...] = ()


def read_documents(index: MemoryIndex, scope: Scope) -> DocumentList:
    """The documents of the owners of a scope: the tenant's knowledge among them, as in a search.

    ``since`` and ``before`` are about the date of a document.

    Raises:
        InputError: the scope is one of the past, or narrowed by metadata, kinds or participants: these are for a search.
        StoreError: the index cannot answer.
    """
    if scope.is_past or scope.is_narrowed or scope.rows.people:
        raise InputError("filters: as_of, metadata, kinds and participants are for a search; a list of documents has none")
    records = list(islice(stored_documents(index, scope.rows), MOST_DOCUMENTS))
    listed = [listed_document(each) for each in records if _is_within(each, scope.rows)]
    listed.sort(key=lambda each: each.document_id)
    listed.sort(key=lambda each: each.dated_at, reverse=True)
    full = f"there may be more: only {MOST_DOCUMENTS:,} documents were looked at"
    return DocumentList(documents=tuple(listed), notes=(full,) if len(records) == MOST_DOCUMENTS else ())


def stored_documents(index: MemoryIndex, rows: Filter) -> Iterator[StoredDocument]:
    """The documents among the rows of a filter, whatever their dates, in the order of the index."""
    filter = replace(rows, kinds=("document",), since=None, before=None, valid_at=None)
    for row in index.scan(Collection.CONTROL, filter):
        record = row.record()
        if isinstance(record, StoredDocument):
            yield record


def in_order(documents: Iterable[StoredDocument]) -> dict[str, tuple[int, int]]:
    """For each chunk and its episode, by their ids, which document it is of and its place there, both from 0."""
    ordered = sorted(documents, key=lambda each: (each.dated_at, each.id))
    places = {chunk: (number, at) for number, each in enumerate(ordered) for at, chunk in enumerate(each.chunk_ids)}
    return places | {chunk_episode_id(chunk): place for chunk, place in places.items()}


def listed_document(document: StoredDocument) -> ListedDocument:
    """A document as a list shows it."""
    own = {"document_id": document.document_id or document.id, "owner": document.owner.key}
    counted = {"chunks": len(document.chunk_ids), "received_at": document.created_at}
    return ListedDocument(**shared_fields(ListedDocument, document) | own | counted)


def _is_within(document: StoredDocument, rows: Filter) -> bool:
    since, before = rows.since, rows.before
    return (since is None or since <= document.dated_at) and (before is None or document.dated_at < before)
