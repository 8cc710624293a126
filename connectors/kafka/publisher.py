"""Putting events on the topics, from Python."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from pydantic import ValidationError

from connectors.documents.claims import Carrier
from connectors.files.chat_events import Given
from connectors.files.files import modified_at
from connectors.kafka.client import create_topics
from connectors.kafka.producer import DELIVERY_SECONDS, Record, ReliableProducer
from mneme.errors import InputError
from mneme.events import LARGEST_EVENT_BYTES, AnyEvent, Document, Erase, Flush, Forget, ForgetDocument, describe
from mneme.records import Owner
from mneme.settings import Documents, Kafka, load_settings


class Publisher:
    """Sends events to the topics of the settings, which it creates if they are missing.

    Events of one conversation stay in order: their key, ``tenant/conversation``, chooses the partition. What is sent
    is durable when ``flush``, or the end of the ``with`` block, returns; what could not be written is raised there.
    To send again what may have failed is safe: an event that arrives twice counts once. Safe for several threads;
    ``flush`` waits for, and reports on, what all of them sent.

    Args:
        settings: the broker and its topics; None: those of the environment.
        delivery_seconds: how long a record is tried.
        documents: what ``send_document`` sends within an event, and where it leaves the rest; None: as the environment says.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected, SettingsError: a setting of ``MNEME_KAFKA__*`` is wrong.
    """

    def __init__(
        self,
        settings: Kafka | None = None,
        delivery_seconds: float = DELIVERY_SECONDS,
        documents: Documents | None = None,
    ) -> None:
        self._settings = settings or load_settings().kafka
        self._documents = documents
        self._carrier: Carrier | None = None
        create_topics(self._settings)
        self._producer = ReliableProducer(self._settings, delivery_seconds)

    def send(self, event: AnyEvent, backfill: bool = False) -> None:
        """Send one event. With ``backfill`` it waits behind everything live (documents know no such difference).

        Raises:
            InputError: the event is too large for a topic.
            StoreUnavailable, StoreRejected: it could not be handed over.
        """
        value = event.to_bytes()
        if len(value) > LARGEST_EVENT_BYTES:
            raise InputError(
                f"content: {event.event} {event.key} has {len(value)} bytes as JSON and {LARGEST_EVENT_BYTES} is the most; "
                "send a document with a uri instead, or set MNEME_DOCUMENTS__INLINE_BYTES lower"
            )
        self._producer.send(Record(self._topic(event, backfill), event.key, value))

    def send_many(self, events: Iterable[AnyEvent], backfill: bool = False) -> int:
        """Send events in order, and return how many."""
        count = 0
        for event in events:
            self.send(event, backfill)
            count += 1
        return count

    def send_document(
        self,
        content: Path | str | bytes,
        *,
        document_id: str | None = None,
        name: str | None = None,
        user_id: str | None = None,
        group_id: str | None = None,
        agent_id: str | None = None,
        tenant_id: str = "default",
        media_type: str | None = None,
        dated_at: datetime | None = None,
        metadata: Mapping[str, str | int | float | bool] | None = None,
        flush_id: str = "",
    ) -> Document:
        """Send a document with its content, and return the event: up to ``MNEME_DOCUMENTS__INLINE_BYTES`` the event carries it.

        What is larger is left in ``MNEME_DOCUMENTS__STORE`` under its hash, and the event refers to it (a claim check). What
        lies where the flow can read it anyway need not be sent: send a ``Document`` with its ``uri``.

        Args:
            content: the path of a file, or the bytes of one; of a text its UTF-8.
            document_id: the same again is a new version; None: the name, with the owner in front.
            name: as it is shown and cited; None: that of the file, else ``document_id``.
            user_id, group_id, agent_id: whose it is; None of them: it is the tenant's knowledge.
            tenant_id: isolation boundary.
            media_type: only of use where the content does not say what it is.
            dated_at: its date, aware; None: the date in it, else that of the file, else when it arrives.
            metadata: for filters of a search.
            flush_id: names the marker that appears once all of it is searchable.

        Raises:
            InputError: a field is wrong or missing, the file cannot be read, or the content is too large for an event and no
                store is set.
            SettingsError: the store of the settings is none.
            StoreUnavailable, StoreRejected: it could not be left in the store, or not be handed over.
        """
        name = name or (document_id if isinstance(content, bytes) else Path(content).name)
        if not name:
            raise InputError("name: bytes have none; give a name or a document_id")
        carrier = self._documents_carrier()
        carried = carrier.carry(content if isinstance(content, bytes) else carrier.read(Path(content)), tenant_id)
        try:
            document = Document(
                tenant_id=tenant_id,
                user_id=user_id,
                group_id=group_id,
                agent_id=agent_id,
                document_id=document_id or Given(name, user_id, group_id, agent_id).belonging(name),
                name=name,
                media_type=media_type,
                dated_at=dated_at,
                modified_at=None if isinstance(content, bytes) else modified_at(Path(content)),
                metadata=dict(metadata or {}),
                flush_id=flush_id,
                **asdict(carried),
            )
        except ValidationError as error:
            raise InputError(describe(error)) from error
        self.send(document)
        return document

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything sent is durable, at most ``timeout`` seconds.

        Raises:
            StoreUnavailable, StoreRejected: the timeout passed, or something sent was not written.
        """
        self._producer.flush(timeout)

    def flush_conversation(self, tenant: str, conversation: str) -> str:
        """Close the conversation's open episode; returns the flush id, whose marker appears once all is searchable."""
        flush_id = uuid4().hex
        self.send(Flush(tenant_id=tenant, conversation_id=conversation, flush_id=flush_id))
        self.flush()
        return flush_id

    def forget_conversation(self, tenant: str, conversation: str) -> str:
        """Erase a conversation; returns the erasure id, under which the receipt appears once nothing is left of it."""
        erasure_id = uuid4().hex
        self.send(Forget(tenant_id=tenant, conversation_id=conversation, erasure_id=erasure_id))
        self.flush()
        return erasure_id

    def erase_owner(self, owner: Owner) -> str:
        """Erase all that is known of an owner; returns the erasure id, under which the receipt appears.

        Stop sending for the owner until then: what is sent meanwhile may be read before the erasure, and go with it.
        """
        erasure_id = uuid4().hex
        self.send(Erase(tenant_id=owner.tenant_id, **{f"{owner.type}_id": owner.id}, erasure_id=erasure_id))
        self.flush()
        return erasure_id

    def forget_document(
        self,
        document_id: str,
        *,
        user_id: str | None = None,
        group_id: str | None = None,
        agent_id: str | None = None,
        tenant_id: str = "default",
    ) -> str:
        """Erase a document and all that was made of it; returns the erasure id, under which the receipt appears.

        Name its owner as when it was sent. What lies behind a ``uri``, a claim check too, stays there: remove it yourself.
        """
        erasure_id = uuid4().hex
        self.send(
            ForgetDocument(
                tenant_id=tenant_id,
                user_id=user_id,
                group_id=group_id,
                agent_id=agent_id,
                document_id=document_id,
                erasure_id=erasure_id,
            )
        )
        self.flush()
        return erasure_id

    def close(self) -> None:
        """Flush, then release the connection.

        Raises:
            StoreUnavailable, StoreRejected: something sent was not written.
        """
        self._producer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _documents_carrier(self) -> Carrier:
        if self._carrier is None:
            self._carrier = Carrier(self._documents or load_settings().documents)
        return self._carrier

    def _topic(self, event: AnyEvent, backfill: bool) -> str:
        topics = self._settings.topics
        if isinstance(event, Document | ForgetDocument):
            return topics.documents
        return topics.backfill if backfill else topics.messages
