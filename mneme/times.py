"""Time: aware UTC inside, the speaker's zone kept beside it."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mneme.errors import InputError


def utc_now() -> datetime:
    """The present, aware, in UTC."""
    return datetime.now(UTC)


class SendingClock:
    """The present, but each time later than the one before: what is sent in order is found in order.

    An index orders by milliseconds, and a program says several things in one. After more of them than there were
    milliseconds it waits for the present, a minute ahead: order is kept for those who talk, not for those who load.
    Safe for several threads.

    Args:
        clock: the present.
    """

    def __init__(self, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._latest = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        """The next moment, aware, in UTC."""
        with self._lock:
            now = self._clock()
            self._latest = min(max(now, self._latest + _STEP), now + _FURTHEST_AHEAD)
            return self._latest


def time_of_record(received_at: datetime, offset: int) -> datetime:
    """The time of what a record says, if it tells none: when it was received, and a microsecond for each before it.

    A transport may give one time to many records. Theirs stay in order, and are the same whenever they are read. The
    microseconds begin anew after a second of them, so once in a million records order may be lost.

    Args:
        received_at: the transport's time of the record.
        offset: its place among the records of its source.
    """
    return received_at + timedelta(microseconds=offset % 1_000_000)


def to_milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970-01-01T00:00Z of an aware moment."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_milliseconds(milliseconds: int) -> datetime:
    """The aware UTC moment of milliseconds since 1970-01-01T00:00Z."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def zone(name: str) -> tzinfo:
    """A zone by IANA name (``Europe/Paris``) or offset (``+08:00``).

    Raises:
        InputError: the name is neither.
    """
    if not name or name.upper() in ("UTC", "Z"):
        return UTC
    if name[0] in "+-":
        try:
            offset = datetime.strptime(name if len(name) > 3 else f"{name}:00", "%z").utcoffset()
        except ValueError:
            raise InputError(f"timezone: {name!r} is not an offset like '+08:00'") from None
        return timezone(offset or timedelta(0))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"timezone: {name!r} is not an IANA name like 'Europe/Paris' nor an offset like '+08:00'") from None


def in_utc(moment: datetime) -> datetime:
    """A moment in UTC; one without an offset is meant so."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def zone_or_utc(name: str) -> tzinfo:
    """The zone that a record names; UTC where its name is not known here."""
    try:
        return zone(name)
    except InputError:
        return UTC


def zone_name_of(moment: datetime) -> str:
    """The name of the zone of an aware moment: ``UTC``, its IANA name, or its offset."""
    if isinstance(moment.tzinfo, ZoneInfo):
        return moment.tzinfo.key
    return moment.isoformat(timespec="minutes")[16:22] if moment.utcoffset() else "UTC"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEP = timedelta(milliseconds=1)
_FURTHEST_AHEAD = timedelta(minutes=1)
