"""Messages as a chat model reads them: a line each, under the time when it was said.

    Mon 2026-03-02 09:00 +01:00
    0 Ann: I moved to Lisbon last Friday.
    1 Ben: Nice!
    Mon 2026-03-02 14:30 +01:00
    2 Ann: The flat has a balcony.

The time stands once for a stretch, since it would cost more than many a message; with its weekday, so that "last Friday"
can be reckoned. What somebody said is one line whatever it holds, so that no message can look like another.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

_STRETCH = timedelta(minutes=10)  # a time is written anew after so long
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def under_times(lines: Iterable[tuple[datetime, str]]) -> Iterator[str]:
    """Lines under their times, which are local times of whoever speaks."""
    written: datetime | None = None
    for at, line in lines:
        same_zone = written is not None and written.utcoffset() == at.utcoffset()
        if written is None or not same_zone or not timedelta(0) <= at - written < _STRETCH or at.date() != written.date():
            written = at
            offset = f"{at:%z}"  # +0100
            zone = f"{offset[:3]}:{offset[3:5]}" if at.utcoffset() else "UTC"
            yield f"{_WEEKDAYS[at.weekday()]} {at:%Y-%m-%d %H:%M} {zone}"
        yield line


def one_line(text: str, longest: int | None = None) -> str:
    """A text as one line; of a longer one the beginning and the end, which say what it is about."""
    line = " ".join(text.split())  # splits at every line break that Unicode knows
    if longest is None or len(line) <= longest:
        return line
    return f"{line[: longest * 3 // 4]} ... {line[-longest // 4 :]}"
