"""Dead letters in a file: one JSON object a line, the event's own bytes in base64."""

import base64
import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock

from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import DeadLetter
from mneme.records import Position

_LONGEST_REASON = 2_000  # characters; a mapping error of an index can quote a whole document

_SECRETS = re.compile(
    r"(?P<before>://[^/\s:@]*:)[^/\s@]+(?=@)"
    r"|(?P<scheme>\b(?:bearer|basic|apikey)\s+)[\w.~+/=-]{8,}"
    r"|(?P<name>\b[\w-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|token)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&]+"
    r"|\bsk-[\w-]{16,}",
    re.IGNORECASE,
)


def safe_reason(reason: str) -> str:
    """A reason as it may be kept: without passwords, keys and tokens, and not too long.

    >>> safe_reason("401 from https://me:hunter2@models.example with api_key=abc")
    '401 from https://me:***@models.example with api_key=***'
    """
    reason = reason.encode(errors="replace").decode()  # half a surrogate pair, quoted from an event, has no UTF-8
    cleaned = _SECRETS.sub(lambda found: (found["before"] or found["scheme"] or found["name"] or "") + "***", reason)
    return cleaned if len(cleaned) <= _LONGEST_REASON else cleaned[: _LONGEST_REASON - 1] + "…"


class FileDeadLetters:
    """Keeps dead letters in a file of one process (``DeadLetters``). The file appears with the first letter.

    Raises:
        StoreUnavailable: by every method: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._descriptor: int | None = None

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Append letters; they are on the disk on return."""
        if not letters:
            return
        lines = "".join(json.dumps(_to_json(letter), ensure_ascii=False) + "\n" for letter in letters)
        with self._lock:
            try:
                if self._descriptor is None:
                    self._descriptor = self._open()
                _write_all(self._descriptor, lines.encode())
                os.fsync(self._descriptor)
            except OSError as error:
                raise self._unavailable(error) from error

    def read(self) -> Iterator[DeadLetter]:
        """The letters in the order they came.

        Raises:
            StoreRejected: a line is no dead letter; the message names it.
        """
        try:
            with self._path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith(b"\n"):
                        return  # torn by a crash: its ``send`` never returned
                    try:
                        yield _from_json(json.loads(line))
                    except (ValueError, KeyError, TypeError) as error:
                        raise StoreRejected(
                            f"{self._path}, line {number}: no dead letter ({error!r}); remove the line"
                        ) from error
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unavailable(error) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def _open(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        _drop_torn_line(descriptor)
        directory = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)  # so that a new file's name is on the disk as well
        finally:
            os.close(directory)
        return descriptor

    def _unavailable(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(f"dead letters in {self._path}: {error}; make room or correct its rights, then try again")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _drop_torn_line(descriptor: int) -> None:
    """Cut what follows the last line's end: a crash left it, and the next letter must not be joined to it."""
    with os.fdopen(os.dup(descriptor), "rb") as file:
        end = file.seek(0, os.SEEK_END)
        whole = end
        while whole:
            start = max(0, whole - 65_536)
            file.seek(start)
            if (found := file.read(whole - start).rfind(b"\n")) >= 0:
                whole = start + found + 1
                break
            whole = start
    if whole < end:
        os.ftruncate(descriptor, whole)


def _to_json(letter: DeadLetter) -> dict[str, object]:
    return {
        "at": letter.at.isoformat(),
        "stage": letter.stage,
        "reason": safe_reason(letter.reason),
        "position": letter.position.model_dump() if letter.position else None,
        "raw": base64.b64encode(letter.raw).decode(),
    }


def _from_json(line: dict[str, object]) -> DeadLetter:
    return DeadLetter(
        stage=str(line["stage"]),
        reason=str(line["reason"]),
        raw=base64.b64decode(str(line["raw"]), validate=True),
        position=Position.model_validate(line["position"]) if line["position"] else None,
        at=datetime.fromisoformat(str(line["at"])),
    )
