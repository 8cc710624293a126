"""The chats, changes and questions that are shipped to measure with.

- ``chats/*.jsonl``: ten talks of 60 messages each, over months, and ten short ones whose wrong messages repeat the words of the
  questions (``echo``), in the event format (mneme/events/).
- ``changes.messages.jsonl``: short talks, one for each change, each with an owner of its own; ``changes.jsonl``: what
  changes in them, and what is asked about it.
- ``questions.jsonl``: questions about the chats, with the messages that answer them; 33 have no answer.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evaluation.retrieval.question_set import Question, QuestionSet

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

    The question's category says whose it is: ``everyday``, ``assistant`` (in the middle of a request), ``languages``.
    ``must_end``: the old statement ought to be marked as ended.
    """

    question: Question
    language: str
    old: Statement
    new: Statement
    must_end: bool
    undisturbed: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """A question about a chat; any message of its evidence answers it, and so does an answer with words of ``accept``.

    Without evidence there is no answer, and to abstain is right.
    """

    question: Question
    accept: tuple[str, ...]


def chats() -> list[Path]:
    """The files of the chats."""
    return sorted((_FOLDER / "chats").glob("*.jsonl"))


def told(name: str, files: Sequence[Path]) -> QuestionSet:
    """The messages of files, of which a benchmark asks questions of its own."""
    return QuestionSet(name, name, [event for file in files for event in _lines(file)], ())


def changes() -> list[Change]:
    """Every change, asked a day after the last message of its talk."""
    ends = _ends([CHANGE_MESSAGES])
    return [
        Change(
            question=_question(line, line["group"], ends),
            language=line["language"],
            old=Statement(line["old"], line["old_says"]),
            new=Statement(line["new"], line["new_says"]),
            must_end=line["must_end"],
            undisturbed=tuple(Kept(one["question"], Statement(one["evidence"], one["says"])) for one in line["undisturbed"]),
        )
        for line in _lines(_FOLDER / "changes.jsonl")
    ]


def questions() -> list[ChatQuestion]:
    """Every question, asked a day after the last message of its chat."""
    ends = _ends(chats())
    lines = _lines(_FOLDER / "questions.jsonl")
    return [ChatQuestion(_question(line, line["chat"], ends), tuple(line["accept"])) for line in lines]


def _question(line: Mapping[str, Any], category: str, ends: Mapping[str, datetime]) -> Question:
    user, evidence = line["user_id"], frozenset(line.get("evidence", ()))
    return Question(line["id"], user, {"user_id": user}, line["question"], category, evidence, ends[user])


def _ends(files: Sequence[Path]) -> dict[str, datetime]:
    """Return the time at which the questions about each owner's messages are asked."""
    events = (event for file in files for event in _lines(file))
    return {event["user_id"]: datetime.fromisoformat(event["sent_at"]) + _ASKED_AFTER for event in events}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
