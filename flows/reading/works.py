"""What the read step has at work, and how its snapshots tell of it."""

from dataclasses import dataclass
from typing import Any

from flows.items import Erasure, Pause, Unread
from flows.reading.attachments import Attached
from flows.reading.documents import ReadDocument
from flows.reading.release import Release
from flows.references import refer, referred
from mneme.records import StoredDocument
from mneme.rows import Collection, Key

Outcome = ReadDocument | Attached | StoredDocument | None


@dataclass(slots=True, eq=False)
class Work:
    """Something at work in its ``lane``: an event that is read, which waits under ``key``; a ``message`` (tenant, conversation,
    message) whose attachments go; the erasure of a document; or a pause behind them.

    ``released`` counts messages that went on.
    """

    lane: str
    key: Key | None = None
    unread: Unread | None = None
    message: tuple[str, str, str] | None = None
    erasure: Erasure | None = None
    pause: Pause | None = None
    released: int = 0


@dataclass(slots=True, eq=False)
class Finished:
    """The outcome of work, which goes on; ``releases`` once it has begun to."""

    outcome: Outcome | BaseException
    releases: list[Release] | None = None


@dataclass(slots=True, eq=False)
class Settling:
    """Work of which everything went on, and the records that will say so: after some snapshots (flows/held.py)."""

    work: Work
    releases: list[Release]
    snapshots: int = 0


def entry_of(work: Work) -> dict[str, Any]:
    """A work in a snapshot."""
    if work.pause is not None:
        return {"pause": refer(work.pause)}
    if work.erasure is not None:
        return {"erasure": refer(work.erasure)}
    if work.message is not None:
        return {"lane": work.lane, "message": list(work.message)}
    assert work.key is not None, "an event waits under its key"
    return {"lane": work.lane, "key": [work.key.owner_key, work.key.id], "released": work.released}


def work_in(entry: dict[str, Any]) -> Work:
    """The work that a snapshot tells of; its event is to be read again."""
    if "pause" in entry or "erasure" in entry:
        item = referred(entry.get("pause") or entry["erasure"])
        assert isinstance(item, Pause | Erasure), "only these are referred to"
        return Work(item.lane, pause=item) if isinstance(item, Pause) else Work(item.lane, erasure=item)
    if "message" in entry:
        tenant_id, conversation_id, message_id = entry["message"]
        return Work(entry["lane"], message=(tenant_id, conversation_id, message_id))
    return Work(entry["lane"], Key(Collection.CONTROL, *entry["key"]), released=entry["released"])
