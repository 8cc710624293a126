"""A chat model that remembers its answers durably, so that a replay gets the same answer and pays nothing."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from connectors.endpoints.answer_file import AnswerFile
from connectors.telemetry.context import about, ids_of
from connectors.telemetry.metrics import ANSWER_CACHE
from mneme.ports import Answer, ChatModel, Prompt, Role, Usage


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
        self._lock = threading.Lock()
        self._hits: Counter[Role] = Counter()

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
        stored = self._stored(prompt.scope, key, form)
        if stored is not None:
            with self._lock:
                self._hits[prompt.role] += 1
            ANSWER_CACHE.labels(prompt.role, "hit").inc()
            return stored
        ANSWER_CACHE.labels(prompt.role, "miss").inc()
        with about(**ids_of(prompt.scope)):
            answer = self._chat.answer(prompt, form)
        # What is returned is what was read back: the first answer and every later one are the same to the letter.
        self._answers.add(prompt.scope, {key: answer.model_dump_json(by_alias=True)})
        return self._stored(prompt.scope, key, form) or answer

    def remembered(self, role: Role, scope: str, contents: Iterable[str]) -> dict[str, str]:
        """The answers of ``remember``, by content; contents without one are left out.

        Raises:
            StoreUnavailable: the cache cannot be read.
        """
        asked = {self._part_key(role, content): content for content in contents}
        kept = {asked[key]: answer for key, answer in self._answers.find(scope, asked).items()}
        with self._lock:
            self._hits[role] += len(kept)
        return kept

    def remember(self, role: Role, scope: str, answers: Mapping[str, str]) -> dict[str, str]:
        """Keep small answers by content, durably on return; the answers that now stand: of two, the one kept first.

        Raises:
            StoreUnavailable: the cache cannot be written.
        """
        keys = {content: self._part_key(role, content) for content in answers}
        standing = self._answers.add(scope, {keys[content]: answer for content, answer in answers.items()})
        return {content: standing[key] for content, key in keys.items()}

    def usage(self) -> dict[Role, Usage]:
        """What each role has used since the start; ``cached`` counts the answers that cost nothing."""
        usage = self._chat.usage()
        with self._lock:
            hits = dict(self._hits)
        return {role: replace(usage.get(role, Usage()), cached=hits.get(role, 0)) for role in {*usage, *hits}}

    def erase(self, scope_prefix: str) -> int:
        """Erase the answers of a scope and of all below it; see ``erase_answers``.

        A call that is under way stores its answer afterwards, so the caller first stops those of the scope.
        """
        return self._answers.erase(scope_prefix)

    def close(self) -> None:
        """Close the cache and the model behind it."""
        self._answers.close()
        self._chat.close()

    def _key(self, prompt: Prompt, form: type[BaseModel]) -> bytes:
        asked: list[Any] = [self._chat.model(prompt.role), prompt.role, prompt.system, prompt.user, _schema(form)]
        if prompt.seed is not None:
            asked.append(prompt.seed)
        if prompt.pictures:
            asked.append([picture.sha256 for picture in prompt.pictures])
        return hashlib.sha256(json.dumps(asked).encode()).digest()

    def _part_key(self, role: Role, content: str) -> bytes:
        return hashlib.sha256(json.dumps([self._chat.model(role), role, content]).encode()).digest()

    def _stored(self, scope: str, key: bytes, form: type[Answer]) -> Answer | None:
        stored = self._answers.find(scope, [key]).get(key)
        if stored is None:
            return None
        try:
            return form.model_validate_json(stored)
        except ValidationError:  # the form's own checks have become stricter under the same schema
            self._answers.drop(scope, key)
            return None


@cache
def _schema(form: type[BaseModel]) -> str:
    return json.dumps(form.model_json_schema(), sort_keys=True)
