"""Events parked in the index while a lane works on them: state values hold no texts (DESIGN section 5).

An amendment, a document, or a message with attachments is written to ``control`` when it arrives, and removed with the write
that finishes it.
"""

from datetime import datetime
from typing import Any

from flows.decode import amendment_of
from flows.items import Amendment, Unread
from flows.lanes.owners import tenant_of
from mneme.events import Correct, Delete, Document, Edit, Message, Retract, parse_event
from mneme.ids import make_id
from mneme.ports import Incoming
from mneme.records import Position
from mneme.rows import Row, control_row
from mneme.times import from_milliseconds, to_milliseconds

AMENDMENT, UNREAD = "amendment", "unread"
PARKED = (AMENDMENT, UNREAD)  # kinds of rows


def amendment_row(amendment: Amendment, version: int) -> Row:
    """The row in which an amendment waits to be applied."""
    tenant_id, received_at = amendment.tenant_id, amendment.received_at
    return control_row(
        tenant_of(tenant_id),
        AMENDMENT,
        make_id(AMENDMENT, tenant_id, amendment.conversation_id, amendment.position.key),
        version,
        received_at or from_milliseconds(0),
        _body(amendment.raw, amendment.position, received_at),
        conversation_id=amendment.conversation_id,
    )


def amendment_in(row: Row) -> Amendment:
    """The amendment that waits in a row."""
    incoming = incoming_in(row)
    event = parse_event(incoming.raw, incoming.received_at, incoming.position.offset)
    assert isinstance(event, Edit | Delete | Correct | Retract), "only these are parked as amendments"
    return amendment_of(event, incoming)


def unread_of(amendment: Amendment) -> Unread:
    """An amendment of words as what waits for the attachments of its message."""
    event = parse_event(amendment.raw, amendment.received_at, amendment.position.offset)
    assert isinstance(event, Correct | Retract), "only these amend words"
    return Unread(event, amendment.position, amendment.received_at, amendment.raw)


def unread_row(unread: Unread, version: int) -> Row:
    """The row in which an event waits to be read."""
    event = unread.event
    return control_row(
        tenant_of(event.tenant_id) if isinstance(event, Edit | Retract) else event.owner,
        UNREAD,
        make_id(UNREAD, event.tenant_id, unread.position.key),
        version,
        unread.received_at or (event.sent_at if isinstance(event, Message) else from_milliseconds(0)),
        _body(unread.raw, unread.position, unread.received_at),
        conversation_id=None if isinstance(event, Document) else event.conversation_id,
        document_id=event.document_id if isinstance(event, Document) else None,
    )


def unread_in(row: Row) -> Unread:
    """The event that waits in a row to be read."""
    incoming = incoming_in(row)
    event = parse_event(incoming.raw, incoming.received_at, incoming.position.offset)
    assert isinstance(event, Document | Message | Edit | Retract), "only these wait to be read"
    return Unread(event, incoming.position, incoming.received_at, incoming.raw)


def incoming_in(row: Row) -> Incoming:
    """The event that waits in a row, as it came."""
    received = row.body["received"]
    received_at = from_milliseconds(received) if received is not None else None
    return Incoming(row.body["raw"].encode(), Position.model_validate(row.body["position"]), received_at)


def _body(raw: bytes, position: Position, received_at: datetime | None) -> dict[str, Any]:
    received = to_milliseconds(received_at) if received_at else None
    return {"raw": raw.decode(), "position": position.model_dump(), "received": received}
