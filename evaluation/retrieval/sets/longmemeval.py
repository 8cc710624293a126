"""LongMemEval: a history of sessions with an assistant for each question, the turns with the answer labelled.

Source: Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory", ICLR 2025; the published
``longmemeval_s.json``, ``_m`` or ``_oracle``: ``[{question_id, question_type, question, question_date, haystack_dates,
haystack_sessions: [[{role, content, has_answer?}]], answer_session_ids}]``. As in the published evaluation, abstention
(``question_id`` ends with ``_abs``) is left out, and so is a question without a labelled turn.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message
from evaluation.retrieval.question_set import Question, QuestionSet, load_files, speaker


def load(paths: Sequence[Path]) -> QuestionSet:
    """Every question with a labelled turn; each has a memory of its own, and a session is a conversation in it.

    Raises:
        InputError: a file is not there, is not LongMemEval's, or asks nothing that can be measured.
    """
    return load_files("longmemeval", "LongMemEval", paths, _read)


def read_history(instance: Any, path: Path) -> tuple[list[Event], frozenset[str]]:
    """The history of one question, and the messages in it that are labelled as having the answer."""
    name, owner = instance["question_id"], {"user_id": instance["question_id"]}
    evidence = set()
    history: list[Event] = []
    sessions = zip(instance["haystack_dates"], instance["haystack_sessions"], strict=True)
    for number, (date, session) in enumerate(sessions):
        clock = Clock(moment(date).isoformat())
        for place, turn in enumerate(session):
            message_id = f"S{number}:{place}"  # ids of sessions may come twice in one history
            history += message(
                Given(str(path)),
                conversation_id=f"{name}/S{number}",
                owner=owner,
                message_id=message_id,
                **speaker(turn["role"], name),
                sent_at=clock.time(None),
                content=turn["content"],
            )
            if turn.get("has_answer"):
                evidence.add(message_id)
    return history, frozenset(evidence & {event["message_id"] for event in history})


def _read(instances: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    events: list[Event] = []
    questions: list[Question] = []
    left_out = 0
    for instance in instances:
        name, owner = instance["question_id"], {"user_id": instance["question_id"]}
        history, evidence = read_history(instance, path)
        if name.endswith("_abs") or not evidence:
            left_out += 1
            continue
        events += history
        asked_at = moment(instance["question_date"])
        questions.append(Question(name, name, owner, instance["question"], instance["question_type"], evidence, asked_at))
    return events, questions, left_out


def moment(text: str) -> datetime:
    """``2023/05/20 (Sat) 02:21``."""
    return datetime.strptime(re.sub(r"\s*\(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
