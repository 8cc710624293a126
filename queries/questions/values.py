"""The kind of value that a question for a state asks for, and the values that a statement has. Pure.

"What time does choir start?" asks for a time of day, "What is Bea's rent?" for a number, "Which editor does Omar use?" for a
name. A later statement with another value of that kind may tell what became of the older one (queries/scoring/present.py).
The patterns are shallow on purpose: a value is a hint, whose worth is fitted.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from mneme.dates.spans import WEEKDAYS
from queries.questions.tense import any_of


class ValueKind(StrEnum):
    """The kind of value that a statement has, or a question asks for."""

    TIME = "time of day"
    DATE = "date"
    PRICE = "price"
    NUMBER = "number"
    NAME = "name"


FIGURES = (ValueKind.TIME, ValueKind.DATE, ValueKind.PRICE, ValueKind.NUMBER)


def value_asked(question: str) -> ValueKind | None:
    """The kind of the one value that a question asks for; None where it asks for several things, or for no such value.

    >>> value_asked("What time does choir start?"), value_asked("Which editor do I use?"), value_asked("What kind of books?")
    (<ValueKind.TIME: 'time of day'>, <ValueKind.NAME: 'name'>, None)
    """
    return next((kind for kind, asks in _ASKED if asks.search(question)), None)


def values_in(text: str) -> Mapping[ValueKind, frozenset[str]]:
    """The values of each kind in a text, in small letters. What is part of a time or a date is no number.

    A number may be a price, unless it counts or weighs.

    >>> found = values_in("choir moved to 19:30, in the Old Mill, for 12 euros and 40kg")
    >>> [sorted(found[kind]) for kind in ValueKind]
    [['19:30'], [], ['12'], ['12', '40kg'], ['mill', 'old']]
    """
    found: dict[ValueKind, frozenset[str]] = {}
    rest = text
    for kind, pattern in _VALUES:
        found[kind] = frozenset(each.group().casefold() for each in pattern.finditer(rest))
        rest = pattern.sub(" ", rest)
    found[ValueKind.PRICE] = frozenset(value for value in found[ValueKind.NUMBER] if not value.endswith(_COUNTED))
    names = (each.group() for each in _CAPITAL.finditer(text))
    found[ValueKind.NAME] = frozenset(name.casefold() for name in names if not _NO_NAME.fullmatch(name))
    return found


def is_another(one: frozenset[str], other: frozenset[str]) -> bool:
    """True if two statements have different values of a kind; of numbers, such as may be of the same thing.

    >>> is_another(frozenset({"190"}), frozenset({"240"})), is_another(frozenset({"3"}), frozenset({"240"}))
    (True, False)
    """
    if not one or not other or one == other:
        return False
    numbers, before = _numbers(one), _numbers(other)
    if not numbers or not before:
        return True
    return any(each != old and 1 / _ALIKE < each / old < _ALIKE for each in numbers for old in before)


def _numbers(values: frozenset[str]) -> list[float]:
    """The numbers above zero that some values are written as."""
    found = []
    for value in values:
        digits = _DIGITS.search(value)
        number = float(digits[0].replace(",", "")) if digits else _SPELT_NUMBERS.get(value, 0)
        if number > 0:
            found.append(float(number))
    return found


_ALIKE = 2.5  # times: a new rent is no more than that of the old one
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SPELT_NUMBERS = dict(zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True))

_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre"
    r"|décembre|январ\w+|феврал\w+|марта?|апрел\w+|мая|июн\w|июл\w|август\w?|сентябр\w|октябр\w|ноябр\w|декабр\w"
)
_WEEKDAY = (
    rf"(?:{'|'.join(WEEKDAYS)})s?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes"
    r"|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|понедельник\w?"
    r"|вторник\w?|сред[ауы]|четверг\w?|пятниц\w|суббот\w|воскресень\w"
)
_SPELT = (  # without "one", which is mostly no number
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|zwei|drei|vier|fünf"
    "|sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|deux|trois|quatre|cinq|sept|huit|neuf|dix"
)

# In this order: what an earlier one has taken is not looked at again.
_VALUES = (
    (
        ValueKind.TIME,
        any_of(
            r"\b\d{1,2}(?::\d\d|h\d{0,2})\b",
            r"\b\d{1,2}(?:\.\d\d)?\s?(?:am|pm|uhr|o'clock)\b",
            r"\b(?:half past|quarter to|quarter past) \w+",
            r"[\d一二三四五六七八九十两]+[点點時时](?!间)|半(?:から|点)",
        ),
    ),
    (
        ValueKind.DATE,
        any_of(
            rf"\b(?:{_MONTH}|{_WEEKDAY})\b",
            r"\b\d{1,2}(?:st|nd|rd|th)\b",
            r"\d{1,2}\.(?:\d{1,2}\.)?(?!\d)",
            r"[\d一二三四五六七八九十]+[月号日](?!本)|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜",
        ),
    ),
    (
        ValueKind.NUMBER,
        any_of(
            r"(?<![\w.])[€$£¥]?\d[\d.,]*(?:k|€|kg|mg|%)?\b",
            r"[一二三四五六七八九十百千万两\d]+(?:块|元|百|千|万|个|人|円)",
            rf"\b(?:{_SPELT})\b",
        ),
    ),
)
_COUNTED = ("个", "人", "kg", "mg")  # ends of a number that is no price
_CAPITAL = re.compile(r"(?<=[\w,;'’] )[A-ZÄÖÜÉÈА-Я][\w'’-]{2,}")  # inside a sentence: every sentence begins with one
_NO_NAME = any_of(r"I'(?:m|ve|d|ll)|The", _MONTH, _WEEKDAY)

_ASKED = (
    (
        ValueKind.TIME,
        any_of(r"what time|wann.*uhr|um wie ?viel uhr|à quelle heure|(?:qué|cuál) hora|во сколько|[几何][点點時时]"),
    ),
    (
        ValueKind.DATE,
        any_of(
            r"\b(?:when|what (?:day|date)|which day|deadline|wann|cuándo|quand|когда)\b", "哪一?[天日]|什么时候|几[号月]|いつ"
        ),
    ),
    (
        ValueKind.PRICE,
        any_of(
            r"\bhow much (?:is|are|was|were|do|does|did|will)\b(?!.*\bweigh)|\b(?:rent|price|cost|budget|salary|fee)s?\b",
            "kostet|cuánto (?:cuesta|vale)|combien (?:ça )?coûte|сколько стоит|多少[钱元]|价格|房租|租金|いくら",
        ),
    ),
    (
        ValueKind.NUMBER,
        any_of(
            r"\bhow (?:much|many|old|long|tall|big|heavy|far)\b|\b(?:dose|weight)\b",
            r"\bwie ?viel|\bwie (?:alt|groß|lange)|cuánt|combien|сколько|多少|几[个口人只年]|何[人個歳匹]",
        ),
    ),
    (
        ValueKind.NAME,
        any_of(
            # one thing: no kind of things, and no plural
            r"\b(?:who(?! (?:is|are) \w+(?: \w+)?\?)|whose|where)\b",  # "who is Ann?" asks for more
            r"\b(?:which|what) (?!kinds?\b|types?\b|sorts?\b|is\b|are\b|do\b|does\b|has\b|have\b|can\b"
            r"|else\b|\w+s (?:is|are|do|does|has|have)\b)\w+",
            r"what (?:is|does) \S+(?: \w+)?(?:'s (?!name)\w+\??$| do\b(?! to))",  # what is Ann's job, what does Ann do
            r"\b(?:wo|wohin|wer|wem|welche[rsmn]?|qui|quel(?:le)?|где|кто|как(?:ой|ая|ую|ом))\b|\bqué \w+ (?!le )",
            "dónde|quién|cuál|adónde|(?<!\\w)où\\b|куда|谁|哪|什么(?=[一-龥])(?!叫)|[做干]什么|工作是什么|どこ|誰|どの|何の",
        ),
    ),
)
