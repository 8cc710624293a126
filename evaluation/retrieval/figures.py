"""The figures of one answer, and the means of many with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics import (
    Result,
    distinct_messages,
    hit_at,
    ndcg_at,
    recall_at,
    recall_within_tokens,
    reciprocal_rank,
    session_hit_at,
    tokens_for_messages,
)
from evaluation.report import Row
from evaluation.retrieval.bootstrap import interval

KS = (5, 10, 20, 40)
BUDGET = 600  # tokens

ALL = "all"


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
