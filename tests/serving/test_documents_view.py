"""``mneme inspect --documents``: a line for each, what of it was not read, and the same as JSON."""

from datetime import UTC, datetime
from typing import Any

import pytest
from typer.testing import CliRunner

import queries
from queries.browsing.responses import DocumentList, ListedDocument
from serving.cli import app
from serving.terminal.history_view import document_list
from tests.serving.fake_memories import OpenedMemories
from tests.serving.test_rendering import printed


def listed(name: str = "offer.pdf", **fields: Any) -> ListedDocument:
    given = {
        "document_id": name,
        "owner": "default/user/mira",
        "name": name,
        "title": name,
        "format": "pdf",
        "media_type": None,
        "status": "read",
        "unread": (),
        "pages": 3,
        "characters": 1600,
        "chunks": 2,
        "dated_at": datetime(2026, 3, 2, tzinfo=UTC),
        "received_at": datetime(2026, 4, 2, tzinfo=UTC),
        "uri": None,
        "conversation_id": None,
        "message_id": None,
        "metadata": {},
    }
    return ListedDocument.model_validate(given | fields)


FOUND = DocumentList(
    documents=(
        listed(),
        listed("scan.png", status="unread", chunks=1, pages=None, unread=("tesseract is not installed",)),
        listed("rules.docx", owner="default/tenant/default", unread=("page 3: no text",)),
        listed("photo.jpg", document_id="c/m1/0", conversation_id="c", message_id="m1", title="The whiteboard"),
    )
)


class FakeMemories(OpenedMemories):
    """Lists ``FOUND``, and remembers what it was asked."""

    def documents(self, filters: dict[str, Any]) -> DocumentList:
        type(self).asked = filters
        return FOUND


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setattr(queries, "Memories", FakeMemories)
    return CliRunner()


def test_each_says_what_it_is_and_what_became_of_it() -> None:
    text = printed(document_list(FOUND))
    assert "4 documents · 1 partly read · 2 read · 1 unread" in text
    assert "not read: tesseract is not installed" in text
    assert "attached to m1 in c" in text
    assert "The whiteboard" in text
    assert "knowledge" in text


def test_none_are_said_to_be_none() -> None:
    assert "no documents" in printed(document_list(DocumentList(documents=())))


def test_the_command_lists_those_of_an_owner(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["inspect", "standup", "--documents", "--user", "mira", "--no-knowledge"])
    assert result.exit_code == 0
    assert FakeMemories.asked == {"user_id": "mira", "knowledge": False, "conversation_id": ["standup"]}
    assert "offer.pdf" in result.stdout
