"""The form of a question says whether a point, a story, a portrait or an outlook is wanted, in English and Chinese."""

import time

import pytest

from queries.granularity.forms import Form, asks_about_oneself, forms_of, looks_back


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("When does the ferry leave?", Form.POINT),
        ("How much is the boat shed?", Form.POINT),
        ("How long has Jonas rowed?", Form.POINT),
        ("Rent of the boat shed", Form.POINT),
        ("Jonas's phone number", Form.POINT),
        ("船什么时候开？", Form.POINT),
        ("茶馆有几张桌子？", Form.POINT),
        ("谁修了烤箱？", Form.POINT),
        ("What kind of person is Jonas?", Form.PORTRAIT),
        ("What is Jonas like?", Form.PORTRAIT),
        ("Tell me what Jonas is like as a friend", Form.PORTRAIT),
        ("How would you describe Jonas?", Form.PORTRAIT),
        ("What should I know about Jonas before we go sailing?", Form.PORTRAIT),
        ("表姐是个什么样的人？", Form.PORTRAIT),
        ("小雨性格好吗？", Form.PORTRAIT),
        ("What is Jonas planning for the regatta?", Form.FORECAST),
        ("Where will Jonas be?", Form.FORECAST),
        ("What is next for the club?", Form.FORECAST),
        ("小雨周末有什么打算？", Form.FORECAST),
        ("接下来要做什么？", Form.FORECAST),
        ("Tell me about the regatta", Form.NARRATIVE),
        ("What happened at the harbour?", Form.NARRATIVE),
        ("What has Jonas been up to lately?", Form.NARRATIVE),
        ("How did the repair of the oven turn out?", Form.NARRATIVE),
        ("Catch me up on the kitchen", Form.NARRATIVE),
        ("果园的事后来怎么样了？", Form.NARRATIVE),
        ("说说你们去果园的那天", Form.NARRATIVE),
        ("How do I book a night train?", Form.PROCEDURE),
        ("Steps for booking a train", Form.PROCEDURE),
        ("如何申请假期？", Form.PROCEDURE),
        ("What went wrong with the booking last time?", Form.PRECEDENT),
        ("Have we had this before?", Form.PRECEDENT),
        ("上次出了什么问题？", Form.PRECEDENT),
        ("Am I allowed to travel first class?", Form.RULE),
        ("机票可以报销吗？", Form.RULE),
        ("What did Jonas paint?", Form.PLAIN),
        ("表姐喜欢茶吗？", Form.PLAIN),
        ("The green boat", Form.TOPIC),
        ("Jonas's first regatta", Form.TOPIC),
        ("Book a train to Porto", Form.TOPIC),
        ("boat harbour green", Form.PLAIN),
        ("果园 苹果", Form.PLAIN),
        ("绿色的船", Form.TOPIC),
    ],
)
def test_the_words_say_what_is_asked_for(question, form):
    assert forms_of(question)[0] is form


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("What did Jonas paint recently?", Form.PLAIN),
        ("What does Jonas like?", Form.PLAIN),
        ("What would Jonas like for his birthday?", Form.PLAIN),
        ("When is Jonas planning to sail?", Form.POINT),
        ("How many boats will there be?", Form.POINT),
        ("How did Jonas feel at the harbour?", Form.PLAIN),
        ("Describe the boat", Form.PLAIN),
    ],
)
def test_a_word_that_only_looks_like_a_cue_decides_nothing(question, form):
    assert forms_of(question)[0] is form


@pytest.mark.parametrize("question", ["What did Jonas plan?", "What was the plan last week?", "他上周有什么计划？"])
def test_a_plan_of_the_past_is_no_outlook(question):
    assert looks_back(question)
    assert Form.FORECAST not in forms_of(question)


def test_every_question_has_a_last_resort():
    assert forms_of("Who is Jonas?") == (Form.PORTRAIT, Form.PLAIN)
    assert forms_of("Tell me about the regatta") == (Form.NARRATIVE, Form.PLAIN)
    assert forms_of("the regatta") == (Form.TOPIC,)


def test_the_curly_apostrophe_and_line_breaks_change_nothing():
    assert forms_of("What’s Jonas\nlike?") == forms_of("What's Jonas like?") == (Form.PORTRAIT, Form.PLAIN)


@pytest.mark.parametrize(
    "question", ["What kind of person am I?", "Describe me", "Describe my personality", "我是个什么样的人？"]
)
def test_one_may_ask_about_oneself(question):
    assert asks_about_oneself(question)
    assert forms_of(question)[0] is Form.PORTRAIT


@pytest.mark.parametrize("question", ["What should I know about Jonas?", "Tell me about Jonas", "我的船是什么颜色？"])
def test_not_every_first_person_is_meant(question):
    assert not asks_about_oneself(question)


@pytest.mark.parametrize(
    "unit", ["how did it get ", "what is ", "what has she ", "is the ", "have we ", "may i ", "会去", "可以", "以前", "最近"]
)
def test_an_endless_question_is_read_in_time(unit):
    began = time.process_time()
    forms_of((unit * 10_000)[:10_000])
    assert time.process_time() - began < 5
