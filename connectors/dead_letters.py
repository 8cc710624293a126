"""Dead letters of this machine, and whom each is about."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from connectors.database import database_errors, empty_log, open_database, transaction
from mneme.errors import StoreUnavailable
from mneme.ids import make_id
from mneme.ports import DeadLetter, Scope
from mneme.records import Position

OF_EVENTS = ("decode", "read", "embed")  # stages whose letters hold an event's own bytes
_WITHOUT_OWNER = ("edit", "delete", "retract", "flush", "forget")  # events that name a conversation and nobody
_OF_DOCUMENTS = ("document", "forget_document")  # events that name a document; without an owner it is the tenant's
_OWNER_FIELDS = (("user", "user_id"), ("group", "group_id"), ("agent", "agent_id"))
_TENANT = re.compile(r'"tenant_id"\s*:\s*"((?:[^"\\]|\\.)*)"')
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\[\"\\/])+")


def is_about(letter: DeadLetter, scope: Scope) -> bool:
    """True if a letter is about a conversation or the owner of a scope.

    1. Its bytes say so: those of an event (``decode``, ``read``, ``embed``), of a row's body (``write``), or of a reference to
       an episode or a conversation (any other stage; flows/lanes/state.py).
    2. Where they do not say whom they are about, because they are damaged or incomplete, it is if bytes or reason hold one
       of the scope's ids as a whole: rather one letter too many goes than one too few. But where they still say which
       tenant they are of, no other tenant's erasure takes them away.
    """
    subject = _subject_of(letter)
    if subject is None:
        return _may_be_of(letter, scope.tenant_id) and _holds_an_id(letter, scope)
    if subject.tenant_id != scope.tenant_id:
        return False
    owner = scope.owner
    is_of_owner = owner is not None and (owner.type, owner.id) in subject.owners
    if subject.conversation_id in scope.conversation_ids:
        return True
    return is_of_owner and scope.document_id in (None, subject.document_id)


@dataclass(frozen=True, slots=True)
class _Subject:
    """The tenant, owners (type and id), conversation and document that bytes are about."""

    tenant_id: str
    owners: list[tuple[str, str]]
    conversation_id: str | None
    document_id: str | None


def _subject_of(letter: DeadLetter) -> _Subject | None:
    """The owner of the bytes; None where they do not say it."""
    try:
        data = json.loads(letter.raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if letter.stage == "write":
        return _of_row(data)
    if letter.stage in OF_EVENTS:
        return _of_event(data)
    return _of_reference(data)


def _of_row(body: dict[str, Any]) -> _Subject | None:
    match body.get("owner"):
        case {"tenant_id": str(tenant_id), "type": str(owner_type), "id": str(owner_id)}:
            conversation_id, document_id = _text(body.get("conversation_id")), _text(body.get("document_id"))
            return _Subject(tenant_id, [(owner_type, owner_id)], conversation_id, document_id)
    return None


def _of_reference(reference: dict[str, Any]) -> _Subject | None:
    match reference.get("owner"):
        case [str(tenant_id), str(owner_type), str(owner_id)] if {"conversation", "document"} & reference.keys():
            conversation_id, document_id = _text(reference.get("conversation")), _text(reference.get("document"))
            return _Subject(tenant_id, [(owner_type, owner_id)], conversation_id, document_id)
    return None


def _of_event(event: dict[str, Any]) -> _Subject | None:
    tenant_id, conversation_id = event.get("tenant_id", "default"), _text(event.get("conversation_id"))
    owners = [(kind, owner) for kind, field in _OWNER_FIELDS if (owner := _text(event.get(field)))]
    kind, document_id = event.get("event", "message"), _text(event.get("document_id"))
    if kind in _OF_DOCUMENTS:
        owners = owners or [("tenant", str(tenant_id))]
        complete = document_id is not None
    else:
        complete = bool(conversation_id and (owners or kind in _WITHOUT_OWNER))
    return _Subject(tenant_id, owners, conversation_id, document_id) if isinstance(tenant_id, str) and complete else None


def _may_be_of(letter: DeadLetter, tenant_id: str) -> bool:
    """True if bytes that do not say whom they are about may be of a tenant: not those that still name others alone.

    An event that names no tenant is the default one's. Of damaged bytes that may be so whatever they name: a tenant may
    stand in metadata, and what stood before them be lost.
    """
    try:
        data = json.loads(letter.raw)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict) and letter.stage in OF_EVENTS:
        named = data.get("tenant_id", "default")
        return named == tenant_id or not isinstance(named, str)
    tenants = _TENANT.findall(letter.raw.decode(errors="replace"))
    return not tenants or tenant_id in ("default", *tenants, *map(_unescaped, tenants))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _holds_an_id(letter: DeadLetter, scope: Scope) -> bool:
    text = letter.raw.decode(errors="replace")
    places = "\n".join((text, _unescaped(text), unquote(text), letter.reason))
    ids = [*scope.conversation_ids, *([scope.owner.id] if scope.owner and not scope.document_id else [])]
    ids += [scope.document_id] if scope.document_id else []
    # A long part of an id is kept as its hash (mneme/ids.py), so that is looked for as well.
    forms = {form for identity in ids for form in (identity, make_id(identity))}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", places) for form in forms)


def _unescaped(text: str) -> str:
    """JSON's escapes as the characters they stand for."""
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)


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


_SCHEMA = """
    CREATE TABLE letters (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        stage TEXT NOT NULL,
        reason TEXT NOT NULL,
        raw BLOB NOT NULL,
        topic TEXT,
        partition INTEGER,
        place INTEGER
    )
"""
_TOPIC_ID = "ALTER TABLE letters ADD COLUMN topic_id TEXT NOT NULL DEFAULT ''"  # later than the others
_ADD = "INSERT INTO letters (at, stage, reason, raw, topic, partition, place, topic_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_READ = "SELECT * FROM letters WHERE number > ? ORDER BY number LIMIT 100"


class FileDeadLetters:
    """Keeps dead letters in a database of this machine (``DeadLetters``), made with the first letter.

    Several processes may use it.

    Raises:
        StoreUnavailable, StoreRejected: by every method: the file cannot be read or written, or is of another kind.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._database: sqlite3.Connection | None = None

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Append letters; they are on the disk on return."""
        if letters:
            with self._opened() as database, transaction(database):
                database.executemany(_ADD, map(_columns, letters))

    def erase(self, scope: Scope) -> int:
        """See ``DeadLetters``."""
        return self.remove(lambda letter: is_about(letter, scope))

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        """Take letters away; how many. They are gone from the disk on return."""
        if not self._path.exists():
            return 0
        with self._opened() as database:
            with transaction(database):
                every = _letters(lambda last: database.execute(_READ, (last,)).fetchall())
                removed = [(number,) for number, letter in every if unwanted(letter)]
                database.executemany("DELETE FROM letters WHERE number = ?", removed)
            if not empty_log(database):
                raise StoreUnavailable(f"{self._path}: another process reads what was taken away; do it again")
        return len(removed)

    def read(self) -> Iterator[DeadLetter]:
        """The letters in the order they came."""
        return (letter for _, letter in _letters(self._page)) if self._path.exists() else iter(())

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _page(self, last: int) -> list[Any]:
        with self._opened() as database:
            return database.execute(_READ, (last,)).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._lock, database_errors(self._path):
            if self._database is None:
                self._database = open_database(self._path, f"{_SCHEMA}; {_TOPIC_ID}")
                with transaction(self._database):
                    columns = self._database.execute("SELECT name FROM pragma_table_info('letters')").fetchall()
                    if ("topic_id",) not in columns:
                        self._database.execute(_TOPIC_ID)
            yield self._database


def _letters(page_behind: Callable[[int], list[Any]]) -> Iterator[tuple[int, DeadLetter]]:
    """All letters with their numbers, page by page."""
    last = 0
    while page := page_behind(last):
        for last, at, stage, reason, raw, topic, partition, place, topic_id in page:
            where = {"topic": topic, "partition": partition, "offset": place, "topic_id": topic_id}
            position = None if topic is None else Position.model_validate(where)
            yield last, DeadLetter(stage, reason, raw, position, datetime.fromisoformat(at))


def _columns(letter: DeadLetter) -> tuple[object, ...]:
    place = letter.position
    where = (None, None, None, "") if place is None else (place.topic, place.partition, place.offset, place.topic_id)
    return letter.at.isoformat(), letter.stage, safe_reason(letter.reason), letter.raw, *where
