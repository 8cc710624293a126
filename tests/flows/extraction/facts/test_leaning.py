import pytest

from flows.extraction.facts.leaning import leans

NAMES = frozenset({"ann", "bo"})


@pytest.mark.parametrize(
    "told",
    [
        "It was at the beach.",
        "Ann loves how they did that.",
        "Mostly landscapes.",
        "Those colours are bold.",
        "Ann is off to meet them now.",
        "Ann bought another one.",
        "Ann read that book.",
        "Ann would miss those topics.",
        "She gave a speech.",
        "Ann talked to him about the services.",
        "Same with Ann.",
        "Ann asked for the recipe for it.",
        "Ann and others just did it.",
    ],
)
def test_a_pronoun_without_its_noun_and_a_sentence_without_a_verb_lean(told):
    assert leans(told, NAMES)


@pytest.mark.parametrize(
    "told",
    [
        "Ann adopted a puppy and it sleeps all day.",
        "Ann said that the ferry leaves at eight.",
        "Ann knows that Kim lives in Oslo.",
        "It's hard to find a flat in Oslo.",
        "Ann visited Kim because she broke a leg.",
        "Ann met people who lost their jobs.",
        "Ann plays clarinet.",
        "Ann leaves this weekend.",
        "安喜欢它。",
    ],
)
def test_a_sentence_that_brings_its_nouns_stands_alone(told):
    assert not leans(told, NAMES)


def test_notes_need_no_verb():
    assert leans("Gate change for Oslo.", NAMES)
    assert not leans("Gate change for Oslo.", NAMES, notes=True)
