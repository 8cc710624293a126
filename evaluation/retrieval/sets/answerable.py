"""Small talks in eleven languages, with questions that they answer and others that they do not.

The talks are in evaluation/answerable.json, written for this set.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from evaluation.answers.records import ABSTENTION
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.sets.published import said
from mneme.languages import foreign_language

TALKS = Path(__file__).parents[2] / "answerable.json"
ANSWER = "answer"
_SITTING = 6  # messages
_BETWEEN = timedelta(days=3)
_PACE = timedelta(minutes=4)
_START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)


def load() -> QuestionSet:
    """All talks, each the memory of a user of its own."""
    return of_talks("answerable", "small talks", json.loads(TALKS.read_text(encoding="utf-8")))


def of_talks(name: str, title: str, talks: Sequence[Mapping[str, Any]]) -> QuestionSet:
    """A set of talks, of which each tells who ``says`` what, and what is ``asked`` with the messages that answer (from 1).

    ``sitting`` is the number of messages between two days; 6 where a talk has none.
    """
    events = [event for talk in talks for event in _events(talk)]
    return QuestionSet(name, title, events, [each for talk in talks for each in _questions(talk)])


def in_other_languages() -> QuestionSet:
    """The talks with their questions that are not in English."""
    every = load()
    return replace(every, questions=[each for each in every.questions if foreign_language(each.text)])


def _events(talk: Mapping[str, Any]) -> Iterator[Event]:
    at = _START
    for number, (name, words) in enumerate(talk["says"], start=1):
        at += _PACE if number % talk.get("sitting", _SITTING) else _BETWEEN
        by = {"sender": name.lower(), "sender_name": name, "role": "assistant" if name == "Assistant" else "user"}
        identity, owner = talk["id"], {"user_id": talk["user"]}
        yield from said(identity, identity, owner, f"{identity}-{number}", at.isoformat(), words, **by)


def _questions(talk: Mapping[str, Any]) -> Iterator[Question]:
    asked_at = _START + len(talk["says"]) * _BETWEEN
    for number, (text, answered_by, *_) in enumerate(talk["asked"]):
        evidence = frozenset(f"{talk['id']}-{each}" for each in answered_by)
        category = ANSWER if evidence else ABSTENTION
        owner = {"user_id": talk["user"]}
        yield Question(f"{talk['id']}/{number}", talk["id"], owner, text, category, evidence, asked_at)
