"""A document on its way into the index: what of it is new, and what it no longer has. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flows.items import Erasure, Pause, Unread, Withdrawn, refer, referred
from flows.reading.attachments import Attached
from flows.reading.documents import ReadDocument
from flows.reading.editions import Edition
from mneme.ids import conversation_path
from mneme.records import StoredDocument, StoredMessage
from mneme.rows import Collection, Key, Row, row_of


class Release:
    """An edition in the place of the one before.

    Args:
        edition: what the document is made of now.
        before: its record until now. Of one that is still ``reading`` nobody knows how far it came: everything goes on again,
            and what it replaced is withdrawn again.
    """

    def __init__(self, edition: Edition, before: StoredDocument | None) -> None:
        self.messages: Sequence[StoredMessage] = edition.messages
        self._before = before
        self._speech = edition.document.conversation_id if edition.is_speech else None
        earlier = (*before.chunk_ids, *before.replaced_ids) if before is not None else ()
        own = frozenset(edition.document.chunk_ids)
        self._obsolete = tuple(each for each in dict.fromkeys(earlier) if each not in own)
        self._kept = frozenset(before.chunk_ids) if before is not None and before.status != "reading" else frozenset[str]()
        was = (before.speech, before.replaced_speech) if before is not None else ()
        replaced = next((each for each in was if each not in (None, self._speech)), None)
        self.record = edition.document.model_copy(update={"replaced_ids": self._obsolete, "replaced_speech": replaced})

    @property
    def has_changed(self) -> bool:
        """Return whether the edition is another than the one before."""
        before, now = self._before, self.record
        if before is None or before.status == "reading":
            return True
        return (before.edition, before.status, before.chunk_ids) != (now.edition, now.status, now.chunk_ids)

    def is_new(self, message: StoredMessage) -> bool:
        """Return whether a message of the edition was not in the one before."""
        return message.id not in self._kept

    def begun(self, version: int) -> Row:
        """The record while messages go on."""
        return row_of(self.record.model_copy(update={"status": "reading", "version": version}))

    def done(self, version: int) -> Row:
        """The record when all have."""
        return row_of(self.record.model_copy(update={"version": version}))

    def obsolete(self, attempt: int) -> Iterator[Withdrawn | Erasure]:
        """Withdraw what the document no longer has; ``attempt`` as of ``erasure_of_speech``."""
        yield from withdrawals(self.record, self._obsolete)
        if (speech := self.record.replaced_speech) is not None:
            yield erasure_of_speech(self.record, speech, attempt)

    def ends(self) -> Iterator[Pause]:
        """Pause behind speech, which shows its last episode: nothing follows it."""
        if self._speech is not None:
            owner = self.record.owner
            lane = conversation_path(owner.tenant_id, self._speech)
            yield Pause(lane, "end", tenant_id=owner.tenant_id, owner_key=owner.key)


def erasure_of_speech(record: StoredDocument, conversation_id: str, attempt: int) -> Erasure:
    """The erasure of a conversation that was a document's speech, until another version of it came.

    ``attempt`` is a new number each time: after a restart one may still be on its way when the next is sent behind it. Its id
    names nobody, since the marker that it waits for stays for a week.
    """
    tenant_id, position = record.owner.tenant_id, record.position
    return Erasure(tenant_id, conversation_id, None, f"speech/{attempt}", record.created_at, position, has_receipt=False)


def withdrawals(record: StoredDocument, ids: Iterable[str]) -> Iterator[Withdrawn]:
    """Withdraw some of what was made of a document."""
    for identity in ids:
        if identity.startswith(f"{record.id}/"):  # else it is a message of the speech
            yield Withdrawn(record.owner, record.document_id or "", identity)


Outcome = ReadDocument | Attached | StoredDocument | None


@dataclass(slots=True, eq=False)
class ReadJob:
    """Something at work in its ``lane``: an event that is read, which waits under ``key``; a ``message`` (tenant, conversation,
    message) whose attachments go; the erasure of a document; or a pause behind them.

    ``outcome`` is what came of it, once it ``has_ended``, and ``releases`` are there once that begins to go on; ``released``
    counts the messages that went on.
    """

    lane: str
    key: Key | None = None
    unread: Unread | None = None
    message: tuple[str, str, str] | None = None
    erasure: Erasure | None = None
    pause: Pause | None = None
    released: int = 0
    has_ended: bool = False
    outcome: "Outcome | BaseException" = None
    releases: list[Release] | None = None


@dataclass(slots=True, eq=False)
class AwaitingSnapshot:
    """A job of which everything went on; its records are written as read after some epochs (flows/lanes/state.py)."""

    work: ReadJob
    releases: list[Release]
    epochs: int = 0


def encode_job(work: ReadJob) -> dict[str, Any]:
    """A work in a snapshot."""
    if work.pause is not None:
        return {"pause": refer(work.pause)}
    if work.erasure is not None:
        return {"erasure": refer(work.erasure)}
    if work.message is not None:
        return {"lane": work.lane, "message": list(work.message)}
    assert work.key is not None, "an event waits under its key"
    return {"lane": work.lane, "key": [work.key.owner_key, work.key.id], "released": work.released}


def decode_job(entry: dict[str, Any]) -> ReadJob:
    """The work that a snapshot tells of; its event is to be read again."""
    if "pause" in entry or "erasure" in entry:
        item = referred(entry.get("pause") or entry["erasure"])
        assert isinstance(item, Pause | Erasure), "only these are referred to"
        return ReadJob(item.lane, pause=item) if isinstance(item, Pause) else ReadJob(item.lane, erasure=item)
    if "message" in entry:
        tenant_id, conversation_id, message_id = entry["message"]
        return ReadJob(entry["lane"], message=(tenant_id, conversation_id, message_id))
    return ReadJob(entry["lane"], Key(Collection.CONTROL, *entry["key"]), released=entry["released"])
