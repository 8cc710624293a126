"""The English words that dates are made of: months, weekdays, numbers, and the early, middle and late part of a stretch."""

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
PART_OF_DAY = r"(?:\s+(?:morning|afternoon|evening|night)\b)?"
NUMBER = rf"\d{{1,3}}|{'|'.join(sorted((*_NUMBERS, *_VAGUE), key=len, reverse=True))}"
COUNT = rf"(?:an?\s+)?(?P<count>{NUMBER})(?:\s*(?:-|–|to|or)\s*(?P<most>{NUMBER}))?(?:\s+of)?"
UNIT = r"(?P<unit>day|night|fortnight|weekend|week|month|year|decade)s?"
TO = r"(?:\s*[-–]\s*|\s+(?:to|until|till|through|thru)\s+)"
BETWEEN = r"(?:\b(?P<between>(?i:between))\s+(?:the\s+)?)?"
TO_LAST = rf"(?(between)\s+and\s+|{TO})"  # after BETWEEN: "between the 3rd and the 7th", "3 to 7"
# What may follow a date: no noun that it would belong to ("the 2nd floor", "in 2000 boxes", "a Christmas tree").
ALONE = (
    r"(?!['’]|-\w|\s+(?!(?:and|but|so|or|at|in|on|to|already|because|with|for|from|if|is|was|were|will|would|we|he|she|they|it|i|"
    r"you|my|our|your|his|her|the|an?|when|where|as|after|before|until|till|then|though|by|this|that|which|while|not|too|"
    r"again|there|here|or|has|had|have|please|maybe|instead|just|now|around|about|after|since|without|thanks|went|came|"
    r"got|works?|though|also|still|did|does|do|ended|started|begins?|starts?|ends?)\b)(?-i:[a-z]))"
)


def month_number(name: str) -> int:
    """January is 1; from a name or its short form."""
    return _MONTH_NUMBER[name[:3].lower()]


def weekday_number(name: str) -> int | None:
    """Monday is 0; from a name or its short form; None for another word."""
    name = name.lower()
    return next((at for at, weekday in enumerate(WEEKDAYS) if len(name) >= 3 and weekday.startswith(name)), None)


def least_and_most(count: str, most: str | None = None) -> tuple[int, int]:
    """What a number in figures or words means, perhaps up to another: a few are two to five."""
    least, up_to = _VAGUE.get(count.lower(), (0, 0))
    if not up_to:
        least = up_to = int(count) if count.isdigit() else _NUMBERS[count.lower()]
    return (least, least_and_most(most)[1]) if most else (least, up_to)


def edged(edge: str | None, whole: DaySpan) -> DaySpan:
    """The part of a stretch that an ``EDGE`` before it names; the whole without one."""
    if not edge:
        return whole
    word = edge.lower().removeprefix("the").lstrip()
    return spans.part(whole, "late" if word.startswith(("late", "end")) else "mid" if word.startswith("mid") else "early")
