"""Changes: made-up talks in which something becomes otherwise, in everyday words of six languages, and what is so at the end.

Of each talk some statements are replaced by a later one ("We're renting a flat in Leith", "First night in Dundee!"), others
last while something beside them is said later ("Our cat is called Biscuit", "The cat brought a live mouse"): the question for
the first wants the later statement before the earlier, that for the second the earlier. Half of the talks are to fit on, half
to judge by. The talks are in evaluation/changes.json, written by hand for this set.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from connectors.files.chat_events import Event
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.sets.published import said, speaker

Half = Literal["fit", "judge"]

TALKS = Path(__file__).parents[2] / "changes.json"
CHANGE, LASTING = "change", "lasting"
_SITTINGS = 6  # the first half of them tell how it was, the second how it is
_BETWEEN = timedelta(days=19)
_PACE = timedelta(seconds=40)
_START = datetime(2026, 1, 12, 17, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Change:
    """A question of the set: ``evidence`` is the message that answers it, ``beside`` the other statement about the same."""

    question: Question
    evidence: str
    beside: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and whether it tells of a change. ``group``: what was written together, and is fitted on together."""

    text: str
    is_change: bool
    group: str


def load(half: Half) -> QuestionSet:
    """The talks of one half, each a user's or a group's memory of its own."""
    events = [event for talk in _talks(half) for event in _events(talk)[0]]
    return QuestionSet("changes", f"changes ({half})", events, [each.question for each in changes(half)])


def changes(half: Half) -> list[Change]:
    """The questions of one half, with both statements that each is about."""
    return [change for talk in _talks(half) for change in _events(talk)[1]]


def statements(half: Half) -> list[Statement]:
    """The statements of the talks of one half, as the speaker says them, and which of them tell of a change."""
    found = []
    for talk in _whole_talks(half):
        for kind, told in ((CHANGE, talk["changes"]), (LASTING, talk["lasting"])):
            for who, earlier, later, _ in told:
                found += [Statement(f"{who}: {later}", kind == CHANGE, talk["id"])]
                found += [Statement(f"{who}: {earlier}", False, talk["id"])]
        found += [Statement(text, False, talk["id"]) for text in talk["chat"]]
    return found


def _whole_talks(half: Half) -> list[dict[str, Any]]:
    return [talk for talk in json.loads(TALKS.read_text(encoding="utf-8")) if talk["half"] == half]


def _talks(half: Half) -> Iterator[dict[str, Any]]:
    """The talks of one half, and a short one for each change: a memory may hold much beside it, or hardly anything."""
    for talk in _whole_talks(half):
        yield talk
        for part in range(parts := len(talk["changes"])):
            few = {key: talk[key][part::parts] for key in ("changes", "lasting", "chat")}
            yield {**talk, "id": f"{talk['id']}-{part}", **few, "sittings": 2}


def _events(talk: dict[str, Any]) -> tuple[list[Event], list[Change]]:
    """Return the events of a talk, in sittings days apart, and the questions after the last."""
    name, people = talk["id"], talk["people"]
    chance = random.Random(name)
    owner = {"user_id": name} if people == ["User", "Assistant"] else {"group_id": name}
    statements = [(CHANGE, *each) for each in talk["changes"]] + [(LASTING, *each) for each in talk["lasting"]]
    parts = talk.get("sittings", _SITTINGS)
    sittings: list[list[tuple[str, str, int | None]]] = [[] for _ in range(parts)]  # who, what, for which question
    for number, (_, who, earlier, later, _) in enumerate(statements):
        sittings[chance.randrange(parts // 2)].append((who, earlier, 2 * number))
        sittings[chance.randrange(parts // 2, parts)].append((who, later, 2 * number + 1))
    for number, text in enumerate(talk["chat"]):
        sittings[number % parts].append((people[0] if owner.keys() == {"user_id"} else chance.choice(people), text, None))
    events: list[Event] = []
    ids: dict[int, str] = {}
    for day, sitting in enumerate(sittings):
        chance.shuffle(sitting)
        moment = _START + day * _BETWEEN
        for who, text, statement in sitting:
            if statement is not None:
                ids[statement] = f"m{len(events)}"
            other = people[1 - people.index(who)]
            for sender, words in ((who, text), (other, chance.choice(talk["replies"]))):
                events += _message(name, owner, sender, words, f"m{len(events)}", moment)
                moment += _PACE
    asked_at = _START + parts * _BETWEEN
    asked = []
    for number, (kind, _, _, _, text) in enumerate(statements):
        earlier, later = ids[2 * number], ids[2 * number + 1]
        answer, beside = (later, earlier) if kind == CHANGE else (earlier, later)
        question = Question(f"{name}/{number}", name, owner, text, kind, frozenset((answer,)), asked_at)
        asked.append(Change(question, answer, beside))
    return events, asked


def _message(talk: str, owner: dict[str, str], sender: str, text: str, identity: str, at: datetime) -> Iterator[Event]:
    by = speaker(sender.lower(), talk) if "user_id" in owner else {"sender": sender.lower(), "sender_name": sender}
    yield from said(talk, talk, owner, identity, at.isoformat(), text, **by)
