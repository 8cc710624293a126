import pytest

from flows.extraction.grounding import is_grounded
from tests.flows.extraction.cuts import message


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Ann adopted 2 cats.", "I adopted two cats"),
        ("Ann paid 1200 euros.", "I paid 1,200 euros"),
        ("Ann ran on 1 March 2026.", "I ran yesterday"),
        ("Ann ran on Sunday, 1 March 2026.", "I ran yesterday"),
        ("Ann met Kim in Oslo.", "met Kim, in oslo"),
        ("On 2 March 2026, Ann sold the car.", "I sold my car"),
        ("Ann ran in March 2026.", "I ran yesterday"),
        ("Running helps Ann.", "running helps me"),
        ("小明养了3只猫。", "我养了三只猫"),
        ("Ann told Bo about it.", "I told you about it"),
        ("Ann earned 30 points.", "我得了三十分"),
        ("Ann runs the 10K.", "I run the 10K"),
        ("Bo asked for a call on 18 March 2026.", "Bo asked for a call on the 18th"),
    ],
)
def test_what_the_source_says_is_grounded(statement, source):
    assert is_grounded(statement, [message("Ann", source)], ["Ann", "Bo"])


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Ann adopted 3 cats.", "I adopted two cats"),
        ("Ann ran on 2 April 2026.", "I ran yesterday"),
        ("Ann ran in June.", "I ran yesterday"),
        ("Ann ran on Friday.", "I ran yesterday"),
        ("Ann ran on 25 February 2026.", "I ran last week"),
        ("Ann met Zoe.", "I met Kim"),
        ("Bo asked for a call on 18 May 2026.", "Bo asked for a call on the 18th"),
        ("Bo asked for a call on 19 March 2026.", "Bo asked for a call on the 18th"),
        ("Zoe was late.", "Kim was late"),
        ("Zoe's cat is ill.", "Kim's cat is ill"),
        ("Ann moved to Paris.", "I moved there"),
        ("小明养了5只猫。", "我养了三只猫"),
    ],
)
def test_a_number_name_or_date_that_the_source_lacks_is_not_grounded(statement, source):
    assert not is_grounded(statement, [message("小明" if "小明" in statement else "Ann", source)], ["Ann", "Bo"])


def test_every_cited_message_is_a_ground():
    sources = [message("Ann", "I met Kim"), message("Bo", "In Oslo?", 1)]
    assert is_grounded("Ann met Kim in Oslo.", sources)
    assert not is_grounded("Ann met Kim in Oslo.", sources[:1])


TRAIN = [
    message("Ann", "How is Kim, back in Oslo?"),
    message("Bo", "Buried in her thesis, and the train took three hours", 1),
]


@pytest.mark.parametrize(
    ("statement", "is_right"),
    [
        ("Kim is buried in her thesis.", True),
        ("The train of Kim to Oslo took three hours.", True),
        ("Zoe is buried in her thesis.", False),  # nobody named her
        ("Kim is ill and has left Oslo for good.", False),  # no source says so
        ("The train of Kim took four hours.", False),
    ],
)
def test_a_name_said_just_before_is_grounded_where_the_source_says_the_rest(statement, is_right):
    assert is_grounded(statement, TRAIN[1:], ["Ann", "Bo"], TRAIN[:1]) is is_right


def test_a_day_told_by_several_messages_together_has_their_year():
    sources = [message("Ann", "Is it on 27 June?"), message("Bo", "Yes, the race is on the same day", 1)]
    assert is_grounded("The race is on 27 June 2026.", sources)
    assert not is_grounded("The race is on 27 June 2029.", sources)
