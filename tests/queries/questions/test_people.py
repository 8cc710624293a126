"""Whom a question names."""

import pytest

from queries.questions.people import is_asker, is_assistant, names_asker, names_person


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("What does Ada sing?", "ada"),
        ("what does ada sing?", "Ada Moreau"),
        ("What does Moreau sing?", "Ada Moreau"),
        ("What is Ada's colour?", "Ada"),
        ("What is Ada’s colour?", "Ada"),
        ("Ada喜欢什么？", "Ada"),
        ("What did Mei-Lin decide?", "Mei-Lin Chen"),
        ("What did José cook?", "José"),
        ("Where is O'Brien?", "Pat O'Brien"),
        ("What did Mark say?", "Mark"),
        ("Mark's birthday?", "mark"),
        ("Did will smith call?", "Will Smith"),
        ("Does May like tea?", "May Chen"),
        ("Where does Al work?", "Al"),
        ("小雨喜欢什么？", "小雨"),
        ("小明在哪里？", "王小明"),
        ("王老师说了什么？", "王小明"),
        ("田中さんは何と言いましたか？", "田中太郎"),
        ("민수 씨는 어디에 살아?", "김민수"),
    ],
)
def test_a_person_is_named_in_full_or_in_part(text, person):
    assert names_person(text, person)


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("What is in Canada?", "Ada"),
        ("Is it so?", "Bo Is"),
        ("Will Ann come?", "Will"),
        ("I will mark it in may", "Mark Will"),
        ("May I ask?", "May"),
        ("What happened in May?", "May"),
        ("What happened on 3 May 2023?", "May"),
        ("What happened on May 3?", "May"),
        ("He was there. Grace and skill?", "Grace"),
        ("What about the house?", "The Who"),
        ("What about user 7?", "7"),
        ("下雨了吗？", "小雨"),
        ("明天怎么样？", "王小明"),
        ("What?", ""),
    ],
)
def test_a_word_is_no_name(text, person):
    assert not names_person(text, person)


@pytest.mark.parametrize(
    "text",
    [
        "Where do I work?",
        "What is my job?",
        "What did Ada give me?",
        "i'm late, am I?",
        "我住在哪里？",
        "내가 산 책은?",
        "僕の犬は？",
    ],
)
def test_who_asks_is_named_as_i(text):
    assert names_asker(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tell me about Ada.",
        "Could you remind me where Tom lives?",
        "What did we decide?",
        "我们去哪里？",
        "告诉我小雨的工作",
        "Is it 7?",
    ],
)
def test_tell_me_and_we_do_not_name_who_asks(text):
    assert not names_asker(text)


@pytest.mark.parametrize(
    ("person", "owner", "expected"),
    [
        ("Maya", "maya", True),
        ("Maya Chen", "maya", True),
        ("Maya", "maya.chen", True),
        ("小雨", "小雨", True),
        ("7", "7", True),
        ("User", "u-42", True),
        ("我", None, True),
        ("Tom Chen", "maya.chen", False),
        ("Tom", "maya", False),
        ("Maya", None, False),
        ("", "maya", False),
    ],
)
def test_the_owner_is_known_by_the_words_of_the_id(person, owner, expected):
    assert is_asker(person, owner) is expected


def test_the_assistant_is_known_by_what_chats_call_it():
    assert is_assistant("Assistant")
    assert not is_assistant("Ada")
