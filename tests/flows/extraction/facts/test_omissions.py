import pytest

from flows.extraction.facts.omissions import leaves_out, means_a_place_before, names_a_place


@pytest.mark.parametrize(
    "told",
    [
        "Winning was a boost.",
        "Ann did really well!",
        "Ann felt free.",
        "Ann is so excited!",
        "Ann even won a trophy.",
        "Ann won again!",
        "Ann's favourite was when Kim sang.",
        "Ann would like to join in.",
    ],
)
def test_what_was_won_felt_or_joined_is_left_out(told):
    assert leaves_out(told)


@pytest.mark.parametrize("told", ["Ann won the race in Oslo.", "Ann felt like a part of the team.", "Ann did well at chess."])
def test_a_verb_with_its_object_leaves_nothing_out(told):
    assert not leaves_out(told)


def test_there_is_a_place_before_unless_the_sentence_names_one():
    assert means_a_place_before("Ann will stop by there.")
    assert not means_a_place_before("Ann moved to Oslo and works there.")
    assert not means_a_place_before("There is a lake.")
    assert names_a_place("Ann lives in Oslo.")
