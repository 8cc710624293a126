"""Of many patterns none is left out that is found in a text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.extraction import artifacts, corrections, english_entities, entities, foresight, portrait
from mneme.dates import chinese, english
from mneme.patterns import Cue, PatternIndex, needed_words, words_of
from mneme.relations import english_clauses
from mneme.relations.chinese_subjects import chinese as chinese_table
from mneme.relations.english import english as english_table

PATTERNS = [
    *(rule.pattern for rules in (english._ALL, chinese._ALL) for rule in rules._rules),
    *(one.shape for table in (english_table(), chinese_table()) for one in (*table.said, *table.anywhere, *table.asked)),
    *(each for each in vars(corrections).values() if isinstance(each, re.Pattern)),
    *(
        each._pattern
        for module in (artifacts, english_clauses, english_entities, entities, foresight, portrait)
        for each in vars(module).values()
        if isinstance(each, Cue)
    ),
]
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
        ("取消了|办不了", {"了"}),
    ],
)
def test_a_pattern_needs_the_words_that_every_way_through_it_has(pattern: str, words: set[str]) -> None:
    assert needed_words(pattern) == words


def test_words_are_runs_of_letters_and_every_other_character() -> None:
    assert words_of("I'm at No. 5") == {"i", "'", "m", "at", "no", ".", "0", ""}
    assert words_of("KISS \u212aİſ é ５") == {"kiss", "kis", "é", "0", ""}
    assert words_of("") == {""}


@settings(max_examples=120)
@given(data=st.data(), before=st.text("ab k.不", max_size=3), after=st.text("ab s.了", max_size=3))
def test_what_a_pattern_fits_has_a_word_that_it_needs(data: st.DataObject, before: str, after: str) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS) | st.sampled_from([re.compile(each) for each in SMALL]))
    text = before + data.draw(st.from_regex(pattern)) + after
    needed = needed_words(pattern.pattern)

    if needed and pattern.search(text):
        assert needed & words_of(text)


TEXTS = st.text("planswiofk é’'.,5不去了", max_size=12) | st.sampled_from(["wait", "two plans", "it's so great", "turn off!"])


@given(text=TEXTS)
def test_a_cue_finds_what_its_pattern_finds(text: str) -> None:
    for pattern in SMALL:
        found, cue = re.search(pattern, text), Cue(pattern)
        assert getattr(cue.search(text), "span", tuple)() == getattr(found, "span", tuple)()
        assert cue.sub("_", text, count=1) == re.sub(pattern, "_", text, count=1)


@given(text=TEXTS)
def test_of_many_patterns_none_that_is_found_is_left_out(text: str) -> None:
    small = [re.compile(each) for each in SMALL]
    candidates = PatternIndex(small).candidates(text)

    assert candidates == sorted(candidates)
    assert {number for number, each in enumerate(small) if each.search(text)} <= set(candidates)
