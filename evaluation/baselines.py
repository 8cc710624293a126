"""Baselines of a boundary detector: TextTiling, a cut every n messages, and no cut at all.

What a baseline has to choose (n, TextTiling's width and cutoff) it chooses for each fold of a kind on the other folds of
that kind: an advantage over the detector, which has one model for all kinds.

TextTiling (M. A. Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational Linguistics 23(1),
1997), here over the messages of a conversation, sees the whole conversation before it cuts:

1. The similarity at a gap between two messages is the cosine of the block of messages before it and the block after it.
2. The depth of a gap is how far its similarity lies below the nearest peak to its left, plus the same to its right.
3. Cut at the deepest gaps first, while they are deeper than the mean of all depths plus some standard deviations
   (Hearst: -1 or -1/2), and never next to a cut.

Messages take the place of Hearst's token sequences of equal length; similarities are not smoothed, which would blur
blocks as short as these.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from evaluation.boundary_sets import FOLDS, Kind
from evaluation.segmentation import Results
from flows.cuts import embedding_text
from mneme.rows import Vector
from mneme.text import tokenise

Numbers = npt.NDArray[np.float64]

APART = 2  # messages from one cut to the next, at least


def term_counts(texts: Sequence[str]) -> Numbers:
    """Return the count of each term in each text, of shape (texts, terms)."""
    counted = [Counter(tokenise(text)) for text in texts]
    columns = {term: column for column, term in enumerate(dict.fromkeys(term for counts in counted for term in counts))}
    rows = np.zeros((len(texts), len(columns)))
    for row, counts in zip(rows, counted, strict=True):
        for term, count in counts.items():
            row[columns[term]] = count
    return rows


def gap_similarities(rows: Numbers, width: int) -> Numbers:
    """Step 1: the cosine at each of the (messages - 1) gaps, of the sums of up to ``width`` rows on either side.

    ``rows`` are term counts or vectors, of shape (messages, dimensions). Nothing is similar to a block of zeros.
    """
    sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0, dtype=np.float64)])
    gaps = np.arange(1, len(rows))
    before = sums[gaps] - sums[np.maximum(gaps - width, 0)]
    after = sums[np.minimum(gaps + width, len(rows))] - sums[gaps]
    sizes = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    products: Numbers = np.einsum("ij,ij->i", before, after)
    similarities: Numbers = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    return similarities


def depth_scores(similarities: Numbers) -> Numbers:
    """Step 2: the depth of each gap."""
    return np.array(
        [_peak(similarities[at::-1]) + _peak(similarities[at:]) - 2 * similarities[at] for at in range(len(similarities))]
    )


def deepest(depths: Numbers, cutoff: float) -> frozenset[int]:
    """Step 3: the messages with which a segment begins; of two equally deep gaps the earlier wins."""
    if not len(depths):
        return frozenset()
    least = depths.mean() + cutoff * depths.std()
    chosen: set[int] = set()
    for gap in np.argsort(-depths, kind="stable").tolist():
        if depths[gap] <= max(least, 0.0):
            break
        if chosen.isdisjoint(range(gap + 2 - APART, gap + 1 + APART)):
            chosen.add(gap + 1)
    return frozenset(chosen)


def _peak(similarities: Numbers) -> float:
    """Return the height to which they climb from the first, until they fall."""
    falls = np.flatnonzero(np.diff(similarities) < 0)
    return float(similarities[falls[0]] if len(falls) else similarities[-1])


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
