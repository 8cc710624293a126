"""The question sets with their gold. Sources: see evaluation/retrieval/sets/.

- LoCoMo: all five categories. As in the published evaluation, of an answer of category 3 what stands before the semicolon
  counts (the rest is the reason), and a question of category 5 is answered rightly by whoever says that there is no answer; its
  ``adversarial_answer`` is the trap.
- LongMemEval: each type of question by its own rules, and abstention (``question_id`` ends with ``_abs``; the answer says why
  there is none). Of a preference the set's answer describes what a good answer respects: it is its rubric.
- BEAM: ten abilities, each question with a rubric. Its own score of an answer is the mean over the points of the rubric; here
  an answer is right or wrong, by all of them (of a preference: by most).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from connectors.files.chat_events import Event
from connectors.files.files import read_file
from evaluation.answers.records import ABSTENTION, Gold, GoldSet, JudgeKind
from evaluation.retrieval.question_set import Question, load_files
from evaluation.retrieval.sets.beam import chat_events, source_ids
from evaluation.retrieval.sets.locomo import CATEGORIES, clean_evidence
from evaluation.retrieval.sets.longmemeval import moment, read_history

_BEAM_KINDS = {
    ABSTENTION: JudgeKind.ABSTENTION,
    "temporal_reasoning": JudgeKind.TEMPORAL,
    "knowledge_update": JudgeKind.KNOWLEDGE_UPDATE,
    "preference_following": JudgeKind.PREFERENCE,
}
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")  # by ability, one of them


def load_beam(paths: Sequence[Path]) -> GoldSet:
    """Every question with a gold answer or a rubric.

    Raises:
        InputError: a file is not there, is not BEAM's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("beam", "BEAM", paths, partial(_read_beam, gold)), gold)


def _read_beam(gold: dict[str, Gold], data: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    chat = path.stem
    events = chat_events(data, path)
    there = {event["message_id"] for event in events}
    questions: list[Question] = []
    left_out = 0
    for ability, asked in data["questions"].items():
        for number, each in enumerate(asked):
            known = _gold_of_beam(ability, each)
            if not (known.answer or known.rubric or known.kind is JudgeKind.ABSTENTION):
                left_out += 1
                continue
            identity = f"{chat}/{ability}/{number}"
            evidence = frozenset() if known.kind is JudgeKind.ABSTENTION else source_ids(each) & there
            questions.append(Question(identity, chat, {"user_id": chat}, each["question"], ability, evidence))
            gold[identity] = known
    return events, questions, left_out


def _gold_of_beam(ability: str, asked: Any) -> Gold:
    kind = _BEAM_KINDS.get(ability, JudgeKind.DEFAULT)
    answer = next((str(asked[name]) for name in _ANSWERS if asked.get(name)), "")
    rubric = () if kind is JudgeKind.ABSTENTION else tuple(str(point) for point in asked.get("rubric") or ())
    return Gold(kind, answer, rubric)


_ADVERSARIAL, _OPEN_DOMAIN, _TEMPORAL = 5, 3, 2


def load_locomo(paths: Sequence[Path]) -> GoldSet:
    """Every question that has an answer or is adversarial.

    Raises:
        InputError: a file is not there, is not LoCoMo's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("locomo", "LoCoMo", paths, partial(_read_locomo, gold)), gold)


def _read_locomo(gold: dict[str, Gold], samples: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    questions: list[Question] = []
    left_out = 0
    for sample in samples:
        name = sample["sample_id"]
        for number, asked in enumerate(sample["qa"]):
            known = _gold_of_locomo(asked)
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


def _gold_of_locomo(asked: Any) -> Gold | None:
    category = asked["category"]
    if category == _ADVERSARIAL:
        return Gold(JudgeKind.ABSTENTION, trap=str(asked.get("adversarial_answer", "")))
    if category not in CATEGORIES or "answer" not in asked:
        return None
    answer = str(asked["answer"])  # some are numbers
    kind = JudgeKind.TEMPORAL if category == _TEMPORAL else JudgeKind.DEFAULT
    return Gold(kind, answer.split(";")[0].strip() if category == _OPEN_DOMAIN else answer)


_LONGMEMEVAL_KINDS = {
    "temporal-reasoning": JudgeKind.TEMPORAL,
    "knowledge-update": JudgeKind.KNOWLEDGE_UPDATE,
    "single-session-preference": JudgeKind.PREFERENCE,
}


def load_longmemeval(paths: Sequence[Path]) -> GoldSet:
    """Every question; each has a memory of its own, and a session is a conversation in it.

    Raises:
        InputError: a file is not there, is not LongMemEval's, or asks nothing.
    """
    gold: dict[str, Gold] = {}
    return GoldSet(load_files("longmemeval", "LongMemEval", paths, partial(_read_longmemeval, gold)), gold)


def _read_longmemeval(gold: dict[str, Gold], instances: Any, path: Path) -> tuple[list[Event], list[Question], int]:
    events: list[Event] = []
    questions: list[Question] = []
    for instance in instances:
        name, known = instance["question_id"], _gold_of_longmemeval(instance)
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


def _gold_of_longmemeval(instance: Any) -> Gold:
    answer = str(instance["answer"])  # some are numbers
    if instance["question_id"].endswith("_abs"):
        return Gold(JudgeKind.ABSTENTION, answer)
    kind = _LONGMEMEVAL_KINDS.get(instance["question_type"], JudgeKind.DEFAULT)
    return Gold(kind, rubric=(answer,)) if kind is JudgeKind.PREFERENCE else Gold(kind, answer)


LOADERS: Mapping[str, Callable[[Sequence[Path]], GoldSet]] = {
    "locomo": load_locomo,
    "longmemeval": load_longmemeval,
    "beam": load_beam,
}
"""By the name of their command."""
