"""Files as a source: one event of the flow at a time, in an order that never changes.

What a file holds is told by its content: JSON Lines in the event format (mneme/events/), a chat in one of the
forms of connectors/files/exports/, or a document of one of the formats of connectors/documents/kinds.py. A short
text is in its event; of every other document the event names the file and its hash, and the flow reads it from there.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from typing import Any

from connectors.documents.kinds import KINDS, Kind, kind_of
from connectors.files.chat_events import Event, Given, complete
from connectors.files.exports import SHAPES, SLACK, WHATSAPP, ExportFormat, is_day, is_event, shape_of
from mneme.errors import InputError
from mneme.events import SCHEMA
from mneme.ports import Incoming
from mneme.records import Position
from mneme.times import from_milliseconds

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_JSON, _LINE_ENDINGS = ".json", (".jsonl", ".ndjson")
_HEAD = 65_536  # bytes that tell what a file is
_LINES_LOOKED_AT = 100  # in search of an event, when the first line is broken
_LONGEST_TEXT = 1_000_000  # bytes of a text that its event carries
_LARGEST_ARCHIVE = 500_000_000  # bytes of an Office file that is looked into
_ARCHIVES = (b"PK", b"\xd0\xcf\x11\xe0")  # what is in them says what they are
_UNDERSTOOD = f"JSON Lines of events, {', '.join(shape.name for shape in SHAPES)}, and documents ({', '.join(KINDS)})"


def read_file(
    path: Path,
    start: int = 0,
    *,
    source: str | None = None,
    name: str | None = None,
    user_id: str | None = None,
    group_id: str | None = None,
    agent_id: str | None = None,
    tenant_id: str | None = None,
    conversation_id: str | None = None,
) -> Iterator[Incoming]:
    """The events of a file from the offset ``start`` on.

    A broken line of JSON Lines is passed on as it is: the flow says what is wrong with it and goes on. A document and a chat
    without any times have the time of the file; what a file holds has no time of arrival.

    Args:
        path: the file.
        start: the first offset wanted; offsets are line numbers in JSON Lines, else ordinals, both from 0.
        source: the identity that is in the positions of the events; None: that of the content.
        name: the id of a document, without its owner; None: the file's name. Files of a folder have their path in it.
        user_id, group_id, agent_id, tenant_id, conversation_id: what holds where the file itself does not say it.

    Raises:
        InputError: the file is missing, empty, or in no form that is understood, or needs an owner and none is given,
            all before the first event; or an export loses its form further down (``count_events`` tells beforehand).
    """
    form = _recognise(path)
    modified = modified_at(path)
    given = Given(str(path), user_id, group_id, agent_id, tenant_id, conversation_id, modified, name or path.name)
    topic = f"file:{(source or content_identity(path))[:16]}"
    return (Incoming(raw, Position(topic=topic, partition=0, offset=offset), None) for offset, raw in form.events(given, start))


def count_events(
    path: Path,
    *,
    user_id: str | None = None,
    group_id: str | None = None,
    agent_id: str | None = None,
    tenant_id: str | None = None,
    conversation_id: str | None = None,
) -> int:
    """Count the events that ``read_file`` gives.

    Raises:
        InputError: as ``read_file``, and also for what is wrong further down in an export.
    """
    given = Given(str(path), user_id, group_id, agent_id, tenant_id, conversation_id)
    return sum(1 for _ in _recognise(path).events(given, 0))


def modified_at(path: Path) -> datetime:
    """The time of a file's last change, to the second."""
    return from_milliseconds(int(path.stat().st_mtime) * 1000)


def content_identity(path: Path) -> str:
    """SHA-256 of the content, hexadecimal: the same file under another name is the same file.

    Raises:
        InputError: the file cannot be read.
    """
    with _opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identities(path: Path) -> Iterator[tuple[str, int | None]]:
    """The identity of a file that is no document; before it, of JSON Lines, those that it had when it ended sooner.

    With each comes the number of lines that it is of. A last line that is half written is of none. None: it is of all.

    Raises:
        InputError: as ``read_file``.
    """
    form = _recognise(path)
    if isinstance(form, _Lines):
        yield from _identities_of_beginnings(path)
    elif not isinstance(form, _Document):
        yield content_identity(path), None


def _identities_of_beginnings(path: Path) -> Iterator[tuple[str, int]]:
    read = hashlib.sha256()
    yield read.hexdigest(), 0
    with _opened(path) as file:
        for count, line in enumerate(file, start=1):
            if _is_half_written(line):
                return
            text = line.rstrip(b"\r\n")
            for part in (text, line[len(text) :]):  # the last line may have had no end
                read.update(part)
                yield read.hexdigest(), count


def half_written(path: Path) -> int | None:
    """The number of the last line of JSON Lines, from 1, where somebody has begun to write it; else None.

    Raises:
        InputError: as ``read_file``.
    """
    if not isinstance(_recognise(path), _Lines):
        return None
    with _opened(path) as file:
        return next((number for number, line in enumerate(file, start=1) if _is_half_written(line)), None)


def _is_half_written(line: bytes) -> bool:
    return not line.endswith(b"\n") and bool(line.strip()) and _parsed(line) is None


# --- forms -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Lines:
    """JSON Lines in the event format."""

    path: Path

    def events(self, given: Given, start: int) -> Iterator[tuple[int, bytes]]:
        with _opened(self.path) as file:
            for offset, line in enumerate(file):
                raw = (line.removeprefix(_BYTE_ORDER_MARK) if offset == 0 else line).strip(b"\r\n")
                if offset >= start and raw.strip():
                    yield offset, _completed(raw, given)


@dataclass(frozen=True, slots=True)
class _Chat:
    """Parsed JSON, or a text, in one of the forms of chats."""

    path: Path
    shape: ExportFormat
    data: Any

    def events(self, given: Given, start: int) -> Iterator[tuple[int, bytes]]:
        offset = -1
        people = _slack_people(self.path) if self.shape is SLACK else {}
        try:
            for offset, event in enumerate(self.shape.read(self.data, replace(given, people=people))):
                if offset >= start:
                    yield offset, _encoded(event)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, ArithmeticError, RecursionError) as error:
            missing = f" ({error} is missing)" if isinstance(error, KeyError) else ""
            raise InputError(
                f"{self.path}: after {offset + 1} messages it does not have the form of {self.shape.name} any more{missing}; "
                "mend what comes next, or take it out"
            ) from error


@dataclass(frozen=True, slots=True)
class _Document:
    """One document."""

    path: Path
    kind: Kind

    def events(self, given: Given, start: int) -> Iterator[tuple[int, bytes]]:
        if start > 0:
            return
        event = {
            "schema": SCHEMA,
            "event": "document",
            **({"tenant_id": given.tenant_id} if given.tenant_id else {}),
            **given.owner,
            "document_id": given.belonging(given.document_name),
            "name": self.path.name,
            "media_type": self.kind.media_type,
            "modified_at": given.modified_at.isoformat(),
        }
        if (text := self._short_text()) is not None:
            yield 0, _encoded({**event, "content": text})
        else:
            yield 0, _encoded({**event, "uri": self.path.resolve().as_uri(), "sha256": content_identity(self.path)})

    def _short_text(self) -> str | None:
        if self.kind.name not in ("txt", "md") or self.path.stat().st_size > _LONGEST_TEXT:
            return None
        try:
            return self.path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:  # the flow finds out what it is
            return None


def _recognise(path: Path) -> _Lines | _Chat | _Document:
    """Recognise the content of a file.

    Raises:
        InputError: nothing, or nothing that is understood.
    """
    with _opened(path) as file:
        head = file.read(_HEAD)
    begin = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not begin:
        raise InputError(f"{path}: the file is empty")
    form = _lines_or_chat(path, begin)
    return _Document(path, _kind(path, head)) if form is None else form


def _lines_or_chat(path: Path, begin: bytes) -> _Lines | _Chat | None:
    """Events or a chat; None for what is no JSON, and need not be."""
    ending = path.suffix.lower()
    if ending not in _LINE_ENDINGS and WHATSAPP.fits(begin.decode(errors="replace")):
        return _Chat(path, WHATSAPP, path.read_bytes().decode(errors="replace"))
    if begin[:1] not in b"{[":
        return _Lines(path) if ending in _LINE_ENDINGS and not _is_binary(path, begin) else None
    with _opened(path) as file:
        lines = list(itertools.islice(_filled_lines(file), _LINES_LOOKED_AT)) if begin[:1] == b"{" else []
    parsed = [_parsed(line) for line in lines]
    if ending not in _LINE_ENDINGS and parsed and parsed[0] is None and (data := _parsed(path.read_bytes())) is not None:
        return _chat(path, data)  # one object over many lines
    if any(is_event(event) for event in parsed) or (ending in _LINE_ENDINGS and not any(parsed)):
        return _Lines(path)
    if len(parsed) > 1 and isinstance(parsed[0], dict):  # a chat or a message on each line
        with _opened(path) as file:
            return _chat(path, [_json(path, line) for line in _filled_lines(file)])
    if ending not in (_JSON, *_LINE_ENDINGS) and _parsed(path.read_bytes()) is None:
        return None  # a text that begins with a bracket
    return _chat(path, _json(path, path.read_bytes()))


def _is_binary(path: Path, begin: bytes) -> bool:
    try:
        return kind_of(begin, path.name, None).family not in ("text", "captions", "web", "mail")
    except InputError:
        return False


def _kind(path: Path, head: bytes) -> Kind:
    """The format of a document. The beginning tells it, but of what is packed; the flow judges by all of it."""
    content = head
    if head.lstrip().startswith(_ARCHIVES):
        if path.stat().st_size > _LARGEST_ARCHIVE:
            raise InputError(f"{path}: it has more than {_LARGEST_ARCHIVE:,} bytes; split it")
        content = path.read_bytes()
    try:
        return kind_of(content, path.name, None)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _slack_people(path: Path) -> Mapping[str, str]:
    """The names of a Slack export's users by their ids: ``users.json`` lies above the folders of its channels."""
    folders = [path.parent, path.parent.parent] if is_day(path.stem) else [path.parent]
    for folder in folders:
        users = folder / "users.json"
        if users.is_file():
            state = users.stat()
            if (people := _people_in(users, state.st_mtime_ns, state.st_size)) is not None:
                return people
    return {}


@lru_cache(maxsize=4)
def _people_in(users: Path, _modified: int, _size: int) -> Mapping[str, str] | None:
    """The names in a file of users, which is read again only after a change; None if it is no such file."""
    listed = _parsed(users.read_bytes())
    if not isinstance(listed, list):
        return None
    return {str(user["id"]): name for user in listed if isinstance(user, dict) and "id" in user and (name := _name(user))}


def _name(user: Event) -> str:
    profile = user.get("profile")
    profile = profile if isinstance(profile, dict) else {}
    names = (user.get("real_name"), profile.get("real_name"), profile.get("display_name"), user.get("name"))
    return str(next(filter(None, names), ""))


def _chat(path: Path, data: Any) -> _Chat:
    shape = shape_of(data)
    if shape is None:
        raise InputError(f"{path}: this JSON is in no form that is understood; what is: {_UNDERSTOOD}")
    return _Chat(path, shape, data)


# --- bytes -----------------------------------------------------------------------------------------------------------


def _opened(path: Path) -> BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'it cannot be read').lower()}; give the path of a file") from error


def _filled_lines(file: BufferedReader) -> Iterator[bytes]:
    for number, line in enumerate(file):
        if filled := (line.removeprefix(_BYTE_ORDER_MARK) if number == 0 else line).strip():
            yield filled


def _parsed(raw: bytes) -> Any:
    """Parsed JSON; None for other text."""
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _json(path: Path, raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); what is understood: {_UNDERSTOOD}") from error


def _encoded(event: Event) -> bytes:
    # A lone surrogate is passed on: the flow refuses that event as no UTF-8, and goes on.
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _completed(raw: bytes, given: Given) -> bytes:
    """A line with what the caller gave and the line does not say; a broken one stays as it is."""
    event = _parsed(raw)
    completed = complete(event, given) if isinstance(event, dict) else event
    return raw if completed == event else _encoded(completed)
