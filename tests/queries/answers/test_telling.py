"""The words of a quote where others are shown beside it: what tells something, and no manners."""

import pytest

from mneme.records import Quote, Spoken
from queries.answers.telling import tells_nothing, told


def quote(words: str, language: str = "en", question: str = "") -> Quote:
    asked = Spoken(message_id="q", speaker="Bo", words=question) if question else None
    return Quote(speaker="Ann", listener="Bo", words=words, language=language, question=asked)


def told_of(words: str, language: str = "en", question: str = "") -> str:
    return told(f"Ann to Bo, 2 March 2026: {words}", quote(words, language, question))


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("Hey Bo! Good to see you! I bought a car.", "Ann: I bought a car."),
        ("Thanks, Bo! Painting is a fun way to rest. Talk to you soon!", "Ann: Painting is a fun way to rest."),
        ("I love Rome! What about you?", "Ann: I love Rome!"),
        ("Yes! I got the job.", "Ann: Yes! I got the job."),
        ("I did! It took 3 days.", "Ann: I did! It took 3 days."),
        ("Hi from Paris! It rains.", "Ann: Hi from Paris! It rains."),
        ("That's awesome, Bo!", "Ann: That's awesome, Bo!"),
    ],
)
def test_sentences_of_manners_go_where_there_are_others(said: str, tells: str) -> None:
    assert told_of(said) == tells


def test_another_language_keeps_its_words() -> None:
    assert told_of("Hallo Bo! Ich habe ein Auto.", "de") == "Ann: Hallo Bo! Ich habe ein Auto."


def test_blanks_in_a_row_are_no_reason_to_show_a_quote_in_full() -> None:
    said = quote("A bowl.  I made it.")
    assert told("Ann to Bo, 2 March 2026: A bowl. I made it.", said) == "Ann: A bowl. I made it."


def test_a_short_answer_keeps_its_question() -> None:
    assert told_of("Yes!", question="Is it blue?") == 'Ann (to Bo: "Is it blue?"): Yes!'


@pytest.mark.parametrize(
    ("said", "nothing"), [("Cool! Those are awesome!", True), ("Was it cold?", True), ("Cool! It snows.", False)]
)
def test_what_tells_nothing_stands_behind_what_tells_something(said: str, nothing: bool) -> None:
    assert tells_nothing(said, quote(said)) is nothing
