"""mneme erase: which event it sends, and what it looks for afterwards."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.lance.index import LanceIndex
from mneme.events import Forget, ForgetDocument
from mneme.ports import Put
from mneme.receipts import CLAIMS_REFUSED
from mneme.records import Owner
from queries import Memories
from serving.cli import app
from serving.service import remote
from serving.service.service import ErasureStatus
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


class FakeService:
    """Stands for a service of this process: keeps the events that it was given, and answers each with a receipt."""

    def __init__(self) -> None:
        self.erased: list[Any] = []
        self.receipt: dict[str, int] | None = {"messages": 3}
        self.memories: Memories | None = None

    def __enter__(self) -> "FakeService":
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def erase(self, event: Any, timeout: float) -> ErasureStatus:
        self.erased.append(event)
        return ErasureStatus(erasure_id=event.erasure_id, receipt=self.receipt)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    service = FakeService()
    monkeypatch.setattr(remote, "open_service", lambda settings, url: service)
    return service


def test_a_document_is_forgotten_by_its_id_and_its_owner(command_line: CliRunner, service: FakeService):
    result = command_line.invoke(app, ["erase", "--document", "ada/tea.md", "--user", "ada", "--tenant", "acme", "--yes"])
    (event,) = service.erased
    assert isinstance(event, ForgetDocument)
    assert (event.document_id, event.owner.key) == ("ada/tea.md", "acme/user/ada")
    assert "3 messages" in result.stdout
    assert "left in the index: 0" in result.stdout
    assert result.exit_code == 0


def test_without_an_owner_it_is_of_the_tenants_knowledge(command_line: CliRunner, service: FakeService):
    command_line.invoke(app, ["erase", "--document", "tea.md", "--yes"])
    assert [event.owner.key for event in service.erased] == ["default/tenant/default"]


def test_what_is_left_of_a_document_is_counted(command_line: CliRunner, service: FakeService):
    with_index(Put(message("chunk", owner=ADA, document_id="tea.md", conversation_id=None)))
    result = command_line.invoke(app, ["erase", "--document", "tea.md", "--user", "ada", "--yes"])
    assert "left in the index: 1" in result.stdout
    assert result.exit_code == 1


def test_claim_checks_that_their_store_kept_are_told(command_line: CliRunner, service: FakeService):
    service.receipt = {"documents": 1, "claims": 0, CLAIMS_REFUSED: 2}
    result = command_line.invoke(app, ["erase", "--document", "tea.md", "--user", "ada", "--yes"])
    assert result.stdout.splitlines()[0] == "erased: 1 documents"
    assert "left in the index: 0" in result.stdout
    assert "2 claim checks are still in MNEME_DOCUMENTS__STORE" in " ".join(result.stderr.split())
    assert result.exit_code == 1


def test_an_erasure_that_takes_longer_is_told_as_kept(command_line: CliRunner, service: FakeService):
    service.receipt = None
    result = command_line.invoke(app, ["erase", "standup", "--yes", "--timeout", "2"])
    assert result.exit_code == 1
    assert f"erasure {service.erased[0].erasure_id} is not done after 2 s; it is kept" in result.stderr


def test_a_conversation_is_forgotten_as_before(command_line: CliRunner, service: FakeService):
    command_line.invoke(app, ["erase", "standup", "--yes"])
    assert [(type(event), event.conversation_id) for event in service.erased] == [(Forget, "standup")]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["standup", "--document", "tea.md"],
        ["--document", "tea.md", "--user", "ada", "--group", "team"],
        ["--document", " "],
    ],
)
def test_what_is_not_clear_erases_nothing(command_line: CliRunner, service: FakeService, arguments: list[str]):
    result = command_line.invoke(app, ["erase", *arguments, "--yes"])
    assert result.exit_code == 2
    assert service.erased == []


def test_nothing_is_erased_without_a_yes(command_line: CliRunner, service: FakeService):
    assert command_line.invoke(app, ["erase", "--document", "tea.md"], input="n\n").exit_code == 1
    assert service.erased == []


def test_where_nobody_can_be_asked_the_option_is_named(command_line: CliRunner, service: FakeService):
    result = command_line.invoke(app, ["erase", "--document", "tea.md"])
    assert result.exit_code == 2
    assert "--yes erases without asking" in result.stderr
    assert service.erased == []


@pytest.mark.parametrize(("user", "code", "erased"), [("ada", 0, 1), ("bob", 2, 0)])
def test_a_conversation_may_be_named_with_its_owner(
    command_line: CliRunner, service: FakeService, user: str, code: int, erased: int
):
    with Memories.open() as memories:
        service.memories = memories
        result = command_line.invoke(app, ["erase", "garden", "--user", user, "--yes"])
    assert (result.exit_code, len(service.erased)) == (code, erased), result.stderr
