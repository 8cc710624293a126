"""Events that wait in the index while they are at work: their bytes in the body of a row of ``control``."""

from datetime import datetime
from typing import Any

from mneme.ports import Incoming
from mneme.records import Position
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
