"""Dead letters in a file: one JSON object a line, the event's own bytes in base64."""

import base64
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock

from connectors.durable import cut_torn_line, replace_bytes, sync_path, write_all
from connectors.letters.scope import tells_of
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import DeadLetter, Scope
from mneme.records import Position
from mneme.times import utc_now

_LONGEST_REASON = 2_000  # characters; a mapping error of an index can quote a whole document

_SECRETS = re.compile(
    r"(?P<before>://[^/\s:@]*:)[^/\s@]+(?=@)"
    r"|(?P<scheme>\b(?:bearer|basic|apikey)\s+)[\w.~+/=-]{8,}"
    r"|(?P<name>(?:password|passwd|secret|api[_-]?key|access[_-]?key|token)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&]+"
    r"|\bsk-[\w-]{16,}",
    re.IGNORECASE,
)


def safe_reason(reason: str) -> str:
    """A reason as it may be kept: without passwords, keys and tokens, and not too long.

    >>> safe_reason("401 from https://me:hunter2@models.example with api_key=abc")
    '401 from https://me:***@models.example with api_key=***'
    """
    reason = reason[: 4 * _LONGEST_REASON]  # of a traceback that quotes a document, enough
    cleaned = without_secrets(reason.encode(errors="replace").decode())  # half a surrogate pair, quoted, has no UTF-8
    return cleaned if len(cleaned) <= _LONGEST_REASON else cleaned[: _LONGEST_REASON - 1] + "…"


def without_secrets(text: str) -> str:
    """A text as it may be shown: passwords, keys and tokens are asterisks."""
    return _SECRETS.sub(lambda found: (found["before"] or found["scheme"] or found["name"] or "") + "***", text)


class FileDeadLetters:
    """Keeps dead letters in a file (``DeadLetters``). The file appears with the first letter; several processes may use it.

    Raises:
        StoreUnavailable: by every method: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Append letters; they are on the disk on return."""
        if not letters:
            return
        lines = "".join(json.dumps(_to_json(letter), ensure_ascii=False) + "\n" for letter in letters)
        with self._alone() as descriptor:
            cut_torn_line(descriptor)
            write_all(descriptor, lines.encode())
            os.fsync(descriptor)

    def erase(self, scope: Scope) -> int:
        """See ``DeadLetters``."""
        return self.remove(lambda letter: tells_of(letter, scope))

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        """Take letters away; how many. The others are on the disk on return, in their order, and the old file is gone.

        A line that is no dead letter is judged as a letter of the stage ``unknown`` with the line as its bytes.
        """
        if not self._path.exists():
            return 0
        with self._alone() as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
            file.seek(0)
            lines = [line for line in file if line.endswith(b"\n")]
            kept = [line for line in lines if not unwanted(_letter_of(line))]
            if len(kept) < len(lines):
                replace_bytes(self._path, b"".join(kept), mode=0o600)
            return len(lines) - len(kept)

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
        """There is nothing to release: the file is open only while it is used."""

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """The file, opened to read and append, while no other thread or process changes it."""
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = self._lock_file()
                try:
                    yield descriptor
                finally:
                    os.close(descriptor)
            except OSError as error:
                raise self._unavailable(error) from error

    def _lock_file(self) -> int:
        while True:
            is_new = not self._path.exists()
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if self._path.exists() and os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
                    if is_new:
                        sync_path(self._path.parent)  # so that its name is on the disk as well
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # another process put a new file in its place meanwhile

    def _unavailable(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(f"dead letters in {self._path}: {error}; make room or correct its rights, then try again")


def _letter_of(line: bytes) -> DeadLetter:
    try:
        return _from_json(json.loads(line))
    except (ValueError, KeyError, TypeError):
        return DeadLetter("unknown", "", line, None, utc_now())


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
