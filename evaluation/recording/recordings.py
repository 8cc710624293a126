"""Recordings of requests to models and of their answers, by content: a file that can be read, compared and published.

One line is one recording:

    {"key": ..., "path": "/v1/chat/completions", "request": {...}, "status": 200, "content_type": ..., "answer": "..."}

The key is the SHA-256 of path and request. No header is kept but the content type, and of the URL only the path: neither a key
nor a login can get into the file.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.recording.keyed_lines import KeyedLines


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
