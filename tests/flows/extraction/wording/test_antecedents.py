import pytest

from flows.extraction import LocalExtractor
from flows.extraction.wording.antecedents import with_antecedent
from tests.flows.extraction.cuts import talk


@pytest.mark.parametrize(
    ("before", "sentence", "resolved"),
    [
        ("I am home with Rex.", "He's asleep.", "Rex is asleep."),
        ("I took Rex to the vet.", "He's been ill.", "Rex has been ill."),
        ("My friend Kim Lee is here.", "And she'll come on Friday.", "And Kim Lee will come on Friday."),
    ],
)
def test_he_and_she_are_the_one_who_was_just_named(before, sentence, resolved):
    assert with_antecedent(sentence, before, ("ann", "bo")) == resolved


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("I met Kim and Rex.", "He is six."),
        ("Zoe loves Rex.", "She is six."),
        ("I told my sister about Rex.", "She laughed."),
        ("I flew to Oslo.", "He was there."),
        ("I saw the Game 7 Finals.", "He scored."),
        ("Thanks, Ann.", "He is fine."),
        ("I am home with Rex.", "They are asleep."),
        ("I am home with Rex.", "Now the dog is asleep, he snores."),
        ("", "He is six."),
    ],
)
def test_a_pronoun_with_another_reading_stays(before, sentence):
    assert with_antecedent(sentence, before, ("ann", "bo")) == sentence


def test_an_answer_names_whom_the_question_named():
    [fact] = LocalExtractor().extract(talk("Ann: How is Kim?", "Bo: She hands in the thesis on 20 June.")).facts
    assert fact.statement == "Bo said: Kim hands in the thesis on 20 June 2026."
