import pytest

from flows.extraction.subjects import subject_of
from tests.flows.extraction.saying import said


def test_a_subject_names_what_the_talk_comes_back_to():
    talk = said(
        "Ann: Hey Bo! Guess what?",
        "Bo: Tell me!",
        "Ann: I opened a small bakery in the old harbour.",
        "Bo: Wow, a bakery! That is amazing!",
        "Ann: Thanks! The bakery smells of fresh bread.",
    )
    assert subject_of(talk) == "Bakery, harbour, fresh bread"


def test_it_is_no_sentence_and_holds_nobody_who_takes_part_and_no_day():
    talk = said("Ann: On Friday Bo takes the ferry to Moskenes.", "Bo: Ann, the ferry to Moskenes leaves on 5 June at eight.")
    assert subject_of(talk) == "Ferry, Moskenes"


def test_of_a_chat_with_an_assistant_it_is_what_was_asked_for():
    talk = said(
        "Ann: Can you help me plan a vegetable garden for a small balcony? I have two pots and a lot of sun.",
        "assistant: A vegetable garden on a balcony needs sun, pots and water.",
        "Ann: Thanks, that is great.",
    )
    assert subject_of(talk) == "Plan a vegetable garden for a small balcony"


def test_what_is_asked_for_has_topics_where_it_cannot_be_read_alone():
    talk = said("Ann: Can you tell me more about that? My violin bow lost its hair.", "assistant: Sure.")
    assert subject_of(talk) == "Violin bow, hair"


def test_it_is_short():
    line = "I bought the yellow kayak, the wooden paddle, the orange tent, the copper kettle and the woollen blanket"
    assert len(subject_of(said(f"Ann: {line}.", "Bo: Nice."))) <= 64


def test_messages_near_the_centre_count_more():
    talk = said("Ann: Our kite, our tent and our rope are new.", "Bo: Our boat, our oar and our anchor are old.")
    assert subject_of(talk, [0.0, 0.9]) == "Boat, oar, anchor"
    assert subject_of(talk, [0.9, 0.0]) == "Kite, tent, rope"


@pytest.mark.parametrize(
    ("lines", "subject"),
    [
        (["王浩然: 白内障手术是四月十七号。", "林晓雨: 白内障手术很快。"], "白内障手术"),
        (["Lena: Ich habe gestern die Fahrräder repariert.", "Paul: Die Fahrräder laufen wieder sehr gut."], "Fahrräder"),
        (["Léa: Nous avons peint la cuisine hier.", "Paul: La cuisine est très belle maintenant."], "Cuisine"),
    ],
)
def test_it_works_in_other_languages(lines, subject):
    assert subject_of(said(*lines)) == subject


def test_without_topics_it_is_the_first_sentence_that_says_something():
    assert subject_of(said("Вера: Вчера я наконец починила велосипед.")) == "Вчера я наконец починила велосипед"


def test_nothing_said_has_no_subject():
    assert subject_of([]) == ""
