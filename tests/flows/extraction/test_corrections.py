from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.extraction import LocalExtractor
from flows.extraction.corrections import correction_in, corrections_of, may_correct, only_announces, repair_in
from flows.extraction.quotes import annotated
from tests.flows.extraction.cuts import talk


def corrected(*lines):
    """What each line is corrected to, by which line."""
    found = corrections_of([one.sentences for one in annotated(talk(*lines).utterances)])
    return [(each.at[0], each.target[0], each.meant) for each in found]


@pytest.mark.parametrize(
    ("said", "correction", "meant"),
    [
        ("The choir sings on Monday.", "Sorry, it's on Tuesday.", "The choir sings on Tuesday."),
        ("Fifty people came.", "I mean fifteen.", "Fifteen people came."),
        ("The vet is at 3.", "*4", "The vet is at 4."),
        ("The vet is at 3 pm.", "no sorry 3:30 pm", "The vet is at 3:30 pm."),
        ("We stay in Porto for August.", "Oops, I meant Faro.", "We stay in Faro for August."),
        ("Kim lives on the third floor.", "Fourth floor, sorry.", "Kim lives on the fourth floor."),
        ("A table for eight.", "Nine, I forgot Kim.", "A table for nine."),
        ("My boss is called Anne.", "Actually it's Anna, not Anne.", "My boss is called Anna."),
        ("Lena has three kids.", "Wait, no. It's two kids, not three.", "Lena has two kids."),
        ("Turn left at the church.", "Correction: turn right at the church.", "Turn right at the church."),
        ("Tom's birthday is on 12 May.", "It's the 13th, actually.", "Tom's birthday is on 13 May."),
        ("The vet is at 5, can you drive?", "I got the time wrong, the vet is at 6.", "The vet is at 6, can you drive?"),
        ("会议下午两点开始。", "我说错了，是三点。", "会议下午三点开始。"),
        ("我老板叫李明。", "不是李明，是李敏。", "我老板叫李敏。"),
        ("我们住三亚的酒店。", "更正一下，是海口的酒店。", "我们住海口的酒店。"),
        ("我妹妹在南京读大学。", "口误，是南昌。", "我妹妹在南昌读大学。"),
        ("小李的生日是五月十二号。", "不对，是十三号。", "小李的生日是五月十三号。"),
    ],
)
def test_a_correction_says_what_was_meant(said, correction, meant):
    assert corrected(f"Ann: {said}", f"Ann: {correction}") == [(1, 0, meant)]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("The concert is on Thursday, sorry, I mean Friday.", "The concert is on Friday."),
        ("I paid 40 euros for it. No wait, it was 45.", "I paid 45 euros for it."),
        ("The rent is 900, I mean 950, from May.", "The rent is 950, from May."),
        ("It took three hours, I mean five hours, and he is fine.", "It took five hours, and he is fine."),
        ("这把椅子我花了四百，不对，是四百五。", "这把椅子我花了四百五。"),
    ],
)
def test_a_message_corrects_itself(said, meant):
    assert corrected(f"Ann: {said}") == [(0, 0, meant)]


@pytest.mark.parametrize(
    "lines",
    [
        ("Ann: I worked until ten.", "Bo: No way, that's crazy!"),
        ("Bo: Do you want the blue one?", "Ann: No, the red one."),
        ("Bo: Is it on Friday?", "Ann: No, it's on Saturday."),
        ("Ann: I bought a sofa on Monday.", "Ann: Actually, I also bought a lamp on Tuesday."),
        ("Jon: Hey Gina, I closed my account.", "Gina: Oh no, Jon! Sorry to hear that."),
        ("Ann: Kim has two cats.", "Ann: I can't come, sorry, Tuesday is full."),
        ("Ann: Kim is a nurse now.", "Bo: No! A nurse?", "Bo: Good for Kim."),
        ("Ann: It costs 5 euros.", "Bo: You're right, it's really sad."),
        ("Ann: Bo likes tea.", "Ann: Kim likes coffee, not tea."),
        ("Ann: I'm Ann.", "Ann: I'm not sorry I quit at 30."),
        ("Ann: I have 2 kids.", "Bo: I have 3, actually."),
        ("Ann: Kim likes Rome.", "Ann: I prefer Paris, not Rome."),
        ("Ann: I have 50 cards.", "Bo: Do you want 5?", "Ann: No, 3."),
        ("Ann: I stay at Nadia's.", "Bo: Is Nadia the one with the parrot", "Ann: no that's Denise."),
        ("小明: 我有五张卡。", "小红: 你要两张？", "小明: 不，三张。"),
        ("小明: 周一开会。", "小明: 我不对海鲜过敏。"),
        ("小明: 周末我去爬山了。", "小明: 对了，我还买了双新鞋。"),
    ],
)
def test_what_corrects_nothing(lines):
    assert corrected(*lines) == []


def test_an_apology_is_no_correction():
    assert corrected("Ann: Declan is serious.", "Ann: Tell him I am sorry.") == []


def test_what_was_said_days_ago_is_corrected_only_by_its_value():
    lines = talk("Ann: It is on Thursday.", "Ann: Sorry, I meant Friday.").utterances
    first, second = [one.sentences for one in annotated(lines)]
    later = [replace(one, said_at=one.said_at + timedelta(days=10)) for one in second]
    assert len(corrections_of([first, second])) == 1
    assert corrections_of([first, later]) == []


def test_what_is_withdrawn_has_nothing_in_its_place():
    assert corrected("Ann: Let's meet at the museum.", "Ann: Scratch that, Bo wants to see a film.") == [(1, 0, "")]


def test_what_is_said_instead_keeps_what_it_does_not_change():
    lines = ("Ann: Let's meet at the museum on Saturday.", "Ann: Scratch that, let's meet at the library.")
    assert corrected(*lines) == [(1, 0, "Let's meet at the library on Saturday.")]


def test_another_may_correct_a_statement():
    lines = ("Ann: I met your brother Steve.", "Bo: His name is Stefan, not Steve.")
    assert corrected(*lines) == [(1, 0, "I met your brother Stefan.")]


def test_one_corrects_oneself_by_agreeing():
    lines = ("Ann: My brother earns 70k.", "Bo: Didn't you say 60?", "Ann: Right, 60k.")
    assert corrected(*lines) == [(2, 0, "My brother earns 60k.")]


def test_who_agrees_with_nothing_that_was_said_corrects_nothing():
    assert corrected("Ann: My brother earns 70k.", "Bo: Wow!", "Ann: Right, 60 years at Nokia.") == []


def test_the_quote_of_a_correction_has_the_day_that_was_meant_and_ends_what_was_said():
    first, second = LocalExtractor().extract(talk("Ann: My flight to Oslo is on Monday.", "Ann: Sorry, it's on Tuesday.")).facts
    assert "My flight to Oslo is on Monday." in second.statement
    assert (second.quote.words, second.event_at.day) == ("Sorry, it's on Tuesday.", 3)
    stated = {(claim.about, claim.value) for claim in first.claims}
    assert {(claim.about, claim.value) for claim in second.claims if claim.ends} == stated
    assert [claim.value for claim in second.claims if not claim.ends] == ["Tuesday"]


WORDS = st.sampled_from(
    "sorry no wait not I mean it's Tuesday Monday 15 50 , . ? Anna Anne *4 不对 是 周二 两点 scratch that".split()
)


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=6))
def test_no_talk_makes_it_fail_and_nothing_is_corrected_before_it_is_said(lines):
    found = corrections_of([one.sentences for one in annotated(talk(*(f"Ann: {line}" for line in lines)).utterances)])
    assert all(each.target <= each.at for each in found)


CUES = (
    "sorry, I meant 15, not 50. Wait, no. *Friday make that Yes, actually typo: forgot scratch oops or rather Anna the at "
    "should be right. 你 不对， 是周二。 对， 应该是"
).split()


@given(
    words=st.lists(st.sampled_from(CUES) | st.text(max_size=4), max_size=6), case=st.sampled_from([str, str.upper, str.lower])
)
def test_a_sentence_without_a_word_of_correction_corrects_nothing(words, case):
    sentence = case(" ".join(words))
    if not may_correct(sentence):
        assert not only_announces(sentence)
        assert repair_in(sentence) is None
        assert correction_in(sentence, announced=False) is None
