"""LoCoMo's questions: very long conversations between two friends, questions with the turns that answer them.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024; the published
``locomo10.json``. The conversations themselves come in through the flow (connectors/files.py); here is what is asked.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mneme.errors import InputError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""Category 5 is adversarial: its questions have no answer in the conversation, so there is nothing to recall."""

_TURN = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question of one conversation, with the ids of the turns that answer it."""

    sample_id: str
    question: str
    category: str
    evidence: frozenset[str]


def clean_evidence(given: Iterable[str]) -> frozenset[str]:
    """The turn ids in an evidence list, which may hold several in one string, or zeros in front.

    >>> sorted(clean_evidence(["D8:6; D9:17", "D21:18 D21:22", "D30:05", "D"]))
    ['D21:18', 'D21:22', 'D30:5', 'D8:6', 'D9:17']
    """
    turns = (turn for text in given for turn in _TURN.findall(text))
    return frozenset(f"D{int(session)}:{int(number)}" for session, number in turns)


def load_questions(path: Path) -> list[LocomoQuestion]:
    """The questions of categories 1 to 4 whose evidence is in their conversation.

    Raises:
        InputError: the file is not there, is not in LoCoMo's format, or asks nothing that can be measured.
    """
    try:
        samples = json.loads(path.read_text(encoding="utf-8"))
        questions = [question for sample in samples for question in _questions(sample)]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give the path of a LoCoMo file") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not in LoCoMo's format ({error!r}); expected is the form of locomo10.json") from error
    if not questions:
        raise InputError(f"{path}: not in LoCoMo's format, or no question with evidence; expected is the form of locomo10.json")
    return questions


def _questions(sample: dict[str, Any]) -> list[LocomoQuestion]:
    sessions = (value for name, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", name))
    turns = {turn["dia_id"] for session in sessions for turn in session}
    questions = []
    for asked in sample["qa"]:
        evidence = clean_evidence(asked.get("evidence", ())) & turns
        if asked["category"] in CATEGORIES and evidence:
            questions.append(LocomoQuestion(sample["sample_id"], asked["question"], CATEGORIES[asked["category"]], evidence))
    return questions
