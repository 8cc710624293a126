"""Files and folders given to publish and ingest: documents go with their content, and what is skipped is told."""

from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

import connectors
import flows
from connectors.files.folders import Skipped
from flows import IngestReport
from mneme.events import Document
from serving.cli import app

PDF = b"%PDF-1.7\n"


class FakePublisher:
    """Stands for ``connectors.Publisher``: keeps what it was sent."""

    events: ClassVar[list[Any]] = []
    backfills: ClassVar[list[bool]] = []
    documents: ClassVar[list[tuple[Path, dict[str, Any]]]] = []

    @classmethod
    def connect(cls, settings: object, **_: object) -> "FakePublisher":
        for kept in (cls.events, cls.backfills, cls.documents):
            kept.clear()
        return cls()

    def __enter__(self) -> "FakePublisher":
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def send(self, event: Any, backfill: bool = False) -> None:
        self.events.append(event)
        self.backfills.append(backfill)

    def send_document(self, content: Path, **fields: Any) -> None:
        self.documents.append((content, {name: value for name, value in fields.items() if value is not None}))


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connectors, "Publisher", FakePublisher, raising=False)
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "report.pdf").write_bytes(PDF)
    (tmp_path / "in" / "notes.md").write_text("Tea")
    (tmp_path / "in" / "archive.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    return CliRunner()


def test_publish_sends_the_documents_of_a_folder_with_their_content(command_line: CliRunner):
    result = command_line.invoke(app, ["publish", "in", "--user", "mira", "--tenant", "acme"])
    assert result.exit_code == 0
    assert [(event.document_id, event.content) for event in FakePublisher.events] == [("mira/notes.md", "Tea")]
    assert FakePublisher.documents == [
        (
            Path("in/sub/report.pdf"),
            {
                "document_id": "mira/sub/report.pdf",
                "name": "report.pdf",
                "user_id": "mira",
                "tenant_id": "acme",
                "media_type": "application/pdf",
            },
        )
    ]
    assert "2 events published" in result.stdout
    assert "skipped: in/archive.zip: it is a ZIP archive" in result.stderr


def test_publish_sends_what_is_right_and_names_the_line_of_what_is_not(command_line: CliRunner, tmp_path: Path):
    good = '{"conversation_id": "standup", "user_id": "mira", "content": "Good morning"}'
    (tmp_path / "chat.jsonl").write_text(f'{good}\n{{"conversation_id": "standup"}}\n{good}\n')
    result = command_line.invoke(app, ["publish", "chat.jsonl", "--backfill"])
    assert result.exit_code == 2
    assert [event.conversation_id for event in FakePublisher.events] == ["standup"] * 2
    assert FakePublisher.backfills == [True] * 2
    assert "2 events published" in result.stdout
    assert "chat.jsonl:2: content: Field required" in result.stderr


def test_publish_sends_an_event_that_refers_to_another_file_as_it_is(command_line: CliRunner, tmp_path: Path):
    event = Document(document_id="d", name="report.pdf", uri=(tmp_path / "in" / "sub" / "report.pdf").as_uri())
    (tmp_path / "events.jsonl").write_bytes(event.to_bytes() + b"\n")
    command_line.invoke(app, ["publish", "events.jsonl"])
    assert (FakePublisher.events, FakePublisher.documents) == ([event], [])


def test_ingest_tells_what_it_skipped(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch):
    skipped = [Skipped(Path(f"in/{number}.zip"), "unpack it") for number in range(23)]
    report = IngestReport(messages=1, duplicates=0, episodes=1, facts=0, dead_letters=0, seconds=0.1, skipped=skipped)
    monkeypatch.setattr(flows, "ingest", lambda *_, **__: report, raising=False)
    result = command_line.invoke(app, ["ingest", "in"])
    assert "skipped: in/0.zip: unpack it" in result.stderr
    assert "and 3 more skipped" in result.stderr
