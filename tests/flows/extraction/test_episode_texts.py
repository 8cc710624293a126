from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from flows.cuts import Utterance
from flows.extraction import LocalExtractor
from flows.extraction.episode_texts import subject_of
from tests.flows.extraction.cuts import MONDAY, cut_of, message, talk
from tests.flows.extraction.saying import said

GARDEN = (
    "Ann: Hey Bo! How are you?",
    "Bo: Great! My vegetable garden is finally planted, with tomatoes and beans.",
    "Ann: Wow! What do you use against snails in the vegetable garden?",
    "Bo: Copper tape around each bed. I read about it in a gardening magazine.",
    "Ann: My tomatoes died last year because of snails.",
    "Bo: Then try copper tape, Ann!",
)


def extract(*lines):
    return LocalExtractor().extract(talk(*lines))


def test_the_subject_names_what_the_episode_keeps_coming_back_to():
    subject = extract(*GARDEN).subject.lower()
    assert "copper tape" in subject or "vegetable garden" in subject
    assert "tomatoes" in subject or "snails" in subject


def test_the_subject_is_what_the_talk_comes_back_to():
    assert extract(*GARDEN).subject == "Vegetable garden, tomatoes, copper tape"


def test_an_episode_of_small_talk_is_about_its_participants():
    assert extract("Ann: Hi Bo!", "Bo: Hey!").subject == "Ann and Bo"


def test_a_chinese_subject_is_a_phrase_that_messages_share():
    subject = extract("小明: 周末去爬山吗？", "小红: 爬山很累，不过爬山的风景好看。").subject
    assert "爬山" in subject


def test_the_summary_is_sentences_of_the_episode_in_order():
    summary = extract(*GARDEN).summary
    assert "My vegetable garden is finally planted" in summary
    assert len(summary) < 500
    assert "How are you" not in summary


def test_the_summary_prefers_messages_near_the_mean_of_the_vectors():
    cut = talk(
        "Ann: The red kite broke.", "Ann: A blue boat sank.", "Ann: The green tent leaked.", "Ann: Some white snow fell."
    )
    near, far = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
    vectors = [near, near, near, far]
    utterances = tuple(Utterance(one.message, vector) for one, vector in zip(cut.utterances, vectors, strict=True))
    summary = LocalExtractor().extract(replace(cut, utterances=utterances)).summary
    assert "snow" not in summary
    assert "kite" in summary


def test_the_narrative_is_every_message_as_said_under_its_day():
    narrative = extract(*GARDEN).narrative.splitlines()
    assert narrative == ["2 March 2026:", *GARDEN]


def test_a_new_day_in_the_narrative_has_its_own_date():
    cut = cut_of([message("Ann", "I sold my car."), message("Ann", "I bought a bike.", sent_at=MONDAY + timedelta(days=1))])
    narrative = LocalExtractor().extract(cut).narrative.splitlines()
    assert narrative == ["2 March 2026:", "Ann: I sold my car.", "3 March 2026:", "Ann: I bought a bike."]


def test_a_chinese_narrative_has_a_chinese_date():
    assert extract("小明: 我卖了车。").narrative == "2026年3月2日：\n小明: 我卖了车。"


def test_an_episode_of_small_talk_still_has_a_narrative_and_a_summary():
    extraction = extract("Ann: Hi Bo!", "Bo: Hey!")
    assert extraction.narrative == "2 March 2026:\nAnn: Hi Bo!\nBo: Hey!"
    assert extraction.summary


# --- the subject ------------------------------------------------------------------------------------------------------


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
