"""Events parked in the index while a lane works on them: state values hold no texts (DESIGN section 5)."""

from datetime import datetime
from typing import Any

from flows.items import Unread
from flows.lanes.owners import tenant_of
from mneme.events import Document, Edit, Message, parse_event
from mneme.ids import make_id
from mneme.ports import Incoming
from mneme.records import Position
from mneme.rows import Collection, Row
from mneme.times import from_milliseconds, to_milliseconds


def body_of(raw: bytes, position: Position, received_at: datetime | None) -> dict[str, Any]:
    """The body of the row in which an event waits."""
    received = to_milliseconds(received_at) if received_at else None
    return {"raw": raw.decode(), "position": position.model_dump(), "received": received}


def incoming_of(body: dict[str, Any]) -> Incoming:
    """The event that waits in a row, as it came."""
    received = body["received"]
    received_at = from_milliseconds(received) if received is not None else None
    return Incoming(body["raw"].encode(), Position.model_validate(body["position"]), received_at)


KIND = "unread"


def unread_row(unread: Unread, version: int) -> Row:
    """The row in which an event waits to be read."""
    event = unread.event
    owner = tenant_of(event.tenant_id) if isinstance(event, Edit) else event.owner
    return Row(
        collection=Collection.CONTROL,
        id=make_id(KIND, event.tenant_id, str(unread.position)),
        kind=KIND,
        version=version,
        tenant_id=owner.tenant_id,
        owner_key=owner.key,
        owner_type=owner.type,
        owner_id=owner.id,
        at=unread.received_at or (event.sent_at if isinstance(event, Message) else from_milliseconds(0)),
        body=body_of(unread.raw, unread.position, unread.received_at),
        conversation_id=None if isinstance(event, Document) else event.conversation_id,
        document_id=event.document_id if isinstance(event, Document) else None,
    )


def unread_in(row: Row) -> Unread:
    """The event that waits in a row."""
    incoming = incoming_of(row.body)
    event = parse_event(incoming.raw, incoming.received_at)
    assert isinstance(event, Document | Message | Edit), "only these wait to be read"
    return Unread(event, incoming.position, incoming.received_at, incoming.raw)
