"""How many words a message shares with those before it, at several widths.

How far back each word of a message was said last is found once. All widths, and all beginnings of an episode, count this.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

NAMES = tuple(
    f"words.{name}"
    for name in (
        "shared_1", "shared_3", "shared_8", "shared_all", "block_shared_3", "block_shared_all", "ahead_shared",
        "new_words", "no_common_word",
    )
)  # fmt: skip
_NEVER = -(1 << 20)  # where a word was said that was not said
_WIDTHS = np.array([1, 3, 8, 1 << 20])
_OF_BLOCK = slice(1, None, 2)  # of these widths


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Of how many words of each message, and of the block that begins with it, the last time was at most so long ago.

    Both are (messages, distances). ``words`` and ``block_words`` are how many there are; ``ahead`` is which share of those that
    follow is in the message.
    """

    by_message: Places
    by_block: Places
    words: Places
    block_words: Places
    ahead: Numbers


def shared_words(tokens: Sequence[tuple[str, ...]], furthest: int, look_ahead: int) -> Shared:
    """What messages share, as far back as ``furthest``; tokens of a message are unlike. ``look_ahead`` more are a block."""
    latest: dict[str, int] = {}
    said: list[int] = []
    for place, words in enumerate(tokens):
        said += map(latest.get, words, repeat(_NEVER))
        latest.update(dict.fromkeys(words, place))
    width = furthest + look_ahead + 2  # the last column is of all words
    places = np.repeat(np.arange(len(tokens)), [len(words) for words in tokens])
    back = np.minimum(places - np.array(said, dtype=np.int64), width - 1)
    counts = np.bincount(places * width + back, minlength=(len(tokens) + look_ahead) * width).reshape(-1, width)
    table = counts.cumsum(axis=1)  # of nobody, behind the last message, all is 0
    end = len(tokens)
    count, near = table[:end, -1], table[:end, : furthest + 1]
    by_block, of_block, later = near.copy(), count.copy(), np.zeros_like(count)
    for ahead in range(1, look_ahead + 1):  # of what follows, the block has what was not said since the message
        following = table[ahead : end + ahead]
        since = following[:, ahead]
        by_block += following[:, ahead : ahead + furthest + 1] - since[:, None]
        of_block += following[:, -1] - since
        later += following[:, -1] - following[:, ahead - 1]
    return Shared(near, by_block, count, of_block, (later - (of_block - count)) / np.maximum(later, 1))


def rows_of(shared: Shared, judged: slice, before: Places) -> Numbers:
    """The numbers of ``NAMES`` for each judged message, of which so many ``before`` it are seen."""
    widths = np.minimum(_WIDTHS, before[:, None])
    rows = np.empty((len(before), len(NAMES)))
    found = np.take_along_axis(shared.by_message[judged], widths, axis=1)
    words = shared.words[judged]
    rows[:, :4] = found / np.maximum(words, 1)[:, None]
    in_block = np.take_along_axis(shared.by_block[judged], widths[:, _OF_BLOCK], axis=1)
    rows[:, 4:6] = in_block / np.maximum(shared.block_words[judged], 1)[:, None]
    rows[:, 6] = shared.ahead[judged]
    rows[:, 7] = np.log1p(words - found[:, -1])
    rows[:, 8] = found[:, 1] == 0
    return rows
