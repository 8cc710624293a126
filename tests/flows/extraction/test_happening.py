"""The day of a whole passage: a date in its main clause, where there is no other."""

import pytest

from flows.extraction.sentences import event_of
from tests.flows.extraction.saying import said


def happens(text):
    event = event_of(said(f"Ann: {text}", "Bo: All right then."))
    return event.text if event else None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("I went hiking yesterday.", "yesterday"),
        ("I was nervous yesterday when I read my poem.", "yesterday"),
        ("A lot has happened since we talked - I joined a gym last week.", "last week"),
        ("Last week I moved. It was on Friday that I got the keys.", None),
        ("Last week the kids and I went to the zoo.", "Last week"),
        ("下周计划：写文档；做测试。", "下周"),
        ("昨天的会很顺利。", "昨天"),
        ("我是去年来的。", "去年"),
    ],
)
def test_a_passage_happens_on_the_date_of_its_main_clause(text, date):
    assert happens(text) == date


@pytest.mark.parametrize(
    "text",
    [
        "I had a quiet evening after we went camping yesterday.",
        "My site, which I finished yesterday, is slow.",
        "I keep the logs; details follow tomorrow.",
        "先把日志留着；细节明天补。",
        "After the exam yesterday I slept for a week.",
        "Since you started on 3 February, it has been a month.",
        "I work on a report that was finished yesterday.",
        "The cake you baked yesterday was great.",
        "She works at the school that opened in 2019.",
        "My new phone, bought last week, is broken.",
        "The photos from last weekend are online.",
        "昨天买的菜坏了。",
        "我买了五月十号的机票。",
        "等下周再说。",
    ],
)
def test_a_date_beside_the_main_clause_is_not_that_of_the_whole(text):
    assert happens(text) is None


def test_a_date_that_is_not_certain_is_another_all_the_same():
    assert happens("本周做模型，下周三联调，十五号提交。") is None
