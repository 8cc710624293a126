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
