"""The common form of a question set: conversations as events, and questions with the messages that answer them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from mneme.errors import InputError
from mneme.ids import short_hash


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one memory.

    ``owner`` says whose memory it is, as filters of a search do, and ``conversation`` which part of the set it is about:
    questions of one conversation are not independent of each other (evaluation/retrieval/bootstrap.py). ``evidence`` are
    the ids of the messages that answer it. ``asked_at`` is None where the set names no time.
    """

    id: str
    conversation: str
    owner: Mapping[str, str]
    text: str
    category: str
    evidence: frozenset[str]
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Events (mneme/events/), in the order in which they are taken in, and what is asked about them.

    ``left_out`` counts the questions that cannot be measured: their evidence is not labelled, or there is none.
    """

    name: str
    title: str
    events: Sequence[Event]
    questions: Sequence[Question]
    left_out: int = 0

    @property
    def fingerprint(self) -> str:
        """Equal for the same questions with the same evidence: figures on different ones are not to be compared."""
        asked = sorted((each.id, each.text, each.category, sorted(each.evidence)) for each in self.questions)
        return short_hash(json.dumps(asked))

    def write(self, folder: Path) -> Path:
        """The events as JSON Lines, for the flow to read."""
        path = folder / f"{self.name}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in self.events)
        return path


Read = Callable[[Any, Path], tuple[list[Event], list[Question], int]]
"""Parse one file into events, questions, and how many questions are left out. Raises KeyError, TypeError, ValueError or
AttributeError where the parsed JSON is not of the form."""


def load_files(name: str, title: str, paths: Sequence[Path], read: Read) -> QuestionSet:
    """One set from several files, a folder standing for the ``.json`` files in it.

    Raises:
        InputError: a file is not there, or not of the form; or nothing is asked that can be measured.
    """
    events: list[Event] = []
    questions: list[Question] = []
    left_out = 0
    for path in _files(paths):
        try:
            read_events, asked, without = read(json.loads(path.read_text(encoding="utf-8")), path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of a {title} file") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not in the form of {title} ({error!r}); expected is the published JSON") from error
        events += read_events
        questions += asked
        left_out += without
    if not questions:
        given = ", ".join(str(path) for path in paths)
        raise InputError(f"{given}: not in the form of {title}, or no question with evidence; expected is the published JSON")
    if len({each.id for each in questions}) < len(questions):
        raise InputError(f"{title}: the same question comes twice; give each file once")
    return QuestionSet(name, title, tuple(events), tuple(questions), left_out)


def speaker(role: str, user_id: str) -> dict[str, Any]:
    """Return the sender fields of a chat of a user with an assistant."""
    return {"role": role, "sender": user_id if role == "user" else role, "sender_name": role.capitalize()}


def _files(paths: Sequence[Path]) -> list[Path]:
    found = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not found:
        raise InputError(f"{', '.join(map(str, paths))}: no .json file in it; give the files, or their folder")
    return found
