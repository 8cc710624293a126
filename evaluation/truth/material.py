"""The chats, changes and questions that are shipped to measure with.

- ``chats/*.jsonl``: ten talks of 60 messages each, over months, and ten short ones whose wrong messages repeat the words of the
  questions (``echo``), in the event format (mneme/events/).
- ``changes.messages.jsonl``: short talks, one for each change, each with an owner of its own; ``changes.jsonl``: what
  changes in them, and what is asked about it.
- ``questions.jsonl``: questions about the chats, with the messages that answer them; 33 have no answer.

A statement of them stands at a place of a search response by its message and its words.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evaluation.metrics import ranked_results
from evaluation.retrieval.question_set import Question, QuestionSet
from mneme.records import AtomicFact
from queries.responses import FoundEpisode, SearchResponse

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


# --- where a statement stands ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """One place: the messages that it tells of, and its text. An episode tells of the best of what is nested in it."""

    messages: tuple[str, ...]
    text: str


def places_of(response: SearchResponse) -> list[Place]:
    """The places of a response in order of rank."""
    found = response.ranked()
    results = ranked_results(response, len)
    return [
        Place(result.messages[:1] if isinstance(one, FoundEpisode) else result.messages, one.text)
        for one, result in zip(found, results, strict=True)
    ]


def place_of(statement: Statement, places: Sequence[Place]) -> int | None:
    """The first place, from 1, that stands for a statement, or None.

    Where places of its message have its words, the others of this message are other sentences, and do not count.
    """
    of_message = [(at, place) for at, place in enumerate(places, start=1) if statement.message_id in place.messages]
    with_words = [(at, place) for at, place in of_message if has_words(place.text, statement.says)]
    return min((at for at, _ in with_words or of_message), default=None)


def stands_before(first: Statement, other: Statement, places: Sequence[Place]) -> bool:
    """Return whether a statement is found, and before another one; a place that stands for both is none before the other."""
    at, after = place_of(first, places), place_of(other, places)
    return at is not None and (after is None or at < after)


def has_words(text: str, words: str) -> bool:
    """Return whether a text has these words, however they are written."""
    return words.casefold() in text.casefold()


def is_ended(fact: AtomicFact) -> bool:
    """Return whether a fact, or any of its claims, is marked as no longer so."""
    return fact.validity.valid_to is not None or any(claim.valid_to is not None for claim in fact.claims)


def marked_ended(statement: Statement, facts: Sequence[AtomicFact]) -> bool:
    """Return whether the facts that make a statement, or one of their claims, are marked as no longer so."""
    return any(is_ended(fact) for fact in facts_of(statement, facts))


def disturbed(statement: Statement, facts: Sequence[AtomicFact]) -> bool:
    """Return whether what still holds is marked as ended: its whole fact, or the claim that has its words."""
    return any(
        fact.validity.valid_to is not None
        or any(claim.valid_to is not None and has_words(claim.value, statement.says) for claim in fact.claims)
        for fact in facts_of(statement, facts)
    )


def facts_of(statement: Statement, facts: Sequence[AtomicFact]) -> list[AtomicFact]:
    """The facts of a statement's message: those that have its words, or all where none has."""
    of_message = [fact for fact in facts if fact.message_ids[:1] == (statement.message_id,)]
    return [fact for fact in of_message if has_words(fact.atomic_fact, statement.says)] or of_message
