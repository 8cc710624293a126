"""``mneme ask``: the answer as it is written, then what it cites; or everything as JSON."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import queries
from mneme import records
from queries.answers.answer import AnswerMetrics, AnswerResponse, AnswerStream, CitedMemory
from serving.cli import app
from tests.queries.answers.found import ASKED_AT, at, found
from tests.serving.fake_memories import OpenedMemories

PAGE_TWO = records.Citation(document_id="offer", name="offer.pdf", place="page 2")
ANSWER = AnswerResponse(
    question="Where does he work?",
    searched="Where does Jonas work?",
    answer="At the shipyard [2].",
    reasoning="[2] tells it.",
    citations=(
        CitedMemory(number=2, id="a", kind="fact", text="Jonas works there", said_at=at("2026-03-02"), message_ids=("m1",)),
        CitedMemory(number=4, id="d", kind="fact", text="a desk", said_at=None, message_ids=(), document=PAGE_TWO),
        CitedMemory(number=3, id="s", kind="skill", text="finding work", said_at=None, message_ids=()),
    ),
    asked_at=ASKED_AT,
    found=found("Where does Jonas work?"),
    metrics=AnswerMetrics(
        milliseconds=12.3, search_milliseconds=4.0, llm_called=2, input_token=1100, output_token=60, memories=3, candidates=5
    ),
    notes=("the model cited [17], which it was not shown; that was left out",),
)


class FakeMemories(OpenedMemories):
    """Answers with ``answer``, and remembers what it was asked."""

    answer = ANSWER

    def ask_stream(self, question: str, filters: dict[str, Any], **arguments: Any) -> AnswerStream:
        type(self).asked = {"question": question, "filters": filters, **arguments}
        answer = type(self).answer
        if arguments["explain"]:
            answer = answer.model_copy(update={"context": "<memories>\n[2] Jonas works there\n</memories>"})

        def pieces() -> Generator[str, None, AnswerResponse]:
            yield "At the "
            yield "shipyard [2]."
            return answer

        return AnswerStream(pieces())


@pytest.fixture
def command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(queries, "Memories", FakeMemories, raising=False)
    return CliRunner()


def test_the_answer_comes_first_then_what_it_cites_and_what_it_cost(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["ask", "Where does he work?", "--user", "mira"])
    assert result.exit_code == 0
    assert result.stdout.startswith("At the shipyard [2].\n")
    assert "understood as: Where does Jonas work?" in result.stdout
    assert "[2] 2026-03-02 Jonas works there" in result.stdout
    assert "[3] skill" in result.stdout
    assert "by a model · 3 of 5 memories shown · 12 ms · 2 calls · 1,160 tokens" in result.stdout
    assert result.stderr == "note: the model cited [17], which it was not shown; that was left out\n"


def test_neither_reasoning_nor_context_is_shown_unasked(command_line: CliRunner) -> None:
    plain = command_line.invoke(app, ["ask", "Where does he work?", "--user", "mira"]).stdout
    explained = command_line.invoke(app, ["ask", "Where does he work?", "--user", "mira", "--explain"]).stdout
    for text in ("[2] tells it.", "<memories>"):
        assert text not in plain
        assert text in explained


def test_json_is_the_whole_response_and_nothing_else(command_line: CliRunner) -> None:
    result = command_line.invoke(app, ["ask", "Where does he work?", "--user", "mira", "--json"])
    assert AnswerResponse.model_validate(json.loads(result.stdout)) == ANSWER


def test_options_are_passed_on(command_line: CliRunner) -> None:
    line = "ask where? --group team --tenant acme --method agentic --strategy chain --top-k 7 --as-of 2026-03-01"
    assert command_line.invoke(app, line.split()).exit_code == 0
    asked = FakeMemories.asked
    assert asked["question"] == "where?"
    assert asked["filters"]["group_id"] == "team"
    assert asked["filters"]["tenant_id"] == "acme"
    assert f"{asked['filters']['as_of']:%Y-%m-%d}" == "2026-03-01"
    assert (asked["method"], asked["agent"], asked["top_k"]) == ("agentic", "chain", 7)
