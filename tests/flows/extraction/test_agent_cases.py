from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.cuts import Utterance
from flows.extraction import LocalExtractor
from flows.extraction.agent_cases import called, case_of, numbered_steps, steps_in
from mneme.events import Message, parse_event
from mneme.records import Owner, Position
from tests.flows.extraction.cuts import call, cut_of, message

EXAMPLE = Path(__file__).parents[3] / "examples" / "agent.jsonl"


def case(*messages):
    return LocalExtractor().extract(cut_of(list(messages))).case


def agent(text, number, *calls):
    return message("agent", text, number, "assistant", tool_calls=calls, agent_id="a1")


REQUEST = message("Ann", "Please book a table for four in Lyon.", 0)


def test_a_task_done_with_tools_is_a_case():
    found = case(
        REQUEST,
        agent("", 1, call("search_restaurants", '{"city": "Lyon"}', "3 found"), call("book", '{"seats": 4}', "confirmed")),
        agent("Done, the table is booked.", 2),
        message("Ann", "Perfect, thanks!", 3),
    )
    assert found.task_intent == "Book a table for four in Lyon"
    assert found.approach == "1. search_restaurants(city=Lyon) -> 3 found\n2. book(seats=4) -> confirmed"
    assert found.quality_score == 1.0
    assert found.key_insight == "Done, the table is booked."


def test_a_failure_that_was_overcome_is_the_insight():
    found = case(REQUEST, agent("", 1, call("book", "four", "error: seats must be a number"), call("book", "4", "confirmed")))
    assert found.key_insight == "Failed: book(four) -> error: seats must be a number. Then worked: book(4) -> confirmed."


def test_failure_and_blame_score_below_success():
    failed = case(REQUEST, agent("I was unable to book.", 1, call("book", "4", "error")), message("Ann", "That is wrong.", 2))
    assert failed.quality_score < 0.2


def test_without_tools_or_agent_there_is_no_case():
    assert case(REQUEST, agent("I cannot.", 1)) is None
    assert case(REQUEST, message("Bo", "", 1, tool_calls=(call("book"),))) is None


def tool(text, number):
    return message("shell", text, number, "tool")


def test_a_result_in_a_message_of_the_tool_belongs_to_its_call():
    found = case(REQUEST, agent("", 1, call("book", '{"seats": "four"}')), tool("error: seats must be a number", 2))
    assert found.approach == "1. book(seats=four) -> error: seats must be a number"
    assert found.quality_score < 0.5


def test_a_message_with_a_clause_for_each_call_answers_them_one_by_one():
    found = case(REQUEST, agent("", 1, call("stop"), call("migrate"), call("start")), tool("stopped; 3 applied; running", 2))
    assert found.approach == "1. stop() -> stopped\n2. migrate() -> 3 applied\n3. start() -> running"


def test_messages_of_the_tool_answer_their_calls_in_order_and_what_is_left_over_is_of_the_last():
    two = case(REQUEST, agent("", 1, call("a"), call("b")), tool("one", 2), tool("two", 3))
    assert two.approach == "1. a() -> one\n2. b() -> two"
    uneven = case(REQUEST, agent("", 1, call("a"), call("b")), tool("all fine", 2))
    assert uneven.approach == "1. a()\n2. b() -> all fine"


@pytest.mark.parametrize("result", ["0 errors found", "Finished without errors.", "200 OK", "12 tables, " * 20 + "error_log"])
def test_a_result_that_only_speaks_of_errors_is_no_failure(result):
    assert case(REQUEST, agent("", 1, call("check", "", result))).quality_score == 0.6


@pytest.mark.parametrize("result", ["503 Service Unavailable", "error: no table", "Permission denied", "连接超时"])
def test_errors_are_failures(result):
    assert case(REQUEST, agent("", 1, call("check", "", result))).quality_score == pytest.approx(0.1)


def test_an_agent_is_not_believed_against_its_user():
    told = (REQUEST, agent("", 1, call("book", "", "ok")), agent("Done, it is booked.", 2))
    content = case(*told, message("Ann", "Great, thank you!", 3)).quality_score
    silent = case(*told).quality_score
    cross = case(*told, message("Ann", "No, that is the wrong day.", 3)).quality_score
    assert (content, silent, cross) == (1.0, 0.8, 0.3)


def test_a_failure_that_the_next_message_mended_is_none():
    refused, booked = agent("", 1, call("book", "four", "error")), agent("It is booked now.", 3, call("book", "4", "confirmed"))
    objection = message("Ann", "No, that is wrong.", 2)
    smooth = case(REQUEST, booked).quality_score
    assert case(REQUEST, refused, booked).quality_score == case(REQUEST, refused, objection, booked).quality_score == smooth
    assert case(REQUEST, booked, refused).quality_score < 0.5


def test_the_last_word_of_the_user_decides():
    told = (REQUEST, agent("", 1, call("book", "", "ok")), agent("Done, it is booked.", 2), message("Ann", "That is wrong.", 3))
    mended = case(*told, agent("Sorry, I meant Friday.", 4), message("Ann", "Perfect, thanks!", 5))
    assert (case(*told).quality_score, mended.quality_score) == (0.3, 1.0)


def test_what_was_left_undone_is_no_success():
    undone = case(REQUEST, agent("", 1, call("book", "", "ok")), agent("Unfortunately I could not book it.", 2))
    assert undone.quality_score == 0.4


def test_the_insight_is_the_lesson_that_the_agent_drew_then_how_a_failure_was_overcome():
    found = case(
        REQUEST,
        agent("", 1, call("book", "x", "error: no seats")),
        agent("", 2, call("clear", "", "cleared"), call("book", "x", "booked")),
        agent("It is booked. Lesson: clear it first.", 3),
    )
    assert found.key_insight == (
        "Lesson: clear it first. Failed: book(x) -> error: no seats. Then worked: clear() -> cleared, book(x) -> booked."
    )


def test_the_report_is_what_follows_the_last_call_and_not_what_was_spoken_of_later():
    found = case(
        REQUEST,
        agent("", 1, call("book", "", "ok")),
        agent("The table is booked.", 2),
        message("Ann", "Who owns the place?", 3),
        agent("A cook from Nice.", 4),
    )
    assert found.key_insight == "The table is booked."


def test_the_example_is_judged_by_how_it_went():
    utterances = []
    for at, line in enumerate(EXAMPLE.read_bytes().splitlines()):
        event = parse_event(line, datetime.now(UTC))
        assert isinstance(event, Message)
        owner = Owner(tenant_id="t", type="agent", id="ops-agent")
        utterances.append(Utterance(event.stored(owner, Position(topic="t", partition=0, offset=at), event.sent_at, 1), None))
    first, disk, second, costs = (case_of(utterances[start:end]) for start, end in ((0, 13), (13, 23), (23, 32), (32, 41)))
    assert first.quality_score == 0.96  # two of its seven calls failed, and one of them worked later
    assert "error: 0087_add_vat_region: lock timeout" in first.approach
    assert first.key_insight.startswith("Lesson: apply pending migrations before the rollout")
    assert second.quality_score == 1.0
    assert second.key_insight == "Migrating before the rollout avoided the lock timeout of last time."
    assert disk.key_insight.startswith("The cause was debug logging")
    assert costs.task_intent == "The cloud costs of March by service"


# --- the steps of an approach ----------------------------------------------------------------------------------------


plain = st.text(alphabet="abc xyz0123./-", min_size=1, max_size=20).map(str.strip).filter(bool)


def test_a_call_is_read_as_it_was_written() -> None:
    step = called("deploy", '{"service": "api", "replicas": 3, "tags": ["a", "b"]}', "rollout started")
    assert step.text == 'deploy(service=api, replicas=3, tags=["a", "b"])'
    assert steps_in(numbered_steps([step])) == [step]


def test_arguments_that_are_no_json_object_are_kept_as_they_are() -> None:
    assert called("shell", "ls -l", "").text == "shell(ls -l)"
    assert called("add", "[1, 2]", "3").text == "add([1, 2])"


def test_steps_that_are_told_freely_are_steps_too() -> None:
    steps = steps_in("1. Look at the logs\n\n2) Restart the service")
    assert [(step.tool, step.text) for step in steps] == [("", "Look at the logs"), ("", "Restart the service")]


@given(arguments=st.dictionaries(st.sampled_from(["service", "version", "host"]), plain), result=st.one_of(st.just(""), plain))
def test_simple_arguments_and_results_come_back(arguments: dict[str, str], result: str) -> None:
    import json

    step = called("tool", json.dumps(arguments), result)
    assert steps_in(numbered_steps([step, step])) == [step, step]
