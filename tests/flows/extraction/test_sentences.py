from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.extraction.sentences import event_of, is_question, sentence_spans
from tests.flows.extraction.saying import said


def sentences(text, language="en"):
    return [span.of(text) for span in sentence_spans(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "I met Dr. Lee. It was 3.5 km!", ["I met Dr. Lee.", "It was 3.5 km!"]),
        ("en", "J. R. Smith wrote it. Read it.", ["J. R. Smith wrote it.", "Read it."]),
        ("de", "Am 4. Juli ziehe ich um. Das kostet z. B. 5 Euro.", ["Am 4. Juli ziehe ich um.", "Das kostet z. B. 5 Euro."]),
        ("fr", "M. Dupont arrive le 3 mai. Voilà !", ["M. Dupont arrive le 3 mai.", "Voilà !"]),
        ("es", "El Sr. Pérez vive aquí. ¿Y tú?", ["El Sr. Pérez vive aquí.", "¿Y tú?"]),
        ("zh", "我叫小明。你呢？", ["我叫小明。", "你呢？"]),
        ("zh", "你有空吗？15号见！20号走", ["你有空吗？", "15号见！", "20号走"]),
        ("zh", "他说“不行！20号走”。好", ["他说“不行！20号走”。", "好"]),
        ("ja", "明日は東京に行きます。楽しみです！", ["明日は東京に行きます。", "楽しみです！"]),
        ("en", "I call PIL.ImageDraw.Draw(im). It works.", ["I call PIL.ImageDraw.Draw(im).", "It works."]),
        ("en", "We use ASP.Net. See https://www.Example.Com/P now", ["We use ASP.Net.", "See https://www.Example.Com/P now"]),
        ("en", "I like tea.We left Oslo.Then it rained.", ["I like tea.", "We left Oslo.", "Then it rained."]),
        ("ru", "Я переехал в Москву. А ты?", ["Я переехал в Москву.", "А ты?"]),
    ],
)
def test_a_sentence_ends_as_its_language_ends_it(language, text, expected):
    assert sentences(text, language) == expected


def test_a_line_break_ends_a_sentence_and_the_number_of_a_list_does_not():
    assert sentences("Two things\n1. Milk\n2. Eggs") == ["Two things", "1. Milk", "2. Eggs"]


def test_a_very_long_sentence_is_cut_at_a_blank():
    pieces = sentences("word " * 1_000)
    assert max(map(len, pieces)) <= 800
    assert sum(piece.count("word") for piece in pieces) == 1_000


@given(st.text(alphabet="ab.!?。 \n1\"'“”", max_size=300), st.sampled_from(["en", "de", "zh", ""]))
def test_no_letter_is_lost_and_none_stands_twice(text, language):
    spans = sentence_spans(text, language)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert all(at in covered for at, character in enumerate(text) if character.isalnum())


@pytest.mark.parametrize("text", ["Where are you?", "Really?!", "你呢？", 'He said "why?"', "ok? 😀"])
def test_a_question_ends_in_its_mark(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What time is Rory in tomorrow",
        "what about Jade and broome.",
        "are you flying to Bristol or Manchester",
        "did the parcel come",
        "ok where's my charger",
    ],
)
def test_the_order_of_words_makes_an_english_question_of_one_clause(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "I like it.",
        "今天天气不错呢",
        "去吧",
        "What a day!",
        "So do I",
        "so is my sister",
        "Can you believe it",
        "Should you need me I am here",
        "Will is coming on Friday",
        "When I get back I will ring",
        "Are you up, I am moving to Leeds",
        "Have the cake",
    ],
)
def test_no_particle_makes_a_question(text):
    assert not is_question(text)


# --- when what a passage tells happens -------------------------------------------------------------------------------


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
        ("We fly on 20 March 2026 and are back on 25 March 2026.", "20 March 2026 and are back on 25 March 2026"),
        ("The exam is on 20 March 2026 and the party is on 25 March 2026.", None),
        ("It is on 20 March 2026. Friday.", "20 March 2026"),
        ("It is on 20 March 2026. Monday.", None),
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
