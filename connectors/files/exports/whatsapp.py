"""WhatsApp's export of a chat: a text with a message on each line, in one of two forms; its dates are those of the phone.

[03.10.26, 18:04:11] Jonas: Hello
10/3/26, 6:04 PM - Jonas: Hello

A line without a date goes on with the message above. Lines of the program itself (of encryption, of who joined) and what only
says that a picture is left out are no messages. The phone's zone is not written: times count as UTC.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

from connectors.files.chat_events import Clock, Event, ExportFormat, Given, message
from mneme.errors import InputError
from mneme.ids import short_hash

_MARK = "\u200e"  # a left-to-right mark before what the program wrote
_BLANK = "[ \u00a0\u202f]"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = rf"(?:上午|下午)?\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?(?:{_BLANK}?[ap]\.?{_BLANK}?m\.?)?"
_WHEN = rf"{_MARK}?(?:\[(?P<date>{_DATE}),?{_BLANK}(?P<time>{_TIME})\]|(?P<day>{_DATE}),?{_BLANK}(?P<hour>{_TIME}){_BLANK}[-–])"
_LINE = re.compile(rf"{_WHEN}{_BLANK}?(?P<said>.*)", re.IGNORECASE)
_SPOKEN = re.compile(rf"(?:~{_BLANK}?)?(?P<who>[^:]{{1,80}}): (?P<words>.*)", re.DOTALL)
_LEFT_OUT = re.compile(rf"{_MARK}.*|<[^<>]*>", re.DOTALL)  # "<Media omitted>", in every language
_CALLED_BY_ALL = "_chat"  # the name of each export of an iPhone; the folder has that of the chat

_Dates = Sequence[tuple[int, int, int]]
_ORDERS: tuple[Callable[[int, int, int], tuple[int, int, int]], ...] = (
    lambda day, month, year: (year, month, day),
    lambda month, day, year: (year, month, day),
)


@dataclass(slots=True)
class _Said:
    """A message, or a line of the program."""

    date: str
    time: str
    text: str


def _fits(data: Any) -> bool:
    return isinstance(data, str) and _LINE.match(data.lstrip("\ufeff \r\n")) is not None


def _read(data: str, given: Given) -> Iterator[Event]:
    owner, clock, again = given.owner_or_refuse(), Clock(None), Counter[str]()
    said = list(_lines(data))
    days = _days([[int(part) for part in re.split(r"\D", each.date)] for each in said], said, given.name)
    folder = PurePath(given.name).parent.name
    name = folder if given.stem == _CALLED_BY_ALL and folder else given.stem
    for day, each in zip(days, said, strict=True):
        spoken = _SPOKEN.fullmatch(each.text)
        if spoken is None or _LEFT_OUT.fullmatch(spoken["words"].strip()):
            continue
        who, words = spoken["who"].strip(), spoken["words"].replace(_MARK, "").strip()
        moment = datetime(*day, *_clock_time(each.time)).isoformat()
        known = short_hash("\0".join((moment, who, words)))  # not its number: an export may lack the oldest
        again[known] += 1
        yield from message(
            given,
            conversation_id=given.conversation_id or given.belonging(name),
            owner=owner,
            message_id=known if again[known] == 1 else f"{known}-{again[known]}",
            sender="" if who.casefold() in (str(each).casefold() for each in owner.values()) else who,
            sender_name=who,
            sent_at=clock.time(moment),
            content=words,
        )


def _lines(text: str) -> Iterator[_Said]:
    said: _Said | None = None
    for line in text.lstrip("\ufeff").splitlines():
        if (begun := _LINE.match(line)) is None:
            if said is not None:
                said.text += f"\n{line}"
            continue
        if said is not None:
            yield said
        said = _Said(begun["date"] or begun["day"], begun["time"] or begun["hour"], begun["said"])
    if said is not None:
        yield said


def _days(parts: Sequence[Sequence[int]], said: Sequence[_Said], name: str) -> _Dates:
    """The days as (year, month, day), in the one order that all dates of the file fit, and in which it does not run back.

    Raises:
        InputError: none fits, or both do and mean different days.
    """
    if all(first > 99 for first, _, _ in parts):
        return [(year, month, day) for year, month, day in parts]
    pointed = all("." in each.date for each in said)
    found = []
    for order in _ORDERS[:1] if pointed else _ORDERS:
        days = [order(first, second, third if third > 99 else 2000 + third) for first, second, third in parts]
        if all(1 <= month <= 12 and 1 <= day <= 31 for _, month, day in days) and days not in found:
            found.append(days)
    if len(found) > 1:
        found = [days for days in found if days == sorted(days)] or found
    if len(found) != 1:
        why = "may have the day or the month first" if found else "have the day first in some lines and the month in others"
        raise InputError(f"{name}: its dates {why} ({said[0].date}); write them with the year first, as in 2026-10-03")
    return found[0]


def _clock_time(written: str) -> tuple[int, int, int]:
    hour, minute, second = [*map(int, re.findall(r"\d+", written)), 0][:3]
    half = written.lower()
    if "p" in half or "下午" in half:
        hour = hour % 12 + 12
    elif "a" in half or "上午" in half:
        hour %= 12
    return hour, minute, second


WHATSAPP = ExportFormat("WhatsApp export", _fits, _read)
