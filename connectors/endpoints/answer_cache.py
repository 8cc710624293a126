"""A chat model with a durable cache of its answers, so that a replay gets the same answer and pays nothing.

An answer is on disk before it is used (DESIGN section 5, point 5): what the flow has written on the strength of
an answer can always be made again from the same answer. One fsync costs milliseconds, the call it protects seconds and money.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from connectors.database import database_errors, empty_log, open_database, transaction
from connectors.telemetry.metrics import ANSWER_CACHE
from connectors.telemetry.tracing import about, ids_of
from mneme.errors import InputError, StoreUnavailable
from mneme.ids import lasting_name
from mneme.ports import Answer, ChatModel, Prompt, Role, Usage

Parsed = TypeVar("Parsed")

_SCHEMA = """
    CREATE TABLE answers (
        scope TEXT NOT NULL,
        key BLOB NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (scope, key)
    ) WITHOUT ROWID
"""
_FIND = "SELECT answer FROM answers WHERE scope = ? AND key = ?"
_ADD = "INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class AnswerFile:
    """The answers of a file. Safe for several threads and processes; of two with one scope and key the first holds.

    Raises:
        StoreUnavailable: the file cannot be read or written. By every method.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; it is made if there is none.

        Raises:
            StoreRejected: it is no file of answers.
        """
        self._path = path
        self._lock = threading.Lock()
        with database_errors(path):
            self._connection = open_database(path, _SCHEMA)

    def find(self, scope: str, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The answers of a scope, by key; keys without one are left out."""
        with self._lock, database_errors(self._path):
            return self._found(lasting_name(scope), keys)

    def add(self, scope: str, answers: Mapping[bytes, str]) -> dict[bytes, str]:
        """Keep answers by key, durably on return; those that now stand: of two, the one that was kept first."""
        with self._lock, database_errors(self._path), transaction(self._connection):
            name = lasting_name(scope)
            self._connection.executemany(_ADD, [(name, key, answer) for key, answer in answers.items()])
            return self._found(name, answers)

    def parsed(self, scope: str, key: bytes, parse: Callable[[str], Parsed]) -> Parsed | None:
        """One answer as ``parse`` reads it; None without one. One that it refuses is of another version, and is forgotten."""
        stored = self.find(scope, [key]).get(key)
        if stored is None:
            return None
        try:
            return parse(stored)
        except ValidationError:
            with self._lock, database_errors(self._path):
                self._connection.execute("DELETE FROM answers WHERE scope = ? AND key = ?", (lasting_name(scope), key))
            return None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _found(self, scope: str, keys: Iterable[bytes]) -> dict[bytes, str]:
        rows = ((key, self._connection.execute(_FIND, (scope, key)).fetchone()) for key in keys)
        return {key: str(row[0]) for key, row in rows if row is not None}


def erase_answers(path: Path, scope_prefix: str | None, also: Iterable[str] = ()) -> int:
    """Erase the answers of a scope and of all below it from a file that may be in use; the number erased.

    ``tenant/user/anna`` erases ``tenant/user/anna/chat-1`` and not ``tenant/user/anna-maria``; of the scopes in ``also``
    only what is directly in them. A conversation is such a scope: its name may hold any ``/``, and ``chat`` must not take
    ``chat/1`` with it. The bytes are gone from the disk on return: freed pages are overwritten, the log is emptied. Where
    there is no file there is nothing to erase. A call that is under way stores its answer afterwards, so the caller first
    stops those of the scope.

    Raises:
        InputError: no prefix.
        StoreUnavailable: another process reads the log still, so that the bytes may be there; repeat it.
        StoreRejected: the file is no file of answers.
    """
    if not path.exists():
        return 0
    erased = 0
    with database_errors(path), closing(open_database(path, _SCHEMA)) as connection:
        if scope_prefix is not None:
            prefix = lasting_name(scope_prefix.rstrip("/"))
            if not prefix:
                raise InputError("scope_prefix is empty; name the tenant or the owner to erase")
            erased = connection.execute(
                "DELETE FROM answers WHERE scope = ? OR (scope >= ? AND scope < ?)", (prefix, f"{prefix}/", f"{prefix}0")
            ).rowcount  # '0' is the character after '/'
        for scope in also:
            erased += connection.execute("DELETE FROM answers WHERE scope = ?", (lasting_name(scope),)).rowcount
        if not empty_log(connection):
            raise StoreUnavailable(f"{path}: answers were erased, but another process holds the log; erase them again")
    return erased


class NamedChatModel(ChatModel, Protocol):
    """A chat model that says which model serves a role; another model gives another answer."""

    def model(self, role: Role) -> str:
        """The name of the model that serves a role."""

    def close(self) -> None:
        """Close the connections."""


class CachedChat:
    """A chat model in front of which lies a file of its answers.

    The key is a hash of everything that makes the answer: model, role, system, user, pictures and the form's schema. Rows
    are kept by scope: the same question in two conversations is two rows, so that erasing one conversation neither
    leaves a trace of it nor changes what a replay of the other gives. Safe for several threads and processes; of two
    that ask the same at the same time both get the answer that was stored first.
    """

    def __init__(self, chat: NamedChatModel, path: Path) -> None:
        """Open the cache.

        Raises:
            StoreRejected: the file is no cache of answers.
            StoreUnavailable: the file cannot be opened.
        """
        self._chat = chat
        self._answers = AnswerFile(path)

    def model(self, role: Role) -> str:
        """The name of the model that serves a role."""
        return self._chat.model(role)

    def answer(self, prompt: Prompt, form: type[Answer]) -> Answer:
        """The stored answer, else the model's, stored before it is returned.

        Raises:
            ModelTimeout, ModelRateLimited, ModelMalformed, ModelRefused
            StoreUnavailable: the cache cannot be written.
        """
        key = self._key(prompt, form)
        stored = self._answers.parsed(prompt.scope, key, form.model_validate_json)
        if stored is not None:
            ANSWER_CACHE.labels(prompt.role, "hit").inc()
            return stored
        ANSWER_CACHE.labels(prompt.role, "miss").inc()
        with about(**ids_of(prompt.scope)):
            answer = self._chat.answer(prompt, form)
        # What is returned is what was read back: the first answer and every later one are the same to the letter.
        self._answers.add(prompt.scope, {key: answer.model_dump_json(by_alias=True)})
        return self._answers.parsed(prompt.scope, key, form.model_validate_json) or answer

    def remembered(self, role: Role, scope: str, contents: Iterable[str]) -> dict[str, str]:
        """The answers of ``remember``, by content; contents without one are left out.

        Raises:
            StoreUnavailable: the cache cannot be read.
        """
        asked = {self._part_key(role, content): content for content in contents}
        return {asked[key]: answer for key, answer in self._answers.find(scope, asked).items()}

    def remember(self, role: Role, scope: str, answers: Mapping[str, str]) -> dict[str, str]:
        """Keep small answers by content, durably on return; the answers that now stand: of two, the one kept first.

        Raises:
            StoreUnavailable: the cache cannot be written.
        """
        keys = {content: self._part_key(role, content) for content in answers}
        standing = self._answers.add(scope, {keys[content]: answer for content, answer in answers.items()})
        return {content: standing[key] for content, key in keys.items()}

    def usage(self) -> dict[Role, Usage]:
        """The usage of each role since the start; stored answers cost nothing."""
        return self._chat.usage()

    def close(self) -> None:
        """Close the cache and the model behind it."""
        self._answers.close()
        self._chat.close()

    def _key(self, prompt: Prompt, form: type[BaseModel]) -> bytes:
        asked: list[Any] = [self._chat.model(prompt.role), prompt.role, prompt.system, prompt.user, _schema(form)]
        if prompt.pictures:
            asked.append([picture.sha256 for picture in prompt.pictures])
        return hashlib.sha256(json.dumps(asked).encode()).digest()

    def _part_key(self, role: Role, content: str) -> bytes:
        return hashlib.sha256(json.dumps([self._chat.model(role), role, content]).encode()).digest()


@cache
def _schema(form: type[BaseModel]) -> str:
    return json.dumps(form.model_json_schema(), sort_keys=True)
