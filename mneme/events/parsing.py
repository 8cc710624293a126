"""Bytes of a topic or a file line, as an event: the only way in.

What a parser makes of JSON, and how long it takes, depends on the number of values far more than on the bytes: 16 MB of one
text are a string, 16 MB of ``1,`` are eight million objects. So the outline of JSON, without its texts and blanks, tells how
much there is before it is parsed.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from mneme.errors import InputError
from mneme.events.documents import Document, Erase, Erasing, Forget, ForgetDocument
from mneme.events.messages import Correct, Delete, Edit, Flush, Message, Retract
from mneme.times import time_of_record, utc_now

DEEPEST = 32  # levels of JSON; events need four

_PIECE = 1 << 18  # bytes looked at in one go: other threads get their turn in between
_BLANKS = b" \t\r\n"
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ALIKE = bytes.maketrans(b"{}", b"[]")


def outline(raw: bytes, most: int | None = None) -> bytes:
    r"""JSON with a quote in place of each of its texts, and no blanks. The time grows with its length.

    >>> outline(rb'{"a": ["b\"[", 12]}')
    b'{":[",12]}'

    Args:
        raw: JSON; of bytes that are none, something.
        most: characters after which the rest is left out.
    """
    found: list[bytes] = []
    length = within = 0  # whether a text has begun in the piece before
    rest = b""
    for begin in range(0, len(raw), _PIECE):
        piece = rest + raw[begin : begin + _PIECE]
        ends = len(piece) - (len(piece) - len(piece.rstrip(b"\\"))) % 2  # before an escape that goes on in the next piece
        piece, rest = piece[:ends], piece[ends:]
        parts = [b""] * within + piece.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        found.append(b'"'.join(parts[::2]).translate(None, _BLANKS))
        within = (len(parts) - 1) % 2
        length += len(found[-1])
        if most is not None and length > most:
            break
    return b"".join(found)


def is_deeper(raw: bytes) -> bool:
    """Return whether JSON is nested deeper than ``DEEPEST``."""
    return raw.count(b"[") + raw.count(b"{") > DEEPEST and is_deeper_outline(outline(raw))


def is_deeper_outline(outlined: bytes) -> bool:
    """Return whether JSON of this outline is nested deeper than ``DEEPEST``: innermost levels are taken away, as often as that.

    Brackets that nothing closes count as levels too: JSON that is cut off is not parsed to any depth.
    """
    brackets = outlined.translate(_ALIKE, delete=_NO_BRACKETS)
    for _ in range(DEEPEST):
        brackets, before = brackets.replace(b"[]", b""), len(brackets)
        if len(brackets) == before:  # empty, or nothing closes
            break
    return b"[]" in brackets or brackets.count(b"[") > DEEPEST


FURTHEST_FUTURE = timedelta(days=1)  # a clock that is wrong by more than a day is an error of the sender
LARGEST_EVENT_BYTES = 10 * 1024 * 1024  # of one event as JSON; a larger document is sent by reference
_OF_THE_WHOLE = ("event", "json", "bytes")  # stand in place of a field where an event as a whole is wrong
_MOST_COMPLAINTS, _LONGEST_COMPLAINT = 5, 300  # of one event; a hostile one could quote itself a million times

AnyEvent = Message | Edit | Delete | Correct | Retract | Flush | Forget | Erase | Document | ForgetDocument
Event = Annotated[AnyEvent, Field(discriminator="event")]
_event: TypeAdapter[AnyEvent] = TypeAdapter(Event, config=ConfigDict(defer_build=True))


def parse_event(raw: bytes, received_at: datetime | None, offset: int = 0) -> AnyEvent:
    """Bytes of a topic or a file line, as an event.

    A message without ``sent_at`` gets the time the transport gave it (``time_of_record``); never the present, so that a
    replay gives the same record. A file has no such time (``received_at`` is None), so its messages must tell theirs.

    Raises:
        InputError: too large, no UTF-8, no JSON object, an unknown event or version, a missing or wrong field, a ``sent_at``
            more than a day after ``received_at`` (in a file: after now), or in a file such a ``requested_at``. The message
            names the field.
    """
    if len(raw) > LARGEST_EVENT_BYTES:
        raise InputError(
            f"event: {len(raw)} bytes, and {LARGEST_EVENT_BYTES} is the most; split it, or send a document by reference (uri)"
        )
    if is_deeper(raw):
        raise InputError(f"json: nested deeper than {DEEPEST} levels; an event needs four")
    try:
        data: Any = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"bytes: not UTF-8 at byte {error.start}; send UTF-8 JSON") from error
    except (ValueError, RecursionError) as error:  # ValueError also: a number of thousands of digits
        raise InputError(f"json: {error}; send one JSON object") from error
    if b"\\ud" in raw.lower() and not _is_well_formed(data):
        raise InputError("json: holds half of a surrogate pair, which is no character; send well-formed Unicode")
    if not isinstance(data, dict):
        raise InputError(f"json: a {type(data).__name__} is no event; send one JSON object")
    data.setdefault("event", "message")
    if data["event"] in ("message", "correct") and "sent_at" not in data:
        if received_at is None:
            raise InputError("sent_at: missing; a file has no time of its own, so write one for each message")
        data["sent_at"] = time_of_record(received_at, offset).isoformat()
    with input_errors():
        event = _event.validate_python(data)
    if isinstance(event, Message):
        refuse_future("sent_at", event.sent_at, received_at)
    elif isinstance(event, Erasing) and received_at is None:  # in a file it says until when all is erased, and stays out
        refuse_future("requested_at", event.requested_at, received_at)
    return event


def refuse_future(field: str, moment: datetime, received_at: datetime | None) -> None:
    """Refuse a moment that is more than a day after its event arrived, which is now where nothing is given.

    Raises:
        InputError: it is; no event with it is taken.
    """
    arrived = received_at or utc_now()
    if moment - arrived > FURTHEST_FUTURE:
        raise InputError(
            f"{field}: {moment.isoformat()} is more than a day after {arrived.isoformat(timespec='seconds')}, "
            "when it arrived; correct the sender's clock"
        )


def _is_well_formed(data: Any) -> bool:
    """Return whether all texts can be written as UTF-8: JSON may escape half of a surrogate pair, which no index takes."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def input_errors() -> Iterator[None]:
    """Raise what is wrong with the fields of an event as an InputError."""
    try:
        yield
    except ValidationError as error:
        raise InputError(describe(error)) from error


def named_within(place: str, error: InputError) -> InputError:
    """An error of ``parse_event`` with the field below a place, such as ``events.0``; of a whole event the place alone."""
    field, _, reason = str(error).partition(": ")
    return InputError(f"{place}: {reason}" if field in _OF_THE_WHOLE else f"{place}.{field}: {reason}")


def describe(error: ValidationError) -> str:
    """A pydantic error as one line: the first fields with what is wrong, without the values (they may be secret)."""
    found: dict[str, list[str]] = {}
    for detail in error.errors(include_url=False, include_input=False, include_context=False):
        field = ".".join(str(part) for part in detail["loc"] if not _is_branch(part)) or "event"
        found.setdefault(field, []).append(plain_message(detail["type"], detail["msg"]))
    lines = []
    for field, messages in found.items():
        if any(other.startswith(f"{field}.") for other in found):
            continue  # of a list that is wrong inside: that it is no text either
        line = f"{field}: {_either(list(dict.fromkeys(messages)))}"
        lines.append(line if len(line) <= _LONGEST_COMPLAINT else f"{line[: _LONGEST_COMPLAINT - 1]}…")
    more = [f"and {len(lines) - _MOST_COMPLAINTS} more"] if len(lines) > _MOST_COMPLAINTS else []
    return "; ".join([*lines[:_MOST_COMPLAINTS], *more])


def plain_message(kind: str, message: str) -> str:
    """The reason of a pydantic error, in words that name the form in which a value is written.

    >>> plain_message("int_parsing", "Input should be a valid integer, unable to parse string as an integer")
    'is no whole number'
    """
    if kind == "string_too_short" and "at least 1 " in message:
        return "is empty"
    plain = next((words for kinds, words in _PLAIN.items() if kind.startswith(kinds)), message)
    return plain.removeprefix("Value error, ")


_PLAIN: Mapping[tuple[str, ...], str] = {
    ("datetime_", "date_"): "is no time; write 2026-03-01T09:00:00+01:00, or a day: 2026-03-01",
    ("int_parsing", "int_from_float"): "is no whole number",
    ("float_parsing",): "is no number",
    ("bool_parsing",): "is neither true nor false",
}


def _is_branch(part: int | str) -> bool:
    """Tell whether a part of a place names no field, but a kind of event or of value that was tried there."""
    return part in _BRANCHES or "[" in str(part)


def _either(messages: list[str]) -> str:
    """Join what a value of several types should be into one clause."""
    if len(messages) > 1 and all(message.startswith(_SHOULD_BE) for message in messages):
        *others, last = (message.removeprefix(_SHOULD_BE) for message in messages)
        return f"{_SHOULD_BE}{', '.join(others)} or {last}"
    return "; ".join(messages)


_SHOULD_BE = "Input should be "
_BRANCHES = frozenset(
    {"message", "edit", "delete", "correct", "retract", "flush", "forget", "erase", "document", "forget_document"}
    | {"str", "int", "float", "bool"}
)
