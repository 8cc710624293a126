from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.extraction import LocalExtractor
from flows.extraction.quotes import annotated, rendered
from mneme.records import Quote, Spoken
from tests.flows.extraction.cuts import MONDAY, cut_of, message, talk

DAY = datetime.fromisoformat("2025-04-19T08:00+00:00")


def facts(*lines):
    return LocalExtractor().extract(talk(*lines)).facts


def test_a_fact_is_the_words_that_were_said():
    [fact] = facts("Ann: I sold my car. It was old, though.")
    assert fact.quote.words == "I sold my car. It was old, though."
    assert fact.statement == "Ann, 2 March 2026: I sold my car. It was old, though."
    assert fact.same_as_source


def test_an_answer_takes_its_question_along():
    _, answer = facts("Ann: How is the wrist, Bo?", "Bo: Still hurts a bit.")
    assert answer.quote.question == Spoken(speaker="Ann", words="How is the wrist, Bo?", message_id="m0")
    assert answer.sources == (1,)
    assert answer.statement == 'Bo to Ann, 2 March 2026 (Ann: "How is the wrist, Bo?"): Still hurts a bit.'


def test_an_answer_to_a_question_that_leans_takes_what_is_before_it_along():
    *_, answer = facts("Bo: I had an interview at the museum in Oslo.", "Ann: Exciting! How did it go?", "Bo: It was great!")
    assert answer.quote.behind == Spoken(speaker="Bo", words="I had an interview at the museum in Oslo.", message_id="m0")
    assert answer.statement == (
        'Bo to Ann, 2 March 2026 (Bo: "I had an interview at the museum in Oslo.") '
        '(Ann: "Exciting! How did it go?"): It was great!'
    )


def test_a_question_that_can_be_read_alone_takes_nothing_along():
    *_, answer = facts("Bo: I am home.", "Ann: Where does your sister Carla paint houses these days?", "Bo: In Bergen.")
    assert answer.quote.behind is None


def test_a_sentence_that_leans_takes_the_one_before_it_along():
    _, second = facts("Ann: The museum in Oslo opens on Sundays.", "Ann: It is closed for repairs.")
    assert second.quote.context == Spoken(speaker="Ann", words="The museum in Oslo opens on Sundays.", message_id="m0")


def test_a_reply_takes_the_message_before_it_along():
    _, reply = facts("Ann: The van is free on Sunday. I drive.", "Bo: I finish work at ten on Sunday mornings now.")
    assert reply.quote.context == Spoken(speaker="Ann", words="The van is free on Sunday. I drive.", message_id="m0")
    assert (reply.quote.question, reply.quote.behind) == (None, None)


def test_a_reply_to_few_words_takes_what_is_before_them_along():
    *_, last = facts(
        "Ann: Shall we eat at the new place in Oslo?", "Bo: On Friday the 7th, then.", "Ann: Perfect, at half past seven."
    )
    assert [last.quote.behind.words, last.quote.context.words] == [
        "Shall we eat at the new place in Oslo?",
        "On Friday the 7th, then.",
    ]


def test_what_is_before_few_words_is_what_can_be_read_alone():
    *_, last = facts(
        "Ann: My sister Carla paints houses in Bergen.", "Bo: Oh, nice!", "Ann: Thanks!", "Bo: And since when is she there?"
    )
    assert last.quote.behind.words == "My sister Carla paints houses in Bergen."


def test_of_a_long_message_a_reply_takes_along_what_it_is_about():
    walk = "We walked along the river for hours and hours. " * 4
    _, reply = facts(f"Ann: My kite broke in the storm. {walk}{walk}Anyway, have a nice day.", "Bo: I can mend a kite.")
    assert "My kite broke in the storm." in reply.quote.context.words


def test_what_is_taken_along_is_the_end_of_a_long_message():
    long = "We walked along the river for hours. " * 9
    _, reply = facts(f"Ann: {long}The valley was wet with rain.", "Bo: I stayed at home the whole Saturday.")
    assert reply.quote.context.words.endswith("for hours. The valley was wet with rain.")
    assert len(reply.quote.context.words) <= 300


def test_what_is_said_hours_later_begins_anew():
    later = message("Bo", "My sister Carla paints houses in Bergen.", 1, sent_at=MONDAY + timedelta(hours=3))
    cut = cut_of([message("Ann", "The museum in Oslo opens on Sundays.", 0, sent_at=MONDAY), later])
    _, second = LocalExtractor().extract(cut).facts
    assert second.quote.context is None


def test_what_the_same_person_goes_on_to_say_takes_nothing_along():
    _, second = facts("Ann: The museum in Oslo opens on Sundays.", "Ann: My sister Carla paints houses in Bergen.")
    assert second.quote.context is None


def test_a_reply_to_code_takes_the_request_along():
    *_, thanks = facts(
        "Ann: My plant tracker says that the database is locked.",
        "assistant: ```python\ncon.commit()\n```",
        "Ann: Flask serves the plant tracker, by the way.",
    )
    assert thanks.quote.context.words == "My plant tracker says that the database is locked."


def test_what_is_said_behind_code_takes_along_what_is_said_before_it():
    *_, asked = facts(
        "Ann: The plant tracker forgets my cactus.\n```python\ncon.commit()\n```\nCan you find what I did wrong with commits?"
    )
    assert asked.quote.context.words == "The plant tracker forgets my cactus."


def test_nothing_is_claimed_of_who_wrote_a_draft_or_had_it_written():
    extraction = LocalExtractor().extract(
        talk("Ann: Write a letter for Mr. Ode.", "assistant: Dear Mr. Ode,\nI live in Rome.\nI am 40.\nBest regards,\nAnn")
    )
    letter = next(fact for fact in extraction.facts if fact.quote.artifact)
    assert (letter.quote.artifact, letter.claims) == ("letter", ())


def test_nothing_of_a_made_up_story_is_claimed_or_dated():
    said = "I am writing a short story about a nurse: I live in Rome, my husband is called Tom. I met him on 3 May 1936."
    assert (
        claiming_facts(f"Ann: {said}", f"Bo: {said}")
        == claiming_facts("Ann: I dreamt that I lived in Rome on 3 May 1936.")
        == []
    )
    assert claiming_facts("Ann: In the novel he dies on 3 May 1936.") == []
    behind = "Ann: She lives in Rome. She married Tom on 3 May 1936."
    assert claiming_facts(f"Ann: {said}", "assistant: Good.", behind) == []
    assert claiming_facts("Ann: I wrote a story.", "assistant: Good.", behind) != []


def claiming_facts(*lines):
    """What is claimed or dated of a talk."""
    return [fact.statement for fact in LocalExtractor().extract(talk(*lines)).facts if fact.claims or fact.event_at]


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["Ann: my roommate's name is Charmaine sorry not roommate, suitemate."], []),
        (["Ann: my roommate's name is Charmaine. sorry not to have said."], ["Charmaine"]),
        (["Ann: I'm allergic to Dolly.", "Bo: Dolly is a dog", "Ann: cats I mean"], []),
        (["Ann: I'm allergic to Dolly.", "Bo: Dolly is a dog", "Ann: I thought the cat was Dolly"], []),
        (["Ann: I'm allergic to cats.", "Bo: Poor you", "Ann: I thought you knew"], ["cats"]),
        (["Ann: I'm allergic to cats.", "Bo: Poor you", "Ann: you know what I mean"], ["cats"]),
        (["Ann: I'm allergic to cats.", "Bo: dogs I mean"], ["cats"]),
    ],
)
def test_what_its_speaker_takes_back_at_once_claims_nothing(lines, kept):
    first, *_ = annotated(talk(*lines).utterances)
    assert [claim.value for one in first.sentences for claim in one.claims] == kept


def test_a_long_answer_is_cut_at_paragraphs_under_what_the_user_asked():
    answer = "\n\n".join(f"Step {number}: water the {plant} in the garden. " * 6 for number, plant in enumerate("abcdef"))
    _user, *pieces = facts("Ann: How do I care for my garden in May?", f"assistant: {answer}")
    assert len(pieces) > 1
    assert {piece.quote.question.words for piece in pieces} == {"How do I care for my garden in May?"}
    assert all(len(piece.quote.words) <= 900 for piece in pieces)


def test_a_heading_stands_with_what_is_below_it():
    steps = "Write down what you did and why it mattered to the team. " * 5
    below = f"{'I met my mentor, ' * 40}and we changed the plan."
    _, *passages = facts("User: How do I write a reflection?", f"Assistant: {steps}\n\n### Example reflection\n\n{below}")
    assert [each.quote.words.startswith("### Example reflection") for each in passages] == [False, True]


def test_a_quote_is_shown_in_its_language():
    asked = Spoken(speaker="小红", words="手腕怎么样？", message_id="m0")
    chinese = Quote(speaker="小明", listener="小红", words="还疼。", language="zh", question=asked)
    assert rendered(chinese, DAY, "UTC") == "小明对小红，2025年4月19日（小红：「手腕怎么样？」）：还疼。"
    german = Quote(speaker="Mira", listener="Paul", words="Tut noch weh.", language="de")
    assert rendered(german, DAY, "UTC") == "Mira → Paul, 2025-04-19: Tut noch weh."


def test_the_day_is_that_of_the_speakers_zone():
    assert rendered(Quote(speaker="A", words="Hi.", language="en"), DAY, "Asia/Tokyo").startswith("A, 19 April")
    assert rendered(Quote(speaker="A", words="Hi.", language="en"), DAY + timedelta(hours=10), "Asia/Tokyo").startswith("A, 20")


@given(st.lists(st.text(alphabet='ab. !?\n-`"“”I1我。', min_size=1, max_size=120), min_size=1, max_size=5))
def test_every_letter_of_every_message_stands_in_a_quote(texts):
    messages = [message("Ann" if at % 2 else "Bo", text, at, sent_at=MONDAY) for at, text in enumerate(texts)]
    found = LocalExtractor().extract(cut_of(messages)).facts
    for at, text in enumerate(texts):
        quoted = "".join(fact.quote.words for fact in found if fact.sources[0] == at)
        assert [each for each in quoted if each.isalnum()] == [each for each in text if each.isalnum()]
