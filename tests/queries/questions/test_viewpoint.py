"""A question as the person it asks about would put it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.questions.people import from_viewpoint, likely_people, without_names
from queries.questions.understand import focus, understand
from tests.queries.world import WordEmbedder


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
