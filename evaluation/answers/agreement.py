"""How far an answer agrees with the gold in its words, which takes no judge; and the interval of a share.

Words are the tokens of keyword search (mneme/text.py): without stop words, stemmed, so that "ran" and "the run" are near.
"""

import math
from collections import Counter

from mneme.text import tokenise


def word_recall(answer: str, gold: str) -> float | None:
    """The share of the gold's words, with repetitions, that the answer has; None for a gold without a word.

    >>> word_recall("She bought a red kayak in May", "a kayak, red")
    1.0
    """
    told, wanted = Counter(tokenise(answer)), Counter(tokenise(gold))
    return (told & wanted).total() / wanted.total() if wanted else None


def token_f1(answer: str, gold: str) -> float | None:
    """The harmonic mean of the shares of common words in the gold and in the answer; None for a gold without a word.

    Source: Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP 2016, section 6.1.
    """
    told, wanted = Counter(tokenise(answer)), Counter(tokenise(gold))
    if not wanted:
        return None
    common = (told & wanted).total()
    return 2 * common / (told.total() + wanted.total())


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share; it never leaves 0 to 1, and few questions make it wide.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927.

    >>> [round(bound, 3) for bound in wilson(10, 10)]
    [0.722, 1.0]
    """
    z = 1.959964
    share = right / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    # Of a share of 0 or 1 rounding would leave the share itself outside.
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))
