"""A pattern that is not searched in texts without its words finds exactly what it finds when it is."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.extraction import entities, foresight, portrait, subjects
from mneme.dates import chinese, chinese_calendar, english, english_calendar, english_periods, english_weeks, tense
from mneme.guarded import ByWord, Guarded, needed_words, words_of

ROOMS = (entities, foresight, portrait, subjects, tense)
PATTERNS = [each.pattern for room in ROOMS for each in vars(room).values() if isinstance(each, Guarded)] + [
    rule.pattern
    for rules in (
        english._RULES, english_calendar.RULES, english_periods.RULES, english_weeks.RULES, chinese._RULES,
        chinese_calendar.RULES,
    )
    for rule in rules
]  # fmt: skip
SMALL = (
    r"\bplan(?:s|ned)?\b(?! to)", r"(?:no,? )?wait|x\b", r"^(?:(?:and|but),? )*it['’]s (?:\w+ )?great$",
    r"[ap]\.?m\b", r"\d+ days?", r"(?<!\w)off(?!\w)", r"\w+ly|kiss", r"(a)?b(?(1)c|d) e", r"(?:go |went )++home",
    r"不去[^，。]{1,8}了", r"fianc[eé]e?\b", r"[Mm]y k",
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:looking|look) forward to\b", {"forward"}),
        (r"\bplan(?:s|ned)?\b", {"plan", "plans", "planned"}),
        (r"\b(?:call(?:ed)? off|cancel)\b", {"call", "called", "cancel"}),
        (r"\w+ing\b", set()),
        ("going", set()),  # it may stand within a word
        (r"\b(?:in )?\d\d?:30\b", {":"}),
        ("取消了|办不了", {"取", "办"}),
    ],
)
def test_a_pattern_needs_the_words_that_every_way_through_it_has(pattern: str, words: set[str]) -> None:
    assert needed_words(pattern) == words


def test_words_are_runs_of_letters_and_every_other_character() -> None:
    assert words_of("I'm at No. 5") == {"i", "'", "m", "at", "no", ".", "5", ""}
    assert words_of("KISS \u212aİſ é ５") == {"kiss", "kis", "é", "５", "0", ""}
    assert words_of("") == {""}


@settings(max_examples=400)
@given(data=st.data(), before=st.text("ab k.不", max_size=3), after=st.text("ab s.了", max_size=3))
def test_what_a_pattern_fits_has_a_word_that_it_needs(data: st.DataObject, before: str, after: str) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS) | st.sampled_from([re.compile(each) for each in SMALL]))
    text = before + data.draw(st.from_regex(pattern)) + after
    needed = needed_words(pattern.pattern, pattern.flags)

    if needed and pattern.search(text):
        assert needed & words_of(text)


@given(
    text=st.text("planswiofk \u212a\u0130\u0131\u017fé’'.,5不去了", max_size=12)
    | st.sampled_from(["Wait", "plans", "It's so great"]),
    pattern=st.sampled_from(SMALL),
    flags=st.sampled_from([0, re.IGNORECASE]),
    begin=st.integers(0, 3),
    end=st.integers(0, 12),
)
def test_it_finds_what_the_pattern_finds(text: str, pattern: str, flags: int, begin: int, end: int) -> None:
    ours, theirs = Guarded(pattern, flags), re.compile(pattern, flags)

    def shown(match: re.Match[str] | None) -> object:
        return match and (match.span(), match.groups())

    for places in ((), (begin,), (begin, end)):
        assert shown(ours.search(text, *places)) == shown(theirs.search(text, *places))
        assert shown(ours.match(text, *places)) == shown(theirs.match(text, *places))
        assert [*map(shown, ours.finditer(text, *places))] == [*map(shown, theirs.finditer(text, *places))]
    assert ours.sub("-", text, 1) == theirs.sub("-", text, 1)


@given(
    text=st.text("planswiofk é’'.,5不去了", max_size=12) | st.sampled_from(["wait", "two plans", "it's so great", "turn off!"])
)
def test_of_many_patterns_none_that_is_found_is_left_out(text: str) -> None:
    patterns = [re.compile(each) for each in SMALL]
    worth = ByWord(patterns).worth_searching(text)

    assert worth == sorted(worth)
    assert {number for number, each in enumerate(patterns) if each.search(text)} <= set(worth)
