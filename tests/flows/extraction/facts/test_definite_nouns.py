import pytest

from flows.extraction.facts.definite_nouns import mentions, unexplained_noun


@pytest.mark.parametrize(
    ("sentence", "noun"),
    [
        ("The book got Ann thinking.", "book"),
        ("Ann learned a lot since the accident.", "accident"),
        ("Ann is happy about finishing this project.", "project"),
        ("Ann keeps track of those dates.", "dates"),
    ],
)
def test_a_noun_that_was_spoken_of_before_is_found(sentence, noun):
    assert unexplained_noun(sentence) == noun


@pytest.mark.parametrize(
    "sentence",
    [
        "The trip to Oslo was long.",
        "Ann read the book that Kim wrote.",
        "Ann took the guitar lesson.",
        "It was the best book.",
        "Ann wrote a book, and the book sold well.",
        "Ann read this amazing book.",
        "Ann leaves this weekend.",
        "Ann spread the word.",
        "Ann likes the sea.",
    ],
)
def test_a_noun_that_its_sentence_explains_is_not(sentence):
    assert unexplained_noun(sentence) is None


def test_a_noun_is_mentioned_in_the_singular_or_the_plural():
    assert mentions("Ann bought two books.", "book")
    assert mentions("Ann bought a book.", "books")
    assert not mentions("Ann made a booking.", "book")
