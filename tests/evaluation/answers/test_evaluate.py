"""A whole evaluation on a set made up for it, through the real flow, search, writer and judge."""

import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from evaluation.answers.evaluate import answered_by, run_answers, work_through
from evaluation.recording.recordings import Recordings
from evaluation.recording.replayer import PendingRequests, import_answers, pending_path
from evaluation.report import Report
from evaluation.retrieval.question_set import Question
from mneme.errors import InputError, ModelError, StoreUnavailable
from mneme.settings import Agents, Models, Settings, load_settings
from queries.answers.answer import AnswerResponse
from serving.cli import app
from tests.evaluation.answers.made_up_gold import answer, verdict, write_talks
from tests.evaluation.made_up_sets import write_beam, write_longmemeval
from tests.evaluation.recording.recording_help import replaying
from tests.queries.world import WordEmbedder
from tests.servers.model_answers import fill
from tests.servers.models import Fault, ModelServer


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of words everywhere."""
    monkeypatch.setattr("flows.running.open_services.open_embedder", lambda settings: WordEmbedder())
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: WordEmbedder())


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    return write_talks(tmp_path / "talks.json", talks=1)


@pytest.fixture
def server() -> Any:
    with ModelServer() as running:
        running.answer, running.write = verdict, answer
        yield running


def asking(server: ModelServer, **changes: Any) -> Settings:
    models = Models(provider="openai", base_url=server.url, deadline_seconds=20).model_copy(
        update={"retries": 2, "retry_base_seconds": 0.01}
    )
    return load_settings({}).model_copy(update={"models": models.model_copy(update=changes)})


def run(talks: Path, out: Path, settings: Settings, **options: Any) -> tuple[Report, str]:
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    report = run_answers("locomo", [talks], settings, console, **options).finish(console, out)
    return report, printed.getvalue()


@pytest.mark.slow
def test_without_a_model_answers_are_quotes_measured_by_their_words(talks: Path, tmp_path: Path) -> None:
    report, printed = run(talks, tmp_path / "eval.json", load_settings({}))
    rows = {row["category"]: row for row in report.rows}
    assert list(rows) == ["all", "answerable", "abstention", "multi-hop", "open-domain", "single-hop", "temporal"]
    assert rows["all"]["answered"] == 5
    assert "accuracy" not in rows["all"]
    assert rows["single-hop"]["contained"] == 1.0
    assert rows["answerable"]["evidence"] == rows["answerable"]["shown"] == 1.0
    assert 0 < rows["answerable"]["context_tokens"] <= load_settings({}).answers.context_tokens
    assert printed.rstrip().splitlines()[-1].startswith("BENCH eval-locomo method=hybrid questions=5 pending=0 contained=")
    written = json.loads((tmp_path / "eval.json").read_text())
    assert written["settings"]["ingested"]["messages"] == 4
    assert written["cost"] == []
    assert "yellow kayak" in {each["question"]: each for each in written["answers"]}["talk-0/0"]["answer"]
    assert (tmp_path / "eval.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["longmemeval", "beam"])
def test_every_set_goes_the_same_way(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    write_beam(folder) if name == "beam" else write_longmemeval(folder / "s.json")
    report = run_answers(name, [folder], load_settings({}), Console(file=io.StringIO()))
    assert report.headline["pending"] == 0
    assert {row["category"] for row in report.rows} >= {"all", "abstention"}
    assert report.line().startswith(f"BENCH eval-{name} ")


@pytest.mark.slow
def test_answers_are_judged_and_what_that_costs_is_told_by_role(talks: Path, tmp_path: Path, server: ModelServer) -> None:
    report, printed = run(talks, tmp_path / "eval.json", asking(server), judge="model")
    rows = {row["category"]: row for row in report.rows}
    assert rows["all"]["judged"] == 5
    assert rows["single-hop"]["accuracy"] == 1.0
    costs = {row["role"]: row for row in report.parts["cost"]}
    assert {role: row["calls"] for role, row in costs.items()} == {"answer": 5, "judge": 5}
    assert costs["judge"]["input_tokens"] > 5 * 200
    assert all(each["reason"] for each in report.parts["answers"])
    assert " accuracy=" in printed.rstrip().splitlines()[-1]


@pytest.mark.slow
def test_what_a_model_refuses_stays_pending_with_its_reason(talks: Path, tmp_path: Path, server: ModelServer) -> None:
    refused = Fault("status", status=403, message="not this one")
    server.meets = lambda path, body: refused if "Does Leo like water" in json.dumps(body) else None
    report, printed = run(talks, tmp_path / "eval.json", asking(server), judge="model")
    assert report.headline["pending"] == 1
    assert {row["category"]: row["answered"] for row in report.rows}["open-domain"] == 0
    assert "1 questions have no answer" in printed
    assert "403 not this one" in printed


@pytest.mark.slow
def test_an_agentic_run_tells_what_its_agents_cost_and_measures_none_that_failed(
    talks: Path, tmp_path: Path, server: ModelServer
) -> None:
    server.answer = lambda schema, user: (verdict if "correct" in schema["properties"] else fill)(schema, user)
    plan: dict[str, Any] = {"judge": "model", "method": "agentic", "agent": "chain", "limit": 2}
    report, _ = run(talks, tmp_path / "eval.json", asking(server), **plan)
    assert report.headline["pending"] == 0
    assert {row["role"] for row in report.parts["cost"]} == {"agents", "answer", "judge"}
    refused = Fault("status", status=403, message="no agents today")
    server.meets = lambda path, body: refused if "response_format" in body else None
    report, printed = run(talks, tmp_path / "other.json", asking(server), **plan)
    assert report.headline["pending"] == 2
    assert "no agents today" in printed


@pytest.mark.slow
def test_a_recorded_planner_is_asked_once_a_question_at_any_depth(
    talks: Path, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Agents, "seconds", 600.0)  # no search is left behind on a busy machine

    def plan_of(schema: dict[str, Any], user: str) -> dict[str, Any]:
        assert "Queries wanted: 6" in user, "what a planner sees: the question and what was found"
        queries = [{"style": "statement", "query": "My sister teaches me to paddle."}]
        return {"established": "", "missing": "who", "sufficient": False, "confidence": 0.5, "queries": queries}

    server.answer = plan_of
    hard = {"method": "agentic", "agent": "reflect", "writer": "extractive", "category": ["multi-hop", "open-domain"]}
    file = tmp_path / "planner.jsonl"
    with replaying(file, pending=True) as (url, _):
        settings = asking(server, base_url=url)
        report, printed = run(talks, tmp_path / "at-20.json", settings, top_k=20, **hard)
        assert report.headline["pending"] == 2
        assert "2 questions have no answer" in printed
        answered_by_a_batch(file, tmp_path / "answers.jsonl", server)
        for top_k in (20, 40):
            report, _ = run(talks, tmp_path / "again.json", settings, top_k=top_k, **hard)
            assert report.headline["pending"] == 0
            assert report.rows[0]["evidence"] == 1.0
            assert [(row["role"], row["calls"]) for row in report.parts["cost"]] == [("agents", 2)]
    assert server.calls() == 0


def answered_by_a_batch(file: Path, answers: Path, server: ModelServer) -> None:
    """As an endpoint for batches answers the file of pending requests."""
    asked = [json.loads(line) for line in pending_path(file).read_text().splitlines()]
    answered = [
        {
            "custom_id": each["custom_id"],
            "response": {"status_code": 200, "body": server.respond(each["url"], each["body"], None)[1]},
        }
        for each in asked
    ]
    answers.write_text("".join(json.dumps(each) + "\n" for each in answered))
    assert import_answers(answers, PendingRequests(pending_path(file)), Recordings(file)).added == len(asked)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"agent": "chain"}, "--agent: chain belongs to --method agentic"),
        ({"judge": "model"}, "--judge model: there is no chat model"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is(
    options: dict[str, Any], said: str, talks: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        run(talks, tmp_path / "eval.json", load_settings({}), **options)


def response(**changes: Any) -> AnswerResponse:
    return AnswerResponse.model_validate(
        {
            "question": "q",
            "searched": "q",
            "answer": "a kayak",
            "asked_at": "2026-03-02T09:00:00Z",
            "found": {
                "query": {"text": "q", "method": "hybrid", "filters_applied": {}, "type": "general", "top_k": 5},
                "metrics": {"milliseconds": 1, "round_trips": 1, "candidates": {}, "scoring": "bm25"},
            },
            "metrics": {"milliseconds": 2, "search_milliseconds": 1},
            **changes,
        }
    )


def test_quotes_in_place_of_an_answer_that_a_model_was_to_write_are_no_answer(model_server: ModelServer) -> None:
    question = Question("q1", "talk", {"group_id": "talk"}, "What?", "single-hop", frozenset())
    quotes = response(extractive=True, notes=("quoted instead of written: the model did not answer (HTTP 500)",))
    with pytest.raises(ModelError, match="HTTP 500"):
        answered_by(lambda _: quotes, question, asking(model_server))
    assert answered_by(lambda _: quotes, question, load_settings({})).extractive
    assert answered_by(lambda _: response(), question, asking(model_server)).answer == "a kayak"


@pytest.mark.parametrize(
    ("note", "is_measured"),
    [
        ("agent: judgement failed: HTTP 500", False),
        ("agent: search failed (where?): the index cannot serve now", False),
        ("rerank off: HTTP 500", False),
        ("agent: 2 searches left out: no more are allowed for one question", True),
        ("agent: search left behind (which exam failed?): the 30 s have passed", True),
        ("agent: not everything was found: who failed", True),
    ],
)
def test_what_a_search_went_without_because_something_failed_is_not_measured(
    note: str, is_measured: bool, model_server: ModelServer
) -> None:
    question = Question("q1", "talk", {"group_id": "talk"}, "What?", "single-hop", frozenset())
    found = response().found
    noted = found.model_copy(update={"query": found.query.model_copy(update={"notes": (note,)})})
    given = response(found=noted.model_dump())
    if is_measured:
        assert answered_by(lambda _: given, question, asking(model_server)).notes == (note,)
    else:
        with pytest.raises(ModelError, match=r"HTTP 500|cannot serve"):
            answered_by(lambda _: given, question, asking(model_server))


def test_the_command_ends_with_status_2_where_an_option_is_wrong(talks: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "eval", "locomo", str(talks), "--out", str(tmp_path / "run"), "--votes", "2"])
    assert result.exit_code == 2


QUIET = Console(file=io.StringIO())


def test_what_fails_is_left_with_its_reason() -> None:
    def do(number: int) -> int:
        if number == 3:
            raise ModelError(f"no {number}")
        return 10 * number

    results, failed = work_through([1, 2, 3], do, QUIET, "working")
    assert results == {1: 10, 2: 20}
    assert list(map(str, failed)) == ["no 3"]


def test_no_more_are_under_way_than_are_allowed() -> None:
    lock, together = threading.Barrier(4, timeout=120), []
    counted = threading.Lock()
    now = [0]

    def do(number: int) -> None:
        with counted:
            now[0] += 1
            together.append(now[0])
        lock.wait()
        with counted:
            now[0] -= 1

    assert len(work_through(range(8), do, QUIET, "working")[0]) == 8
    assert max(together) == 4


def test_another_error_ends_the_work() -> None:
    def do(number: int) -> None:
        raise StoreUnavailable("gone")

    with pytest.raises(StoreUnavailable, match="gone"):
        work_through([1, 2, 3], do, QUIET, "working")
