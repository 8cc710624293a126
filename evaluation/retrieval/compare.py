"""``mneme bench compare A.json B.json``: what changed between two runs on the same questions, and how sure that is.

1. Both reports must hold the same questions with the same evidence.
2. For each method, figure and category: the mean difference, question by question, and its 95 % interval, resampled by
   question and by conversation (evaluation/metrics.py).

A difference whose interval does not hold 0 is more than chance. Of many figures, one in twenty looks so by chance alone: name
beforehand the one that counts.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from evaluation.metrics import ALL, RESAMPLES, SEED, Answer, interval
from evaluation.report import Report, Row, print_table
from mneme.errors import InputError

DIFFERENCE = (
    *("method", "against", "category", "figure", "questions", "mean", "baseline", "difference"),
    *("low", "high", "cluster_low", "cluster_high"),
)
MAIN = ("recall@10", "recall@20", "hit@5", "ndcg@10", "mrr", "recall@600tokens", "tokens@10")


@dataclass(frozen=True, slots=True)
class Run:
    """A report as it was read: its name, which questions it is about, and the answers of each method."""

    name: str
    fingerprint: str
    answers: dict[str, list[Answer]]


def run_compare(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="A report: before.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="A report: after.", show_default=False)],
    console: Console,
) -> Report:
    """Compare two runs on the same questions: paired differences, second less first, with 95 % intervals.

    Raises:
        InputError: a file is no such report, the questions differ, or they have no method in common.
    """
    one, other = read_run(first), read_run(second)
    # 1.
    if one.fingerprint != other.fingerprint:
        raise InputError(f"{first}, {second}: they are of other questions, or of other evidence; run both on one file")
    methods = [method for method in one.answers if method in other.answers]
    if not methods:
        raise InputError(f"{first}, {second}: they have no method in common; measure both by the same")
    # 2.
    rows: list[Row] = []
    for method in methods:
        rows += compare(other.answers[method], one.answers[method], method, method)
    main: list[Row] = [row for row in rows if row["category"] == ALL and row["figure"] in MAIN]
    print_table(console, f"{other.name} less {one.name}, 95 % intervals", main, DIFFERENCE)
    by_category: list[Row] = [row for row in rows if row["figure"] == "recall@10" and row["category"] != ALL]
    if by_category:
        print_table(console, "recall@10 by category", by_category, DIFFERENCE)
    headline: dict[str, str | float | int] = {}
    for row in main:
        if row["figure"] == "recall@10":
            name = f"{row['method']}_recall@10"
            headline |= {name: row["difference"]} | {f"{name}_{end}": row[end] for end in ("low", "high") if end in row}
    return Report(
        bench="compare",
        settings={
            "first": first.name,
            "second": second.name,
            "fingerprint": one.fingerprint,
            "resamples": RESAMPLES,
            "seed": SEED,
        },
        rows=rows,
        headline=headline,
    )


def compare(answers: Sequence[Answer], baseline: Sequence[Answer], method: str, against: str) -> list[Row]:
    """The difference of each figure that both have, ``answers`` less ``baseline``, of all questions and by category.

    ``low`` and ``high`` are over questions, ``cluster_low`` and ``cluster_high`` over conversations; left out where there
    are fewer than two of them.

    Raises:
        ValueError: they are not of the same questions.
    """
    before = {each.question: each for each in baseline}
    if before.keys() != {each.question for each in answers}:
        raise ValueError("answers to different questions cannot be compared")
    pairs = [(each, before[each.question]) for each in answers]
    rows: list[Row] = []
    categories = sorted({each.category for each in answers})
    for category in (ALL, *(categories if len(categories) > 1 else ())):
        inside = [pair for pair in pairs if category in (ALL, pair[0].category)]
        figures = [name for name in inside[0][0].figures if all(name in a.figures and name in b.figures for a, b in inside)]
        ours = np.array([[a.figures[name] for name in figures] for a, _ in inside])
        theirs = np.array([[b.figures[name] for name in figures] for _, b in inside])
        by_question = interval(ours - theirs)
        by_conversation = interval(ours - theirs, [a.conversation for a, _ in inside])
        for at, name in enumerate(figures):
            row: dict[str, str | float | int] = {
                "method": method,
                "against": against,
                "category": category,
                "figure": name,
                "questions": len(inside),
                "mean": float(ours[:, at].mean()),
                "baseline": float(theirs[:, at].mean()),
                "difference": float((ours - theirs)[:, at].mean()),
            }
            for prefix, bounds in (("", by_question), ("cluster_", by_conversation)):
                if bounds is not None:
                    row |= {f"{prefix}low": float(bounds.low[at]), f"{prefix}high": float(bounds.high[at])}
            rows.append(row)
    return rows


def read_run(path: Path) -> Run:
    """The answers in a report.

    Raises:
        InputError: the file is not there, or holds no answers.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        answers: dict[str, list[Answer]] = {}
        for each in content["answers"]:
            answers.setdefault(each["method"], []).append(Answer(**each))
        if not answers:
            raise KeyError("answers")
        return Run(path.stem, content["settings"]["fingerprint"], answers)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a report of a retrieval benchmark") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: no report with answers ({error!r}); make one with mneme bench locomo ... --out") from error
