"""Putting events on the topics, from Python."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self
from uuid import uuid4

from connectors.kafka.client import create_topics
from connectors.kafka.producer import DELIVERY_SECONDS, Record, ReliableProducer
from mneme.errors import InputError
from mneme.events import LARGEST_EVENT_BYTES, Delete, Document, Edit, Erase, Flush, Forget, Message
from mneme.records import Owner
from mneme.settings import Kafka, load_settings

Event = Message | Edit | Delete | Flush | Forget | Erase | Document


class Publisher:
    """Sends events to the topics of the settings, which it creates if they are missing.

    Events of one conversation stay in order: their key, ``tenant/conversation``, chooses the partition. What is sent
    is durable when ``flush``, or the end of the ``with`` block, returns; what could not be written is raised there.
    To send again what may have failed is safe: an event that arrives twice counts once. Safe for several threads;
    ``flush`` waits for, and reports on, what all of them sent.

    Raises:
        StoreUnavailable: no broker answers.
        StoreRejected, SettingsError: a setting of ``MNEME_KAFKA__*`` is wrong.
    """

    def __init__(self, settings: Kafka | None = None, delivery_seconds: float = DELIVERY_SECONDS) -> None:
        self._settings = settings or load_settings().kafka
        create_topics(self._settings)
        self._producer = ReliableProducer(self._settings, delivery_seconds)

    def send(self, event: Event, backfill: bool = False) -> None:
        """Send one event. With ``backfill`` it waits behind everything live (documents know no such difference).

        Raises:
            InputError: the event is too large for a topic.
            StoreUnavailable, StoreRejected: it could not be handed over.
        """
        value = event.to_bytes()
        if len(value) > LARGEST_EVENT_BYTES:
            raise InputError(
                f"content: {event.event} {event.key} has {len(value)} bytes as JSON and {LARGEST_EVENT_BYTES} is the most; "
                "send a document with a uri instead"
            )
        self._producer.send(Record(self._topic(event, backfill), event.key, value))

    def send_many(self, events: Iterable[Event], backfill: bool = False) -> int:
        """Send events in order, and return how many."""
        count = 0
        for event in events:
            self.send(event, backfill)
            count += 1
        return count

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

    def _topic(self, event: Event, backfill: bool) -> str:
        topics = self._settings.topics
        if isinstance(event, Document):
            return topics.documents
        return topics.backfill if backfill else topics.messages
