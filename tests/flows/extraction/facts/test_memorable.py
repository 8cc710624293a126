import pytest

from flows.extraction.facts.memorable import memorable, substance

NAMES = frozenset({"ann", "bo"})


@pytest.mark.parametrize(
    "sentence",
    [
        "I sold my car.",
        "I'm pregnant!",
        "I quit smoking.",
        "We moved to Oslo.",
        "I think I'll paint the kitchen.",
        "My sister plays the cello.",
        "The ferry to Bergen leaves at 8.",
        "Took the dog to the vet.",
    ],
)
def test_what_tells_of_somebody_or_something_in_particular_is_memorable(sentence):
    assert memorable(sentence, NAMES, dated=False)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll keep that in mind.",
        "I think nature is calming.",
        "I'm so proud of you.",
        "Let's keep chasing our dreams!",
        "Hope you enjoy the garden.",
        "Love the colours of your garden!",
        "Having friends is so important.",
        "Good luck with the kitchen!",
        "Your garden looks so peaceful.",
    ],
)
def test_encouragement_praise_and_general_truths_are_not(sentence):
    assert not memorable(sentence, NAMES, dated=False)


def test_an_answer_needs_less_for_its_question_says_what_it_is_about():
    assert not memorable("Poses and breathing.", NAMES, dated=False)
    assert memorable("Poses and breathing.", NAMES, dated=False, answers=True)


def test_a_group_talks_of_its_common_matter():
    assert memorable("Index migration done, caches warm.", NAMES, dated=False, among_many=True)


def test_names_numbers_and_dates_add_substance_and_participants_do_not():
    assert substance("Kim sings.", NAMES, dated=False) > substance("Ann sings.", NAMES, dated=False)
    assert substance("a song at 8", NAMES, dated=False) > substance("a song", NAMES, dated=False)
    assert substance("a song", NAMES, dated=True) > substance("a song", NAMES, dated=False)
