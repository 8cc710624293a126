"""Recordings of requests to models and of their answers, by content: a file that can be read, compared and published.

One line is one recording:

    {"key": ..., "path": "/v1/chat/completions", "request": {...}, "status": 200, "content_type": ..., "answer": "..."}

The key is the SHA-256 of path and request. No header is kept but the content type, and of the URL only the path: neither a key
nor a login can get into the file.

Several threads may use one instance, and another file may be put in its place between two calls. A crash can leave the last
line torn: it is ignored with a warning, and cut off before the next line is written.
"""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from threading import RLock
from typing import Any

from connectors.durable import disk_errors, replace_bytes
from mneme.errors import StoreRejected

log = logging.getLogger(__name__)

_MODE = 0o600  # the lines hold what people said


class KeyedLines:
    """The lines by key; the file appears with the first line."""

    def __init__(self, path: Path, what: str, key_of: Callable[[Any], str]) -> None:
        """Read the file, if there is one.

        Args:
            path: of the file.
            what: one of its lines is, for errors.
            key_of: the key of a line's JSON; raises ValueError, KeyError or TypeError for what is no such line.

        Raises:
            StoreRejected: a line that is none; the message names it. By every method.
            StoreUnavailable: the file cannot be read or written. By every method.
        """
        self.path = path
        self._what = what
        self._key_of = key_of
        self._lock = RLock()
        self._lines: dict[str, Any] = {}
        self._read_at: tuple[int, int, int] | None = None  # file, size and time when it was read last
        self._can_grow = False  # the file is there, and its last line is whole
        self._known()

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Any]:
        """The JSON of each key, in the order of the file."""
        return iter(list(self._known().values()))

    def find(self, key: str) -> Any | None:
        """The JSON of a key; None without one."""
        return self._known().get(key)

    def add(self, *values: Any) -> int:
        """Append the lines whose keys have none, all or, after a crash, the first of them; how many."""
        with self._lock, disk_errors(str(self.path)):
            known, new = self._known(), dict[str, Any]()
            for value in values:
                if (key := self._key_of(value)) not in known:
                    new.setdefault(key, value)
            if self._can_grow:
                with self.path.open("ab") as file:
                    file.writelines(map(to_line, new.values()))
                    file.flush()
                    os.fsync(file.fileno())
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                replace_bytes(self.path, b"".join(map(to_line, (known | new).values())), _MODE)
            self._lines, self._read_at, self._can_grow = known | new, self._state(), True
            return len(new)

    def rewrite(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Put other lines in place of all: readers see the old file or the new one."""
        with self._lock, disk_errors(str(self.path)):
            replace_bytes(self.path, b"".join(map(to_line, change(list(self)))), _MODE)

    def _known(self) -> dict[str, Any]:
        """The lines as the file has them now; it is read again where it has changed."""
        with self._lock, disk_errors(str(self.path)):
            if (now := self._state()) != self._read_at:
                content = self.path.read_bytes() if now else b""
                self._lines, self._read_at, self._can_grow = self._parsed(content), now, content.endswith(b"\n")
            return self._lines

    def _parsed(self, content: bytes) -> dict[str, Any]:
        """The lines by key."""
        lines: dict[str, Any] = {}
        for number, line in enumerate(BytesIO(content), start=1):
            try:
                if line.strip():
                    value = json.loads(line)
                    lines.setdefault(self._key_of(value), value)
            except (ValueError, KeyError, TypeError) as error:
                if not line.endswith(b"\n"):
                    log.warning("%s: the last line is torn, by a crash, and is left out", self.path)
                    break
                raise StoreRejected(f"{self.path}, line {number}: no {self._what} ({error!r}); correct or remove it") from error
        return lines

    def _state(self) -> tuple[int, int, int] | None:
        """Tell one state of the file from another: which it is, its size and its time; None without a file."""
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns


def to_line(value: Any) -> bytes:
    """A JSON value as one line of UTF-8, readable; with escapes only where a text holds half a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value).encode() + b"\n"


def request_of(body: bytes) -> Any:
    """The JSON of a request; None for anything else, such as the recording of a voice, which is not kept."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def model_of(request: Any) -> str:
    """The model that a request names; empty without one."""
    return str(request.get("model") or "") if isinstance(request, dict) else ""


_DONE = b"[DONE]"
_FORMAT_REFUSED = frozenset({400, 422})  # how endpoints say that they do not know a response format
_FIELDS = {"key": str, "path": str, "status": int, "content_type": str, "answer": str}


@dataclass(frozen=True, slots=True)
class Recording:
    """A request and its answer. ``answer`` is the body as text; bytes that are no UTF-8 are surrogates (PEP 383)."""

    path: str
    request: Any
    status: int
    content_type: str
    answer: str

    @property
    def body(self) -> bytes:
        """The answer byte for byte."""
        return self.answer.encode(errors="surrogateescape")


def lasts(recording: Recording) -> bool:
    """True if the endpoint would answer so again: it did answer, or it does not know the response format.

    The refusal of a format belongs to the recording, since what the client asks next depends on it. A success may be none:
    routers answer 200 with an error in the JSON or within the stream, and a stream that ends early is no error of the
    connection in HTTP/1.0.
    """
    body, kind = recording.body, recording.content_type.partition(";")[0].strip().lower()
    if not 200 <= recording.status < 300:
        asked = recording.request
        return recording.status in _FORMAT_REFUSED and isinstance(asked, dict) and "response_format" in asked
    if kind == "text/event-stream":
        data = [line.removeprefix(b"data:").strip() for line in body.splitlines() if line.startswith(b"data:")]
        has_end = not recording.path.endswith("/completions") or data[-1:] == [_DONE]
        return has_end and not any(map(_is_error, (each for each in data if each != _DONE)))
    return kind != "application/json" or not _is_error(body)


def _is_error(content: bytes) -> bool:
    try:
        value = json.loads(content)
    except ValueError:
        return True
    return isinstance(value, dict) and bool(value.get("error"))


class Recordings:
    """The recordings of a file. Safe for several threads; of two with one key the first holds."""

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one; it appears with the first recording.

        Raises:
            StoreRejected: a line is no recording, or its key is of another request. By every method.
            StoreUnavailable: the file cannot be read or written. By every method.
        """
        self.path = path
        self._lines = KeyedLines(path, "recording", _checked_key)

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Recording]:
        return map(_recording, self._lines)

    def find(self, path: str, request: Any) -> Recording | None:
        """The recording of a request."""
        line = self._lines.find(key_of(path, request))
        return None if line is None else _recording(line)

    def add(self, *recordings: Recording) -> int:
        """Keep recordings, durably on return; how many. One of a request that has a recording changes nothing."""
        return self._lines.add(*({"key": key_of(each.path, each.request), **asdict(each)} for each in recordings))

    def sort(self) -> None:
        """Order the lines by path and request, so that the same recordings are the same file, whoever was first."""
        self._lines.rewrite(lambda lines: sorted(lines, key=lambda line: (line["path"], _canonical(line["request"]))))


def key_of(path: str, request: Any) -> str:
    """The key of a request, whatever the order of its fields."""
    return hashlib.sha256(_canonical([path, request]).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _checked_key(line: Any) -> str:
    if any(type(line[name]) is not kind for name, kind in _FIELDS.items()):
        raise TypeError(f"{', '.join(_FIELDS)} are not all there in their types")
    key = key_of(line["path"], line["request"])
    if line["key"] != key:
        raise ValueError(f"the key of its path and request is {key}")
    return key


def _recording(line: dict[str, Any]) -> Recording:
    return Recording(line["path"], line["request"], line["status"], line["content_type"], line["answer"])
