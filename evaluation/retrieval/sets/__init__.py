"""The published question sets, by the name of their command: with their evidence to search for, or with their gold to judge by.

A question without an answer is answered rightly by whoever says so. BEAM's own score of an answer is the mean over the points
of its rubric; here an answer is right or wrong, by all of them (of a preference: by most).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluation.answers.records import ABSTENTION, GoldSet, JudgeKind
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets.published import (
    Asked,
    Read,
    has_evidence,
    load_files,
    read_beam,
    read_locomo,
    read_longmemeval,
    read_memdaily,
)


def _has_answer(asked: Asked) -> bool:
    """Tell whether there is something to recall: of a question that wants an abstention there is nothing."""
    return has_evidence(asked) and (asked.gold is None or asked.gold.kind is not JudgeKind.ABSTENTION)


def _searched(
    name: str, title: str, read: Read, paths: Sequence[Path], wanted: Callable[[Asked], bool] = _has_answer
) -> QuestionSet:
    """Every question whose evidence is in its conversation.

    Raises:
        InputError: a file is not there, is not of the set, or asks nothing that can be measured.
    """
    return load_files(name, title, paths, read, wanted)[0]


def _judged(name: str, title: str, read: Read, paths: Sequence[Path]) -> GoldSet:
    """Every question with gold.

    Raises:
        InputError: a file is not there, is not of the set, or asks nothing.
    """
    questions, every = load_files(name, title, paths, read, lambda asked: asked.gold is not None)
    gold = {each.question.id: each.gold for each in every if each.gold is not None}
    asked = tuple(
        replace(each, category=ABSTENTION, evidence=frozenset()) if gold[each.id].kind is JudgeKind.ABSTENTION else each
        for each in questions.questions
    )
    return GoldSet(replace(questions, questions=asked), gold)


LOADERS: Mapping[str, Callable[[Sequence[Path]], QuestionSet]] = {
    "locomo": partial(_searched, "locomo", "LoCoMo", read_locomo),
    # The adversarial questions too: as ConvMemory counts (pth2002/ConvMemory, experiments/support/convmem_locomo_benchmark.py).
    # It reads an evidence id only where it stands alone and without zeros in front; here all are read.
    "locomo-all": partial(_searched, "locomo-all", "LoCoMo, all questions", read_locomo, wanted=has_evidence),
    "beam": partial(_searched, "beam", "BEAM", read_beam),
    "longmemeval": partial(_searched, "longmemeval", "LongMemEval", read_longmemeval),
    "memdaily": partial(_searched, "memdaily", "MemDaily", read_memdaily),
}
GOLD_LOADERS: Mapping[str, Callable[[Sequence[Path]], GoldSet]] = {
    "locomo": partial(_judged, "locomo", "LoCoMo", read_locomo),
    "longmemeval": partial(_judged, "longmemeval", "LongMemEval", read_longmemeval),
    "beam": partial(_judged, "beam", "BEAM", read_beam),
}
