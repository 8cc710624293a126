"""Which questions ask for what is so now."""

import pytest

from queries.questions.tense import asks_for_lasting, asks_for_state

STATES = """Where does Paul live?
What is my current job?
Who's Ann's boss?
Is Lena in a relationship?
What has Jason been working on lately?
Wo wohnt Jonas?
Was macht Frieda beruflich?
Wann hat Malte den Zahnarzttermin?
¿En qué trabaja Lucía?
Où habite Chloé ?
Combien Théo paie-t-il de loyer ?
小雨住在哪里？
小雨对什么过敏？
健太はどこに住んでいますか？
Где живёт Иван?"""

PAST = """Where did Paul live?
What was Ann's first job?
Who did Anna meet?
What has Anna bought?
Wo hat Jonas gewohnt?
Was machte Frieda früher?
¿Dónde vivió Iker?
Où habitait Chloé ?
Où est-ce que Chloé a travaillé ?
小雨去了哪里？
小雨以前住在哪里？
健太はどこに住んでいましたか？
Где жил Иван?
the boat shed"""


@pytest.mark.parametrize("question", STATES.splitlines())
def test_a_question_in_the_present_asks_for_a_state(question: str) -> None:
    assert asks_for_state(question)


@pytest.mark.parametrize("question", PAST.splitlines())
def test_what_happened_or_used_to_be_is_no_state(question: str) -> None:
    assert not asks_for_state(question)


@pytest.mark.parametrize("question", ["What is Ed's cat called?", "What is Rob allergic to?", "小雨是什么血型？"])
def test_a_name_and_an_allergy_last(question: str) -> None:
    assert asks_for_lasting(question)
    assert not asks_for_lasting("Where does Ed live?")
