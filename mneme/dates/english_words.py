"""The English words that dates are made of, and the tense of the sentence around a date.

A bare "on Friday" or "in March" means a past day or one to come, as the sentence looks back or ahead.
"""

import re
from dataclasses import dataclass

from mneme.dates import spans
from mneme.dates.spans import MONTHS, WEEKDAYS, DaySpan
from mneme.patterns import Patterns

_WORDS = Patterns(__file__)
_MONTH_NUMBER = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "eighteen": 18,
    "twenty": 20, "thirty": 30, "couple": 2,
}  # fmt: skip
_VAGUE = {"few": (2, 5), "several": (3, 7)}  # the least and the most that is meant

_SAFE = [name.lower() for name in MONTHS if name not in ("March", "May")]  # in lower case these are verbs
MONTH = "(?:" + "|".join([f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "May"] + ["Sept", "May", *_SAFE]) + ")"
WEEKDAY = "(?:" + "|".join(name.capitalize() for name in WEEKDAYS) + ")"
SHORT_WEEKDAY = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
STEPS = {
    "last": -1, "past": -1, "this past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "this coming": 1, "upcoming": 1,
}  # fmt: skip
EDGE = r"(?:(?:early|mid|late)[\s-]+(?:in\s+)?|(?:the\s+)?(?:beginning|start|middle|end)\s+of\s+)"
PART_OF_DAY = r"(?:\s+(?:morning|afternoon|arvo|evening|night|lunchtime)\b)?"
NUMBER = rf"\d{{1,3}}|{'|'.join(sorted((*_NUMBERS, *_VAGUE), key=len, reverse=True))}"
COUNT = rf"(?:an?\s+)?(?P<count>{NUMBER})(?:\s*(?:-|–|to|or)\s*(?P<most>{NUMBER}))?(?:\s+of)?"
UNIT = r"(?P<unit>day|night|fortnight|weekend|week|month|year|decade)s?"
TO = r"(?:\s*[-–]\s*|\s+(?:to|until|till|through|thru)\s+)"
BETWEEN = r"(?:\b(?P<between>(?i:between))\s+(?:the\s+)?)?"
TO_LAST = rf"(?(between)\s+and\s+|{TO})"  # after BETWEEN: "between the 3rd and the 7th", "3 to 7"
ALONE = _WORDS.fragment("alone")


def month_number(name: str) -> int:
    """January is 1; from a name or its short form."""
    return _MONTH_NUMBER[name[:3].lower()]


def weekday_number(name: str) -> int | None:
    """Monday is 0; from a name or its short form; None for another word."""
    name = name.lower()
    return next((at for at, weekday in enumerate(WEEKDAYS) if len(name) >= 3 and weekday.startswith(name)), None)


def least_and_most(count: str, most: str | None = None) -> tuple[int, int]:
    """The least and the most that a number in figures or words means, perhaps up to another: a few are two to five."""
    least, up_to = _VAGUE.get(count.lower(), (0, 0))
    if not up_to:
        least = up_to = int(count) if count.isdigit() else _NUMBERS[count.lower()]
    return (least, least_and_most(most)[1]) if most else (least, up_to)


def edged(edge: str | None, whole: DaySpan) -> DaySpan:
    """The part of a stretch that an ``EDGE`` before it names; the whole without one."""
    if not edge:
        return whole
    word = edge.lower().removeprefix("the").lstrip()
    if word.startswith(("beginning", "start")):
        return spans.part(whole, "start")
    if word.startswith("end"):
        return spans.part(whole, "end")
    return spans.part(whole, "late" if word.startswith("late") else "mid" if word.startswith("mid") else "early")


_AHEAD = ("by", "until", "till", "til", "for", "starting", "beginning", "effective")
_FOR_SOME_DAY = ("of", "from")  # "the notes of Friday" have no tense
EVENT = _WORDS.fragment("event")
_REACH = 200  # characters around a date that can tell; without a limit an endless sentence costs its square
_NEAR = 30  # characters


def looks_back(match: re.Match[str]) -> bool | None:
    """Return whether a date speaks of the past; None where nothing tells, or both.

    Its own preposition decides, then the cues before it in its clause, then those after it there, where these agree. For a
    date that leads its sentence it is the first after.
    """
    text, start, end = match.string, match.start(), match.end()
    begins, ends = _sentence_of(text, start, end)
    own_to = _WORDS.own_to.match(text, start)
    if _WORDS.moved_to.search(text, begins, own_to.end() if own_to else start):
        return False
    own = {word.lower() for word in (match[0].split(maxsplit=1)[0], *_WORDS.preposition.findall(text, begins, start))}
    if "since" in own:
        return True
    back = _by_cues(text, start, end, begins, ends)
    if not own.isdisjoint(_AHEAD):  # "by May I had lost a lot"
        return None if back and not arranges(match) else False
    if (back and arranges(match)) or (not own.isdisjoint(_FOR_SOME_DAY) and not _WORDS.range.search(match[0])):
        return None
    return back


def is_still_ahead(text: str, end: int) -> bool:
    """Return whether a text ends behind a date or goes on with what one says beforehand: not "Exam on Monday, failed"."""
    if _WORDS.still_ahead.match(text, end):
        return True
    cues = _cues(text, end, _sentence_of(text, end, end)[1])
    return bool(cues) and not any(cue.back for cue in cues)


def tells_no_past(match: re.Match[str]) -> bool:
    """Return whether nothing in the sentence of a date is past, and no preposition makes it that of something else."""
    text, start, end = match.string, match.start(), match.end()
    begins, ends = _sentence_of(text, start, end)
    cues = (*_cues(text, begins, start), *_cues(text, end, ends))
    own = _WORDS.preposition.search(text, begins, start)
    of_a_stretch = own is not None and own[1].lower() == "from" and _WORDS.range.search(match[0])
    return not any(cue.back for cue in cues) and (not own or bool(of_a_stretch))


def _by_cues(text: str, start: int, end: int, begins: int, ends: int) -> bool | None:
    earlier, later = _cues(text, begins, start), _cues(text, end, ends)
    clause_begins, clause_ends = clause_of(text, start, end)
    if _WORDS.leading.fullmatch(text, begins, start):
        if not later and _WORDS.is_there.match(text, end + 1):  # "Friday I'm at court"
            return False
        ends = max(clause_ends, later[0].at + 1) if later else ends
        return _agreed([cue for cue in later if cue.at < ends])
    within = [cue for cue in earlier if cue.at >= clause_begins]
    if within:
        if within[0].at == 0 and _WORDS.participle.match(text) and _WORDS.told_of_it.match(text, end):
            return None
        return _agreed([cue for cue in within if not (cue.arranged and _WORDS.aimed.match(text, cue.at, start))])
    near = max(begins, start - _NEAR)
    if _WORDS.is_.search(text, near, start) or _WORDS.is_there.search(text, clause_begins, start):
        return False
    later = [cue for cue in later if cue.at < clause_ends]
    if later:
        return _agreed(later)
    is_appointed = _WORDS.appointed_on.fullmatch(text, clause_begins, start) and not _WORDS.enjoyed.search(text, begins, ends)
    return False if _WORDS.timetable.search(text, near, start) or (is_appointed and is_still_ahead(text, end)) else None


def _agreed(cues: "list[_Cue]") -> bool | None:
    return cues[0].back if len({cue.back for cue in cues}) == 1 else None


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The beginning and the end of the clause of a date."""
    begins, ends = _sentence_of(text, start, end)
    ending = _WORDS.clause_end.search(text, end, ends)
    begins = max((each.end() for each in _WORDS.clause_end.finditer(text, begins, start)), default=begins)
    return begins, ending.start() if ending else ends


def _sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    begins = max(0, start - _REACH)
    ending = _WORDS.sentence_end.search(text, end, end + _REACH)
    begins = max((each.end() for each in _WORDS.sentence_end.finditer(text, begins, start)), default=begins)
    return begins, ending.start() if ending else min(len(text), end + _REACH)


def is_left(text: str, start: int) -> bool:
    """Return whether a date is the one from which something was moved to another."""
    return _WORDS.left.search(text[max(0, start - _REACH) : start]) is not None


def arranges(match: re.Match[str]) -> bool:
    """Return whether the sentence of a date tells that something was booked or the like: then the date may well lie ahead."""
    return _WORDS.appointed.search(match.string, *_sentence_of(match.string, match.start(), match.end())) is not None


@dataclass(frozen=True, slots=True, order=True)
class _Cue:
    """A cue of tense in a text; ``arranged`` when it tells when something was agreed rather than done."""

    at: int
    back: bool
    arranged: bool = False


def _cues(text: str, begins: int, ends: int) -> list[_Cue]:
    found = [
        _Cue(cue.start(), back=False)
        for cue in _WORDS.future.finditer(text, begins, ends)
        if cue[0] != "Will" or _WORDS.asks.match(text, cue.end())  # else a name
    ]
    for cue in _WORDS.past.finditer(text, begins, ends):
        is_name = cue[0][0].isupper() and cue[0].endswith("ed") and cue.start() > begins  # Stansted, Ahmed
        if not is_name and not _WORDS.passive.search(text, max(begins, cue.start() - 20), cue.start()):
            found.append(_Cue(cue.start(), back=True, arranged=_WORDS.arranged.match(cue[0]) is not None))
    return sorted(found)
