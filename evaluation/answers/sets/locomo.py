"""LoCoMo with its gold: all five categories, of which the fifth has no answer in the conversation.

Source: see evaluation/retrieval/sets/locomo.py. As in the published evaluation, of an answer of category 3 what stands before
the semicolon counts (the rest is the reason), and a question of category 5 is answered rightly by who says that there is no
answer; what others fall for is its ``adversarial_answer``.
"""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from connectors.files.files import read_file
from evaluation.answers.gold import ABSTENTION, Gold, GoldSet, JudgeKind
from evaluation.retrieval.question_set import Question, load_files
from evaluation.retrieval.sets.locomo import CATEGORIES, clean_evidence

_ADVERSARIAL, _OPEN_DOMAIN, _TEMPORAL = 5, 3, 2


def load(paths: Sequence[Path]) -> GoldSet:
    """Every question that has an answer or is adversarial.

    Raises:
        InputError: a file is not there, is not LoCoMo's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("locomo", "LoCoMo", paths, partial(_read, gold)), gold)


def _read(gold: dict[str, Gold], samples: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    questions: list[Question] = []
    left_out = 0
    for sample in samples:
        name = sample["sample_id"]
        for number, asked in enumerate(sample["qa"]):
            known = _gold(asked)
            if known is None:
                left_out += 1
                continue
            identity = f"{name}/{number}"
            category = CATEGORIES.get(asked["category"], ABSTENTION)
            evidence = frozenset() if category == ABSTENTION else clean_evidence(asked.get("evidence", ()))
            questions.append(Question(identity, name, {"group_id": name}, asked["question"], category, evidence))
            gold[identity] = known
    # Read only now: what is no LoCoMo file at all might be taken for another kind of file.
    return [json.loads(each.raw) for each in read_file(path)] if questions else [], questions, left_out


def _gold(asked: Any) -> Gold | None:
    category = asked["category"]
    if category == _ADVERSARIAL:
        return Gold(JudgeKind.ABSTENTION, trap=str(asked.get("adversarial_answer", "")))
    if category not in CATEGORIES or "answer" not in asked:
        return None
    answer = str(asked["answer"])  # some are numbers
    kind = JudgeKind.TEMPORAL if category == _TEMPORAL else JudgeKind.DEFAULT
    return Gold(kind, answer.split(";")[0].strip() if category == _OPEN_DOMAIN else answer)
