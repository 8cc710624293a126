"""LoCoMo: very long conversations between two friends, questions with the turns that answer them.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024; the published
``locomo10.json``. The conversations are read as any export is (connectors/files/exports/chats.py); here is what is asked.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from connectors.files.files import read_file
from evaluation.retrieval.question_set import Question, QuestionSet, load_files

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""Category 5 is adversarial: its questions have no answer in the conversation, so there is nothing to recall."""

_TURN = re.compile(r"D(\d+):(\d+)")


def load(paths: Sequence[Path]) -> QuestionSet:
    """The questions of categories 1 to 4 whose evidence is in their conversation.

    Raises:
        InputError: a file is not there, is not LoCoMo's, or asks nothing that can be measured.
    """
    return load_files("locomo", "LoCoMo", paths, lambda samples, path: _read(samples, path, CATEGORIES))


def load_all(paths: Sequence[Path]) -> QuestionSet:
    """Every question whose evidence is in its conversation, the adversarial ones too: as ConvMemory counts.

    Source: pth2002/ConvMemory, experiments/support/convmem_locomo_benchmark.py. It reads an evidence id only where it stands
    alone and without zeros in front; here all are read.

    Raises:
        InputError: see ``load``.
    """
    every = {**CATEGORIES, 5: "adversarial"}
    return load_files("locomo-all", "LoCoMo, all questions", paths, lambda samples, path: _read(samples, path, every))


def clean_evidence(given: Iterable[str]) -> frozenset[str]:
    """The turn ids in an evidence list, which may hold several in one string, or zeros in front.

    >>> sorted(clean_evidence(["D8:6; D9:17", "D21:18 D21:22", "D30:05", "D"]))
    ['D21:18', 'D21:22', 'D30:5', 'D8:6', 'D9:17']
    """
    turns = (turn for text in given for turn in _TURN.findall(text))
    return frozenset(f"D{int(session)}:{int(number)}" for session, number in turns)


def _read(samples: Any, path: Path, categories: Mapping[int, str]) -> tuple[list[Event], list[Question], int]:
    questions: list[Question] = []
    left_out = 0
    for sample in samples:
        name = sample["sample_id"]
        sessions = (value for key, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", key))
        turns = {turn["dia_id"] for session in sessions for turn in session}
        for number, asked in enumerate(sample["qa"]):
            evidence = clean_evidence(asked.get("evidence", ())) & turns
            if asked["category"] in categories and evidence:
                category = categories[asked["category"]]
                questions.append(Question(f"{name}/{number}", name, {"group_id": name}, asked["question"], category, evidence))
            else:
                left_out += 1
    # Read only now: what is no LoCoMo file at all might be taken for another kind of file.
    return [json.loads(each.raw) for each in read_file(path)] if questions else [], questions, left_out
