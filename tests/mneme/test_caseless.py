"""A pattern without regard to case finds exactly what ``re.IGNORECASE`` finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.caseless import Caseless

PATTERNS = (r"\b(?:sick|kiss|i)\b", r"^(?P<who>\w+) is(?! no)", r"[^a-z]k", r"(?<=s )i|ss+$", r"\W*+", "我|kis")
texts = st.text(alphabet="isIKk \u212a\u0130\u0131\u017fß’我n.\n", max_size=12) | st.sampled_from(["Is SICK", "Ann IS kissed"])


@given(text=texts, pattern=st.sampled_from(PATTERNS), begin=st.integers(0, 3), end=st.integers(0, 12))
def test_it_finds_what_a_pattern_that_ignores_case_finds(text: str, pattern: str, begin: int, end: int) -> None:
    ours, theirs = Caseless(pattern), re.compile(pattern, re.IGNORECASE)

    def shown(match: re.Match[str] | None) -> object:
        return match and (match.span(), match.groups(), match.string)

    assert shown(ours.search(text, begin, end)) == shown(theirs.search(text, begin, end))
    assert shown(ours.match(text, begin, end)) == shown(theirs.match(text, begin, end))
    assert shown(ours.fullmatch(text, begin, end)) == shown(theirs.fullmatch(text, begin, end))
    assert [*map(shown, ours.finditer(text, begin, end))] == [*map(shown, theirs.finditer(text, begin, end))]
    assert ours.sub("-", text, 1) == theirs.sub("-", text, 1)


def test_flags_hold_as_well() -> None:
    assert Caseless("^b$", re.MULTILINE).search("a\nB\nc")


@pytest.mark.parametrize("pattern", ["Ann", "[A-Z]x", "a(?-i:b)"])
def test_a_pattern_in_which_case_would_matter_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="not in lower case"):
        Caseless(pattern)


def test_capitals_that_are_no_letters_of_a_text_may_stand_in_a_pattern() -> None:
    assert Caseless(r"\W(?P<word>\S+)").search("ab CD")
