"""Folders and documents by reference, through the whole flow into the embedded index."""

import hashlib
from pathlib import Path

import pytest

from connectors.dead_letters import FileDeadLetters
from connectors.documents.stores import Store
from flows import ingest
from mneme.events import Document
from mneme.rows import Collection
from mneme.settings import Documents, Settings
from tests.flows.deployment import deployed_in, with_index

pytestmark = pytest.mark.slow

TABLE = "Item,Price\nDesk,120\nLamp,40\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return deployed_in(tmp_path / "data", documents=Documents(roots=("memory://letters/{tenant}",)))


def texts(settings: Settings) -> dict[str, str]:
    """All that is remembered of each document."""
    found: dict[str, str] = {}
    for row in with_index(settings, lambda index: list(index.scan(Collection.MESSAGES))):
        if row.document_id is not None:
            found[row.document_id] = found.get(row.document_id, "") + row.body["text"]
    return found


def test_a_folder_is_remembered_file_by_file_and_a_changed_one_anew(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "offers").mkdir(parents=True)
    (folder / "tea.html").write_text("<!doctype html><h1>Tea</h1><p>Mira prefers green tea.</p>")
    (folder / "prices.csv").write_text(TABLE)
    (folder / "offers" / "prices.csv").write_text(TABLE)
    (folder / "junk.gz").write_bytes(b"\x1f\x8b\x08junk")
    report = ingest([folder], settings, defaults={"user_id": "mira"})
    assert [skipped.path.name for skipped in report.skipped] == ["junk.gz"]
    assert report.dead_letters == 0
    before = texts(settings)
    assert sorted(before) == ["mira/offers/prices.csv", "mira/prices.csv", "mira/tea.html"], "copies are documents of their own"
    assert "green tea" in before["mira/tea.html"]

    (folder / "tea.html").write_text("<!doctype html><h1>Tea</h1><p>Mira prefers black tea.</p>")
    ingest([folder], settings, defaults={"user_id": "mira"})
    after = texts(settings)
    assert "green tea" not in after["mira/tea.html"]
    assert "black tea" in after.pop("mira/tea.html")
    assert after.items() <= before.items()


def test_a_document_in_a_store_is_remembered_and_one_beside_the_roots_is_a_dead_letter(
    settings: Settings, tmp_path: Path
) -> None:
    Store("memory").write("letters/acme/offer.txt", b"The desk costs 120 euros.")
    Store("memory").write("letters/other/secret.txt", b"canary")
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    digest = hashlib.sha256(b"The desk costs 120 euros.").hexdigest()
    events = [
        Document(tenant_id="acme", document_id="offer", name="offer.txt", uri="memory://letters/acme/offer.txt", sha256=digest),
        Document(tenant_id="acme", document_id="other", name="x.txt", uri="memory://letters/other/secret.txt"),
        Document(tenant_id="acme", document_id="file", name="x.txt", uri=secret.as_uri()),
        Document(tenant_id="acme", document_id="web", name="x.txt", uri="https://example.org/x.txt"),
    ]
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(event.to_bytes() + b"\n" for event in events))
    ingest([path], settings)
    assert {name: "120 euros" in text for name, text in texts(settings).items()} == {"offer": True}
    letters = FileDeadLetters(settings.data / "dead-letters.sqlite")
    reasons = sorted(letter.reason for letter in letters.read())
    letters.close()
    assert len(reasons) == 3
    assert ["under no prefix" in reasons[2], "none of the folders" in reasons[1], "'https' is not read" in reasons[0]] == [
        True
    ] * 3
    assert "canary" not in "".join(reasons)
