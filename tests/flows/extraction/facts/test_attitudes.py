import pytest

from flows.extraction.facts.attitudes import is_attitude, judges, restates


def test_what_only_takes_up_the_others_words_restates_them():
    assert restates("Great to hear that you enjoyed the trip.")
    assert not restates("Great to hear that, my sister went too.")


def test_what_says_how_something_is_in_general_judges():
    assert judges("It's great to have friends.")
    assert not judges("It rained in Oslo.")


@pytest.mark.parametrize(
    "sentence", ["I'm not giving up!", "I'll ask around.", "I'm grateful for my friends.", "We make a difference."]
)
def test_resolutions_offers_and_gratitude_are_attitudes(sentence):
    assert is_attitude(sentence)


def test_news_is_no_attitude():
    assert not is_attitude("I sold my car.")
