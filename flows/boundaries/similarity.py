"""How near a message is to those before it and behind it, by their vectors, at several widths.

Compared are the means of stretches of messages, by cosine. A product of sums is the sum of products, so that all of them
come out of one product of the vectors with each other, summed up over rectangles of it: it is made once for a talk, wherever
episodes begin in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mneme.rows import Vector

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

NAMES = tuple(
    f"similarity.{name}"
    for name in (
        "known", "to_most", "coherence", "to_1", "to_2", "to_4", "to_8", "to_all",
        "block_to_2", "block_to_4", "block_to_all", "ahead_to_message", "ahead_to_before",
        "ahead_to_last", "next_split", "last_split",
    )
)  # fmt: skip
USUAL_COSINE = 0.07  # of unrelated messages with MiniLM, English
USUAL_COSINE_CHINESE = 0.51  # the same, Chinese: without this correction everything Chinese seems to be one subject
COHERENCE = 0.25  # of neighbouring messages, where there is only one yet
NOTHING_LEFT = 1e-6  # of a sum of vectors that cancel out, but for rounding
_SINGLE = 8  # messages before it that a message is compared with one by one
_NEIGHBOURS = 5  # pairs of messages whose nearness is the coherence

_STRIP = 8  # messages whose products are made at once: so few that BLAS starts no threads, which spin longer than they work

# Stretches, as places relative to the message: from, to (exclusive). Endpoints that are not in view are cut off.
_FAR = 1 << 20
_STRETCHES = {
    "message": (0, 1), "ahead": (1, _FAR), "next": (1, 2), "block": (0, _FAR),
    "last_1": (-1, 0), "last_2": (-2, 0), "last_3": (-3, 0), "last_4": (-4, 0), "last_8": (-8, 0), "all": (-_FAR, 0),
    "two_and_message": (-2, 1), "three_without_last": (-4, -1), "from_last": (-1, 2),
}  # fmt: skip
_PAIRS = {
    "here": ("last_3", "block"),
    "to_1": ("last_1", "message"), "to_2": ("last_2", "message"), "to_4": ("last_4", "message"),
    "to_8": ("last_8", "message"), "to_all": ("all", "message"),
    "block_to_2": ("last_2", "block"), "block_to_4": ("last_4", "block"), "block_to_all": ("all", "block"),
    "ahead_to_message": ("ahead", "message"), "ahead_to_before": ("last_4", "ahead"), "ahead_to_last": ("last_1", "next"),
    "next_split": ("two_and_message", "ahead"), "last_split": ("three_without_last", "from_last"),
}  # fmt: skip
_FROM, _TO = np.array(list(_STRETCHES.values())).T
_PLACE = {name: place for place, name in enumerate(_STRETCHES)}
_LEFT, _RIGHT = (np.array([_PLACE[pair[side]] for pair in _PAIRS.values()]) for side in (0, 1))
_BOTH_LEFT = np.concatenate((_LEFT, np.arange(len(_STRETCHES))))  # each pair, then each stretch with itself
_BOTH_RIGHT = np.concatenate((_RIGHT, np.arange(len(_STRETCHES))))
_KNOWN, _TO_MOST, _COHERENCE, *_, _LAST_SPLIT = range(len(NAMES))
_OF_PAIRS, _OF_AHEAD, _SPLITS = slice(3, 16), slice(11, 15), slice(14, 16)  # in ``NAMES``, which are in the order of the pairs
_LAST_ONES = np.arange(_SINGLE)


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """The products of the vectors of a talk with each other, as far as they can be in view together.

    ``corners`` (messages + 1, squared) are the sums of all products above and left of each corner. ``cosines`` are those of
    each message with the ``_SINGLE`` before it, nearest first; ``neighbours`` those of the ``_NEIGHBOURS`` pairs of neighbours
    before it. ``known`` counts the vectors before each place.
    """

    corners: Numbers
    cosines: Numbers
    neighbours: Numbers
    known: Places


def products_of(vectors: Sequence[Vector | None], width: int) -> Products | None:
    """The products of vectors, of which so many can be in view together; None where there is no vector."""
    given = [vector for vector in vectors if vector is not None]
    if not given:
        return None
    known = np.cumsum([0, *(vector is not None for vector in vectors)])
    if len(given) < len(vectors):
        nothing = np.zeros_like(given[0])
        given = [nothing if vector is None else vector for vector in vectors]
    table = np.concatenate(given).reshape(len(given), -1).astype(np.float64)
    products = np.zeros((len(table), len(table)))
    for first in range(0, len(table), _STRIP):
        near = slice(max(0, first - width + 1), first + _STRIP + width - 1)
        products[first : first + _STRIP, near] = table[first : first + _STRIP] @ table[near].T
    corners = np.zeros((len(table) + 1, len(table) + 1))
    np.cumsum(np.cumsum(products, axis=0), axis=1, out=corners[1:, 1:])
    lengths = np.sqrt(products.diagonal())
    at = np.arange(len(table))[:, None]
    before = np.maximum(at - np.arange(1, _SINGLE + 1), 0)
    cosines = products[at, before] / np.maximum(lengths[at] * lengths[before], NOTHING_LEFT)
    neighbours = cosines[np.maximum(at - np.arange(1, _NEIGHBOURS + 1), 0), 0]
    return Products(corners, cosines, neighbours, known)


def rows_of(
    products: Products | None, judged: slice, begins: Places, at: Places, ends: Places, chinese: npt.NDArray[np.bool_]
) -> Numbers:
    """The numbers of ``NAMES`` for each judged message, ``at`` its place, seen from ``begins`` to ``ends``.

    They are 0 where a vector is missing. ``chinese`` tells of each message whether it is.
    """
    rows = np.zeros((len(at), len(NAMES)))
    if products is None:
        return rows
    count = (at - begins)[:, None]
    stretches = _of_stretches(products.corners, begins, at, ends)
    rows[:, _KNOWN] = stretches[:, 0]  # as long as it is not told
    rows[:, _TO_MOST] = np.where(count > _LAST_ONES, products.cosines[judged], -2.0).max(axis=1)
    sums = np.where(count - 1 > _LAST_ONES[:_NEIGHBOURS], products.neighbours[judged], 0.0).sum(axis=1)
    rows[:, _COHERENCE] = sums / np.minimum(np.maximum(count[:, 0] - 1, 1), _NEIGHBOURS)
    rows[:, _OF_PAIRS] = stretches[:, 1:]
    usual = np.where(chinese, USUAL_COSINE_CHINESE, USUAL_COSINE)[:, None]
    rows -= usual
    rows /= 1 - usual
    here = rows[:, :1].copy()
    rows[:, _KNOWN] = 1.0
    np.copyto(rows[:, _OF_AHEAD], here, where=(ends - at == 1)[:, None])
    rows[:, _SPLITS] -= here
    second = count[:, 0] == 1
    rows[second, _COHERENCE], rows[second, _LAST_SPLIT] = COHERENCE, 0.0
    rows[products.known[ends] - products.known[begins] < ends - begins] = 0.0
    return rows


def _of_stretches(corners: Numbers, begins: Places, at: Places, ends: Places) -> Numbers:
    """The cosines of ``_PAIRS`` before each message."""
    size, flat = len(corners), corners.ravel()
    first = np.minimum(np.maximum(at[:, None] + _FROM, begins[:, None]), ends[:, None])
    last = np.minimum(np.maximum(at[:, None] + _TO, begins[:, None]), ends[:, None])
    top, bottom = (first * size)[:, _BOTH_LEFT], (last * size)[:, _BOTH_LEFT]
    left, right = first[:, _BOTH_RIGHT], last[:, _BOTH_RIGHT]
    found = flat[bottom + right] - flat[top + right] - flat[bottom + left] + flat[top + left]
    lengths = np.sqrt(np.maximum(found[:, len(_PAIRS) :], 0.0))
    cosines: Numbers = found[:, : len(_PAIRS)] / np.maximum(lengths[:, _LEFT] * lengths[:, _RIGHT], NOTHING_LEFT)
    return cosines
