"""How near a message is to those before it and behind it, by their vectors, at several widths.

Compared are the means of stretches of messages, by cosine. A product of sums is the sum of products, so that all of them
come out of one product of the vectors with each other, summed up over rectangles of it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mneme.rows import Vector

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

NAMES = tuple(
    f"similarity.{name}"
    for name in (
        "known", "to_1", "to_2", "to_4", "to_8", "to_all", "to_most",
        "block_to_2", "block_to_4", "block_to_all", "ahead_to_message", "ahead_to_before",
        "ahead_to_last", "coherence", "next_split", "last_split",
    )
)  # fmt: skip
USUAL_COSINE = 0.07  # of unrelated messages with MiniLM, English
USUAL_COSINE_CHINESE = 0.51  # the same, Chinese: without this correction everything Chinese seems to be one subject
COHERENCE = 0.25  # of neighbouring messages, where there is only one yet
NOTHING_LEFT = 1e-6  # of a sum of vectors that cancel out, but for rounding
_SINGLE = 8  # messages before it that a message is compared with one by one
_NEIGHBOURS = 5  # pairs of messages whose nearness is the coherence

_STRIP = 8  # messages whose products are made at once: so few that BLAS starts no threads, which spin longer than they work

# Stretches, as places relative to the message: from, to (exclusive). Ends that are not in view are cut off.
_FAR = 1 << 20
_STRETCHES = {
    "message": (0, 1), "ahead": (1, _FAR), "next": (1, 2), "block": (0, _FAR),
    "last_1": (-1, 0), "last_2": (-2, 0), "last_3": (-3, 0), "last_4": (-4, 0), "last_8": (-8, 0), "all": (-_FAR, 0),
    "two_and_message": (-2, 1), "three_without_last": (-4, -1), "from_last": (-1, 2),
}  # fmt: skip
_PAIRS = {
    "to_2": ("last_2", "message"), "to_4": ("last_4", "message"), "to_8": ("last_8", "message"), "to_all": ("all", "message"),
    "block_to_2": ("last_2", "block"), "block_to_3": ("last_3", "block"), "block_to_4": ("last_4", "block"),
    "block_to_all": ("all", "block"),
    "ahead_to_message": ("ahead", "message"), "ahead_to_before": ("last_4", "ahead"), "ahead_to_last": ("last_1", "next"),
    "next_split": ("two_and_message", "ahead"), "last_split": ("three_without_last", "from_last"),
}  # fmt: skip
_FROM, _TO = np.array(list(_STRETCHES.values())).T
_PLACE = {name: place for place, name in enumerate(_STRETCHES)}
_LEFT, _RIGHT = (np.array([_PLACE[pair[side]] for pair in _PAIRS.values()]) for side in (0, 1))
_BOTH_LEFT = np.concatenate((_LEFT, np.arange(len(_STRETCHES))))  # each pair, then each stretch with itself
_BOTH_RIGHT = np.concatenate((_RIGHT, np.arange(len(_STRETCHES))))


def rows_of(
    vectors: Sequence[Vector | None], begins: Places, at: Places, ends: Places, chinese: npt.NDArray[np.bool_]
) -> Numbers:
    """The numbers of ``NAMES`` for each message ``at`` some place, seen from ``begins`` to ``ends``.

    They are 0 where a vector is missing. ``chinese`` tells of each message whether it is.
    """
    given = [vector for vector in vectors if vector is not None]
    if not given:
        return np.zeros((len(at), len(NAMES)))
    if len(given) < len(vectors):
        nothing = np.zeros_like(given[0])
        known = np.cumsum([0, *(vector is not None for vector in vectors)])
        complete = known[ends] - known[begins] == ends - begins
        given = [nothing if vector is None else vector for vector in vectors]
    else:
        complete = None
    table = np.concatenate(given).reshape(len(given), -1).astype(np.float64)
    products = _products(table, int((ends - begins).max()))
    usual = np.where(chinese, USUAL_COSINE_CHINESE, USUAL_COSINE)
    found = _rows(products, begins, at, ends, usual)
    return found if complete is None else found * complete[:, None]


def _products(table: Numbers, width: int) -> Numbers:
    """The products of vectors with each other, as far as they are less than ``width`` places apart; else 0."""
    products = np.zeros((len(table), len(table)))
    for first in range(0, len(table), _STRIP):
        near = slice(max(0, first - width + 1), first + _STRIP + width - 1)
        products[first : first + _STRIP, near] = table[first : first + _STRIP] @ table[near].T
    return products


def _rows(products: Numbers, begins: Places, at: Places, ends: Places, usual: Numbers) -> Numbers:
    beyond = 1 - usual
    compared = (_of_stretches(products, begins, at, ends) - usual[:, None]) / beyond[:, None]
    named = dict(zip(_PAIRS, compared.T, strict=True))
    here = named["block_to_3"]
    is_last, is_second = ends - at == 1, at - begins == 1
    for name in ("ahead_to_message", "ahead_to_before", "ahead_to_last", "next_split"):
        named[name] = np.where(is_last, here, named[name])
    to_1, to_most, coherence = _of_messages(products, begins, at)
    return np.stack(
        (
            np.ones(len(at)),
            (to_1 - usual) / beyond,
            named["to_2"],
            named["to_4"],
            named["to_8"],
            named["to_all"],
            (to_most - usual) / beyond,
            named["block_to_2"],
            named["block_to_4"],
            named["block_to_all"],
            named["ahead_to_message"],
            named["ahead_to_before"],
            named["ahead_to_last"],
            np.where(is_second, COHERENCE, (coherence - usual) / beyond),
            named["next_split"] - here,
            np.where(is_second, 0.0, named["last_split"] - here),
        ),
        axis=1,
    )


def _of_stretches(products: Numbers, begins: Places, at: Places, ends: Places) -> Numbers:
    """The cosines of ``_PAIRS`` before each message."""
    size = len(products) + 1
    sums = np.zeros((size, size))  # of all products above and left of a corner
    np.cumsum(np.cumsum(products, axis=0), axis=1, out=sums[1:, 1:])
    corners = sums.ravel()
    first = np.minimum(np.maximum(at[:, None] + _FROM, begins[:, None]), ends[:, None])
    last = np.minimum(np.maximum(at[:, None] + _TO, begins[:, None]), ends[:, None])
    top, bottom = first[:, _BOTH_LEFT] * size, last[:, _BOTH_LEFT] * size
    left, right = first[:, _BOTH_RIGHT], last[:, _BOTH_RIGHT]
    found = corners[bottom + right] - corners[top + right] - corners[bottom + left] + corners[top + left]
    lengths = np.sqrt(np.maximum(found[:, len(_PAIRS) :], 0.0))
    cosines: Numbers = found[:, : len(_PAIRS)] / np.maximum(lengths[:, _LEFT] * lengths[:, _RIGHT], NOTHING_LEFT)
    return cosines


def _of_messages(products: Numbers, begins: Places, at: Places) -> tuple[Numbers, Numbers, Numbers]:
    """The cosine of each message to the last one, the greatest to one of the last, and the mean of neighbours before it."""
    lengths = np.sqrt(products.diagonal())
    single = at[:, None] - np.arange(1, _SINGLE + 1)
    is_seen = single >= begins[:, None]
    single = np.maximum(single, 0)
    cosines = products[at[:, None], single] / np.maximum(lengths[at][:, None] * lengths[single], NOTHING_LEFT)
    nearest = np.where(is_seen, cosines, -2.0).max(axis=1)
    neighbours = np.append(products.diagonal(1) / np.maximum(lengths[:-1] * lengths[1:], NOTHING_LEFT), 0.0)
    earlier = at[:, None] - np.arange(2, 2 + _NEIGHBOURS)
    is_seen = earlier >= begins[:, None]
    sums = np.where(is_seen, neighbours[np.maximum(earlier, 0)], 0.0).sum(axis=1)
    return cosines[:, 0], nearest, sums / np.maximum(is_seen.sum(axis=1), 1)
