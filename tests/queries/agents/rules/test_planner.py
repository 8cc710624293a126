"""The planner from rules: which strategy, and what to ask for next."""

import pytest

from queries.agents.evidence import Evidence
from queries.agents.planner import Tool
from queries.agents.query import Allowance, Budget
from queries.agents.rule_planner import RulePlanner
from queries.responses import Graph
from tests.queries.agents.made import Remembered, ask, fact, ids, message, relationship, response

PLANNER = RulePlanner()
BUDGET = Budget(Allowance(searches=8, calls=0, tokens=0, seconds=60))
ACME = "What is the current company of the spouse of the CEO of Acme?"
ALL = "Which instruments does Maya play?"
HEAD = Graph(relationships=(relationship("Clara", "ceo_of", "Acme"),))
SPOUSE = Graph(relationships=(relationship("Clara", "married_to", "Anton"),))


def found(question: str, *items: object, graph: Graph | None = None) -> Evidence:
    evidence = Evidence()
    evidence.add(question, response(*items, graph=graph))  # type: ignore[arg-type]
    return evidence


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        (ACME, Tool.CHAIN),
        ("Where does Ann live, and what does Bob paint?", Tool.SPLIT),
        (ALL, Tool.REFLECT),
        ("How many dogs does Maya have?", Tool.REFLECT),
        ("When did Maya move?", Tool.DIRECT),
        ("小雨的丈夫的公司在哪里？", Tool.CHAIN),
        ("小雨去过哪些城市？", Tool.REFLECT),
    ],
)
def test_the_form_of_a_question_chooses_the_strategy(question: str, tool: Tool) -> None:
    assert PLANNER.route(question, BUDGET) is tool


def test_a_chain_asks_with_the_name_that_the_graph_knows() -> None:
    judgement = PLANNER.judge(ACME, found(ACME, graph=HEAD), BUDGET)
    assert not judgement.sufficient
    assert judgement.queries == ("What is the current company of the spouse of Clara?",)


def test_a_chain_asks_who_it_is_where_the_graph_does_not_know() -> None:
    assert PLANNER.judge(ACME, found(ACME), BUDGET).queries == ("Who is the CEO of Acme?",)


def test_a_chain_is_done_when_nothing_is_described_any_more() -> None:
    evidence = found(ACME, graph=HEAD)
    evidence.add("What is the current company of the spouse of Clara?", response(graph=SPOUSE))
    evidence.add("What is the current company of Anton?", response(message("Anton is at Initech now")))
    judgement = PLANNER.judge(ACME, evidence, BUDGET)
    assert judgement.sufficient
    assert judgement.confidence == 1.0


def test_a_chain_that_nobody_knows_ends_with_what_is_missing() -> None:
    evidence = found(ACME)
    evidence.add("Who is the CEO of Acme?", response())
    judgement = PLANNER.judge(ACME, evidence, BUDGET)
    assert not judgement.sufficient
    assert judgement.queries == ()


def test_a_whole_chain_is_followed_through_the_agent() -> None:
    last = "What is the current company of Anton?"
    memory = Remembered(
        {
            ACME: response(graph=HEAD),
            "What is the current company of the spouse of Clara?": response(graph=SPOUSE),
            last: response(message("Initech")),
        }
    )
    answer = ask(memory, PLANNER, "router", ACME)
    assert memory.queries[-1] == last
    assert "Initech" in ids(answer)
    assert answer.metrics.agent is not None
    assert answer.metrics.agent.llm_called == 0


def test_of_several_things_there_are_more_among_the_words_of_whom_it_names() -> None:
    judgement = PLANNER.supplement(ALL, found(ALL, message("a cello")), 3, BUDGET)
    assert not judgement.sufficient
    assert judgement.people == ("Maya",)


def test_a_count_asks_for_each_thing_that_was_named() -> None:
    question = "How many concerts did Maya give?"
    judgement = PLANNER.supplement(
        question, found(question, message("said", "I played in Vienna and in Graz and in Linz")), 3, BUDGET
    )
    assert judgement.queries == ("concerts give Vienna", "concerts give Graz")
    assert judgement.people == ("Maya",)


def test_where_nobody_is_named_what_is_covered_is_sufficient() -> None:
    question = "Which cello was in the window?"
    assert PLANNER.supplement(question, found(question, message("said", "a cello in a window")), 3, BUDGET).sufficient


def test_where_nobody_is_named_what_is_not_covered_is_asked_for_in_other_words() -> None:
    question = "Which cello was in the window?"
    judgement = PLANNER.supplement(question, found(question, fact("rain", "it rains")), 3, BUDGET)
    assert not judgement.sufficient
    assert judgement.queries == ("cello window",)
    assert judgement.people == ()
    assert "cello" in judgement.missing
