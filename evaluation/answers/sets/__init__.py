"""The question sets with their gold, by the name of their command."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.answers.gold import GoldSet
from evaluation.answers.sets import beam, locomo, longmemeval

LOADERS: Mapping[str, Callable[[Sequence[Path]], GoldSet]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "beam": beam.load,
}
