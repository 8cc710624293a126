"""decode: bytes of a source become what the lanes take; what is wrong becomes a dead letter and the stream goes on."""

import logging
from collections.abc import Iterator
from datetime import UTC

from flows.items import Amendment, Arrived, Decoded, Erasure, Pause, Unread
from mneme.errors import InputError
from mneme.events import (
    Correct,
    Delete,
    Document,
    Edit,
    Erase,
    Flush,
    Forget,
    ForgetDocument,
    Message,
    Retract,
    parse_event,
)
from mneme.ids import conversation_path, episode_id, fact_id
from mneme.ports import DeadLetter, Incoming
from mneme.records import Corrected, Owner
from mneme.times import to_milliseconds, utc_now

log = logging.getLogger(__name__)


def decode(incoming: Incoming, buckets: int) -> Iterator[Decoded]:
    """One event as what the lanes take, or as a dead letter with its raw bytes.

    A message gives one ``Arrived``, with attachments an ``Unread`` behind it. A document, and an edit with attachments, give an
    ``Unread``. Another edit, a delete or a retraction gives an ``Amendment``; a correction gives one behind its own message.
    A flush gives a ``Pause``. The erasure of a conversation or a document gives one ``Erasure``, that of an owner one for each
    of the ``buckets`` of conversations. Versions are 1: a first write only creates (flows/embed.py).
    """
    try:
        event = parse_event(incoming.raw, incoming.received_at, incoming.position.offset)
        match event:
            case Message():
                created_at = incoming.received_at or event.sent_at
                yield Arrived(event.stored(event.owner, incoming.position, created_at, version=1), incoming.raw)
                if isinstance(event, Correct):
                    yield amendment_of(event, incoming)
                elif has_attachments(event):
                    yield Unread(event, incoming.position, incoming.received_at, incoming.raw)
            case Document():
                yield Unread(event, incoming.position, incoming.received_at, incoming.raw)
            case Flush():
                yield Pause(
                    conversation_path(event.tenant_id, event.conversation_id),
                    "flush",
                    tenant_id=event.tenant_id,
                    flush_id=event.flush_id,
                )
            case Edit() if has_attachments(event):
                yield Unread(event, incoming.position, incoming.received_at, incoming.raw)
            case Edit() | Delete() | Retract():
                yield amendment_of(event, incoming)
            case Forget():
                yield _erasure_of(event, incoming, conversation_id=event.conversation_id)
            case ForgetDocument():
                yield _erasure_of(event, incoming, document_id=event.document_id, owner=event.owner)
            case Erase():
                for bucket in range(buckets):
                    yield _erasure_of(event, incoming, owner=event.owner, bucket=bucket, tokens=buckets)
    except InputError as error:
        yield _refused(incoming, str(error))
    except Exception as error:  # noqa: BLE001  a defect that one event meets must not stop the stream at every start
        log.error("%s cannot be decoded: %s; see the dead letter", incoming.position, type(error).__name__)
        yield _refused(incoming, f"{type(error).__name__}: {error}")


def amendment_of(event: Edit | Delete | Correct | Retract, incoming: Incoming) -> Amendment:
    """The amendment that an event asks for."""
    corrected = None
    if isinstance(event, Correct):
        episode = episode_id(event.tenant_id, event.conversation_id, to_milliseconds(event.sent_at), event.message_id)
        corrected = Corrected(at=event.sent_at.astimezone(UTC), by=fact_id(episode, 0))
    return Amendment(
        tenant_id=event.tenant_id,
        conversation_id=event.conversation_id,
        message_id=event.corrects if isinstance(event, Correct) else event.message_id,
        text=event.text if isinstance(event, Edit) else None,
        position=incoming.position,
        received_at=incoming.received_at,
        raw=incoming.raw,
        words=event.words if isinstance(event, Correct | Retract) else "",
        corrected=corrected,
        owner=event.owner if isinstance(event, Correct) else None,
    )


def has_attachments(event: Message | Edit) -> bool:
    """Return whether something of a message is to be read."""
    return not isinstance(event.content, str) and any(part.is_attached for part in event.content)


def _erasure_of(
    event: Forget | ForgetDocument | Erase,
    incoming: Incoming,
    *,
    conversation_id: str | None = None,
    document_id: str | None = None,
    owner: Owner | None = None,
    bucket: int = 0,
    tokens: int = 1,
) -> Erasure:
    return Erasure(
        tenant_id=event.tenant_id,
        conversation_id=conversation_id,
        owner=owner,
        erasure_id=event.erasure_id or incoming.position.key,
        arrived_at=(incoming.received_at or event.requested_at).astimezone(UTC),
        position=incoming.position,
        bucket=bucket,
        tokens=tokens,
        document_id=document_id,
        is_dated=incoming.received_at is None and "requested_at" in event.model_fields_set,
    )


def _refused(incoming: Incoming, reason: str) -> DeadLetter:
    return DeadLetter("decode", reason, incoming.raw, incoming.position, incoming.received_at or utc_now())
