"""Files of the published question sets: each question with its evidence and its gold, and those that a benchmark asks.

A reader takes every question as the set has it. Who measures searches asks those with evidence, who judges answers those with
gold.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event, Given, message
from evaluation.answers.records import Gold
from evaluation.retrieval.question_set import Question, QuestionSet
from mneme.errors import InputError


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a set, and its gold; None where the set has none."""

    question: Question
    gold: Gold | None = None


Part = tuple[Sequence[Event], Sequence[Asked]]
"""Messages and what is asked about them; without a question that is asked the messages are left out too."""

Read = Callable[[Any, Path], Iterable[Part]]
"""Parse one file. Raises KeyError, TypeError, ValueError or AttributeError where the parsed JSON is not of the form."""


def has_evidence(asked: Asked) -> bool:
    """Tell whether a search can be measured by a question."""
    return bool(asked.question.evidence)


def load_files(
    name: str, title: str, paths: Sequence[Path], read: Read, wanted: Callable[[Asked], bool]
) -> tuple[QuestionSet, list[Asked]]:
    """One set from several files, a folder standing for the ``.json`` files in it; and what is asked, with its gold.

    Raises:
        InputError: a file is not there, or not of the form; or nothing is asked that is wanted.
    """
    events: list[Event] = []
    every: list[Asked] = []
    left_out = 0
    for path in _files(paths):
        try:
            for messages, asked in read(json.loads(path.read_text(encoding="utf-8")), path):
                chosen = [each for each in asked if wanted(each)]
                left_out += len(asked) - len(chosen)
                events += messages if chosen else ()
                every += chosen
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of a {title} file") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not in the form of {title} ({error!r}); expected is the published JSON") from error
    if not every:
        given = ", ".join(str(path) for path in paths)
        raise InputError(f"{given}: not in the form of {title}, or nothing to ask in it; expected is the published JSON")
    if len({each.question.id for each in every}) < len(every):
        raise InputError(f"{title}: the same question comes twice; give each file once")
    return QuestionSet(name, title, tuple(events), tuple(each.question for each in every), left_out), every


def said(
    source: object, conversation: str, owner: Event, message_id: object, sent_at: str, content: str, **sender: Any
) -> Iterator[Event]:
    """A message of a set, or none where nothing is said; ``sender`` as ``message`` takes it."""
    return message(
        Given(str(source)),
        conversation_id=conversation,
        owner=owner,
        message_id=message_id,
        sent_at=sent_at,
        content=content,
        **sender,
    )


def speaker(role: str, user_id: str) -> dict[str, Any]:
    """Return the sender fields of a chat of a user with an assistant."""
    return {"role": role, "sender": user_id if role == "user" else role, "sender_name": role.capitalize()}


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    found = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not found:
        raise InputError(f"{', '.join(map(str, paths))}: no .json file in it; give the files, or their folder")
    return iter(found)
