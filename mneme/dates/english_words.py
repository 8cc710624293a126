"""The English words that dates are made of, and the tense of the sentence around a date.

A bare "on Friday" or "in March" means a past day or one to come, as the sentence looks back or ahead.
"""

import re
from dataclasses import dataclass

from mneme.dates import spans
from mneme.dates.spans import MONTHS, WEEKDAYS, DaySpan

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
EDGE = r"(?:(?:early|mid|late)[\s-]+(?:in\s+)?|(?:the\s+)?(?:beginning|start|middle|end)\s+of\s+)"
PART_OF_DAY = r"(?:\s+(?:morning|afternoon|arvo|evening|night|lunchtime)\b)?"
NUMBER = rf"\d{{1,3}}|{'|'.join(sorted((*_NUMBERS, *_VAGUE), key=len, reverse=True))}"
COUNT = rf"(?:an?\s+)?(?P<count>{NUMBER})(?:\s*(?:-|–|to|or)\s*(?P<most>{NUMBER}))?(?:\s+of)?"
UNIT = r"(?P<unit>day|night|fortnight|weekend|week|month|year|decade)s?"
TO = r"(?:\s*[-–]\s*|\s+(?:to|until|till|through|thru)\s+)"
BETWEEN = r"(?:\b(?P<between>(?i:between))\s+(?:the\s+)?)?"
TO_LAST = rf"(?(between)\s+and\s+|{TO})"  # after BETWEEN: "between the 3rd and the 7th", "3 to 7"
# What may follow a date: no noun that it would belong to ("the 2nd floor", "in 2000 boxes", "a Christmas tree").
ALONE = (
    r"(?!['’]|-\w|\s+(?!(?:and|but|so|or|at|in|on|to|already|because|with|for|from|between|if|is|was|were|will|would|we|he|she|they|it|i|"
    r"you|my|our|your|his|her|the|an?|when|where|as|after|before|until|till|then|though|by|this|that|which|while|not|too|"
    r"again|there|here|or|has|had|have|please|maybe|instead|just|now|around|about|after|since|without|thanks|went|came|"
    r"got|works?|though|also|still|did|does|do|ended|started|begins?|starts?|ends?|"
    r"bc|btw|cos|coz|cuz|dont|guys|lol|mate|ok|okay|pls|til|xx?)\b)(?-i:[a-z]))"
)


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
_PREPOSITION = re.compile(
    r"\b(since|by|until|till?|for|starting|beginning|effective|of|from)(?:\s+(?:on|in|at|the))*\s*$", re.IGNORECASE
)
_FOR_SOME_DAY = ("of", "from")  # "the notes of Friday" have no tense
_NO_ACTION = (  # what is "-ing" now, and nothing that is arranged
    r"(?:\w*thing|amazing|annoying|arguing|being|boring|complaining|confusing|crying|doing|during|encouraging|enjoying|evening|exciting|feeling|freezing|"
    r"healing|interesting|king|laughing|limping|loving|looking|missing|moaning|morning|outstanding|recovering|relaxing|remembering|spring|struggling|"
    r"stunning|suffering|surprising|swing|talking|terrifying|thinking|tiring|trying|using|wearing|wedding|wondering)\b"
)
_ARRANGING = rf"(?:\w+ly |also |now |just |not )?(?!{_NO_ACTION})\w+ing"  # "we are flying out on Friday"
_APPOINTMENT = (  # what one speaks of before it, where nothing tells: "interview on Wednesday"
    "(?:appointment|appt|audition|biopsy|check-?up|checkup|deadline|dentist|driving test|exam|graduation|hearing|inspection|"
    "interview|jury duty|midterm|mri|op|operation|physio|recital|scan|surgery|ultrasound|viewing)"
)
EVENT = (
    f"(?:{_APPOINTMENT}|call|class|collection|concert|court|date|delivery|dialysis|dinner|event|flight|funeral|game|gig|launch|lunch|match|"
    "meeting|party|performance|presentation|race|rehearsal|release|reservation|show|test|tournament|training|trip|wedding)"
)
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|gonna|gotta|ve got to|plan(?:s|ning|ned)?|hop(?:e|es|ing) to|can't wait|looking forward|"
    r"schedul\w+|upcoming|starts|begins|(?:to|you) (?:start|begin)|due|let's|deadline|wants? to|needs? to|ha(?:ve|s) to|should|"
    r"could we|"
    r"shall|would (?:like|love)|headed|arrives|comes out|departs|ends|expires|lands|leaves|resumes|retires|takes place|"
    r"turns? \d+|(?:i|we|they) (?:arrive|depart|fly|leave|move|return|start)|"
    r"(?:(?:i|we|they) |(?<=and )|(?<=then ))(?:come|fly|get|go|head) (?:back|home)|"
    r"(?:(?:he|she|it) |(?<=and )|(?<=then ))(?:comes|flies|gets|goes|heads) (?:back|home)|"
    r"gets (?:\w+ed|done|here|laid|married|there)|gets? to (?:start|move)|flies|graduates|returns|"
    rf"(?:have|has|got) (?:(?:an?|another|my|our|two|three) (?:\w+ ){{0,3}}?|(?:(?!been|had|not|to)\w+ )?){EVENT}|"
    r"(?<!to )(?<!can )(?<!\bi )see (?:you|ya|u|yous|y['’]all)|"
    r"(?:i|you|we|he|she|they) can (?:(?:also|only|then) )?(?:borrow|bring|call|collect|come|do|drive|drop|fly|get|go|have|"
    r"help|join|make|meet|move|pick|pop|ring|start|stay|take|visit)|"
    r"(?:^|(?<=[,.;!…] )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bthen ))ill "
    r"(?!again|and|at|for|health|in|on|people|since|with)\w+|"
    rf"(?:am|is|are|im|youre|hes|shes|theyre) {_ARRANGING})\b|"
    r"^(?:(?:and|so|ok|im|still) )?(?:arriving|driving(?! test)|flying|going|heading|landing|leaving|"
    r"moving|start|starting|travell?ing)\b|"
    rf"['’](?:m|re|s) {_ARRANGING}\b|['’]ve got (?:an?|my|our|the|two|three)\b|['’]ll\b|['’]d (?:like|love)\b",
    re.I,
)
_PAST = re.compile(
    r"\b(?!need|indeed|feed|speed|bed\b|red\b|shed|excited|interested|wed\b|"
    r"(?:based|called|dated|entitled|located|named|needed|noted|planned|headed|related|required|scared|scheduled|thrilled|tired|"
    r"titled|used|worried)\b)"
    r"(?:\w{2,}ed|was|were|wasn't|weren't|did|didn't|had|went|(?<!ve )(?<!has )got|took|made|saw|came|found|met|bought|gave|"
    r"felt|ate|ran|won|lost|left|held|told|said|began|spent|wrote|drove|flew|caught|been(?! \w+ing)|born|since|paid|kept|"
    r"brought|sold|thought|slept|sent|stood|swam|sang|drank|broke|fell|forgot|grew|knew|rode|rose|sat|spoke|stole|taught|threw|understood|"
    r"woke|wore|built|chose|dreamt|drew|fought|heard|hid|hung|led|learnt|rang|shook|snuck|(?<!im )stuck|swore|tore)\b",
    re.I,
)
# What is arranged in the past lies ahead as often as not: "they moved it to 15 May", "she promised to call on Friday".
_ARRANGED = re.compile(
    r"(?:agreed|announced|arranged|asked|booked|changed|confirmed|decided|delayed|expected|fixed|invited|moved|offered|"
    r"postponed|promised|pushed|registered|reserved|set|shifted|signed|suggested|supposed|told|wanted)$",
    re.I,
)
_AIMED = re.compile(
    r".*\b(?:to|for|from)\s+(?:the\s+)?$|(?!changed|moved|pushed|set|shifted)\w+(?:\s+\w+){0,3}\s+to\s",
    re.IGNORECASE | re.DOTALL,
)  # at a date, or at something still to do: what was arranged for it says nothing of when it is
_PASSIVE = re.compile(
    r"(?:\b(?:is|are|am|be|being|get(?:s|ting)?)|['’](?:m|re|s))\s+(?:(?:\w+ly|you|we|they|he|she|it|still|already|now|also|not|all|both|so|just)\s+)?$",
    re.I,
)  # "it is decided" is of now
_APPOINTED = re.compile(
    r"\b(?:(?:to|can|please) book|booked|signed (?:\w+ )?up|registered|reserved|scheduled|invited|promised|enrolled|arranged|"
    r"confirmed|accepted|accommodate|available|listed|needed|ordered|requested|wanted|appointments?|bookings?|invit(?:e|ation)s?|"
    r"openings?|reminders?|reservations?|rooms?|seats?|slots?|tables?|tickets?)\b",
    re.I,
)
# "We're in Rome from the 3rd": what is, on another day than the one it is said.
_IS_THERE = re.compile(
    r"\b(?:(?:[iI]|you|we|they|s?he|it|[A-Z]\w+)(?:['’](?:m|re|s)| (?:am|is|are))|im)\s+"
    r"(?:(?:already|also|both|only|still|all|not)\s+)*"
    r"(?:at|away|back|down|free|here|home|in|off|on|out|over|there|up)\b(?! to\b| \d| love\b)",
)
# What was moved to a day is still to come: "the wedding was postponed to 3 October", "they brought it forward to Monday".
_REARRANGED = re.compile(
    r"\b(?:re-?scheduled?|postponed?|push(?:ed)? back|pushed|delayed|shifted|extended|put (?:back|off)|"
    r"brought (?:\S+ ){0,4}forward|(?:is|are|was|were|been|being|got) (?:\w+ )?moved|"
    r"(?:meeting|call|appointment|interview|dinner|lunch|party|trip|flight|launch|review|test|exam|class|session|wedding|deadline|"
    r"coffee|table|it) (?:now )?moved|moved (?:it|me|us|him|her|them|(?:the|my|our|his|her|their) \S+))"
    r"(?:\s+[^\s.!?]+){0,5}\s+(?:to|till|until)\s+(?:the\s+)?$",
    re.I,
)
_OWN_TO = re.compile(r"(?:to|until|till)\s+(?:the\s+)?", re.I)  # how a date may begin
_LEFT = re.compile(
    r"\b(?:mov(?:ed?|ing)|chang(?:ed?|ing)|push(?:ed|ing)?|postpon(?:ed?|ing)|re-?schedul(?:ed?|ing)|shift(?:ed|ing)?|"
    r"switch(?:ed|ing)?|brought|bring(?:ing)?|delay(?:ed|ing)?)\b[^.!?]{0,60}\bfrom\s+(?:the\s+)?$",
    re.I,
)
_REACH = 200  # characters around a date that can tell; without a limit an endless sentence costs its square
_SENTENCE_END = re.compile(r"[.!?\n;:]\s")
_CLAUSE_END = re.compile(
    r"[,;()–—]|(?<!\d):|:(?!\d)|\b(?:and|but|so|because|while|which|who|then|or|"
    r"that(?= (?:he|it|my|our|she|the|there|they|we)\b))\b",
    re.I,
)
_IS = re.compile(
    r"(?:\b(?:is|are)|['’](?:s|re))\s+(?:(?:on|in|at|for|only|already|now|still|this|the|coming up)\s+)*$",
    re.I,
)  # "it is on Friday"
_TIMETABLE = re.compile(  # a verb of a timetable right before its day: "the freezer comes Friday", "And leaving march 28"
    r"(?:\b(?:arrives?|begins?|(?<!cleaner )(?<!lorry )comes(?! on)|ends?|finish(?:es)?|leaves?|starts?)|"
    r"(?:(?<=[,;!?.] )|(?<=\band )|(?<=\bthen )|(?<=\bim ))"
    r"(?:arriving|driving|finishing|flying|going|heading|landing|leaving|moving|returning|starting))"
    r"(?: (?:back|off|home|out|over|up))?(?: (?:on|in))?(?: the)? $|"
    rf"\b{EVENT}(?:['’]s| is) at \d[\d.:]*(?: ?[ap]m)?(?: on)?(?: the)? $",
    re.I,
)
_APPOINTED_ON = re.compile(  # what a clause begins with: "dentist on the 14th", "A graduation in Nakuru on Friday"
    r"\W*(?:(?:an?|the|my|our|his|her|another|then|[A-Z]\w+['’]s) )?(?:\w+ )?"
    rf"{_APPOINTMENT}(?: (?:in|at|with) [^\s,]+(?: [A-Z][\w-]*)?)?(?: on| for)?(?: the)? ",
    re.I,
)
_ENJOYED = re.compile(
    r"\b(?:thank\w*|thx|congrat\w*|great|good|lovely|nice|amazing|brilliant|fun|bad|awful|brutal|hard|horrible|rough|terrible|"
    r"tough|weird|how)\b",
    re.I,
)
# Behind an appointment of which nothing is told: the end, perhaps with its hour and place, or what one says before it.
_STILL_AHEAD = re.compile(
    r"(?: (?:morning|afternoon|arvo|evening|lunchtime|night))?(?:,? (?:at )?\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?)?(?: ?ish)?)?"
    r"(?:,? (?:at|by|for|in|with) (?:(?:the|my|our|half) (?:\w+ )?)?[\w'’-]+(?: (?-i:[A-Z])[\w-]*)*)?"
    r"(?:[.!]*\s*$|\W+(?:and |but |so |then )*(?:(?:wish|remind|pray|help)\b|fingers|if\b|please|pls|don['’]?t forget|can you|"
    r"could you|will you|(?:i['’]?m|im|i am) (?:(?:so|really|a bit) )?(?:dreading|excited|nervous|scared|stressed|terrified)))",
    re.I,
)
# "Flying on Monday was horrible", "Leaving on Sunday, we cried": what is told of it, not that it is to come.
_PARTICIPLE = re.compile(r"(?:(?:and|so|ok|still) )?\w+ing\b", re.I)
_TOLD_OF_IT = re.compile(
    r"[^.!?]*(?:\b(?:is|was|are|were|felt|made|makes|meant|nearly|took)\b|, (?:i|we|he|she|they|the) \w+(?:ed|nd|t)\b)", re.I
)
_NEAR = 30  # characters
_RANGE = re.compile(r"\s(?:to|until|till|through|and)\s|[-–]")
_LEADING = re.compile(r"\W*+(?:(?:and|but|so|then|well|in|on|at|by|the|of|during|around|about|back|just)\W++){0,3}$", re.I)


def looks_back(match: re.Match[str]) -> bool | None:
    """Return whether a date speaks of the past; None where nothing tells, or both.

    Its own preposition decides, then the cues before it in its clause, then those after it there, where these agree. For a
    date that leads its sentence it is the first after.
    """
    text, start, end = match.string, match.start(), match.end()
    begins, ends = _sentence_of(text, start, end)
    own_to = _OWN_TO.match(text, start)
    if _REARRANGED.search(text, begins, own_to.end() if own_to else start):
        return False
    own = {word.lower() for word in (match[0].split(maxsplit=1)[0], *_PREPOSITION.findall(text, begins, start))}
    if "since" in own:
        return True
    back = _by_cues(text, start, end, begins, ends)
    if not own.isdisjoint(_AHEAD):  # "by May I had lost a lot"
        return None if back and not arranges(match) else False
    if (back and arranges(match)) or (not own.isdisjoint(_FOR_SOME_DAY) and not _RANGE.search(match[0])):
        return None
    return back


def is_still_ahead(text: str, end: int) -> bool:
    """Return whether a text ends behind a date or goes on with what one says beforehand: not "Exam on Monday, failed"."""
    if _STILL_AHEAD.match(text, end):
        return True
    cues = _cues(text, end, _sentence_of(text, end, end)[1])
    return bool(cues) and not any(cue.back for cue in cues)


def tells_no_past(match: re.Match[str]) -> bool:
    """Return whether nothing in the sentence of a date is past, and no preposition makes it that of something else."""
    text, start, end = match.string, match.start(), match.end()
    begins, ends = _sentence_of(text, start, end)
    cues = (*_cues(text, begins, start), *_cues(text, end, ends))
    return not any(cue.back for cue in cues) and not _PREPOSITION.search(text, begins, start)


def _by_cues(text: str, start: int, end: int, begins: int, ends: int) -> bool | None:
    earlier, later = _cues(text, begins, start), _cues(text, end, ends)
    clause_begins, clause_ends = clause_of(text, start, end)
    if _LEADING.fullmatch(text, begins, start):
        if not later and _IS_THERE.match(text, end + 1):  # "Friday I'm at court"
            return False
        ends = max(clause_ends, later[0].at + 1) if later else ends
        return _agreed([cue for cue in later if cue.at < ends])
    within = [cue for cue in earlier if cue.at >= clause_begins]
    if within:
        if within[0].at == 0 and _PARTICIPLE.match(text) and _TOLD_OF_IT.match(text, end):
            return None
        return _agreed([cue for cue in within if not (cue.arranged and _AIMED.match(text, cue.at, start))])
    near = max(begins, start - _NEAR)
    if _IS.search(text, near, start) or _IS_THERE.search(text, clause_begins, start):
        return False
    later = [cue for cue in later if cue.at < clause_ends]
    if later:
        return _agreed(later)
    is_appointed = _APPOINTED_ON.fullmatch(text, clause_begins, start) and not _ENJOYED.search(text, begins, ends)
    return False if _TIMETABLE.search(text, near, start) or (is_appointed and is_still_ahead(text, end)) else None


def _agreed(cues: "list[_Cue]") -> bool | None:
    return cues[0].back if len({cue.back for cue in cues}) == 1 else None


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The beginning and the end of the clause of a date."""
    begins, ends = _sentence_of(text, start, end)
    ending = _CLAUSE_END.search(text, end, ends)
    begins = max((each.end() for each in _CLAUSE_END.finditer(text, begins, start)), default=begins)
    return begins, ending.start() if ending else ends


def _sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    begins = max(0, start - _REACH)
    ending = _SENTENCE_END.search(text, end, end + _REACH)
    begins = max((each.end() for each in _SENTENCE_END.finditer(text, begins, start)), default=begins)
    return begins, ending.start() if ending else min(len(text), end + _REACH)


def is_left(text: str, start: int) -> bool:
    """Return whether a date is the one from which something was moved to another."""
    return _LEFT.search(text[max(0, start - _REACH) : start]) is not None


def arranges(match: re.Match[str]) -> bool:
    """Return whether the sentence of a date tells that something was booked or the like: then the date may well lie ahead."""
    return _APPOINTED.search(match.string, *_sentence_of(match.string, match.start(), match.end())) is not None


_ASKS = re.compile(r"\s+(?:you|we|he|she|it|they|i|there|the|my|your|our)\b", re.I)


@dataclass(frozen=True, slots=True, order=True)
class _Cue:
    """A cue of tense in a text; ``arranged`` when it tells when something was agreed rather than done."""

    at: int
    back: bool
    arranged: bool = False


def _cues(text: str, begins: int, ends: int) -> list[_Cue]:
    found = [
        _Cue(cue.start(), back=False)
        for cue in _FUTURE.finditer(text, begins, ends)
        if cue[0] != "Will" or _ASKS.match(text, cue.end())  # else a name
    ]
    for cue in _PAST.finditer(text, begins, ends):
        is_name = cue[0][0].isupper() and cue[0].endswith("ed") and cue.start() > begins  # Stansted, Ahmed
        if not is_name and not _PASSIVE.search(text, max(begins, cue.start() - 20), cue.start()):
            found.append(_Cue(cue.start(), back=True, arranged=_ARRANGED.match(cue[0]) is not None))
    return sorted(found)
