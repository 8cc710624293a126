from flows.extraction import LocalExtractor
from tests.flows.extraction.cuts import call, cut_of, message


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
    assert found.task_intent == "Please book a table for four in Lyon."
    assert found.approach == '1. search_restaurants({"city": "Lyon"}) -> 3 found\n2. book({"seats": 4}) -> confirmed'
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
