"""The kind of value that a question asks for, and the values of a statement."""

import pytest

from queries.questions.values import ValueKind, is_another, value_asked, values_in


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What time does choir start?", ValueKind.TIME),
        ("フットサルは何時からですか？", ValueKind.TIME),
        ("When is the deadline?", ValueKind.DATE),
        ("什么时候出发？", ValueKind.DATE),
        ("How many people are on the team?", ValueKind.NUMBER),
        ("Was kostet das Kajak?", ValueKind.PRICE),
        ("What is Bea's rent?", ValueKind.PRICE),
        ("山里的民宿多少钱？", ValueKind.PRICE),
        ("How much does the puppy weigh?", ValueKind.NUMBER),
        ("Where does Paul work?", ValueKind.NAME),
        ("¿Dónde trabaja Memo?", ValueKind.NAME),
        ("What does Ann do?", ValueKind.NAME),
        ("What is Ann's job?", ValueKind.NAME),
        ("What kind of books does Ann read?", None),
        ("What books does Ann like?", None),
        ("Who is Ann?", None),
        ("How does Ann feel?", None),
    ],
)
def test_a_question_asks_for_one_kind_of_value_or_for_none(question: str, kind: ValueKind | None) -> None:
    assert value_asked(question) == kind


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("we meet at 7 pm on 4 May", ValueKind.TIME, {"7 pm"}),
        ("we meet at 7 pm on Monday", ValueKind.DATE, {"monday"}),
        ("瑜伽课改到七点半", ValueKind.TIME, {"七点"}),
        ("it is 240 with the lights, at 7:30", ValueKind.NUMBER, {"240"}),
        ("it is 240 with the lights, at 7:30", ValueKind.PRICE, {"240"}),
        ("我们五个人，三百块一晚", ValueKind.PRICE, {"三百块"}),
        ("I got a Fairphone on Monday", ValueKind.NAME, {"fairphone"}),
    ],
)
def test_values_are_read_by_kind(text: str, kind: ValueKind, values: set[str]) -> None:
    assert values_in(text)[kind] == values


@pytest.mark.parametrize(
    ("one", "other", "another"),
    [
        ({"190"}, {"240"}, True),
        ({"190"}, {"190"}, False),
        ({"3"}, {"240"}, False),
        ({"five"}, {"seven"}, True),
        ({"zed"}, set(), False),
    ],
)
def test_numbers_of_another_size_are_of_another_thing(one: set[str], other: set[str], another: bool) -> None:
    assert is_another(frozenset(one), frozenset(other)) == another
