"""The end of a run: its report printed and written, and its plot."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from evaluation.answers.figures import ALL, ANSWERABLE, Judged, cost_rows, rows_of
from evaluation.answers.judge import majority
from evaluation.answers.plan import Plan
from evaluation.answers.records import ABSTENTION, Cost, GivenAnswer, GoldSet, Vote
from evaluation.recording.pending import ModelPending
from evaluation.report import Report, Row, plot_bars, print_table
from mneme.errors import ModelError

_SHOWN = ("contained", "abstained", "evidence", "shown", "context_tokens")


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a start of a run: all answers and votes so far, and what failed at this start.

    ``waiting`` says how many requests wait in which file to be answered.
    """

    gold: GoldSet
    answers: Mapping[str, GivenAnswer]
    votes: Sequence[Vote]
    failed: Mapping[str, ModelError]
    unjudged: Mapping[tuple[str, int], ModelError]
    ingested: Mapping[str, Any]
    waiting: str = ""

    @property
    def pending(self) -> int:
        """Questions without an answer, and votes that were not cast."""
        return len(self.gold.questions.questions) - len(self.answers) + len(self.unjudged)


def summarise(
    finished: Finished, settings: Mapping[str, Any], out: Path, plan: Plan, judge: str | None, console: Console
) -> Report:
    """Print the figures, and write the report as JSON and its plot into the folder of the run."""
    questions = finished.gold.questions
    by_question: dict[str, list[Vote]] = defaultdict(list)
    for vote in finished.votes:
        if vote.number < plan.votes:
            by_question[vote.question].append(vote)
    judged = [
        Judged(
            question,
            finished.gold.gold[question.id],
            finished.answers[question.id],
            majority({vote.number: vote.correct for vote in by_question[question.id]}, plan.votes),
        )
        for question in questions.questions
        if question.id in finished.answers
    ]
    rows = rows_of(judged, questions.questions)
    judging = [vote.cost for votes in by_question.values() for vote in votes]
    ingestion = {role: Cost.model_validate(cost) for role, cost in finished.ingested["usage"].items()}
    costs = cost_rows([each.answer for each in judged], judging, ingestion)
    report = Report(
        bench=f"eval-{questions.name}",
        settings={
            **settings,
            "judge": judge,
            "votes": plan.votes,
            "concurrency": plan.concurrency,
            "left_out": questions.left_out,
            "ingested": {name: value for name, value in finished.ingested.items() if name != "usage"},
        },
        rows=rows,
        headline=_headline(rows, costs, finished, plan),
        parts={"cost": costs},
    )
    title = f"{questions.title}, {plan.method}"
    _print_rows(console, title, rows)
    if costs:
        print_table(console, "Cost", costs)
    _print_pending(finished, console)
    bars = [
        {"category": row["category"], "figure": figure, "share": row[figure]}
        for row in rows
        for figure in ("accuracy", "contained", "abstained")
        if figure in row
    ]
    plot = partial(plot_bars, bars, "category", "figure", "share", title=f"{title}, {len(judged)} answers")
    return report.finish(console, out / f"{report.bench}.json", plot if bars else None)


def _print_rows(console: Console, title: str, rows: Sequence[Row]) -> None:
    shown = [
        {
            "category": row["category"],
            "answered": f"{row['answered']} of {row['questions']}",
            **({"accuracy": _with_interval(row)} if "accuracy" in row else {}),
            **{name: row[name] for name in _SHOWN if name in row},
        }
        for row in rows
    ]
    print_table(console, title, shown, list(dict.fromkeys(name for row in shown for name in row)))


def _with_interval(row: Row) -> str:
    return f"{row['accuracy']:.3f} ({row['accuracy_low']:.3f}-{row['accuracy_high']:.3f})"


def _headline(rows: Sequence[Row], costs: Sequence[Row], finished: Finished, plan: Plan) -> Mapping[str, str | float | int]:
    by_category = {str(row["category"]): row for row in rows}
    answerable = by_category.get(ANSWERABLE, by_category[ALL])
    headline: dict[str, str | float | int] = {
        "method": plan.method,
        "questions": by_category[ALL]["questions"],
        "pending": finished.pending,
    }
    headline |= {
        name: by_category[ALL][name] for name in ("accuracy", "accuracy_low", "accuracy_high") if name in by_category[ALL]
    }
    headline |= {name: answerable[name] for name in ("contained", "evidence", "shown", "context_tokens") if name in answerable}
    if ABSTENTION in by_category and "abstained" in by_category[ABSTENTION]:
        headline["abstained"] = by_category[ABSTENTION]["abstained"]
    if ABSTENTION not in by_category or len(by_category) > 2:
        headline |= {"false_abstentions": answerable["abstained"]} if "abstained" in answerable else {}
    if costs:
        headline["tokens"] = sum(int(row["input_tokens"]) + int(row["output_tokens"]) for row in costs)
    return headline


def _print_pending(finished: Finished, console: Console) -> None:
    for what, failed in (("questions have no answer", finished.failed), ("votes were not cast", finished.unjudged)):
        if not failed:
            continue
        console.print(f"{len(failed)} {what} yet; the same command goes on with them:", highlight=False)
        waiting = sum(isinstance(error, ModelPending) for error in failed.values())
        if waiting:
            console.print(f"  {waiting} x {finished.waiting} (docs/internals/evaluation.md)", soft_wrap=True, highlight=False)
        reasons = Counter(str(error) for error in failed.values() if not isinstance(error, ModelPending))
        for reason, times in reasons.most_common(5):
            console.print(f"  {times} x {reason}", soft_wrap=True, highlight=False, markup=False)
