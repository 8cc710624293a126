"""The chats, changes and questions that are shipped to measure with.

- ``chats/*.jsonl``: ten talks of 60 messages each, over months, and ten short ones whose wrong messages repeat the words of the
  questions (``echo``), in the event format (mneme/events/).
- ``changes.messages.jsonl``: short talks, one for each change, each with an owner of its own; ``changes.jsonl``: what
  changes in them, and what is asked about it.
- ``questions.jsonl``: questions about the chats, with the messages that answer them; 33 have no answer.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.own_index import fresh_index
from flows import ingest
from mneme.settings import Settings
from queries import Memories

_FOLDER = Path(__file__).parent
CHANGE_MESSAGES = _FOLDER / "changes.messages.jsonl"
_ASKED_AFTER = timedelta(days=1)  # since the last message


@dataclass(frozen=True, slots=True)
class Statement:
    """A message, by its id, and words of it that no other sentence of it has."""

    message_id: str
    says: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A question that a change must not disturb, and what answers it."""

    question: str
    answer: Statement


@dataclass(frozen=True, slots=True)
class Change:
    """A state that another takes the place of, and the question for the present one.

    ``group`` says whose it is: ``everyday``, ``assistant`` (in the middle of a request), ``languages``. ``must_end``: the old
    statement ought to be marked as ended.
    """

    id: str
    group: str
    language: str
    user_id: str
    question: str
    old: Statement
    new: Statement
    must_end: bool
    undisturbed: tuple[Kept, ...]
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """A question about a chat; any message of ``evidence`` answers it, and so does an answer with words of ``accept``.

    Without evidence there is no answer, and to abstain is right.
    """

    id: str
    chat: str
    user_id: str
    text: str
    evidence: frozenset[str]
    accept: tuple[str, ...]
    asked_at: datetime


def chats() -> list[Path]:
    """The files of the chats."""
    return sorted((_FOLDER / "chats").glob("*.jsonl"))


def changes() -> list[Change]:
    """Every change, asked a day after the last message of its talk."""
    ends = _ends(CHANGE_MESSAGES)
    return [
        Change(
            id=line["id"],
            group=line["group"],
            language=line["language"],
            user_id=line["user_id"],
            question=line["question"],
            old=Statement(line["old"], line["old_says"]),
            new=Statement(line["new"], line["new_says"]),
            must_end=line["must_end"],
            undisturbed=tuple(Kept(one["question"], Statement(one["evidence"], one["says"])) for one in line["undisturbed"]),
            asked_at=ends[line["user_id"]],
        )
        for line in _lines(_FOLDER / "changes.jsonl")
    ]


def questions() -> list[ChatQuestion]:
    """Every question, asked a day after the last message of its chat."""
    ends = {owner: end for path in chats() for owner, end in _ends(path).items()}
    return [
        ChatQuestion(
            id=line["id"],
            chat=line["chat"],
            user_id=line["user_id"],
            text=line["question"],
            evidence=frozenset(line["evidence"]),
            accept=tuple(line["accept"]),
            asked_at=ends[line["user_id"]],
        )
        for line in _lines(_FOLDER / "questions.jsonl")
    ]


@contextmanager
def ingested(
    files: Sequence[Path], settings: Settings, name: str, console: Console
) -> Iterator[tuple[Settings, Callable[[datetime], Memories]]]:
    """Ingest files into an index of their own: its settings, and its memories as of a moment, without a model.

    Raises:
        MnemeError: whatever the flow raises.
    """
    with fresh_index(settings, name) as own:
        with console.status("ingesting"):
            ingest(files, own)
        now = [datetime.min]
        with Memories(open_index(own, read_only=True), open_embedder(own), own, clock=lambda: now[0]) as memories:

            def at(moment: datetime) -> Memories:
                now[0] = moment
                return memories

            yield own, at


def _ends(path: Path) -> dict[str, datetime]:
    """Return the time at which the questions about each owner's messages are asked."""
    ends: dict[str, datetime] = {}
    for event in _lines(path):
        ends[event["user_id"]] = datetime.fromisoformat(event["sent_at"]) + _ASKED_AFTER
    return ends


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
