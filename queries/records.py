"""The records of rows, parsed once for as long as the index gives the same row, and their texts.

An index keeps the rows that it decoded. A row that was written again is another one, and its record is parsed anew.
"""

import re
from datetime import datetime
from functools import cache
from typing import Any

from pydantic import BaseModel

from connectors.aging_cache import Derived
from mneme.records import AgentCase, AgentSkill, AnyRecord, AtomicFact, Episode, Foresight, Profile, StoredMessage
from mneme.rows import Row
from queries.responses import Found, FoundCase, FoundEpisode, FoundFact, FoundForesight, FoundMessage, FoundProfile, FoundSkill

_QUESTIONS = re.compile(r"(?:[^.!?。！？\n]*+[.!?。！？]++(?<=[?？])\s*+)+")
LONGEST = 2000  # characters: some 500 tokens, which is what cross-encoders read


def words_of(row: Row) -> str:
    """The words that a statement tells: of a quote those that were said, without what is put around them."""
    body = row.body
    words = (body.get("quote") or {}).get("words") or body.get("atomic_fact") or body.get("text") or body.get("statement")
    return str(words or "")


def only_asks(text: str) -> bool:
    """True if a text has no sentence but questions.

    >>> only_asks("How was it? Cold?"), only_asks("It was cold. Was it?")
    (True, False)
    """
    return _QUESTIONS.fullmatch(text) is not None


record_of = Derived(Row.record)
"""The record that a row stores, some 3 KB. May be called from several threads."""


def shared_fields(response: type[BaseModel], record: BaseModel) -> dict[str, Any]:
    """The fields of a record, and of its validity, that a response has under the same names."""
    parts: tuple[BaseModel, ...] = (record, validity) if (validity := getattr(record, "validity", None)) else (record,)
    return {name: getattr(part, name) for part in parts for name in _shared_names(response, type(part))}


@cache
def _shared_names(response: type[BaseModel], record: type[BaseModel]) -> tuple[str, ...]:
    return tuple(name for name in record.model_fields if name in response.model_fields)


def passage(memory: AnyRecord | Found) -> str:
    """One line of a record, or of what was found: the day, the text, and for what no longer holds since when.

    >>> passage(fact)  # doctest: +SKIP
    '2026-03-02: Jonas works at the shipyard (until 2026-04-11)'
    """
    match memory:
        case AtomicFact() | FoundFact():
            text = f"{_day(memory.said_at)}: {memory.atomic_fact}{_ended(memory)}"
        case Foresight() | FoundForesight():
            expected = f" (expected {_day(memory.start)})" if memory.start else ""
            text = f"{_day(memory.said_at)}: {memory.statement}{expected}{_ended(memory)}"
        case StoredMessage() | FoundMessage():
            text = f"{_day(memory.sent_at)}: {memory.sender_name}: {memory.text}"
        case Episode() | FoundEpisode():
            text = f"{_day(memory.started_at)}: {memory.subject}: {memory.episode}"
        case Profile() | FoundProfile():
            text = "; ".join(f"{item.about}: {item.statement}" for item in (*memory.explicit, *memory.implicit))
        case AgentCase():
            text = f"{_day(memory.at)}: {memory.task_intent}: {memory.key_insight or memory.approach}"
        case AgentSkill():
            text = f"{memory.name}: {memory.description}: {memory.content}"
        case FoundCase() | FoundSkill():
            text = memory.text
        case _:
            raise AssertionError(f"{memory.id} is a {memory.kind}, which holds no place")
    return one_line(text, LONGEST)


def one_line(text: str, longest: int) -> str:
    """A text as one line, whatever line breaks it holds, so that it cannot look like two; its beginning, if it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _ended(statement: AtomicFact | Foresight | FoundFact | FoundForesight) -> str:
    valid_to = statement.validity.valid_to if isinstance(statement, AtomicFact | Foresight) else statement.valid_to
    return f" (until {_day(valid_to)})" if valid_to else ""
