"""The published question sets, by the name of their command."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import beam, locomo, longmemeval, memdaily

LOADERS: Mapping[str, Callable[[Sequence[Path]], QuestionSet]] = {
    "locomo": locomo.load,
    "locomo-all": locomo.load_all,
    "beam": beam.load,
    "longmemeval": longmemeval.load,
    "memdaily": memdaily.load,
}
