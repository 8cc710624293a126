"""Where ``Publisher.connect`` sends, by the settings."""

from datetime import datetime
from pathlib import Path

import pytest

from connectors.documents.references import DocumentReferences
from connectors.documents.stores import documents_of, uploads_of
from connectors.inbox import unread
from connectors.publisher import Publisher
from mneme.errors import InputError, SettingsError, StoreUnavailable
from mneme.events import Message
from mneme.ports import Lane
from mneme.settings import Settings


def settings_in(data: Path, **service: object) -> Settings:
    base = Settings(_env_file=None)
    return base.model_copy(update={"data": data, "service": base.service.model_copy(update=service)})


def test_with_the_embedded_index_events_go_to_its_inbox(tmp_path: Path):
    settings = settings_in(tmp_path)
    with Publisher.connect(settings) as publisher:
        publisher.send(Message(conversation_id="standup", user_id="ann", content="Good morning"))
        publisher.send(Message(conversation_id="standup", user_id="ann", content="Long ago"), backfill=True)
        publisher.send_document(b"a note", name="note.txt", user_id="ann")
    assert [unread(tmp_path, lane) for lane in ("messages", "backfill", "documents")] == [1, 1, 1]


def test_what_a_closed_publisher_is_given_is_not_lost_without_a_word(tmp_path: Path):
    publisher = Publisher.connect(settings_in(tmp_path))
    message = Message(conversation_id="standup", user_id="ann", content="Good morning")
    publisher.send(message)
    publisher.close()
    with pytest.raises(InputError, match=r"closed.*connect another"):
        publisher.send(message)
    publisher.close()
    assert unread(tmp_path, "messages") == 1


class Breaking:
    """Loses what it was given as it closes."""

    closed = 0

    def send(self, lane: Lane, key: str, value: bytes) -> None: ...

    def flush(self, timeout: float | None = None) -> None: ...

    def close(self) -> None:
        self.closed += 1
        raise StoreUnavailable("the broker is gone")


def test_a_close_that_failed_says_so_each_time(tmp_path: Path):
    transport = Breaking()
    publisher = Publisher(documents=settings_in(tmp_path).documents, transport=transport)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="broker is gone"):
            publisher.close()
    with pytest.raises(StoreUnavailable, match="broker is gone"), publisher:
        pass
    assert transport.closed == 1


def test_a_document_too_large_for_an_event_lies_beside_the_inbox_for_its_tenant_only(tmp_path: Path):
    settings = settings_in(tmp_path)
    content = b"much " * 400_000
    with Publisher.connect(settings) as publisher:
        document = publisher.send_document(content, name="book.txt", user_id="ann", tenant_id="acme")
    assert document.uri is not None
    references = DocumentReferences(documents_of(settings))
    assert references.read(document.uri, "acme", document.sha256) == content
    with pytest.raises(InputError, match="that this tenant may read"):
        references.read(document.uri, "other", document.sha256)


def test_for_a_document_that_is_refused_nothing_is_left(tmp_path: Path):
    settings = settings_in(tmp_path)
    with Publisher.connect(settings) as publisher, pytest.raises(InputError, match="dated_at"):
        publisher.send_document(b"much " * 400_000, name="book.txt", user_id="ann", dated_at=datetime(2026, 1, 1))
    assert not [path for path in uploads_of(settings).rglob("*") if path.is_file()]


def test_where_nothing_is_taken_in_nothing_can_be_sent(tmp_path: Path):
    with pytest.raises(SettingsError, match="MNEME_SERVICE__INTAKE"):
        Publisher.connect(settings_in(tmp_path, intake="none"))
