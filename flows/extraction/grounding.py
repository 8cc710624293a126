"""Tell whether a statement says only what its sources say: each number, name and date must occur in them or follow from them.

A check of surface, not of meaning: it stops what a model makes up (a figure, a person, a day), not a wrong relation
between things that are there.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from mneme.dates import DaySpan, Grain, resolve_dates
from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.patterns import Patterns
from mneme.records import StoredMessage
from mneme.text import STOP_WORDS, tokenise
from mneme.times import zone_or_utc

_WORDS = Patterns(__file__)
_LONGEST_NUMBER = 20  # characters: what is longer counts nothing, and Python reads none of thousands
_DIGITS = {**{character: at for at, character in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        """zero;one a an once first single;two twice second couple pair both;three third;four fourth;five fifth;six sixth;
        seven seventh;eight eighth;nine ninth;ten tenth;eleven;twelve dozen""".split(";")
    )
    for word in words.split()
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000}
_NEAR, _FAR = 31, 366  # days
_MOST = 0.5  # share of the words of a statement
_CALENDAR = frozenset(name.lower() for name in MONTHS) | frozenset(WEEKDAYS)


def is_grounded(
    statement: str,
    sources: Sequence[StoredMessage],
    participants: Iterable[str] = (),
    before: Sequence[StoredMessage] = (),
) -> bool:
    """Tell whether every number, name and date of a statement has a ground in its sources.

    Args:
        statement: one fact.
        sources: the messages that it cites.
        participants: who takes part in the conversation: they may be named anywhere.
        before: the messages just before the sources. "How is Elias?" names whom "Buried in his thesis" means: the nearest that
            names anybody grounds a statement with just its names, where the sources have half of the other words.
    """
    text = _text(sources)
    rest = _without_grounded_dates(statement, sources)
    written = (_NUMBER_WORDS[word] for word in _WORDS.count.findall(rest.lower()))
    if not {*map(_plain, _WORDS.number.findall(rest)), *map(str, written)} <= _numbers(text):
        return False
    people = _words(" ".join(participants))
    unnamed = {part for name in _names(rest) for part in _words(name)} - _words(text) - people
    if not unnamed:
        return True
    content = set(tokenise(rest)) - set(tokenise(" ".join(unnamed | people)))
    nearest: set[str] = next(
        (named for each in reversed(before) if (named := _words(" ".join(_names(each.text))) - people)), set()
    )
    return unnamed == nearest and len(content & set(tokenise(text))) >= _MOST * len(content)


def _text(messages: Iterable[StoredMessage]) -> str:
    return " ".join(f"{message.sender_name} {_place(message)} {message.text}" for message in messages)


def _words(text: str) -> set[str]:
    return set(_WORDS.word.findall(text.lower()))


def _place(message: StoredMessage) -> str:
    """The names of a chunk of a document: its file and section."""
    return f"{message.citation.name} {message.citation.section}" if message.citation is not None else ""


def _without_grounded_dates(statement: str, sources: Sequence[StoredMessage]) -> str:
    """The statement without the dates that are right: those that are, or contain, a day that a source means or is of.

    A date more exact than its ground ("last week" told as one day) is not right. One that a source tells in part is ("the
    18th", of a month that is near), and one that several tell together: "12 May", corrected to "the 13th".
    """
    text = " ".join(message.text for message in sources)
    for message in sources:
        zone = zone_or_utc(message.timezone)
        grounds = [DaySpan.of_day(message.sent_at.astimezone(zone).date())]
        grounds += [mention.span for mention in resolve_dates(message.text, message.sent_at, zone)]
        for mention in reversed(resolve_dates(statement, message.sent_at, zone)):
            holds_ground = any(mention.span.first <= ground.first and ground.last <= mention.span.last for ground in grounds)
            together = len(sources) > 1 and _is_said_together(mention.span, text, grounds[0].first)
            if holds_ground or together or _is_near_day(mention.span, message.text, grounds[0].first):
                statement = f"{statement[: mention.start_index]} {statement[mention.end_index :]}"
    return statement


def _is_near_day(span: DaySpan, text: str, said: date) -> bool:
    """Tell whether a text has "15th" for a day that is near the one on which it was said."""
    is_near = span.grain is Grain.DAY and abs((span.first - said).days) <= _NEAR
    return is_near and bool(re.search(rf"\b{span.first.day}(?:st|nd|rd|th)\b", text))


def _is_said_together(span: DaySpan, text: str, said: date) -> bool:
    """Tell whether a text has the number of a day and its month, though not side by side; and its year, if it is far."""
    month = MONTHS[span.first.month - 1].lower()
    numbers = _numbers(text)
    has_month = re.search(rf"\b{month[:3]}(?:{month[3:]})?\b", text.lower()) or f"{span.first.month}月" in text
    chinese = "月" in text and str(span.first.month) in numbers
    has_year = abs((span.first - said).days) <= _FAR or str(span.first.year) in numbers
    return span.grain is Grain.DAY and str(span.first.day) in numbers and has_year and bool(has_month or chinese)


def _numbers(text: str) -> set[str]:
    """The numbers of a text, in figures, whether it writes them in figures or in words."""
    numbers = {_plain(number) for number in _WORDS.number.findall(text)}
    numbers |= {part for number in numbers for part in number.split(".")}
    numbers |= {str(_NUMBER_WORDS[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in _NUMBER_WORDS}
    return numbers | {str(value) for value in map(_chinese, _WORDS.chinese_number.findall(text)) if value is not None}


def _plain(number: str) -> str:
    """``1,200`` and ``1200`` are the same, and so are ``08`` and ``8``."""
    return number.replace(",", "").lstrip("0") or "0"


def _chinese(written: str) -> int | None:
    if len(written) > _LONGEST_NUMBER:
        return None
    hundreds, hundred, rest = written.rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    try:
        value = int("".join(str(_DIGITS[digit]) for digit in ones) or "0")
        value += (_DIGITS[tens] if tens else 1) * 10 if ten else 0
        return value + ((_DIGITS[hundreds] if hundreds else 1) * 100 if hundred else 0)
    except KeyError:
        return None


def _names(statement: str) -> list[str]:
    """Capitalised words that name something; at the start of a sentence only where a verb or a possessive follows."""
    names = []
    for word in _WORDS.capitalised.finditer(statement):
        name = re.sub(r"['’]s?$", "", word[0])
        if name.lower() in _CALENDAR or (
            name.lower() not in STOP_WORDS
            and (
                not _begins_sentence(statement, word.start())
                or _WORDS.after_a_name.match(statement[word.start() + len(name) :])
            )
        ):
            names.append(name)
    return names


def _begins_sentence(statement: str, at: int) -> bool:
    return not statement[:at].strip(" \"'“”(") or statement[:at].rstrip(" \"'“”(")[-1:] in ".!?:\n。！？："
