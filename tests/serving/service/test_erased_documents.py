"""Proof of absence in the embedded mode: of a large document that was erased no byte is under ``MNEME_DATA``."""

from pathlib import Path

import pytest

from connectors.documents.stores import uploads_of
from connectors.publisher import Publisher
from mneme.records import Owner
from mneme.settings import Settings
from tests.serving.embedded_service import opened
from tests.serving.service.test_service import SECONDS, settings_in

pytestmark = pytest.mark.slow

CANARY = "Quetzalcoatl"
BOOK = "".join(f"# Part {part}\n\nOn day {part} {CANARY} painted the shed of Oslo.\n\n" for part in range(4)).encode()
EVE = Owner(tenant_id="default", type="user", id="eve")


def small_events(folder: Path) -> Settings:
    settings = settings_in(folder / "data")
    return settings.model_copy(update={"documents": settings.documents.model_copy(update={"inline_bytes": 200})})


def send(publisher: Publisher, user: str, flush_id: str) -> None:
    sent = publisher.send_document(BOOK, document_id="book", name="book.md", user_id=user, flush_id=flush_id)
    assert sent.uri is not None, "it is a claim check"
    publisher.flush()


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_of_an_erased_document_no_byte_is_left_but_where_another_sent_it_or_it_was_sent_again(tmp_path: Path):
    settings = small_events(tmp_path)
    with Publisher.connect(settings) as publisher:
        send(publisher, "ann", "")
        early = publisher.forget_document("book", user_id="ann")
        send(publisher, "eve", "eve")
        send(publisher, "ann", "ann")  # behind the erasure, and all of it is unread
    with opened(settings) as service, Publisher.connect(settings) as publisher:
        for user in ("ann", "eve"):
            assert service.wait_for_flush("default", user, SECONDS)
            assert service.memories.search(CANARY, filters={"user_id": user}, method="keyword").episodes
        assert service.erasure("default", early, SECONDS).receipt is not None
        assert list(files_of(uploads_of(settings)).values()) == [BOOK] * 2
        for erasure_id in [publisher.forget_document("book", user_id="ann"), publisher.erase_owner(EVE)]:
            receipt = service.erasure("default", erasure_id, SECONDS).receipt
            assert receipt is not None
            assert receipt["claims"] == 1
            assert "claims_refused" not in receipt
    files = files_of(settings.data)
    assert files
    assert [path for path, content in files.items() if CANARY.encode() in content] == []
