"""LoCoMo: very long conversations between two friends, questions with the turns that answer them.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024; the published
``locomo10.json``. The conversations are read as any export is (connectors/files/exports/chats.py); here is what is asked.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from connectors.files.files import read_file
from evaluation.answers.records import Gold, JudgeKind
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.sets.files import Asked, Part

ADVERSARIAL = "adversarial"
"""Questions that have no answer in the conversation, though evidence is labelled: there is nothing to recall."""
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_OPEN_DOMAIN, _TEMPORAL = 3, 2
_TURN = re.compile(r"D(\d+):(\d+)")


def read(samples: Any, path: Path) -> Iterator[Part]:
    """The conversations of a file, with the questions of all five categories."""
    asked: list[Asked] = []
    for sample in samples:
        name = sample["sample_id"]
        sessions = (value for key, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", key))
        turns = {turn["dia_id"] for session in sessions for turn in session}
        for number, each in enumerate(sample["qa"]):
            evidence, category = clean_evidence(each.get("evidence", ())) & turns, _CATEGORIES[each["category"]]
            question = Question(f"{name}/{number}", name, {"group_id": name}, each["question"], category, evidence)
            asked.append(Asked(question, _gold(each)))
    # Read only now: what is no LoCoMo file at all might be taken for another kind of file.
    yield [json.loads(each.raw) for each in read_file(path)] if asked else [], asked


def _gold(asked: Any) -> Gold | None:
    """As in the published evaluation, of an answer of category 3 what stands before the semicolon counts.

    The rest is its reason. ``adversarial_answer`` is the trap of a question that has no answer.
    """
    category = asked["category"]
    if _CATEGORIES[category] == ADVERSARIAL:
        return Gold(JudgeKind.ABSTENTION, trap=str(asked.get("adversarial_answer", "")))
    if "answer" not in asked:
        return None
    answer = str(asked["answer"])  # some are numbers
    kind = JudgeKind.TEMPORAL if category == _TEMPORAL else JudgeKind.DEFAULT
    return Gold(kind, answer.split(";")[0].strip() if category == _OPEN_DOMAIN else answer)


def clean_evidence(given: Iterable[str]) -> frozenset[str]:
    """The turn ids in an evidence list, which may hold several in one string, or zeros in front.

    >>> sorted(clean_evidence(["D8:6; D9:17", "D21:18 D21:22", "D30:05", "D"]))
    ['D21:18', 'D21:22', 'D30:5', 'D8:6', 'D9:17']
    """
    turns = (turn for text in given for turn in _TURN.findall(text))
    return frozenset(f"D{int(session)}:{int(number)}" for session, number in turns)
