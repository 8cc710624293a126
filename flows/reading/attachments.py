"""Reading the attachments of a message: their text takes its place in the message. Blocks: for the pool.

A short text stands in the message whole; of a long one the beginning does, and all of it becomes a document of its own, cut
into chunks. A recording of one speaker is what the sender says. What cannot be read is named, with the reason.
"""

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from flows.embedding.amendments import stored_message
from flows.items import Unread
from flows.lanes.erasures import Said, Tombstones, is_erased, tombstone_keys
from flows.lanes.owners import conversation_key, origin_of, owner_in, tenant_of
from flows.lanes.scheduling import NotReady, worth_retrying
from flows.lanes.services import Services
from flows.reading.documents import stored_document
from flows.reading.editions import About, Edition, edition_of, record_of
from mneme.errors import InputError, ModelError
from mneme.events import Edit, Message, Part
from mneme.ids import content_hash, document_key
from mneme.ports import ParsedDocument
from mneme.records import Owner, StoredDocument, StoredMessage
from mneme.times import utc_now

_LONGEST_IN_PLACE = 2_000  # characters of one attachment
_EXCERPT = 600  # characters of a longer one
_LONGEST_REASON = 200  # characters of why one was not read
_EXTENSIONS = {"image": "png", "audio": "mp3", "file": ""}


@dataclass(frozen=True, slots=True, eq=False)
class Attached:
    """A message with its attachments read: its whole ``text``, and for each attachment its edition.

    ``before`` are the records of those that it had, from the first on. ``text`` is None where there is nothing to amend.
    """

    text: str | None
    editions: tuple[Edition, ...] = ()
    before: tuple[StoredDocument, ...] = ()


def read_attachments(
    unread: Unread, recent: Mapping[str, StoredDocument], erased: Tombstones, services: Services
) -> Attached | None:
    """The message with what was read; None if it is a repetition, was edited since, is erased, or a stranger's.

    A repetition of a message of which nothing was read stands in for it: its dead letter was replayed.

    Args:
        unread: a message or an edit.
        recent: records that its lane wrote a moment ago, by their ids.
        erased: the erasures of a moment ago, which the index may not show yet.
        services: what reads it, and where.

    Raises:
        NotReady: the message is on its way to the index.
        StoreUnavailable, ModelError: worth trying again.
    """
    event = unread.event
    assert isinstance(event, Message | Edit)
    if isinstance(event, Message) and _is_of_a_stranger(event, erased, services):
        return None
    stored = stored_message(event.tenant_id, event.conversation_id, event.message_id, None, services)
    if stored is None:
        raise NotReady(f"message {event.message_id} is on its way to the index", partial(_without_message, unread, services))
    was_changed = stored.edited_by not in (None, unread.position)  # its own amendment is no edit
    # One of words follows that: the text stays. An edit behind it withdraws what is read here.
    had_words_changed = was_changed and bool(stored.corrected or stored.retracted)
    was_edited = was_changed and not had_words_changed
    before = attachments_of(stored.owner, event.conversation_id, event.message_id, recent, services)
    if isinstance(event, Message):
        is_repeated = stored.position != unread.position and (bool(before) or stored.text != event.text)
        if is_repeated or was_edited or stored.deleted:
            return None
    assert not isinstance(event.content, str)
    numbers = count()
    reading = [_Part(unread, part, next(numbers) if part.is_attached else 0, stored, services) for part in event.content]
    read = [part.read() for part in reading]
    return Attached(
        None if isinstance(event, Message) and had_words_changed else "\n".join(text for text, _ in read),
        tuple(edition for _, edition in read if edition is not None),
        before,
    )


def _is_of_a_stranger(event: Message, erased: Tombstones, services: Services) -> bool:
    """Return whether a conversation is another owner's, so that its message is refused (flows/embed.py)."""
    key = conversation_key(event.tenant_id, event.conversation_id)
    origin = origin_of(services.index.get([key]).get(key))
    if origin is None or origin.owner == event.owner:
        return False
    rows = services.index.get(tombstone_keys(origin.owner, event.conversation_id))
    return not is_erased(Said.first(origin, event.conversation_id), rows, erased)


def _without_message(unread: Unread, services: Services) -> Attached | None:
    """The outcome where the message is not there; None if it is erased. Raises InputError if nobody knows why."""
    event = unread.event
    if isinstance(event, Edit):
        return Attached(event.text)  # refused where edits are
    assert isinstance(event, Message)
    erased = services.index.get(tombstone_keys(event.owner, event.conversation_id))
    arrived_at = unread.received_at or event.sent_at
    if is_erased(Said(event.owner, event.conversation_id, None, unread.position, arrived_at), erased):
        return None
    raise InputError(f"message {event.message_id} is not in the index, so that its attachments are not read; send it again")


def attachments_of(
    owner: Owner, conversation_id: str, message: str, recent: Mapping[str, StoredDocument], services: Services
) -> tuple[StoredDocument, ...]:
    """The records of a message's attachments, from the first on; ``recent`` those that may not be in the index yet."""
    documents: list[StoredDocument] = []
    while True:
        identity = document_key(owner.key, attachment_id(conversation_id, message, len(documents)))
        record = recent.get(identity) or stored_document(owner, identity, services)
        if record is None:
            return tuple(documents)
        documents.append(record)


def attachments_of_message(
    tenant_id: str, conversation_id: str, message: str, recent: Mapping[str, StoredDocument], services: Services
) -> Attached:
    """The records of what a message had attached before it was edited or deleted."""
    owner = owner_in(services.index, tenant_id, conversation_id) or tenant_of(tenant_id)
    return Attached(None, before=attachments_of(owner, conversation_id, message, recent, services))


def attachment_id(conversation_id: str, message: str, number: int) -> str:
    """The document id of an attachment, the ``number``-th of its message."""
    return f"{conversation_id}/{message}/{number}"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One part of a message as it is read."""

    _unread: Unread
    _part: Part
    _number: int
    _stored: StoredMessage
    _services: Services

    def read(self) -> tuple[str, Edition | None]:
        """The text that stands in the message for it, and its edition, if there was something to read."""
        part = self._part
        if not part.is_attached:
            return part.as_text(), None
        name = _name(part, self._number)
        parsed, content = self._parsed(name)
        if not (parsed.sections or parsed.spoken or parsed.unread):
            parsed = replace(parsed, unread=("there is no text in it",))
        caption = f"{part.text}\n" if part.text else ""
        return caption + self._in_place(name, parsed), self._edition(name, parsed, content)

    def _in_place(self, name: str, parsed: ParsedDocument) -> str:
        """The text of an attachment in the message."""
        kind = self._part.type
        if parsed.spoken and len({said.speaker for said in parsed.spoken}) == 1:
            return " ".join(said.text for said in parsed.spoken)
        read = "\n".join(section.text for section in parsed.sections)
        read = read or "\n".join(f"{said.speaker}: {said.text}" for said in parsed.spoken)
        if not read:
            reasons = "; ".join(each.removeprefix(f"{name}: ") for each in parsed.unread)
            return f"[{kind}: {name}, not read: {reasons[:_LONGEST_REASON]}]"
        if len(read) > _LONGEST_IN_PLACE:
            about = f", {parsed.pages} pages" if parsed.pages else ""
            return f"[{kind}: {name}{about}: {_bracketed(read[:_EXCERPT])} …]"
        return f"[{kind}: {name}: {_bracketed(read)}]"

    def _parsed(self, name: str) -> tuple[ParsedDocument, bytes]:
        part, reading = self._part, self._services.reading
        assert reading is not None, "a flow that takes attachments has what reads them"
        content = b""
        try:
            if part.data is not None:
                content = b64decode(part.data)
            else:
                content = reading.references.read(part.uri or "", self._stored.owner.tenant_id)
            scope = f"{self._stored.owner.key}/{self._stored.conversation_id}"
            return reading.reader.read(content, name, part.media_type, scope), content
        except InputError as error:
            return ParsedDocument(name, (), unread=(str(error),)), content
        except ModelError as error:
            if worth_retrying(error):
                raise
            return ParsedDocument(name, (), unread=(str(error),)), content

    def _edition(self, name: str, parsed: ParsedDocument, content: bytes) -> Edition:
        """Its record; where it is long, with chunks of its own."""
        message = self._stored
        about = About(
            owner=message.owner,
            document_id=attachment_id(message.conversation_id or "", message.message_id, self._number),
            name=name,
            position=self._unread.position,
            arrived_at=self._unread.received_at or message.sent_at or utc_now(),
            dated_at=message.sent_at,  # it is remembered with the message
            media_type=self._part.media_type,
            uri=self._part.uri,
            conversation_id=message.conversation_id,
            message_id=message.message_id,
        )
        documents = self._services.settings.documents
        edition = about.edition(content_hash(content), documents)
        if sum(len(section.text) for section in parsed.sections) > _LONGEST_IN_PLACE:
            return edition_of(about, replace(parsed, spoken=()), edition, documents)  # speech stands in the message
        return Edition(record_of(about, parsed, edition, is_read=bool(parsed.sections or parsed.spoken)), ())


def _name(part: Part, number: int) -> str:
    """The name of an attachment."""
    if part.name:
        return part.name
    if part.uri and (name := PurePosixPath(unquote(urlsplit(part.uri).path)).name):
        return name
    subtype = (part.media_type or "").split(";")[0].rpartition("/")[2] or _EXTENSIONS.get(part.type, "")
    return f"{part.type}-{number + 1}{f'.{subtype}' if subtype else ''}"


def _bracketed(text: str) -> str:
    """A text that stands in brackets: none of its own, and no empty lines."""
    return re.sub(r"\n\s*\n+", "\n", text.replace("[", "(").replace("]", ")")).strip()
