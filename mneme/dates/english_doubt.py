"""Why an English date may not be that of what its sentence tells: a habit, a supposition, a negation, a quotation, a change."""

import re

from mneme.caseless import Caseless
from mneme.dates.english_words import ALONE
from mneme.dates.rules import Found
from mneme.dates.tense import clause_of, is_left


def in_doubt(sentence: str, date: Found) -> bool:
    """Whether a date is told of nothing that happens then, or may be one of several."""
    start, end = date.start, date.end
    near = max(0, start - _NEAR)
    if (
        sentence[max(0, start - 1) : start] in _CODE
        or _BESIDE.search(sentence, near, start)
        or _ITSELF.match(sentence, start)
        or _BEHIND.match(sentence, end)
    ):
        return True
    if (
        _is_quoted(sentence, start, end)
        or sentence[start : start + 1].isupper()
        and _NAMED.search(sentence[near:start]) is not None
    ):
        return True
    if _WEEKDAY.match(sentence, start, end) and (_ALONE.match(sentence, end) is None or _THE.search(sentence, near, start)):
        return True
    begins, ends = clause_of(sentence, start, end)
    if is_left(sentence, start) or _NO_EVENT.search(sentence, begins, ends):
        return True
    if _TOLD.search(sentence, max(0, start - _REACH), start):
        return True
    return date.lacks_year and bool(_OTHER_YEAR.search(sentence, max(0, start - _REACH), end + _REACH))


def _is_quoted(sentence: str, start: int, end: int) -> bool:
    if sentence.count('"', max(0, start - _REACH), start) % 2 or sentence.rfind("“", 0, start) > sentence.rfind("”", 0, start):
        return True
    return (
        sentence[max(0, start - 1) : start] in _QUOTES
        and sentence[end : end + 1] in _QUOTES
        and 0 < start < end < len(sentence)
    )


_NEAR = 30  # characters
_REACH = 200
_CODE = (".", "_", "/", "\\", "@", "#", "=", "-", "$")
_QUOTES = ("'", "‘", "’", "`", "*", "_")
_ITSELF = Caseless(r"(?:since|before|after|until|till|between|around)\b")
_BESIDE = Caseless(
    r"\b(?:since|before|after|until|till|than|unlike|like|as|versus|vs\.?|compared (?:to|with)|similar to|prior to|instead of|"
    r"rather than|except|not|or|nor|first|second|third|one|some|following|same|previous|preceding|black|man|around|about|approximately|roughly|circa|near|dated|of the|every|each|any)"
    r"(?:\s+(?:on|in|at|the|just|for))*\s*$",
)
_NAMED = re.compile(r"\w\W+(?!(?:On|In|By|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|I|May|June|July)\b|[A-Z]\w+day\b)[A-Z][a-z]+\s+$")
_WEEKDAY = Caseless(r"(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_ALONE = re.compile(
    rf"(?!\s+(?:when|where|that|which|after|before|following|is)\b){ALONE}"
)  # no "Friday after the exam", "Sunday school"
_THE = Caseless(r"\bthe\s+$")
_BEHIND = Caseless(
    r"\s+of\s+\w|\s*(?:or\b|/\s*\w|['’]s\s+(?:society|world|age|standards)\b|onwards?\b|\s+school\b|\s+(?:break|season|vacation|holidays?)\b|[-_(.]\w|\(\)|-ish\b|\(?(?:ish|tbd|tbc)\b)"
)
# In the clause: what did not happen, may not, or happens again and again.
_NO_EVENT = Caseless(
    r"\b(?!can['’]t (?:wait|believe)|couldn['’]t (?:wait|believe|be)|don['’]t (?:forget|miss|worry))\w+n['’]t\b|"
    r"\b(?:cannot|never|no longer|nobody|nothing|without|neither|not(?! only)|cancel\w*|call(?:ed|ing)? off|fell through)\b|"
    r"\b(?:if|unless|whether|imagine|suppos\w+|assum\w+|wish(?:es|ed)?|would|could|should(?: have|['’]ve)|might|maybe|perhaps|probably|"
    r"possibly|in case|dream\w*|pretend\w*|consider\w*|thinking (?:of|about)|unsure|(?:was|were) (?:going|planning|meant|about) to|"
    r"(?:was|were) (?:due|scheduled|supposed|to)\b|(?:planned|hoped|wanted|intended|expected) to|had (?:planned|hoped|intended)|"
    r"original(?:ly)?|feels? like|(?:how|what|when|where|which|who) to|had (?:\w+ ){0,2}(?:scheduled|booked)|tentativ\w+|hypothetical\w*|e\.g|for (?:example|instance))\b|['’]d\b|"
    r"\b(?:every|each(?! other)|always|usually|often|sometimes|regularly|typically|annual(?:ly)?|yearly|whenever|used to|"
    r"normally|generally|tradition\w*|times|once|twice|per|habit|recurring)\b",
)
# Before the date in the sentence: somebody else's words, or a condition.
_TOLD = Caseless(
    r"\b(?:sa(?:y|ys|id|ying)|thought|tells?|told|mention(?:s|ed|ing)|claim(?:s|ed)|announced|wrote|writes|heard|asked|according to|"
    r"apparently|supposedly|reportedly|rumou?r\w*|if|unless|whether|imagine|suppose|wish(?:es|ed)?|always|every|often|sometimes|usually|whenever)\b",
)
# What tells the year of a day or a month that lacks it, or that it comes back every year.
_OTHER_YEAR = Caseless(
    r"\b(?:birthdays?(?! part| celebr| dinner)|born|birth|anniversar\w+|(?:19|20)\d\d|(?:last|previous|next|following|that) year|"
    r"years? (?:ago|before|later|earlier|back)|was (?:\w+ )?(?:years old|a (?:kid|child|teenager)))\b",
)
