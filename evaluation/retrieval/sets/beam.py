"""BEAM: long chats of a user with an assistant, with questions on ten abilities and the messages that answer them.

Source: Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs", 2025; a file for
each chat, ``{"chat": [{"turns": [[{role, id, content, time_anchor?}]]}], "questions": {ability: [{question,
source_chat_ids}]}}``. Abstention is left out: there is nothing to recall.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message
from evaluation.retrieval.question_set import Question, QuestionSet, load_files, speaker


def load(paths: Sequence[Path]) -> QuestionSet:
    """Every question whose source messages are in its chat.

    Raises:
        InputError: a file is not there, is not BEAM's, or asks nothing that can be measured.
    """
    return load_files("beam", "BEAM", paths, _read)


def chat_events(data: Any, path: Path) -> list[Event]:
    """Return the events of a chat; it is named by its file, and so is its user."""
    chat, owner = path.stem, {"user_id": path.stem}
    events: list[Event] = []
    clock = Clock(None)
    for batch in data["chat"]:
        for turn in batch["turns"]:
            for said in turn:
                # Only the first message of a batch has a day; the others follow it.
                anchor = said.get("time_anchor")
                events += message(
                    Given(str(path)),
                    conversation_id=chat,
                    owner=owner,
                    message_id=said["id"],
                    **speaker(said["role"], chat),
                    sent_at=clock.time(_day(anchor) if anchor else None),
                    content=said["content"],
                )
    return events


def source_ids(asked: Any) -> frozenset[str]:
    """The ids of the messages that a question is made from."""
    return frozenset(_ids(asked.get("source_chat_ids")))


def _read(data: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    chat, owner = path.stem, {"user_id": path.stem}
    events = chat_events(data, path)
    there = {event["message_id"] for event in events}
    questions: list[Question] = []
    left_out = 0
    for ability, asked in data["questions"].items():
        for number, each in enumerate(asked):
            evidence = source_ids(each) & there
            if evidence:
                questions.append(Question(f"{chat}/{ability}/{number}", chat, owner, each["question"], ability, evidence))
            else:
                left_out += 1
    return events, questions, left_out


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
