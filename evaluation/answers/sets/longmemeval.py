"""LongMemEval with its gold: each type of question by its own rules, and abstention.

Source: see evaluation/retrieval/sets/longmemeval.py. Of a preference the set's answer describes what a good answer respects:
it is its rubric. Where a ``question_id`` ends with ``_abs`` it says why there is no answer.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from evaluation.answers.gold import ABSTENTION, Gold, GoldSet, JudgeKind
from evaluation.retrieval.question_set import Question, load_files
from evaluation.retrieval.sets.longmemeval import moment, read_history

_KINDS = {
    "temporal-reasoning": JudgeKind.TEMPORAL,
    "knowledge-update": JudgeKind.KNOWLEDGE_UPDATE,
    "single-session-preference": JudgeKind.PREFERENCE,
}


def load(paths: Sequence[Path]) -> GoldSet:
    """Every question; each has a memory of its own, and a session is a conversation in it.

    Raises:
        InputError: a file is not there, is not LongMemEval's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("longmemeval", "LongMemEval", paths, partial(_read, gold)), gold)


def _read(gold: dict[str, Gold], instances: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    events: list[Event] = []
    questions: list[Question] = []
    for instance in instances:
        name, known = instance["question_id"], _gold(instance)
        history, evidence = read_history(instance, path)
        events += history
        abstains = known.kind is JudgeKind.ABSTENTION
        questions.append(
            Question(
                name,
                name,
                {"user_id": name},
                instance["question"],
                ABSTENTION if abstains else instance["question_type"],
                frozenset() if abstains else evidence,
                moment(instance["question_date"]),
            )
        )
        gold[name] = known
    return events, questions, 0


def _gold(instance: Any) -> Gold:
    answer = str(instance["answer"])  # some are numbers
    if instance["question_id"].endswith("_abs"):
        return Gold(JudgeKind.ABSTENTION, answer)
    kind = _KINDS.get(instance["question_type"], JudgeKind.DEFAULT)
    return Gold(kind, rubric=(answer,)) if kind is JudgeKind.PREFERENCE else Gold(kind, answer)
