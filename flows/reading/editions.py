"""Editions of a document: its record, and its text as messages, chunk by chunk. Pure.

A chunk is named by what it says and where: what a new version leaves as it was keeps its ids, and costs nothing.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from connectors.documents.blocks import place_within
from connectors.documents.formats.captions import clock
from mneme.errors import InputError
from mneme.ids import chunk_id, document_key, message_id, short_hash
from mneme.ports import ParsedDocument
from mneme.records import Citation, Owner, Position, Scalar, StoredDocument, StoredMessage
from mneme.settings import Documents
from mneme.text import estimate_tokens

_ENDS = (". ", "。"), ("\n",), (" ",)  # where to cut, best first: after a sentence, a line, a word


def chunk(text: str, size: int, overlap: int) -> list[tuple[int, str]]:
    """The text as chunks of at most ``size`` characters, each with where it begins: with the end of the one before.

    A cut lies after a sentence, else after a line, else after a word, else anywhere, in the second half of the chunk.
    An overlap begins in the same way and has between half of ``overlap`` and ``overlap`` characters. White space
    around chunks is dropped, and nothing else.

    >>> chunk("Tea is green. Coffee is black. Milk is white.", size=32, overlap=15)
    [(0, 'Tea is green. Coffee is black.'), (21, 'is black. Milk is white.')]

    Raises:
        ValueError: an overlap that is negative or not smaller than half of the size.
    """
    pieces = ((start, text[start:end]) for start, end in spans(text, size, overlap))
    return [(start + len(piece) - len(piece.lstrip()), stripped) for start, piece in pieces if (stripped := piece.strip())]


def spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The beginnings and ends of the chunks of a text, before white space is dropped; see ``chunk``."""
    if not 0 <= overlap < size / 2:
        raise ValueError(f"overlap: {overlap} is not from 0 to under half of the size, which is {size}")
    start = 0
    while len(text) - start > size:
        end = _place(text.rfind, max, start + (size + 1) // 2, start + size)
        yield start, end
        start = _place(text.find, min, end - overlap, end - (overlap + 1) // 2)
    if start < len(text):
        yield start, len(text)


def _place(find: Callable[[str, int, int], int], best: Callable[[list[int]], int], low: int, high: int) -> int:
    """A good place to cut or begin from ``low`` to ``high``: the last or the first, as ``find`` and ``best`` do."""
    for separators in _ENDS:
        found = [(find(each, max(0, low - len(each)), high), len(each)) for each in separators]
        if ends := [at + length for at, length in found if at >= 0]:
            return best(ends)
    return best([low, high])


_READING = 2  # raised when documents are to be read anew that are sent again: a parser or the chunks have changed


@dataclass(frozen=True, slots=True)
class About:
    """The description of a document from outside.

    ``dated_at`` is what its sender says, ``modified_at`` when its file was changed, ``arrived_at`` when it came. An attachment
    has the conversation and the message it is in.
    """

    owner: Owner
    document_id: str
    name: str
    position: Position
    arrived_at: datetime
    dated_at: datetime | None = None
    modified_at: datetime | None = None
    media_type: str | None = None
    uri: str | None = None
    metadata: dict[str, Scalar] = field(default_factory=dict)
    conversation_id: str | None = None
    message_id: str | None = None

    @property
    def key(self) -> str:
        """The id of the document."""
        return document_key(self.owner.key, self.document_id)

    def speech(self, edition: str) -> str:
        """The id of the conversation that its speech is: one for each edition, so that an old one goes as a whole."""
        return f"speech/{self.owner.type}/{self.owner.id}/{self.document_id}/{edition}"

    def edition(self, content_hash: str, documents: Documents) -> str:
        """Names what would be made of a content: another edition means that something may have changed."""
        said = [self.name, self.media_type, self.dated_at.isoformat() if self.dated_at else None, self.metadata]
        return short_hash(
            json.dumps([_READING, content_hash, said, documents.chunk_size, documents.chunk_overlap], sort_keys=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Edition:
    """A document as it was read: its record, and its chunks, or what is said in it, in order."""

    document: StoredDocument
    messages: tuple[StoredMessage, ...]

    @property
    def is_speech(self) -> bool:
        """Return whether its messages are those of a conversation."""
        return bool(self.messages) and self.messages[0].document_id is None


def edition_of(about: About, parsed: ParsedDocument, edition: str, documents: Documents) -> Edition:
    """The edition of a parsed document. One that was not read has a chunk of its name, so that it is found by that.

    Raises:
        InputError: there is no text in it, and nothing that was left unread.
    """
    spoken = bool(parsed.spoken)
    if spoken:
        messages = tuple(_speech(about, parsed, about.speech(edition)))
    elif parsed.sections:
        messages = tuple(_chunks(about, parsed, documents))
    else:
        messages = ()
    if not messages and not parsed.unread:
        raise InputError(f"content: {about.name!r} has no text")
    record = record_of(about, parsed, edition, is_read=bool(messages))
    messages = messages or (_mention(about, parsed),)
    place = {"conversation_id": about.speech(edition)} if spoken else {}
    return Edition(record.model_copy(update={"chunk_ids": tuple(message.id for message in messages), **place}), messages)


def record_of(about: About, parsed: ParsedDocument, edition: str, is_read: bool) -> StoredDocument:
    """The record of a document that has no chunks of its own."""
    return StoredDocument(
        id=about.key,
        owner=about.owner,
        conversation_id=about.conversation_id,
        document_id=about.document_id,
        created_at=about.arrived_at,
        version=0,
        name=about.name,
        title=parsed.title or about.name,
        format=parsed.format,
        edition=edition,
        status="read" if is_read else "unread",
        dated_at=_dated_at(about, parsed),
        position=about.position,
        uri=about.uri,
        media_type=about.media_type,
        message_id=about.message_id,
        pages=parsed.pages,
        characters=sum(len(section.text) for section in parsed.sections) + sum(len(each.text) for each in parsed.spoken),
        unread=parsed.unread,
        metadata={**parsed.metadata, **about.metadata},
    )


def _dated_at(about: About, parsed: ParsedDocument) -> datetime:
    return about.dated_at or parsed.dated_at or about.modified_at or about.arrived_at


def _chunks(about: About, parsed: ParsedDocument, documents: Documents) -> Iterator[StoredMessage]:
    names = _Names(about, parsed)
    for section in parsed.sections:
        for begin, text in chunk(section.text, documents.chunk_size, documents.chunk_overlap):
            place = place_within(section.place, section.text.count("\n", 0, begin), text.count("\n") + 1)
            yield _chunk(about, parsed, names.of(section.title, place, text), text, section.title, place)


def _mention(about: About, parsed: ParsedDocument) -> StoredMessage:
    """The chunk of a document that was not read: its name and context."""
    context = "; ".join(str(value) for value in about.metadata.values())
    text = " ".join(each for each in (f"[file: {about.name}, not read: {'; '.join(parsed.unread)}]", context) if each)
    return _chunk(about, parsed, _Names(about, parsed).of(text), text, "", "")


def _chunk(about: About, parsed: ParsedDocument, name: str, text: str, section: str, place: str) -> StoredMessage:
    return StoredMessage(
        id=chunk_id(about.key, name),
        owner=about.owner,
        conversation_id=about.conversation_id,
        document_id=about.document_id,
        created_at=about.arrived_at,
        version=1,
        message_id=name,
        sender_id=about.name,
        sender_name=parsed.title or about.name,
        role="system",
        sent_at=_dated_at(about, parsed),
        timezone="UTC",
        text=text,
        tokens=estimate_tokens(text),
        position=about.position,
        metadata=about.metadata,
        citation=Citation(document_id=about.document_id, name=about.name, section=section, place=place, uri=about.uri),
    )


def _speech(about: About, parsed: ParsedDocument, conversation_id: str) -> Iterator[StoredMessage]:
    """The speech of a recording, as the messages of a conversation of its own."""
    began, names = _dated_at(about, parsed), _Names(about, parsed)
    for said in parsed.spoken:
        speaker = said.speaker or parsed.title or about.name
        name = names.of(speaker, str(said.begins), said.text)
        yield StoredMessage(
            id=message_id(about.owner.tenant_id, conversation_id, name),
            owner=about.owner,
            conversation_id=conversation_id,
            created_at=about.arrived_at,
            version=1,
            message_id=name,
            sender_id=speaker,
            sender_name=speaker,
            role="user",
            sent_at=began + timedelta(seconds=said.begins),
            timezone="UTC",
            text=said.text,
            tokens=estimate_tokens(said.text),
            position=about.position,
            metadata=about.metadata,
            citation=Citation(
                document_id=about.document_id, name=about.name, section=parsed.title, place=clock(said.begins), uri=about.uri
            ),
        )


class _Names:
    """Names of chunks: hashes of all that is stored of them. A date counts where the document has one, not that of arrival."""

    def __init__(self, about: About, parsed: ParsedDocument) -> None:
        own_date = about.dated_at or parsed.dated_at
        date = own_date.isoformat() if own_date is not None else ""
        self._common = (about.name, parsed.title, date, json.dumps(about.metadata, sort_keys=True))
        self._seen: Counter[tuple[str, ...]] = Counter()

    def of(self, *parts: str) -> str:
        self._seen[parts] += 1
        return short_hash("\0".join((*self._common, *parts, str(self._seen[parts]))))
