"""Metrics of a ranked list of messages for a question with known evidence.

Recall is measured on messages, whatever a search returns. A fact stands for all messages that say it, its own first, an episode
for those of its nested facts, best first; a raw message for itself, and anything else for the messages it cites. An episode's
narrative covers all its messages. A list of results stands for the distinct messages in the order in which they first appear.
The figures of one answer are those of its list; those of many are means with their intervals.

Intervals are percentile bootstraps. Draw as many units as there are, with replacement, 10,000 times: the 2.5th and the 97.5th
percentile of the means of all draws are the interval. Units are questions, or whole conversations where ``clusters`` names
them: questions of one conversation share its episodes and its people, so that the interval over conversations says what another
conversation may give. Values of two runs are paired: resample the differences question by question, which takes out how hard a
question is.

Sources: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; for two retrieval runs Sakai,
"Evaluating Evaluation Metrics based on the Bootstrap", SIGIR 2006; for clusters Davison and Hinkley, "Bootstrap Methods
and their Application", 1997, section 3.8 (whole groups, kept as they are).
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from evaluation.report import Row
from queries.responses import Found, FoundCase, FoundEpisode, FoundMessage, FoundProfile, FoundSkill, SearchResponse

RESAMPLES = 10_000
SEED = 1
_AT_A_TIME = 500  # resamples, at a time, so that they fit into the cache of a processor

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """The 95 % interval of each column."""

    low: Values
    high: Values


def interval(
    values: Values, clusters: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """The 95 % interval of the mean of each column of ``values``, of shape (questions, columns).

    None where there are fewer than two units: nothing can be said of their spread. The same seed gives the same interval.
    """
    if clusters is None:
        sums, sizes = values, np.ones(len(values))
    else:
        _, place = np.unique(np.asarray(clusters), return_inverse=True)
        sizes = np.bincount(place).astype(np.float64)
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, place, values)
    units = len(sizes)
    if units < 2:
        return None
    weights = _weights(units, resamples, seed)
    means = np.empty((resamples, values.shape[1]))
    for at in range(0, resamples, _AT_A_TIME):
        drawn = weights[at : at + _AT_A_TIME].astype(np.float64)
        means[at : at + _AT_A_TIME] = (drawn @ sums) / (drawn @ sizes)[:, None]
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return Interval(low, high)


@lru_cache(maxsize=16)  # one report asks for the same few numbers of units again and again
def _weights(units: int, resamples: int, seed: int) -> npt.NDArray[np.uint16]:
    """Return the count of each unit in each resample, of shape (resamples, units)."""
    chance = np.random.default_rng(seed)
    return np.stack([np.bincount(chance.integers(units, size=units), minlength=units) for _ in range(resamples)]).astype(
        np.uint16
    )


KS = (5, 10, 20, 40)
BUDGET = 600  # tokens

ALL = "all"


@dataclass(frozen=True, slots=True)
class Result:
    """One place of a ranked list.

    ``messages`` are those it stands for, best first; ``covered`` those that its text tells of; ``tokens`` is the length
    of that text.
    """

    messages: tuple[str, ...]
    covered: frozenset[str]
    tokens: int


def distinct_messages(results: Sequence[Result]) -> list[str]:
    """The messages that results stand for, each where it first appears."""
    return list(dict.fromkeys(message for result in results for message in result.messages))


def hit_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any evidence is among the first ``k`` messages, else 0."""
    return float(any(message in evidence for message in messages[:k]))


def recall_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The share of the evidence among the first ``k`` messages."""
    return len(set(messages[:k]) & set(evidence)) / len(set(evidence))


def session_hit_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any session of the evidence is among the first ``k`` sessions, else 0; ids are ``SESSION:PLACE``.

    It is what LongMemEval's users call the recall@k of sessions (any, not all).
    """
    sessions = list(dict.fromkeys(message.partition(":")[0] for message in messages))
    return hit_at(sessions, {message.partition(":")[0] for message in evidence}, k)


def ndcg_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k`` messages, with evidence as gain 1.

    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002; the discount of the
    message at place ``n`` is ``1 / log2(n + 1)``.
    """
    gain = sum(1 / math.log2(place + 1) for place, message in enumerate(messages[:k], 1) if message in evidence)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(evidence))) + 1))
    return gain / ideal


def reciprocal_rank(messages: Sequence[str], evidence: Collection[str]) -> float:
    """One over the place of the first evidence; 0 without any."""
    return next((1 / place for place, message in enumerate(messages, 1) if message in evidence), 0.0)


def recall_within_tokens(results: Sequence[Result], evidence: Collection[str], budget: int) -> float:
    """The share of the evidence that the returned texts tell of, as many as fit into ``budget`` tokens.

    Texts are taken by rank; one that does not fit is left out, and the next is tried.
    """
    left = budget
    found: set[str] = set()
    for result in results:
        if result.tokens <= left:
            left -= result.tokens
            found |= result.covered
    return len(found & set(evidence)) / len(set(evidence))


def tokens_for_messages(results: Sequence[Result], k: int) -> int:
    """The tokens of the results that it takes to see the first ``k`` distinct messages."""
    seen: set[str] = set()
    tokens = 0
    for result in results:
        if len(seen) >= k:
            break
        seen |= set(result.messages)
        tokens += result.tokens
    return tokens


CountTokens = Callable[[str], int]


def ranked_results(response: SearchResponse, count_tokens: CountTokens) -> list[Result]:
    """The places of a response in order of rank, each with its messages and the length of its text."""
    return [_result(found, count_tokens) for found in response.ranked()]


def _result(found: Found, count_tokens: CountTokens) -> Result:
    text = found.text
    match found:
        case FoundEpisode():
            inside = sorted(found.atomic_facts, key=lambda fact: -fact.score)
            said: Iterable[str] = (message for fact in inside for message in fact.said_in)
            return Result(tuple(dict.fromkeys(said)), frozenset(found.message_ids), count_tokens(found.episode))
        case FoundMessage():
            said = (found.message_id,)
        case FoundProfile():
            items = (*found.explicit, *found.implicit)
            said = (message for item in items for mention in item.evidence for message in mention.message_ids)
            text = " ".join(item.statement for item in items)
        case FoundCase():
            said = found.message_ids
        case FoundSkill():
            said = ()
        case _:
            said = found.said_in
    messages = tuple(dict.fromkeys(said))
    return Result(messages, frozenset(messages), count_tokens(text))


@dataclass(frozen=True, slots=True)
class Answer:
    """The figures of one question by one method. ``messages`` are those that the places stand for, best first."""

    method: str
    question: str
    category: str
    conversation: str
    figures: Mapping[str, float]
    messages: Sequence[str] = ()


def measure(results: Sequence[Result], evidence: frozenset[str]) -> dict[str, float]:
    """The figures of one answer."""
    messages = distinct_messages(results)
    figures: dict[str, float] = {}
    for name, metric in (("hit", hit_at), ("recall", recall_at), ("ndcg", ndcg_at)):
        figures |= {f"{name}@{k}": metric(messages, evidence, k) for k in KS}
    figures["mrr"] = reciprocal_rank(messages, evidence)
    if all(":" in message for message in evidence):  # LoCoMo and LongMemEval: their ids say the session
        figures["session_hit@5"] = session_hit_at(messages, evidence, 5)
    figures[f"recall@{BUDGET}tokens"] = recall_within_tokens(results, evidence, BUDGET)
    figures["tokens@10"] = float(tokens_for_messages(results, 10))
    figures["tokens"] = float(sum(result.tokens for result in results))
    return figures


def mean_row(answers: Sequence[Answer], **labels: str) -> Row:
    """The mean of each figure, and its 95 % interval over questions as ``NAME_low`` and ``NAME_high``."""
    names = list(answers[0].figures)
    values = np.array([[answer.figures[name] for name in names] for answer in answers])
    row: dict[str, str | float | int] = {**labels, "questions": len(answers)}
    row |= zip(names, values.mean(axis=0).tolist(), strict=True)
    if (bounds := interval(values)) is not None:
        row |= {f"{name}_low": low for name, low in zip(names, bounds.low.tolist(), strict=True)}
        row |= {f"{name}_high": high for name, high in zip(names, bounds.high.tolist(), strict=True)}
    return row


def rows_of(answers: Sequence[Answer]) -> list[Row]:
    """Means by method: of all questions, and of each category."""
    categories = sorted({each.category for each in answers})
    rows = []
    for method in dict.fromkeys(each.method for each in answers):
        for category in (ALL, *(categories if len(categories) > 1 else ())):
            some = [each for each in answers if each.method == method and category in (ALL, each.category)]
            rows.append(mean_row(some, method=method, category=category))
    return rows
