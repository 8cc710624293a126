"""Sending events to the flow, from Python: by Kafka, by the inbox on disk, or to a service that passes them on."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from connectors.documents.claims import Carried, Carrier
from connectors.documents.stores import documents_of, uploads_of
from connectors.durable import disk_errors
from connectors.files.chat_events import Given
from connectors.files.files import modified_at as modified_at_of
from connectors.folders import private_folder
from mneme.errors import InputError, SettingsError
from mneme.events import LARGEST_EVENT_BYTES, AnyEvent, Document, Erase, Flush, Forget, ForgetDocument, describe
from mneme.ids import content_hash
from mneme.ports import Lane, Transport
from mneme.records import Owner
from mneme.settings import Documents, Kafka, Settings, load_settings

if TYPE_CHECKING:
    from connectors.service import HttpTransport

Event = TypeVar("Event", Flush, Forget, Erase, ForgetDocument)

_DELIVERY_SECONDS = 120.0  # how long a record is tried; a broker is back long before


class Publisher:
    """Sends events to Kafka, or with ``Publisher.connect`` to where the settings say.

    Events of one conversation stay in order. What is sent is durable when ``flush``, or the end of the ``with`` block,
    returns; what could not be written is raised there. To send again what may have failed is safe: a message that arrives
    twice counts once, an edit or an erasure is carried out again. Safe for several threads; ``flush`` waits for, and reports
    on, what all of them sent.

    >>> with Publisher.connect() as publisher:  # doctest: +SKIP
    ...     publisher.send(Message(conversation_id="standup", user_id="user_123", content="Good morning"))

    Args:
        settings: the broker and its topics, which are created if they are missing; None: those of the environment.
        delivery_seconds: how long a record is tried.
        documents: what ``send_document`` sends within an event, and where it leaves the rest; None: as the environment says.
        transport: what carries the events, in place of Kafka.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected, SettingsError: a setting of ``MNEME_KAFKA__*`` is wrong.
    """

    def __init__(
        self,
        settings: Kafka | None = None,
        delivery_seconds: float = _DELIVERY_SECONDS,
        documents: Documents | None = None,
        *,
        transport: Transport | None = None,
    ) -> None:
        self._documents = documents
        self._carrier: Carrier | None = None
        self._service: HttpTransport | None = None
        self._is_closed = False
        self._failure: Exception | None = None  # of the close
        if transport is None:
            from connectors.kafka.producer import KafkaTransport

            settings = settings or load_settings().kafka
            transport = KafkaTransport(settings, delivery_seconds)
        self._transport = transport

    @classmethod
    def connect(cls, settings: Settings | None = None, *, url: str | None = None, api_key: str | None = None) -> Self:
        """The publisher that the settings ask for: to a service, to Kafka, or to the inbox of the embedded mode.

        Args:
            settings: None reads them from the environment.
            url: of a running service; None: ``MNEME_SERVICE__URL``, or if that is none, what ``MNEME_SERVICE__INTAKE`` says.
            api_key: for the service; None: ``MNEME_SERVICE__API_KEY``.

        Raises:
            SettingsError: a setting is wrong, or nothing is to be taken in.
            StoreUnavailable, StoreRejected: the broker does not answer, or refuses.
        """
        settings = settings or load_settings()
        if url or settings.service.url:
            from connectors.service import HttpTransport, ServiceClient

            client = ServiceClient.of(settings, url, api_key, waits_for_start=True)
            assert client is not None, "there is a URL"
            transport = HttpTransport(client)
            publisher = cls(documents=settings.documents, transport=transport)
            publisher._service = transport
            return publisher
        if settings.intake == "none":
            raise SettingsError("MNEME_SERVICE__INTAKE is none; set it to kafka or inbox, or MNEME_SERVICE__URL")
        if settings.intake == "kafka":
            return cls(settings.kafka, documents=settings.documents)
        from connectors.inbox import InboxTransport

        private_folder(settings.data)
        with disk_errors(str(settings.data)):
            uploads_of(settings).mkdir(parents=True, exist_ok=True)
        return cls(documents=documents_of(settings), transport=InboxTransport(settings.data))

    def send(self, event: AnyEvent, backfill: bool = False) -> None:
        """Send one event. With ``backfill`` it waits behind everything live (documents know no such difference).

        Raises:
            InputError: the event is too large for a topic, or the publisher is closed.
            StoreUnavailable, StoreRejected: it could not be handed over.
        """
        if self._is_closed:
            raise InputError("the publisher is closed, and nobody would send this; connect another one")
        self._transport.send(_lane_of(event, backfill), event.key, self._bytes_of(event))

    def send_many(self, events: Iterable[AnyEvent], backfill: bool = False) -> int:
        """Send events in order, and return how many."""
        count = 0
        for event in events:
            self.send(event, backfill)
            count += 1
        return count

    def check(self, events: Iterable[AnyEvent]) -> None:
        """Check that each of the events may be sent.

        Raises:
            InputError: one is too large.
        """
        for event in events:
            self._bytes_of(event)

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
        modified_at: datetime | None = None,
        metadata: Mapping[str, str | int | float | bool] | None = None,
        flush_id: str = "",
    ) -> Document:
        """Send a document with its content, and return the event: up to ``MNEME_DOCUMENTS__INLINE_BYTES`` the event carries it.

        What is larger is left in ``MNEME_DOCUMENTS__STORE`` under its hash, and the event refers to it (a claim check); a
        service is given it as an upload. What lies where the flow can read it anyway need not be sent: send a ``Document``
        with its ``uri``.

        Args:
            content: the path of a file, or the bytes of one; of a text its UTF-8.
            document_id: the same again is a new version; None: the name, with the owner in front.
            name: as it is shown and cited; None: that of the file, else ``document_id``.
            user_id, group_id, agent_id: whose it is; None of them: it is the tenant's knowledge.
            tenant_id: isolation boundary.
            media_type: only of use where the content does not say what it is.
            dated_at: its date, aware; None: the date in it, else ``modified_at``, else when it arrives.
            modified_at: when its file was last changed, aware; None: of a path, what the file system says.
            metadata: for filters of a search.
            flush_id: names the marker that appears once all of it is searchable.

        Raises:
            InputError: a field is wrong or missing, the file cannot be read, or the content is too large for an event and no
                store is set.
            SettingsError: the store of the settings is invalid.
            StoreUnavailable, StoreRejected: it could not be left in the store, or not be handed over.
        """
        name = name or (document_id if isinstance(content, bytes) else Path(content).name)
        if not name:
            raise InputError("name: bytes have none; give a name or a document_id")
        carrier = self._documents_carrier()
        read = content if isinstance(content, bytes) else carrier.read(Path(content))
        uploads = self._service if len(read) > carrier.inline_bytes else None
        document_id = document_id or Given(name, user_id, group_id, agent_id).belonging(name)

        def made(carried: Carried) -> Document:
            try:
                return Document(
                    **_tenant(tenant_id),
                    user_id=user_id,
                    group_id=group_id,
                    agent_id=agent_id,
                    document_id=document_id,
                    name=name,
                    media_type=media_type,
                    dated_at=dated_at,
                    modified_at=modified_at or (None if isinstance(content, bytes) else modified_at_of(Path(content))),
                    metadata=dict(metadata or {}),
                    flush_id=flush_id,
                    **asdict(carried),
                )
            except ValidationError as error:
                raise InputError(describe(error)) from error

        if uploads is not None:
            document = made(Carried(uri=f"upload:{name}", sha256=content_hash(read)))
            uploads.upload(document, read)
            return document
        draft = made(Carried(content=""))  # for an event that is wrong nothing is left in the store
        document = made(carrier.carry(read, draft.owner, draft.document_id))
        self.send(document)
        return document

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything sent is durable, at most ``timeout`` seconds.

        Raises:
            StoreUnavailable, StoreRejected: the timeout passed, or something sent was not written.
        """
        self._transport.flush(timeout)

    def flush_conversation(self, tenant: str, conversation: str) -> str:
        """Close the conversation's open episode; returns the flush id, whose marker appears once all is searchable.

        >>> flush_id = publisher.flush_conversation("default", "standup")  # doctest: +SKIP
        >>> memories.wait_for_flush(flush_id, timeout=10)  # everything sent to it before is found  # doctest: +SKIP
        True
        """
        return self._delivered(Flush(**_tenant(tenant), conversation_id=conversation, flush_id=uuid4().hex)).flush_id

    def forget_conversation(self, tenant: str, conversation: str) -> str:
        """Erase a conversation; returns the erasure id, under which the receipt appears once nothing is left of it."""
        return self._delivered(Forget(**_tenant(tenant), conversation_id=conversation, erasure_id=uuid4().hex)).erasure_id

    def erase_owner(self, owner: Owner) -> str:
        """Erase all that is known of an owner; returns the erasure id, under which the receipt appears.

        Stop sending for the owner until then: what is sent meanwhile may be read before the erasure, and go with it.
        """
        whose = {"tenant_id": owner.tenant_id, f"{owner.type}_id": owner.id}
        return self._delivered(Erase(**whose, erasure_id=uuid4().hex)).erasure_id

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

        Name its owner as when it was sent. Its claim checks go too, if the flow has the same store; what else lies behind a
        ``uri`` stays there: remove it yourself.
        """
        event = ForgetDocument(
            **_tenant(tenant_id),
            user_id=user_id,
            group_id=group_id,
            agent_id=agent_id,
            document_id=document_id,
            erasure_id=uuid4().hex,
        )
        return self._delivered(event).erasure_id

    def close(self) -> None:
        """Flush, then release the connection; a second time only a failure of the first is raised again.

        Raises:
            StoreUnavailable, StoreRejected: something sent was not written.
        """
        if self._failure is not None:
            raise self._failure
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._transport.close()
        except Exception as error:
            self._failure = error
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _delivered(self, event: Event) -> Event:
        """An event that is sent, and durable."""
        self.send(event)
        self.flush()
        return event

    def _bytes_of(self, event: AnyEvent) -> bytes:
        # To a service, no tenant means that of the key; an event that was made without one says "default".
        is_silent = self._service is not None and "tenant_id" not in event.model_fields_set
        value = event.to_bytes(without={"tenant_id"} if is_silent else None)
        if len(value) > LARGEST_EVENT_BYTES:
            raise InputError(
                f"content: {event.event} {event.key} has {len(value)} bytes as JSON and {LARGEST_EVENT_BYTES} is the most; "
                "send a document with a uri instead, or set MNEME_DOCUMENTS__INLINE_BYTES lower"
            )
        return value

    def _documents_carrier(self) -> Carrier:
        if self._carrier is None:
            self._carrier = Carrier(self._documents or load_settings().documents)
        return self._carrier


def _lane_of(event: AnyEvent, backfill: bool) -> Lane:
    if isinstance(event, Document | ForgetDocument):
        return "documents"
    return "backfill" if backfill else "messages"


def _tenant(tenant_id: str) -> dict[str, str]:
    """The tenant, if it was named."""
    return {} if tenant_id == "default" else {"tenant_id": tenant_id}
