"""Grounds to doubt an English date: it may not be that of what its sentence tells.

A habit, a supposition, a negation, a quotation, a name, a title, a change, another occasion.
"""

import re

from mneme.dates.english_words import ALONE, clause_of, is_left
from mneme.dates.spans import MONTHS, Found
from mneme.languages import is_doubted

_NEAR = 30  # characters
_REACH = 200  # characters around a date that can tell


def in_doubt(sentence: str, date: Found) -> bool:
    """Return whether a date is told of nothing that happens then, or may be one of several."""
    start, end, near, far = date.start, date.end, max(0, date.start - _NEAR), max(0, date.start - _REACH)
    begins, ends = clause_of(sentence, start, end)
    return bool(
        sentence[max(0, start - 1) : start] in _CODE
        or _BESIDE.search(sentence, near, start)
        or _BEHIND.match(sentence, end)
        or _SINCE.match(sentence, start)
        or _NOWADAYS.search(sentence, near, end + _NEAR)
        or (_WEEKDAY.match(sentence, start, end) and _is_no_day_alone(sentence, start, end, near))
        or (sentence[start : start + 1].isupper() and _NAME.search(sentence[near:start]))
        or _is_quoted(sentence, start, end, far)
        or is_left(sentence, start)
        or _NO_EVENT.search(sentence, begins, ends)
        or _AGAIN.search(sentence, begins, ends)
        or (_THIS_YEAR.match(sentence, start, end) and _SCHOOL.search(sentence, begins, ends))
        or _TOLD.search(sentence, far, start)
        or is_doubted(sentence[far : end + _REACH])
        or _TITLE.match(sentence, start)
        or (_BARE_DAY.match(sentence, start, end) and _is_of_an_occasion(sentence[far : end + _REACH], date))
        or (_WEEKDAY.fullmatch(sentence, start, end) and _TODAY_IS.search(sentence, near, start))
        or (date.lacks_year and _ABOUT.search(sentence, near, start))
        or (date.lacks_year and _OTHER_YEAR.search(sentence, far, end + _REACH))
    )


def is_of_another(mention: str, earlier: str, month: int) -> bool:
    """Return whether a day without a month may be of an occasion, or another month, named before: Easter? We leave the 4th."""
    return _BARE_DAY.match(mention) is not None and not {MONTHS[month - 1]}.issuperset(_NAMED_BEFORE.findall(earlier))


def _is_no_day_alone(sentence: str, start: int, end: int, near: int) -> bool:
    """Return whether a weekday is one that words beside it tell."""
    told = (cue.search(sentence, near, start) for cue in (_THE, _NAMED_WEEKDAY))
    return not _ALONE.match(sentence, end) or any(told)


def _is_of_an_occasion(text: str, date: Found) -> bool:
    """Return whether an occasion is named that is perhaps in another month than a bare day: Easter, and the 4th."""
    months = {int((named.lastgroup or "m0")[1:]) for named in _OCCASION.finditer(text)}
    return date.span is not None and not months <= {date.span.first.month}


def _is_quoted(sentence: str, start: int, end: int, far: int) -> bool:
    if sentence.count('"', far, start) % 2 or sentence.rfind("“", far, start) > sentence.rfind("”", far, start):
        return True
    return start > 0 and sentence[start - 1] in _QUOTES and sentence[end : end + 1] in _QUOTES


_CODE = (".", "_", "/", "\\", "@", "#", "=", "-", "$")
_QUOTES = ("'", "‘", "’", "`", "*", "_")
# Beside a date: the event is not then but since, before, like then; or it is about then, or one of some.
_SINCE = re.compile(r"(?:since|before|after|until|till|between|around)\b", re.I)
_BESIDE = re.compile(
    r"\b(?:since|before|after|until|till|than|unlike|like|as|versus|vs\.?|compared (?:to|with)|similar to|prior to|instead of|"
    r"rather than|except|not|or|nor|first|second|third|one|some|following|same|previous|preceding|"
    r"name(?:['’]?s)?(?: is| was)?|(?:am|are|is|was|['’][ms]) called|named|mr\.?|mrs\.?|ms|miss|"
    r"favou?rite (?:\w+ ){0,2}(?:is|are|was)|little|bit|"
    r"too|so|very|around|about|approximately|roughly|circa|near|dated|version|of the|every|each|any|"
    r"days?|weeks?|fortnight|months?|years?|\d(?:st|nd|rd|th))"
    r"(?:\s+(?:on|in|at|the|just|for))*\s*$",
    re.I,
)
_BEHIND = re.compile(
    # of what was moved it says nothing
    r"\s+(?:got|gets|is|is being|was|were|has been|been) (?:\w+ )?"
    r"(?:moved|postponed|pushed|re-?scheduled|delayed|shifted|changed)\b|"
    r"\s+(?:of\s+\w|school\b|half[- ]term\b|break\b|season\b|vacation\b|holidays?\b|or\b|onwards?\b)|"
    r"\s*(?:/\s*\w|[-_(.]\w|\(\)|\(?(?:ish|tbd|tbc)\b)",
    re.I,
)
# A weekday that is one of the year, or of another name: "Palm Sunday", "bank holiday Monday".
_NAMED_WEEKDAY = re.compile(r"\b(?:ash|black|casual|cyber|easter|holiday|holy|maundy|palm|shrove|taco|whit) $", re.I)
# A weekday is a certain one by itself: neither "the Friday after the exam" nor "Sunday school" nor "Taco Tuesday".
_WEEKDAY, _THE = re.compile(r"(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.I), re.compile(r"\bthe\s+$", re.I)
_ALONE = re.compile(
    rf"(?!\s+(?:when|where|that|which|following|is|"
    rf"(?:after|before)(?! (?:work|school|uni|church|class|lunch|dinner|\d)\b))\b){ALONE}"
)
_NAME = re.compile(r"\w\W+(?!(?:On|In|By|I|May|June|July|[A-Z]\w+day)\b)[A-Z][a-z]+\s+$")
# "Friday Night Lights", "The Day After Tomorrow"
_TITLE = re.compile(r"\w+\W(?:(?:Night|Morning|Afternoon|Evening)\W+[A-Z]|(?:Day|After)\b)")
# "it's Sunday"
_TODAY_IS = re.compile(r"\b(?:it['’]?s|it is|today is|today['’]s)\s+(?:(?:already|finally|only|still)\s+)*$", re.I)
_TIMES = "(?:age|culture|economy|generation|kids|market|people|science|society|standards|technology|world|youth)"
_NOWADAYS = re.compile(
    rf"\b{_TIMES} (?:of )?today\b|\btoday['’]s {_TIMES}\b|\bno tomorrow\b|"
    r"(?:['’]s|\bis|\bare) still (?:\w+ ){0,6}today\b(?=[.,!?]|$)",
    re.I,
)
# In the clause: what did not happen or may not.
_NO_EVENT = re.compile(
    r"\b(?!can['’]t (?:wait|believe)|couldn['’]t (?:wait|believe|be)|don['’]t (?:forget|miss|worry))\w+n['’]t\b|"
    r"\b(?:cannot|never|no longer|nobody|nothing|without|neither|not(?! (?:only|around|available|here|home|in town)\b)|"
    r"cancel\w*|call(?:ed|ing)? off|fell through|"
    r"if|unless|whether|imagine|suppos\w+|assum\w+|wish(?:es|ed)?|would|could|should(?: have|['’]ve)|maybe|perhaps|"
    r"might(?! as well tell)|probably|possibly|in case|dream\w*|pretend\w*|consider\w*|thinking (?:of|about)|unsure|"
    r"feels? like|tentativ\w+|hypothetical\w*|original(?:ly)?|e\.g|for (?:example|instance)|"
    r"(?:was|were) (?:going|planning|meant|about|due|scheduled|supposed|to)|"
    r"(?:planned|hoped|wanted|intended|expected) to|had (?:\w+ ){0,2}(?:planned|hoped|intended|scheduled|booked)|"
    r"(?<!['’]m )(?<!['’]re )(?<!['’]s )(?<!am )(?<!are )(?<!is )(?<!im )(?:getting|having) (?:\w+ ){1,4}\w+ed|"
    r"(?:how|what|when|where|which|who) to|(?:asking|calling|writing) about)\b|['’]d\b",
    re.I,
)
# "He's a senior this year": a year of school is no year of the calendar.
_THIS_YEAR = re.compile(r"(?:this|next|last) year", re.I)
_SCHOOL = re.compile(
    r"\b(?:freshman|sophomore|junior|senior|(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|final) (?:grade|year)|"
    r"grade \d+|year \d+|kindergarten|nursery|semester|(?:at|in|to|starts?|starting) (?:school|college|uni|university))\b",
    re.I,
)
# In the clause: what happens again and again.
_AGAIN = re.compile(
    r"\b(?:every|each(?! other)|always|usually|often|sometimes|regularly|typically|annual(?:ly)?|yearly|whenever|used to|"
    r"normally|generally|tradition(?:ally|s)?|times|once|twice|per|habit|recurring)\b",
    re.I,
)
# Before the date in the sentence: somebody's words, a condition, a habit.
_TOLD = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|thought|(?<!ll )(?<!to )(?<!will )tells?|told(?! \w+ to\b)|"
    r"mention(?:s|ed|ing)|claim(?:s|ed)|announced|wrote|writes|heard|asked|"
    r"according to|apparently|if|unless|whether|imagine|suppose|wish(?:es|ed)?|"
    r"always|every|often|sometimes|usually|whenever)\b",
    re.I,
)
# What tells the year of a day or a month that lacks it, or that it comes back every year.
_OTHER_YEAR = re.compile(
    r"\b(?:birthdays?(?! part| celebr| dinner)|born|birth|anniversar\w+|(?:19|20)\d\d|"
    r"(?:last|previous|next|following|that) year|years? (?:ago|before|later|earlier|back)|"
    r"was (?:\w+ )?(?:years old|a (?:kid|child|teenager))|(?:it|that)(?:['’]ll| will) be (?:\w+ ){1,3}years?)\b",
    re.I,
)
# "we talked about the trip in June": it may be the trip that is then.
_ABOUT = re.compile(
    r"\b(?:about|for|of|discuss\w*|mention\w*|remember\w*|plan\w*|book\w*) (?:the|my|our|your|his|her|their|an?) "
    r"\w+(?: \w+)?\s*$",
    re.I,
)
_BARE_DAY = re.compile(r"(?:on\s+)?(?:the\s+)?\d{1,2}(?:st|nd|rd|th)$", re.I)
# Occasions, and the months of those that are always in the same.
_OCCASION = re.compile(
    r"\b(?:(?P<m12>Christmas|Xmas)|(?P<m11>Thanksgiving)|(?P<m10>Halloween)|(?P<m2>Valentine['’]s)|Easter|Ramadan|Eid|Diwali|"
    r"Hanukkah|Passover|Pride|(?:Mother|Father|New Year|Patrick|Stephen|Women|Children|Teacher)['’]?s['’]? Day)\b"
)
_NAMED_BEFORE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Xmas|Easter|Thanksgiving|"
    r"Halloween|birthdays?|anniversary|holidays?|(?:next|last) month)\b"
)
