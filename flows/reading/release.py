"""A document on its way into the index: what of it is new, and what it no longer has. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from flows.decode import amendment_of
from flows.items import Amendment, Pause, Withdrawn
from flows.lanes import lane_of, speech_of
from flows.reading.editions import Edition
from mneme.events import Delete
from mneme.ports import Incoming, Remove
from mneme.records import StoredDocument, StoredMessage
from mneme.rows import Collection, Key, Row, row_of


class Release:
    """An edition in the place of the one before.

    Args:
        edition: what the document is made of now.
        before: its record until now. One that is still ``reading`` names what may have gone on; what has is recognised by its
            id in the next step.
    """

    def __init__(self, edition: Edition, before: StoredDocument | None) -> None:
        self.messages: Sequence[StoredMessage] = edition.messages
        self._before = before
        self._ids = frozenset(edition.document.chunk_ids)
        self._obsolete = [each for each in (before.chunk_ids if before is not None else ()) if each not in self._ids]
        self._kept = frozenset(before.chunk_ids) if before is not None and before.status != "reading" else frozenset[str]()
        self.record = edition.document
        self._speech = edition.is_speech

    @property
    def has_changed(self) -> bool:
        """Whether the edition is another than the one before."""
        before = self._before
        return before is None or before.status == "reading" or before.edition != self.record.edition

    def is_new(self, message: StoredMessage) -> bool:
        """Whether a message of the edition was not in the one before."""
        return message.id not in self._kept

    def begun(self, version: int) -> Row:
        """The record while messages go on: it names those of both editions."""
        both = (*self.record.chunk_ids, *self._obsolete)
        return row_of(self.record.model_copy(update={"status": "reading", "chunk_ids": both, "version": version}))

    def done(self, version: int) -> Row:
        """The record when all have."""
        return row_of(self.record.model_copy(update={"version": version}))

    def obsolete(self) -> Iterator[Withdrawn | Amendment]:
        """What takes away that which the document no longer has."""
        return _withdrawals(self.record, self._obsolete)

    def ends(self) -> Iterator[Pause]:
        """What shows the last episode of speech: nothing follows it."""
        if self._speech:
            owner, conversation_id = self.record.owner, self.record.conversation_id or ""
            lane = lane_of(owner.tenant_id, conversation_id)
            yield Pause(lane, "end", tenant_id=owner.tenant_id, owner_key=owner.key)


class Gone:
    """A document that is no more."""

    def __init__(self, record: StoredDocument) -> None:
        self._record = record

    def obsolete(self) -> Iterator[Withdrawn | Amendment]:
        """What takes away all that was made of it."""
        return _withdrawals(self._record, self._record.chunk_ids)

    def removed(self, version: int) -> Remove:
        """What takes away its record."""
        return Remove(Key(Collection.CONTROL, self._record.owner.key, self._record.id), version)


def gone(before: Iterable[StoredDocument], releases: Iterable[Release]) -> list[Gone]:
    """Those of the records before that nothing takes the place of."""
    now = {release.record.id for release in releases}
    return [Gone(record) for record in before if record.id not in now]


def _withdrawals(document: StoredDocument, ids: Iterable[str]) -> Iterator[Withdrawn | Amendment]:
    for identity in ids:
        if identity.startswith(f"{document.id}/"):
            yield Withdrawn(document.owner, document.document_id or "", identity)
        else:  # what was said in it
            yield _deletion(document, identity)


def _deletion(document: StoredDocument, identity: str) -> Amendment:
    name = identity.rpartition("/")[2]
    delete = Delete(
        tenant_id=document.owner.tenant_id,
        conversation_id=speech_of(document.owner, document.document_id or ""),
        message_id=name,
    )
    return amendment_of(delete, Incoming(delete.to_bytes(), document.position, document.created_at))
