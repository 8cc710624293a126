"""What a boundary detector must beat: TextTiling, a cut every n messages, and no cut at all.

What a baseline has to choose (n, TextTiling's width and cutoff) it chooses for each fold of a kind on the other folds of
that kind: an advantage over the detector, which has one model for all kinds. TextTiling also sees the whole conversation.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from evaluation.boundary_sets import FOLDS, Kind
from evaluation.segmentation import Results
from evaluation.text_tiling import deepest, depth_scores, gap_similarities, term_counts
from flows.cuts import embedding_text
from mneme.rows import Vector

WIDTHS = (1, 2, 3, 5, 8, 12)  # messages in a block
CUTOFFS = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)  # standard deviations above the mean depth; Hearst's are the first two

Cuts = frozenset[int]


def no_cut(kind: Kind) -> Results:
    """Every conversation in one piece."""
    return [(dialogue, frozenset()) for dialogue in kind.dialogues]


def cut_every(kind: Kind) -> Results:
    """A cut every n messages, n being the mean length of the true segments in the other folds."""

    def fitted(others: Sequence[int]) -> Callable[[int], Cuts]:
        messages = sum(len(kind.dialogues[at].messages) for at in others)
        segments = sum(len(kind.dialogues[at].boundaries) + 1 for at in others)
        step = max(1, round(messages / segments))
        return lambda at: frozenset(range(step, len(kind.dialogues[at].messages), step))

    return _by_fold(kind, fitted)


def text_tiled(kind: Kind, vectors: Mapping[str, Vector] | None) -> Results:
    """TextTiling over vectors, or over terms, with the width and the cutoff of the best F1 in the other folds."""
    choices = list(product(WIDTHS, CUTOFFS))
    cuts: list[dict[tuple[int, float], Cuts]] = []
    for dialogue in kind.dialogues:
        if vectors:
            rows = np.stack([vectors[embedding_text(message)] for message in dialogue.messages]).astype(np.float64)
        else:
            rows = term_counts([message.text for message in dialogue.messages])
        depths = {width: depth_scores(gap_similarities(rows, width)) for width in WIDTHS}
        cuts.append({(width, cutoff): deepest(depths[width], cutoff) for width, cutoff in choices})

    def fitted(others: Sequence[int]) -> Callable[[int], Cuts]:
        true = sum(len(kind.dialogues[at].boundaries) for at in others)

        def f1(choice: tuple[int, float]) -> float:
            right = sum(len(kind.dialogues[at].boundaries & cuts[at][choice]) for at in others)
            return 2 * right / max(1, true + sum(len(cuts[at][choice]) for at in others))

        best = max(choices, key=f1)
        return lambda at: cuts[at][best]

    return _by_fold(kind, fitted)


def _by_fold(kind: Kind, fitted: Callable[[Sequence[int]], Callable[[int], Cuts]]) -> Results:
    """Each dialogue cut by what was fitted on the dialogues of the other folds."""
    count = len(kind.dialogues)
    cutters = [fitted([at for at in range(count) if at % FOLDS != fold]) for fold in range(FOLDS)]
    return [(dialogue, cutters[at % FOLDS](at)) for at, dialogue in enumerate(kind.dialogues)]
