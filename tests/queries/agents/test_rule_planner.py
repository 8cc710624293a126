"""The planner without a model: its decisions, the coverage of a question, and the queries that it makes."""

import pytest

from queries.agents.evidence import Evidence
from queries.agents.planner import Tool
from queries.agents.query import Budget
from queries.agents.rule_planner import (
    RulePlanner,
    coverage,
    feedback,
    item_queries,
    named_items,
    statement,
    supplementary_queries,
)
from queries.responses import Graph
from tests.queries.agents.made import Remembered, ask, fact, ids, message, relationship, response

PLANNER = RulePlanner()
BUDGET = Budget(searches=8, calls=0, tokens=0, seconds=60)
ACME = "What is the current company of the spouse of the CEO of Acme?"
ALL = "Which instruments does Maya play?"
HEAD = Graph(relationships=(relationship("Clara", "ceo_of", "Acme"),))
SPOUSE = Graph(relationships=(relationship("Clara", "married_to", "Anton"),))

COVERED_QUESTION = "Which violin did Maya buy in Cremona?"

COUNTS = "How many concerts did Maya give?"

SUPPLEMENTED_QUESTION = "Which violin did Maya buy?"


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


def found_scored(*texts: str, score: float | None = None) -> Evidence:
    evidence = Evidence()
    answer = response(*(message(f"m{at}", text) for at, text in enumerate(texts)))
    if score is not None:
        answer = answer.model_copy(
            update={"raw_messages": tuple(each.model_copy(update={"score": score}) for each in answer.raw_messages)}
        )
    evidence.add(COVERED_QUESTION, answer)
    return evidence


def test_all_words_and_a_good_score_are_sufficient() -> None:
    covered = coverage(COVERED_QUESTION, found_scored("I bought a violin", "it was made in Cremona and I had to buy it"))
    assert covered.sufficient
    assert covered.confidence == 1.0
    assert covered.missing == ""


def test_words_that_nothing_has_are_missing() -> None:
    covered = coverage(COVERED_QUESTION, found_scored("my violin is old"))
    assert covered.missing == "buy, Cremona"
    assert covered.confidence < 1.0


def test_a_low_score_is_not_sufficient_whatever_the_words() -> None:
    assert not coverage(COVERED_QUESTION, found_scored("I bought a violin in Cremona to buy time", score=0.01)).sufficient


def test_a_score_without_a_word_is_not_sufficient() -> None:
    assert not coverage(COVERED_QUESTION, found_scored("it rains")).sufficient


def test_nothing_found_is_not_sufficient() -> None:
    assert coverage(COVERED_QUESTION, found_scored()).confidence == 0.0


def test_the_name_of_who_speaks_need_not_be_said() -> None:
    assert "Maya" not in coverage(COVERED_QUESTION, found_scored("a violin")).missing


def found_names(*texts: str) -> Evidence:
    evidence = Evidence()
    evidence.add(COUNTS, response(*(message(f"m{at}", text) for at, text in enumerate(texts))))
    return evidence


def test_what_is_named_is_an_item_most_often_first() -> None:
    told = found_names('We gave "The Planets" again', 'I played in Vienna and "The Planets" was next')
    assert named_items(COUNTS, told) == ("The Planets", "Vienna")


def test_each_item_is_asked_for_with_the_words_of_the_question() -> None:
    assert item_queries(COUNTS, found_names("I played in Vienna"), 3) == ("concerts give Vienna",)


def test_people_days_and_the_words_of_the_question_are_no_items() -> None:
    assert (
        named_items("How many concerts in Vienna did Maya give?", found_names("I, Maya, play in Vienna on Monday in May")) == ()
    )


def test_what_counts_nothing_has_no_items() -> None:
    assert item_queries("Where does Maya play?", found_names("I played in Vienna"), 3) == ()


def test_no_more_items_than_wanted() -> None:
    assert len(item_queries(COUNTS, found_names("I saw Vienna, then Graz, then Linz, and Wels"), 2)) == 2


def found_words(*texts: str) -> Evidence:
    evidence = Evidence()
    facts = [fact(f"f{at}", text) for at, text in enumerate(texts)]
    evidence.add(SUPPLEMENTED_QUESTION, response(message("said by Maya", "hm"), *facts))
    return evidence


def test_three_styles_are_three_queries() -> None:
    assert supplementary_queries(SUPPLEMENTED_QUESTION, found_words(), 3) == (
        "violin buy",
        "Which violin did I buy?",
        "I buy violin",
    )


def test_no_more_than_wanted() -> None:
    assert supplementary_queries(SUPPLEMENTED_QUESTION, found_words(), 1) == ("violin buy",)


def test_words_that_several_episodes_share_are_fed_back() -> None:
    shared = found_words("the luthier in Cremona", "a luthier wrote", "it rained")
    assert feedback(SUPPLEMENTED_QUESTION, shared) == ("luthier",)
    assert supplementary_queries(SUPPLEMENTED_QUESTION, shared, 1) == ("violin buy luthier",)


def test_a_word_of_one_episode_is_not() -> None:
    evidence = Evidence()
    evidence.add(SUPPLEMENTED_QUESTION, response(*(fact(f"f{at}", "the luthier", "same") for at in range(4))))
    assert feedback(SUPPLEMENTED_QUESTION, evidence) == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which books has Ann read?", "Ann has read books"),
        ("Where does Ann live?", "Ann live"),
        ("In what ways is Ann helping?", "Ann is helping In ways"),
        ("Ann?", ""),
        ("小雨喜欢什么？", "小雨喜欢"),
    ],
)
def test_a_question_is_turned_into_a_statement(question: str, told: str) -> None:
    assert statement(question) == told
