"""How near each message is to the centre of its episode."""

from collections.abc import Sequence

import numpy as np

from flows.cuts import Utterance


def closeness(utterances: Sequence[Utterance]) -> list[float]:
    """For each message the cosine of its vector with the mean of all; 0 where there is no vector."""
    vectors = [utterance.vector for utterance in utterances if utterance.vector is not None]
    if not vectors:
        return [0.0] * len(utterances)
    mean = np.mean(vectors, axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    return [0.0 if one.vector is None else float(one.vector @ mean) / length for one in utterances]
