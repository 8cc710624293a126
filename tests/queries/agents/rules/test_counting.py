"""What may be one of those that a question counts is searched for by itself."""

from queries.agents.evidence import Evidence
from queries.agents.rule_planner import item_queries, items
from tests.queries.agents.made import message, response

COUNTS = "How many concerts did Maya give?"


def found(*texts: str) -> Evidence:
    evidence = Evidence()
    evidence.add(COUNTS, response(*(message(f"m{at}", text) for at, text in enumerate(texts))))
    return evidence


def test_what_is_named_is_an_item_most_often_first() -> None:
    told = found('We gave "The Planets" again', 'I played in Vienna and "The Planets" was next')
    assert items(COUNTS, told) == ("The Planets", "Vienna")


def test_each_item_is_asked_for_with_the_words_of_the_question() -> None:
    assert item_queries(COUNTS, found("I played in Vienna"), 3) == ("concerts give Vienna",)


def test_people_days_and_the_words_of_the_question_are_no_items() -> None:
    assert items("How many concerts in Vienna did Maya give?", found("I, Maya, play in Vienna on Monday in May")) == ()


def test_what_counts_nothing_has_no_items() -> None:
    assert item_queries("Where does Maya play?", found("I played in Vienna"), 3) == ()


def test_no_more_than_wanted() -> None:
    assert len(item_queries(COUNTS, found("I saw Vienna, then Graz, then Linz, and Wels"), 2)) == 2
