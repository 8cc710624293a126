from flows.extraction.subjects import subject_of
from tests.flows.extraction.saying import said


def test_a_subject_is_what_somebody_tells_of_what_the_talk_comes_back_to():
    talk = said(
        "Ann: Hey Bo! Guess what?",
        "Bo: Tell me!",
        "Ann: I opened a bakery in the old harbour.",
        "Bo: Wow, a bakery! That is amazing!",
        "Ann: Thanks! The bakery smells of fresh bread.",
    )
    assert subject_of(talk) == "Ann: I opened a bakery in the old harbour"


def test_of_a_chat_with_an_assistant_it_is_what_was_asked():
    talk = said(
        "Ann: Can you help me plan a vegetable garden for a small balcony?",
        "assistant: A vegetable garden on a balcony needs sun, pots and water.",
        "Ann: Thanks, that is great.",
    )
    assert subject_of(talk) == "Plan a vegetable garden for a small balcony"


def test_it_is_in_the_words_that_were_said_and_ends_at_a_word():
    line = "I finally finished the translation of the very long novel about lighthouse keepers in the north"
    subject = subject_of(said(f"Ann: {line}", "Bo: Nice."))
    assert len(subject) <= 70
    assert subject.endswith("…")
    assert subject.removeprefix("Ann: ").removesuffix("…") in line
    assert line[len(subject) - 6 :].startswith(" ")


def test_messages_near_the_centre_count_more():
    talk = said("Ann: Our kite broke in the storm.", "Bo: Our boat sank in the harbour.")
    assert "boat" in subject_of(talk, [0.1, 0.9])
    assert "kite" in subject_of(talk, [0.9, 0.1])


def test_it_works_in_any_language():
    assert subject_of(said("王浩然: 白内障手术是四月十七号。", "林晓雨: 手术很快。")) == "白内障手术是四月十七号"
    german = subject_of(said("Lena: Ich habe gestern die Fahrräder repariert.", "Paul: Die Fahrräder laufen wieder sehr gut."))
    assert "Fahrräder" in german


def test_nothing_said_has_no_subject():
    assert subject_of([]) == ""
