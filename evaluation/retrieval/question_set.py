"""The common form of a question set: conversations as events, and questions with the messages that answer them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from connectors.files.chat_events import Event
from mneme.ids import short_hash


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one memory.

    ``owner`` says whose memory it is, as filters of a search do, and ``conversation`` which part of the set it is about:
    questions of one conversation are not independent of each other (evaluation/metrics.py). ``evidence`` are
    the ids of the messages that answer it. ``asked_at`` is None where the set names no time.
    """

    id: str
    conversation: str
    owner: Mapping[str, str]
    text: str
    category: str
    evidence: frozenset[str]
    asked_at: datetime | None = None

    @property
    def filters(self) -> dict[str, Any]:
        """Those of a search for it: what was expected then may lie behind."""
        return {**self.owner, "expired": True}


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

    def with_only(self, questions: Sequence[Question]) -> Self:
        """Some of the questions, with the events of their owners alone."""
        owners = {owner_name(each.owner) for each in questions}
        events = tuple(event for event in self.events if owner_name(event) in owners)
        return replace(self, events=events, questions=tuple(questions))


def owner_name(fields: Mapping[str, str]) -> str:
    """Name the owner of an event or a question."""
    return fields.get("group_id") or fields.get("user_id") or fields["agent_id"]
