"""decode: bytes of a source become messages of a lane; what is wrong becomes a dead letter and the stream goes on."""

import logging
from collections.abc import Iterator
from datetime import UTC

from connectors.documents.references import FileReferences
from flows.chunks import chunk
from flows.items import Amendment, Arrived, Erasure, Pause, lane_of
from mneme.errors import InputError
from mneme.events import Delete, Document, Edit, Erase, Flush, Forget, Message, parse_event
from mneme.ids import content_hash, message_id
from mneme.ports import DeadLetter, DocumentParser, Incoming, References
from mneme.records import Owner, StoredMessage
from mneme.times import utc_now
from mneme.tokens import estimate_tokens

_NO_REFERENCES = FileReferences()

log = logging.getLogger(__name__)


def decode(
    incoming: Incoming, parser: DocumentParser, buckets: int, references: References = _NO_REFERENCES
) -> Iterator[Arrived | Amendment | Pause | Erasure | DeadLetter]:
    """One event as what the lanes take, or as a dead letter with its raw bytes.

    A message gives one ``Arrived``, a document one for each chunk, an edit or delete an ``Amendment``, a flush a ``Pause``, the
    erasure of a conversation one ``Erasure``, that of an owner one for each of the ``buckets`` of conversations.
    Versions are 1: a first write only creates (flows/embed.py).
    """
    try:
        event = parse_event(incoming.raw, incoming.received_at)
        match event:
            case Message():
                created_at = incoming.received_at or event.sent_at
                yield Arrived(event.stored(event.owner, incoming.position, created_at, version=1))
            case Document():
                yield from _chunks(event, incoming, parser, references)
            case Flush():
                yield Pause(
                    lane_of(event.tenant_id, event.conversation_id), "flush", tenant_id=event.tenant_id, flush_id=event.flush_id
                )
            case Edit() | Delete():
                yield amendment_of(event, incoming)
            case Forget():
                yield _erasure_of(event, incoming, conversation_id=event.conversation_id, owner=None)
            case Erase():
                for bucket in range(buckets):
                    yield _erasure_of(event, incoming, None, event.owner, bucket, tokens=buckets)
    except InputError as error:
        yield _refused(incoming, str(error))
    except Exception as error:  # noqa: BLE001  a defect that one event meets must not stop the stream at every start
        log.error("%s cannot be decoded: %s; see the dead letter", incoming.position, type(error).__name__)
        yield _refused(incoming, f"{type(error).__name__}: {error}")


def amendment_of(event: Edit | Delete, incoming: Incoming) -> Amendment:
    """The amendment that an event asks for."""
    return Amendment(
        tenant_id=event.tenant_id,
        conversation_id=event.conversation_id,
        message_id=event.message_id,
        text=event.text if isinstance(event, Edit) else None,
        position=incoming.position,
        received_at=incoming.received_at,
        raw=incoming.raw,
    )


def _erasure_of(
    event: Forget | Erase,
    incoming: Incoming,
    conversation_id: str | None,
    owner: Owner | None,
    bucket: int = 0,
    tokens: int = 1,
) -> Erasure:
    return Erasure(
        tenant_id=event.tenant_id,
        conversation_id=conversation_id,
        owner=owner,
        erasure_id=event.erasure_id or str(incoming.position),
        arrived_at=(incoming.received_at or event.requested_at).astimezone(UTC),
        position=incoming.position,
        bucket=bucket,
        tokens=tokens,
    )


def _refused(incoming: Incoming, reason: str) -> DeadLetter:
    return DeadLetter("decode", reason, incoming.raw, incoming.position, incoming.received_at or utc_now())


def _chunks(document: Document, incoming: Incoming, parser: DocumentParser, references: References) -> Iterator[Arrived]:
    if document.uri is not None:  # read here, on the worker: a local file of bounded size takes less than to embed it
        content = references.read(document.uri, document.tenant_id, document.sha256)
    else:
        content = (document.content or "").encode()
    parsed = parser.parse(content, document.name, document.media_type)
    dated_at = (document.dated_at or parsed.dated_at or incoming.received_at or utc_now()).astimezone(UTC)
    version_of_content = content_hash(content)[:12]
    position = 0
    for section in parsed.sections:
        for text in chunk(section.text):
            caller_id = f"{version_of_content}-{position:05d}"
            yield Arrived(
                StoredMessage(
                    id=message_id(document.tenant_id, f"d/{document.document_id}", caller_id),
                    owner=document.owner,
                    document_id=document.document_id,
                    created_at=incoming.received_at or dated_at,
                    version=1,
                    message_id=caller_id,
                    sender_id=document.name,
                    sender_name=parsed.title or document.name,
                    role="system",
                    sent_at=dated_at,
                    timezone="UTC",
                    text=text,
                    tokens=estimate_tokens(text),
                    position=incoming.position,
                    metadata={**document.metadata, "section": section.title, "place": section.place, "chunk": position},
                )
            )
            position += 1
    if position == 0:
        raise InputError(f"content: {document.name!r} has no text")
