"""The question sets with their gold: every question that has one (evaluation/retrieval/sets/).

A question without an answer is answered rightly by whoever says so. BEAM's own score of an answer is the mean over the points
of its rubric; here an answer is right or wrong, by all of them (of a preference: by most).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluation.answers.records import ABSTENTION, GoldSet, JudgeKind
from evaluation.retrieval.sets import beam, locomo, longmemeval
from evaluation.retrieval.sets.files import Read, load_files


def _load(name: str, title: str, read: Read, paths: Sequence[Path]) -> GoldSet:
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


load_locomo = partial(_load, "locomo", "LoCoMo", locomo.read)
LOADERS: Mapping[str, Callable[[Sequence[Path]], GoldSet]] = {
    "locomo": load_locomo,
    "longmemeval": partial(_load, "longmemeval", "LongMemEval", longmemeval.read),
    "beam": partial(_load, "beam", "BEAM", beam.read),
}
"""By the name of their command."""
