"""mneme erase: which event it sends, and what it looks for afterwards."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import flows
from connectors.lance.index import LanceIndex
from mneme.events import Forget, ForgetDocument, parse_event
from mneme.ports import Put
from mneme.records import Owner
from mneme.rows import CLAIMS_REFUSED, erasure_receipt
from serving.cli import app
from tests.contracts.rows import EMBEDDER, message

ADA = Owner(tenant_id="default", type="user", id="ada")


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    with_index(Put(message("m", owner=ADA)))
    return CliRunner()


def with_index(*writes: Put) -> None:
    index = LanceIndex(Path("mneme-data/index"))
    index.prepare(EMBEDDER)
    index.write(list(writes))
    index.refresh()
    index.close()


@pytest.fixture
def erased(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The events that the flow was given; it answers each with a receipt."""
    events: list[Any] = []

    def ingest(paths: list[Path], settings: object) -> None:
        (path,) = paths
        event = parse_event(path.read_bytes(), datetime.now(UTC))
        events.append(event)
        with_index(Put(erasure_receipt(event.tenant_id, event.erasure_id, datetime.now(UTC), {"messages": 3})))

    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    return events


def test_a_document_is_forgotten_by_its_id_and_its_owner(command_line: CliRunner, erased: list[Any]):
    result = command_line.invoke(app, ["erase", "--document", "ada/tea.md", "--user", "ada", "--tenant", "acme", "--yes"])
    (event,) = erased
    assert isinstance(event, ForgetDocument)
    assert (event.document_id, event.owner.key) == ("ada/tea.md", "acme/user/ada")
    assert "3 messages" in result.stdout
    assert "left in the index: 0" in result.stdout
    assert result.exit_code == 0


def test_without_an_owner_it_is_of_the_tenants_knowledge(command_line: CliRunner, erased: list[Any]):
    command_line.invoke(app, ["erase", "--document", "tea.md", "--yes"])
    assert [event.owner.key for event in erased] == ["default/tenant/default"]


def test_what_is_left_of_a_document_is_counted(command_line: CliRunner, erased: list[Any]):
    with_index(Put(message("chunk", owner=ADA, document_id="tea.md", conversation_id=None)))
    result = command_line.invoke(app, ["erase", "--document", "tea.md", "--user", "ada", "--yes"])
    assert "left in the index: 1" in result.stdout
    assert result.exit_code == 1


def test_claim_checks_that_their_store_kept_are_told(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch):
    def ingest(paths: list[Path], settings: object) -> None:
        event = parse_event(paths[0].read_bytes(), datetime.now(UTC))
        removed = {"documents": 1, "claims": 0, CLAIMS_REFUSED: 2}
        with_index(Put(erasure_receipt(event.tenant_id, event.erasure_id, datetime.now(UTC), removed)))

    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    result = command_line.invoke(app, ["erase", "--document", "tea.md", "--user", "ada", "--yes"])
    assert result.stdout.splitlines()[0] == "erased: 1 documents"
    assert "left in the index: 0" in result.stdout
    assert "2 claim checks are still in MNEME_DOCUMENTS__STORE" in " ".join(result.stderr.split())
    assert result.exit_code == 1


def test_a_conversation_is_forgotten_as_before(command_line: CliRunner, erased: list[Any]):
    command_line.invoke(app, ["erase", "standup", "--yes"])
    assert [(type(event), event.conversation_id) for event in erased] == [(Forget, "standup")]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["standup", "--document", "tea.md"],
        ["standup", "--user", "ada"],
        ["--document", "tea.md", "--user", "ada", "--group", "team"],
        ["--document", " "],
    ],
)
def test_what_is_not_clear_erases_nothing(command_line: CliRunner, erased: list[Any], arguments: list[str]):
    result = command_line.invoke(app, ["erase", *arguments, "--yes"])
    assert result.exit_code == 2
    assert erased == []


def test_nothing_is_erased_without_a_yes(command_line: CliRunner, erased: list[Any]):
    assert command_line.invoke(app, ["erase", "--document", "tea.md"], input="n\n").exit_code == 1
    assert erased == []
