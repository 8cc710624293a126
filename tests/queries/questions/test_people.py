"""The people that a question names, and the question from their point of view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.questions.people import (
    from_viewpoint,
    is_asker,
    is_assistant,
    likely_people,
    names_asker,
    names_person,
    without_names,
)
from queries.questions.understand import focus, understand
from tests.queries.world import WordEmbedder


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
        ("綾さんはどこで働きますか？", "綾"),
        ("Wie hoch ist Ankes Miete?", "Anke"),
        ("Как зовут кошку Веры?", "Вера"),
        ("Что Денис подарил Оле?", "Оля"),
        ("Gdzie mieszka siostra Anny?", "Anna Nowak"),
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
        ("¿Qué hace Ana los martes por la tarde?", "Marta"),
        ("Верю ли я в это? Что говорил Денис?", "Марина"),
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


@pytest.mark.parametrize(
    ("question", "people", "told"),
    [
        ("When did Caroline go to the market?", ["Caroline"], "When did I go to the market?"),
        ("What is Mei-Lin's job?", ["Mei-Lin Chen"], "What is my job?"),
        ("What do Ann and Bob like?", ["Ann", "Bob"], "What do we like?"),
        ("小明的工作是什么？", ["王小明"], "我的工作是什么？"),
        ("小明和小红去了哪里？", ["王小明", "李小红"], "我们去了哪里？"),
        ("What was decided?", ["Ann"], "What was decided?"),
    ],
)
def test_people_speak_of_themselves_as_i(question, people, told):
    assert from_viewpoint(question, people) == told


def test_a_question_that_is_only_a_name_keeps_it():
    assert without_names("Ann?", ["Ann"]) == "Ann?"
    assert without_names("What did Ann's sister say?", ["Ann"]) == "What did sister say?"


@given(st.text(max_size=60), st.lists(st.sampled_from(["Ann Lee", "Bob", "王小明", "May"]), max_size=3))
def test_whatever_is_asked_something_is_left(question, people):
    for text in (from_viewpoint(question, people), without_names(question, people)):
        assert any(map(str.isalnum, text)) or not any(map(str.isalnum, question))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("When did Mei Lin and Bob Miller meet in Paris?", ("Mei Lin", "Bob Miller")),
        ("Where was it in May? Did Jo say?", ("Jo",)),
        ("How do I deploy Flask?", ()),
        ("Ann's job?", ("Ann",)),
        ("Where do I work?", ()),
        ("What does NASA do?", ()),
    ],
)
def test_who_is_asked_about_stands_where_a_person_would(question, names):
    assert likely_people(question) == names


class TestFocus:
    def test_who_is_named_leaves_the_words_and_the_rest_is_said_by_them(self):
        embedder = WordEmbedder()
        question = understand("What did Ann paint?", embedder)
        focused = focus(question, ["Ann"], embedder)
        assert focused is not None
        assert (focused.text, focused.tokens) == (question.text, ("paint",))
        assert embedder.asked == ["What did Ann paint?", "What did I paint?"]  # in one batch, and not again

    def test_a_name_that_is_nobodys_changes_nothing(self):
        embedder = WordEmbedder()
        question = understand("What did Ann paint in Paris?", embedder)
        assert focus(question, ["Bob"], embedder) is None

    def test_what_only_looked_like_a_name_is_put_back(self):
        embedder = WordEmbedder()
        question = understand("What does Paris mean to Ann?", embedder)
        focus(question, ["Ann"], embedder)
        assert embedder.asked[1:] == ["What does I mean to Ann?", "What does Paris mean to I?"]

    def test_without_a_vector_the_words_are_focused(self):
        focused = focus(understand("What did Ann paint?", None), ["Ann"], WordEmbedder())
        assert focused is not None
        assert (focused.tokens, focused.vector) == (("paint",), None)
