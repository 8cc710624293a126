"""Proof of absence in the embedded mode: of a large document that was erased no byte is under ``MNEME_DATA``."""

from pathlib import Path

from connectors.documents.stores import uploads_of
from connectors.publisher import Publisher
from mneme.records import Owner
from mneme.settings import Settings
from serving.service.service import Service
from tests.serving.embedded_service import opened
from tests.serving.service.test_service import SECONDS, settings_in

CANARIES = "Quetzalcoatl", "Huitzilopochtli"
BEN = Owner(tenant_id="default", type="user", id="ben")


def book(word: str) -> bytes:
    return "".join(f"# Part {part}\n\nOn day {part} {word} painted the shed of Oslo.\n\n" for part in range(20)).encode()


def small_events(folder: Path) -> Settings:
    settings = settings_in(folder / "data")
    return settings.model_copy(update={"documents": settings.documents.model_copy(update={"inline_bytes": 1_000})})


def send(publisher: Publisher, content: bytes, user: str, flush_id: str) -> None:
    sent = publisher.send_document(content, document_id="book", name="book.md", user_id=user, flush_id=flush_id)
    assert sent.uri is not None, "it is a claim check"
    publisher.flush()


def is_found(service: Service, word: str, user: str) -> bool:
    return bool(service.memories.search(word, filters={"user_id": user}, method="keyword").episodes)


def test_no_byte_of_a_document_that_is_erased_is_left(tmp_path: Path):
    settings = small_events(tmp_path)
    with opened(settings) as service, Publisher.connect(settings) as publisher:
        for user, word in zip(("ann", "ben"), CANARIES, strict=True):
            send(publisher, book(word), user, user)
            assert service.wait_for_flush("default", user, SECONDS)
            assert is_found(service, word, user)
        erasures = [publisher.forget_document("book", user_id="ann"), publisher.erase_owner(BEN)]
        for erasure_id in erasures:
            receipt = service.erasure("default", erasure_id, SECONDS).receipt
            assert receipt is not None
            assert receipt["claims"] == 1
            assert "claims_refused" not in receipt
    files = [path for path in settings.data.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files for word in CANARIES if word.encode() in path.read_bytes()] == []


def test_the_same_content_of_another_owner_and_what_is_sent_again_stay(tmp_path: Path):
    settings = small_events(tmp_path)
    with Publisher.connect(settings) as publisher:
        send(publisher, book(CANARIES[0]), "ann", "")
        erasure_id = publisher.forget_document("book", user_id="ann")
        send(publisher, book(CANARIES[0]), "eve", "eve")
        send(publisher, book(CANARIES[0]), "ann", "ann")  # behind the erasure, and all of it is unread
    with opened(settings) as service:
        for user in ("ann", "eve"):
            assert service.wait_for_flush("default", user, SECONDS)
            assert is_found(service, CANARIES[0], user)
        assert service.erasure("default", erasure_id, SECONDS).receipt is not None
    claims = [path for path in uploads_of(settings).rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in claims] == [book(CANARIES[0])] * 2
