"""BEAM with its gold: ten abilities, each question with a rubric of what a right answer says.

Source: see evaluation/retrieval/sets/beam.py. Its own score of an answer is the mean over the points of the rubric; here an
answer is right or wrong, by all of them (of a preference: by most).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from evaluation.answers.gold import ABSTENTION, Gold, GoldSet, JudgeKind
from evaluation.retrieval.question_set import Question, load_files
from evaluation.retrieval.sets.beam import chat_events, source_ids

_KINDS = {
    ABSTENTION: JudgeKind.ABSTENTION,
    "temporal_reasoning": JudgeKind.TEMPORAL,
    "knowledge_update": JudgeKind.KNOWLEDGE_UPDATE,
    "preference_following": JudgeKind.PREFERENCE,
}
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")  # by ability, one of them


def load(paths: Sequence[Path]) -> GoldSet:
    """Every question with a gold answer or a rubric.

    Raises:
        InputError: a file is not there, is not BEAM's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("beam", "BEAM", paths, partial(_read, gold)), gold)


def _read(gold: dict[str, Gold], data: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    chat = path.stem
    events = chat_events(data, path)
    there = {event["message_id"] for event in events}
    questions: list[Question] = []
    left_out = 0
    for ability, asked in data["questions"].items():
        for number, each in enumerate(asked):
            known = _gold(ability, each)
            if not (known.answer or known.rubric or known.kind is JudgeKind.ABSTENTION):
                left_out += 1
                continue
            identity = f"{chat}/{ability}/{number}"
            evidence = frozenset() if known.kind is JudgeKind.ABSTENTION else source_ids(each) & there
            questions.append(Question(identity, chat, {"user_id": chat}, each["question"], ability, evidence))
            gold[identity] = known
    return events, questions, left_out


def _gold(ability: str, asked: Any) -> Gold:
    kind = _KINDS.get(ability, JudgeKind.DEFAULT)
    answer = next((str(asked[name]) for name in _ANSWERS if asked.get(name)), "")
    rubric = () if kind is JudgeKind.ABSTENTION else tuple(str(point) for point in asked.get("rubric") or ())
    return Gold(kind, answer, rubric)
