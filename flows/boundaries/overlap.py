"""How many words a message shares with those before it, at several widths."""

import math
from collections.abc import Sequence

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


def rows_of(tokens: Sequence[tuple[str, ...]], begins: Places, at: Places, ends: Places) -> Numbers:
    """The numbers of ``NAMES`` for each message ``at`` some place, seen from ``begins`` to ``ends``; ``tokens`` of all.

    Tokens of a message are unlike. ``at`` is ascending without gaps.
    """
    latest: dict[str, int] = {}  # where each word was said last
    for place in range(int(at[0])):
        latest.update(dict.fromkeys(tokens[place], place))
    rows = []
    for begin, now, end in zip(begins.tolist(), at.tolist(), ends.tolist(), strict=True):
        later = set().union(*tokens[now + 1 : end])
        rows.append(_row(latest, begin, now, tokens[now], later))
        latest.update(dict.fromkeys(tokens[now], now))
    return np.array(rows)


def _row(latest: dict[str, int], begin: int, now: int, tokens: tuple[str, ...], later: set[str]) -> tuple[float, ...]:
    only_later = later.difference(tokens)
    said = [place for token in tokens if (place := latest.get(token, -1)) >= begin]  # few of them were
    in_block = said + [place for token in only_later if (place := latest.get(token, -1)) >= begin]
    three = _since(now - 3, said)
    of_message, of_block = len(tokens) or 1, len(tokens) + len(only_later) or 1
    return (
        _since(now - 1, said) / of_message,
        three / of_message,
        _since(now - 8, said) / of_message,
        len(said) / of_message,
        _since(now - 3, in_block) / of_block,
        len(in_block) / of_block,
        (len(later) - len(only_later)) / (len(later) or 1),
        math.log1p(len(tokens) - len(said)),
        float(not three),
    )


def _since(place: int, places: list[int]) -> int:
    return sum([place <= each for each in places])
