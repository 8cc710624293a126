"""LongMemEval: a history of sessions with an assistant for each question, the turns with the answer labelled.

Source: Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory", ICLR 2025; the published
``longmemeval_s.json``, ``_m`` or ``_oracle``: ``[{question_id, question_type, question, question_date, haystack_dates,
haystack_sessions: [[{role, content, has_answer?}]], answer_session_ids}]``. As in the published evaluation, abstention
(``question_id`` ends with ``_abs``) is left out, and so is a question without a labelled turn.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Clock, Event
from evaluation.answers.records import Gold, JudgeKind
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.sets.files import Asked, Part, said, speaker

_KINDS = {
    "temporal-reasoning": JudgeKind.TEMPORAL,
    "knowledge-update": JudgeKind.KNOWLEDGE_UPDATE,
    "single-session-preference": JudgeKind.PREFERENCE,
}


def read(instances: Any, path: Path) -> Iterator[Part]:
    """The history of each question, and the messages in it that are labelled as having the answer."""
    for instance in instances:
        name, evidence = instance["question_id"], set()
        history: list[Event] = []
        sessions = zip(instance["haystack_dates"], instance["haystack_sessions"], strict=True)
        for number, (date, session) in enumerate(sessions):
            clock = Clock(_moment(date).isoformat())
            for place, turn in enumerate(session):
                message_id = f"S{number}:{place}"  # ids of sessions may come twice in one history
                conversation, at, sender = f"{name}/S{number}", clock.time(None), speaker(turn["role"], name)
                history += said(path, conversation, {"user_id": name}, message_id, at, turn["content"], **sender)
                if turn.get("has_answer"):
                    evidence.add(message_id)
        asked_at, there = _moment(instance["question_date"]), {event["message_id"] for event in history}
        kind, known = instance["question_type"], frozenset(evidence & there)
        question = Question(name, name, {"user_id": name}, instance["question"], kind, known, asked_at)
        yield history, [Asked(question, _gold(instance))]


def _gold(instance: Any) -> Gold:
    """Of a preference the answer describes what a good answer respects: it is a rubric; of abstention why there is none."""
    answer = str(instance.get("answer", ""))  # some are numbers
    if instance["question_id"].endswith("_abs"):
        return Gold(JudgeKind.ABSTENTION, answer)
    kind = _KINDS.get(instance["question_type"], JudgeKind.DEFAULT)
    return Gold(kind, rubric=(answer,)) if kind is JudgeKind.PREFERENCE else Gold(kind, answer)


def _moment(text: str) -> datetime:
    """``2023/05/20 (Sat) 02:21``."""
    return datetime.strptime(re.sub(r"\s*\(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
