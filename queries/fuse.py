"""fuse: several ranked lists into one order, and scores of one query onto one scale. Pure."""

from collections.abc import Mapping, Sequence


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], k: int = 60, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """The fused score of every id of any ranking, best first: the sum of ``weight / (k + place)``, places from 1.

    An id that stands in a ranking more than once counts with its best place. Source: Cormack, Clarke and Buettcher,
    "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009; there all weights are 1,
    as they are here where none are given.
    """
    fused: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for place, identity in enumerate(dict.fromkeys(ranking), start=1):
            fused[identity] = fused.get(identity, 0.0) + weight / (k + place)
    return _best_first(fused)


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores moved onto 0 to 1: the lowest becomes 0, the highest 1; all equal become 1, for none is worse."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {identity: (score - low) / (high - low) for identity, score in scores.items()}


def share_of_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores divided by the highest: for BM25, whose 0 means "no common word" and must stay 0."""
    best = max(scores.values(), default=0.0)
    return {identity: score / best if best > 0 else 0.0 for identity, score in scores.items()}


def weighted_mean(parts: Sequence[tuple[float, float | None]]) -> float:
    """The mean of ``(weight, value)`` over the values that are there; 0 without any."""
    there = [(weight, value) for weight, value in parts if value is not None]
    total = sum(weight for weight, _ in there)
    return sum(weight * value for weight, value in there) / total if total > 0 else 0.0


def _best_first(scores: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
