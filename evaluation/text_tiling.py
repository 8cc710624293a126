"""TextTiling, the usual baseline of topic segmentation: M. A. Hearst, "TextTiling: Segmenting Text into Multi-paragraph
Subtopic Passages", Computational Linguistics 23(1), 1997; here over the messages of a conversation.

1. The similarity at a gap between two messages is the cosine of the block of messages before it and the block after it.
2. The depth of a gap is how far its similarity lies below the nearest peak to its left, plus the same to its right.
3. Cut at the deepest gaps first, while they are deeper than the mean of all depths plus some standard deviations
   (Hearst: -1 or -1/2), and never next to a cut.

Messages take the place of Hearst's token sequences of equal length; similarities are not smoothed, which would blur
blocks as short as these. It sees the whole conversation before it cuts, unlike anything that works on a stream.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mneme.text import tokenise

Numbers = npt.NDArray[np.float64]

APART = 2  # messages from one cut to the next, at least


def term_counts(texts: Sequence[str]) -> Numbers:
    """How often each text has each term, of shape (texts, terms)."""
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
    """How high they climb from the first, until they fall."""
    falls = np.flatnonzero(np.diff(similarities) < 0)
    return float(similarities[falls[0]] if len(falls) else similarities[-1])
