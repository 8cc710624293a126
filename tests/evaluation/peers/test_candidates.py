"""Which turns a returned text stands for."""

from evaluation.peers.candidates import run_of, turns_of

RUNS = {
    turn: run_of(text)
    for turn, text in {
        "D1:1": "I moved to Lisbon last week, and the flat has a balcony.",
        "D1:2": "Thanks, Ann!",
        "D1:3": "My sister plays the cello in an orchestra.",
    }.items()
}


def test_a_text_that_holds_turns_stands_for_them_in_its_order() -> None:
    text = "BEN: my sister plays the cello in an orchestra\nAnn: I moved to Lisbon last week -- and the flat has a balcony!"
    assert turns_of(text, RUNS) == ("D1:3", "D1:1")


def test_a_part_of_a_turn_stands_for_it() -> None:
    assert turns_of("the flat has a balcony", RUNS) == ("D1:1",)


def test_a_turn_of_a_few_words_is_not_recognised_inside_a_text() -> None:
    assert turns_of("Ben said thanks, Ann! My sister plays the cello in an orchestra.", RUNS) == ("D1:3",)


def test_a_text_that_no_turn_has_the_words_of_stands_for_none() -> None:
    assert turns_of("They discussed their weekend plans", RUNS) == ()
    assert turns_of("", RUNS) == ()
