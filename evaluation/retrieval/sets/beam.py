"""BEAM: long chats of a user with an assistant, with questions on ten abilities and the messages that answer them.

Source: Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs", 2025; a file for
each chat, ``{"chat": [{"turns": [[{role, id, content, time_anchor?}]]}], "questions": {ability: [{question,
source_chat_ids}]}}``. Abstention is left out: there is nothing to recall.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Clock, Event
from evaluation.answers.records import ABSTENTION, Gold, JudgeKind
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.sets.files import Asked, Part, said, speaker

_KINDS = {
    ABSTENTION: JudgeKind.ABSTENTION,
    "temporal_reasoning": JudgeKind.TEMPORAL,
    "knowledge_update": JudgeKind.KNOWLEDGE_UPDATE,
    "preference_following": JudgeKind.PREFERENCE,
}
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")  # by ability, one of them


def read(data: Any, path: Path) -> Iterator[Part]:
    """A chat, which is named by its file, and so is its user."""
    chat, owner = path.stem, {"user_id": path.stem}
    events = list(_events(data, path))
    there = {event["message_id"] for event in events}
    yield (
        events,
        [
            Asked(
                Question(
                    f"{chat}/{ability}/{number}",
                    chat,
                    owner,
                    each["question"],
                    ability,
                    frozenset(_ids(each.get("source_chat_ids"))) & there,
                ),
                _gold(ability, each),
            )
            for ability, asked in data["questions"].items()
            for number, each in enumerate(asked)
        ],
    )


def _events(data: Any, path: Path) -> Iterator[Event]:
    clock, chat = Clock(None), path.stem
    for each in (each for batch in data["chat"] for turn in batch["turns"] for each in turn):
        anchor = each.get("time_anchor")  # only the first message of a batch has a day; the others follow it
        at, sender = clock.time(_day(anchor) if anchor else None), speaker(each["role"], chat)
        yield from said(path, chat, {"user_id": chat}, each["id"], at, each["content"], **sender)


def _gold(ability: str, asked: Any) -> Gold | None:
    """The answer, or the rubric, or that there is none; None without any of them."""
    kind = _KINDS.get(ability, JudgeKind.DEFAULT)
    answer = next((str(asked[name]) for name in _ANSWERS if asked.get(name)), "")
    rubric = () if kind is JudgeKind.ABSTENTION else tuple(str(point) for point in asked.get("rubric") or ())
    return Gold(kind, answer, rubric) if answer or rubric or kind is JudgeKind.ABSTENTION else None


def _day(anchor: str) -> str:
    return datetime.strptime(anchor, "%B-%d-%Y").replace(hour=9, tzinfo=UTC).isoformat()


def _ids(given: Any) -> Iterator[str]:
    """Message ids, which lie in a list, or in lists by the part that they play."""
    match given:
        case int():
            yield str(given)
        case list():
            for each in given:
                yield from _ids(each)
        case dict():
            for each in given.values():
                yield from _ids(each)
