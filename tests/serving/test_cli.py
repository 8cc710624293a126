"""The command line, without servers and models: what a command asks of the rooms, and what the user sees."""

import errno
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import flows
import queries
from connectors.dead_letters import FileDeadLetters
from connectors.files.files import content_identity
from flows import IngestReport
from mneme.errors import InputError, MnemeError, ModelTimeout, SettingsError, StoreUnavailable
from mneme.ports import DeadLetter
from mneme.records import Owner, Position
from queries.browsing.responses import History, HistoryFact, Inspection
from queries.responses import FoundEpisode, FoundFact, Metrics, QueryEcho, SearchResponse
from serving.cli import app
from serving.service import remote
from serving.service.service import FlushStatus
from tests.serving.fake_memories import OpenedMemories

BORN = FoundFact(
    id="f1",
    score=0.91,
    rank=1,
    atomic_fact="Jason's birthday is on 14 May.",
    topic_name="Birthday",
    parent_episode_id="e1",
    message_ids=("friends-097",),
    said_at=datetime(2025, 3, 31, 17, 40, tzinfo=UTC),
)
EVENING = FoundEpisode(
    id="e1",
    score=0.7,
    subject="A new job",
    summary="Jason signed with Tideworks.",
    episode="Jason told Mira that he signed.",
    conversation_id="jason-and-mira",
    document_id=None,
    section=None,
    started_at=datetime(2025, 3, 31, 17, 22, tzinfo=UTC),
    ended_at=datetime(2025, 3, 31, 17, 50, tzinfo=UTC),
    participants=("Jason", "Mira"),
    message_ids=("friends-083", "friends-097"),
    atomic_facts=(BORN,),
)
FOUND = SearchResponse(
    episodes=(EVENING,),
    facts=(BORN,),
    query=QueryEcho(text="when?", method="hybrid", filters_applied={"user_id": "mira"}, type="temporal", top_k=20),
    metrics=Metrics(milliseconds=12.0, round_trips=2, candidates={}, scoring="min-max"),
)


HISTORY = History(
    asked="Jason",
    name="Jason",
    names=("Jason",),
    type="person",
    summary="",
    facts=(
        HistoryFact(
            id="f1",
            text="Jason's birthday is on 14 May.",
            said_at=BORN.said_at,
            conversation_id="c",
            document_id=None,
            message_ids=("m",),
            times_said=1,
            valid_from=None,
            valid_to=None,
            topic_name="Birthday",
            event_at=None,
            event_until=None,
        ),
    ),
    foresights=(),
    relationships=(),
    profile=(),
)
INSPECTION = Inspection(conversation_id="standup", document_id=None, owner="default/user/mira", episodes=())


class FakeMemories(OpenedMemories):
    """Stands for ``queries.Memories``: answers with ``FOUND`` and remembers what it was asked."""

    def search(self, query: str, **arguments: Any) -> SearchResponse:
        type(self).asked = {"query": query, **arguments}
        return FOUND

    def history(self, entity: str, filters: dict[str, Any]) -> History:
        type(self).asked = {"entity": entity, "filters": filters}
        return HISTORY if entity == "Jason" else HISTORY.model_copy(update={"facts": ()})

    def inspect(self, conversation_id: str, filters: dict[str, Any]) -> Inspection | None:
        type(self).asked = {"conversation_id": conversation_id, "filters": filters}
        return INSPECTION if conversation_id == "standup" else None


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(queries, "Memories", FakeMemories, raising=False)
    return CliRunner()


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


@pytest.mark.parametrize("path", list(commands(get_command(app))), ids=" ".join)
def test_every_command_has_help_for_itself_and_its_options(path: tuple[str, ...]) -> None:
    command = get_command(app)
    for name in path:
        command = command.commands[name]  # type: ignore[attr-defined]
    result = CliRunner().invoke(app, [*path, "--help"])
    assert result.exit_code == 0
    assert command.help
    assert all(parameter.help for parameter in command.params if parameter.name != "help")


def test_the_version_is_printed(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["--version"])
    assert result.stdout.startswith("mneme 0.")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("content: is empty"), 2),
        (SettingsError("MNEME_DATA: no folder"), 2),
        (StoreUnavailable("kafka: no broker"), 1),
        (ModelTimeout("chat: no answer"), 1),
    ],
)
def test_an_error_on_purpose_is_one_line_and_a_code(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch, error: MnemeError, code: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(flows, "ingest", refuse, raising=False)
    result = command_line.invoke(app, ["ingest", "chat.jsonl"])
    assert result.exit_code == code
    assert result.stderr == f"error: {error}\n"
    assert result.stdout == ""


@pytest.mark.parametrize("command", [["ingest", "chat.jsonl"], ["serve", "--port", "0"]])
def test_a_folder_that_may_not_be_written_is_named(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "data/recovery")

    monkeypatch.setattr(flows, "ingest", refuse, raising=False)
    monkeypatch.setattr(Path, "mkdir", refuse)
    result = command_line.invoke(app, command)
    assert result.exit_code == 1
    assert (
        result.stderr
        == "error: data/recovery: permission denied; correct the rights there, or set MNEME_DATA to another folder\n"
    )


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        (["serve"], "it must be a folder that may be written, or set MNEME_DATA to another folder"),
        (["ingest", "chat.jsonl"], "correct the folder, or its rights"),
    ],
)
def test_a_data_folder_that_is_none_is_named(command_line: CliRunner, tmp_path: Path, command: list[str], remedy: str) -> None:
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "chat.jsonl").write_text("")
    result = command_line.invoke(app, command, env={"MNEME_DATA": str(tmp_path / "taken" / "data")})
    assert result.exit_code == 1
    assert f"not a directory; {remedy}" in result.stderr


def test_debug_shows_where_an_error_came_from(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("content: is empty")

    monkeypatch.setattr(flows, "ingest", refuse, raising=False)
    result = command_line.invoke(app, ["--debug", "ingest", "chat.jsonl"])
    assert isinstance(result.exception, InputError)


def test_a_package_that_is_not_installed_is_named_with_its_extra(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lack(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'bytewax'", name="bytewax.operators")

    monkeypatch.setattr(flows, "ingest", lack, raising=False)
    result = command_line.invoke(app, ["ingest", "chat.jsonl"])
    assert result.exit_code == 1
    assert "pip install 'mneme-river[flow]'" in result.stderr


def test_a_misspelt_setting_stops_a_command_with_its_name(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["search", "when?", "--user", "mira"], env={"MNEME_OPENSAERCH__URL": "http://x"})
    assert result.exit_code == 2
    assert "MNEME_OPENSAERCH__URL" in result.stderr


def test_search_prints_the_ranking_as_a_table(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["search", "when?", "--user", "mira"])
    assert result.exit_code == 0
    assert "Jason's birthday is on 14 May." in result.stdout
    assert "2025-03-31" in result.stdout
    assert "fact · A new job" in result.stdout


def test_search_prints_json_and_nothing_else(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["search", "when?", "--user", "mira", "--json"])
    assert SearchResponse.model_validate(json.loads(result.stdout)) == FOUND


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (
            "--user mira",
            {
                "query": "when?",
                "method": "hybrid",
                "top_k": 10,
                "explain": False,
                "filters": {"user_id": "mira", "knowledge": True},
                "agent": None,
                "expand_context": 0,
            },
        ),
        (
            "--group team --agent ops --tenant acme -c standup -c retro --since 2025-03-01 --no-knowledge",
            {
                "filters": {
                    "group_id": "team",
                    "agent_id": "ops",
                    "tenant_id": "acme",
                    "conversation_id": ["standup", "retro"],
                    "since": datetime(2025, 3, 1),  # without an offset: Filters takes it as UTC
                    "knowledge": False,
                }
            },
        ),
        (
            "--user mira --as-of 2026-03-01 --expired --kind fact --kind episode",
            {
                "filters": {
                    "user_id": "mira",
                    "knowledge": True,
                    "as_of": datetime(2026, 3, 1),
                    "expired": True,
                    "kinds": ["fact", "episode"],
                }
            },
        ),
        (
            "--user mira --method keyword --top-k 3 --context 2 --explain",
            {"method": "keyword", "top_k": 3, "expand_context": 2, "explain": True},
        ),
        (
            "--user mira --method agentic --strategy chain",
            {"method": "agentic", "agent": "chain"},
        ),
    ],
)
def test_search_passes_its_options_on(command_line: CliRunner, options: str, asked: dict[str, Any]) -> None:
    assert command_line.invoke(app, ["search", "when?", *options.split()]).exit_code == 0
    assert {name: FakeMemories.asked[name] for name in asked} == asked


def test_history_is_told_as_a_table_or_as_json(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["history", "Jason", "--group", "team", "--as-of", "2026-03-01"])
    assert result.exit_code == 0
    assert "Jason's birthday is on 14 May." in result.stdout
    assert FakeMemories.asked == {
        "entity": "Jason",
        "filters": {"group_id": "team", "as_of": datetime(2026, 3, 1)},
    }
    result = command_line.invoke(app, ["history", "Jason", "--user", "mira", "--json"])
    assert History.model_validate(json.loads(result.stdout)) == HISTORY


def test_no_history_is_an_error_code(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["history", "Nobody", "--user", "mira"])
    assert result.exit_code == 1
    assert "nothing is remembered" in result.stdout


def test_inspect_shows_a_conversation_or_prints_json(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["inspect", "standup", "--user", "mira", "--tenant", "acme"])
    assert result.exit_code == 0
    assert "standup" in result.stdout
    assert FakeMemories.asked == {"conversation_id": "standup", "filters": {"user_id": "mira", "tenant_id": "acme"}}
    result = command_line.invoke(app, ["inspect", "standup", "--user", "mira", "--json"])
    assert Inspection.model_validate(json.loads(result.stdout)) == INSPECTION


def test_a_conversation_that_is_not_there_is_said_to_be_missing(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["inspect", "retro", "--user", "mira"])
    assert result.exit_code == 1
    assert "nothing of retro in this memory" in result.stderr


def test_inspect_takes_a_conversation(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["inspect"])
    assert result.exit_code == 2
    assert "CONVERSATION" in result.stderr


def test_an_unknown_method_is_refused_with_those_there_are(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["search", "when?", "--user", "mira", "--method", "telepathy"])
    assert result.exit_code == 2
    assert "hybrid" in result.stderr


def test_ingest_reports_what_it_did(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def ingest(paths: list[Path], settings: object, **arguments: Any) -> IngestReport:
        arguments.pop("on_progress")(1, 2)
        asked.update(arguments, paths=paths)
        return IngestReport(messages=1234, duplicates=5, episodes=67, facts=890, dead_letters=1, seconds=2.25, repeated=31)

    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    for name in ("a.jsonl", "b.md"):
        Path(name).write_text(name)
    result = command_line.invoke(app, ["ingest", "a.jsonl", "b.md", "--user", "mira"])
    assert result.exit_code == 1, "an event was not taken in"
    assert asked == {"paths": [Path("a.jsonl"), Path("b.md")], "defaults": {"user_id": "mira"}}
    assert [figure in result.stdout for figure in ("1,234", "67", "890", "31", "5", "1", "2.2")] == [True] * 7
    assert "1 event not taken in; whole, with reasons: `mneme admin dead-letters list`" in result.stderr


OWNER_OPTIONS = ("--user", "--group", "--agent", "--tenant")


def dead_letter(path: Path, offset: int, reason: str) -> DeadLetter:
    place = Position(topic=f"file:{content_identity(path)[:16]}", partition=0, offset=offset)
    return DeadLetter(stage="decode", reason=reason, raw=b"{}", position=place, at=datetime.now(UTC))


def test_ingest_names_file_line_and_reason_of_what_this_run_refused(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text("{}\n")
    letters = FileDeadLetters(Path("mneme-data/dead-letters.sqlite"))
    letters.send([dead_letter(chat, 0, "of an earlier run")])

    def ingest(*_: object, **__: object) -> IngestReport:
        letters.send([dead_letter(chat, line, f"content: wrong {line}") for line in range(25)])
        return IngestReport(
            messages=0, duplicates=0, episodes=0, facts=0, dead_letters=25, seconds=0.1, files=[Path("chat.jsonl")]
        )

    monkeypatch.setattr(flows, "ingest", ingest, raising=False)
    result = command_line.invoke(app, ["ingest", "chat.jsonl"])
    letters.close()
    lines = result.stderr.splitlines()
    assert lines[1] == "chat.jsonl:1: content: wrong 0"
    assert lines[20] == "chat.jsonl:20: content: wrong 19"
    assert lines[21:] == ["and 5 more not taken in"]


def test_ingest_of_known_files_says_that_they_were_read_already(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = IngestReport(messages=0, duplicates=0, episodes=0, facts=0, dead_letters=0, seconds=0.1)
    monkeypatch.setattr(flows, "ingest", lambda *_, **__: report, raising=False)
    result = command_line.invoke(app, ["ingest", "exports/chat.json"])
    assert "Already read: chat.json" in result.stderr
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *((command, option) for command in ("ingest", "publish", "search", "history", "inspect") for option in OWNER_OPTIONS),
        *((command, "--conversation") for command in ("ingest", "publish", "search")),
    ],
)
@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_option_is_refused_by_its_name(command_line: CliRunner, command: str, option: str, blank: str) -> None:
    result = command_line.invoke(app, [command, "chat.jsonl", option, blank])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {option}: is blank")


@pytest.mark.parametrize("command", ["search", "ask", "history", "inspect", "inspect --documents"])
@pytest.mark.parametrize(
    ("owners", "message"),
    [
        ([], "--user, --group or --agent is needed"),
        (["--user", "mira", "--group", "team"], "--user and --group are both given"),
    ],
)
def test_there_is_one_owner_by_the_names_of_the_options(
    command_line: CliRunner, command: str, owners: list[str], message: str
) -> None:
    result = command_line.invoke(app, [*command.split(), "when?", *owners])
    assert result.exit_code == 2
    assert message in result.stderr


def test_run_says_what_it_reads_and_writes_when_it_is_ready(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(settings: object, on_ready: Callable[[], None], intake: str, jobmanager: str) -> None:
        sys.stderr.write("--- ready ---\n")
        on_ready()

    monkeypatch.setattr(flows, "run", run, raising=False)
    environment = {"MNEME_INDEX__BACKEND": "opensearch", "MNEME_OPENSEARCH__URL": "http://me:secret@search:9200"}
    result = command_line.invoke(app, ["run"], env=environment)
    told = " ".join(result.stderr.partition("--- ready ---")[2].split())
    assert told.startswith("Reading mneme.messages, mneme.documents and mneme.backfill at 127.0.0.1:9092; writing to ")
    assert "OpenSearch at http://search:9200; stop with Ctrl-C." in told


def test_results_in_chinese_keep_to_the_width_of_the_terminal(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.cells import cell_len

    told = BORN.model_copy(update={"atomic_fact": "林晓雨订好了莫干山的民宿，在庾村，两间房两晚一共一千九。" * 4})
    answer = FOUND.model_copy(update={"facts": (told,)})
    monkeypatch.setattr(FakeMemories, "search", lambda self, query, **_: answer)
    result = command_line.invoke(app, ["search", "多少钱？", "--user", "xiaoyu"], env={"COLUMNS": "80"})
    assert max(cell_len(line) for line in result.stdout.splitlines()) == 80


def test_no_colour_leaves_a_pipe(command_line: CliRunner) -> None:
    assert "\x1b" not in command_line.invoke(app, ["search", "when?", "--user", "mira"]).output


class FakeService:
    """Stands for a service: keeps what it was asked, and is done at once, or never."""

    def __init__(self, runs_the_flow: bool = False, is_done: bool = True) -> None:
        self.runs_the_flow = runs_the_flow
        self.is_done = is_done
        self.asked: list[tuple[Any, ...]] = []

    def __enter__(self) -> "FakeService":
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def flush(self, tenant: str, conversations: list[str], timeout: float) -> FlushStatus:
        self.asked.append((tenant, *conversations, timeout))
        missing = () if self.is_done else ("flush-1",)
        return FlushStatus(flush_ids=("flush-1",), conversation_ids=("standup",), missing=missing, seconds=0.4)

    def flush_owner(self, owner: Owner, timeout: float) -> FlushStatus:
        self.asked.append((owner.key, timeout))
        return FlushStatus(flush_ids=("flush-1",), conversation_ids=("a",), missing=(), seconds=0.4)


def serve(monkeypatch: pytest.MonkeyPatch, service: FakeService) -> FakeService:
    monkeypatch.setattr(remote, "open_service", lambda settings, url: service)
    return service


def test_flush_waits_if_told_to(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(monkeypatch, FakeService())
    result = command_line.invoke(app, ["flush", "standup", "--tenant", "acme", "--wait"])
    assert result.exit_code == 0
    assert "everything sent to standup before this flush is searchable, after 0.4 s" in result.stdout
    command_line.invoke(app, ["flush", "standup"])
    assert service.asked == [("acme", "standup", 60.0), ("default", "standup", 0.0)]


def test_flush_waits_where_nobody_else_reads_the_inbox(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(monkeypatch, FakeService(runs_the_flow=True))
    result = command_line.invoke(app, ["flush", "--user", "mira", "--timeout", "9"])
    assert service.asked == [("default/user/mira", 9.0)]
    assert "everything sent to mira before this flush is searchable" in result.stdout


@pytest.mark.parametrize("arguments", [[], ["standup", "--user", "mira"], ["--user", "mira", "--group", "team"]])
def test_flush_is_of_one_conversation_or_of_one_owner(
    command_line: CliRunner, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    service = serve(monkeypatch, FakeService())
    assert command_line.invoke(app, ["flush", *arguments]).exit_code == 2
    assert not service.asked


def test_flush_that_is_not_answered_says_what_may_be_wrong(command_line: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, FakeService(is_done=False))
    result = command_line.invoke(app, ["flush", "standup", "--wait", "--timeout", "0.2"])
    assert result.exit_code == 1
    assert "does the flow run (`mneme serve`, `mneme run`)" in result.stderr
