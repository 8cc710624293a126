"""The end of a run: its report printed and written, its plot, and its answers for reading."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from evaluation.answers.figures import ALL, ANSWERABLE, Judged, cost_rows, latencies, latency_rows, rows_of
from evaluation.answers.given import Cost, GivenAnswer, Vote
from evaluation.answers.gold import ABSTENTION, GoldSet
from evaluation.answers.judge import majority
from evaluation.answers.plan import Plan
from evaluation.answers.plots import plot_answers
from evaluation.answers.reading import written_answers
from evaluation.answers.recorder import traffic
from evaluation.report import Report, Row, print_table
from mneme.errors import ModelError, ModelPending

_SHOWN = ("contained", "words", "f1", "abstained", "evidence")


@dataclass(frozen=True, slots=True)
class Finished:
    """What a start of a run leaves behind: all answers and votes so far, and what failed at this start.

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
    """Print the figures and write the report as JSON, its plot and ``answers.md`` into the folder of the run."""
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
    answers = [each.answer for each in judged]
    judging = [vote.cost for votes in by_question.values() for vote in votes]
    times = latency_rows(answers, judging)
    ingestion = {role: Cost.model_validate(cost) for role, cost in finished.ingested["usage"].items()}
    costs = cost_rows(answers, judging, ingestion, plan.price_input, plan.price_output)
    requests = traffic(out / "recordings.jsonl")
    report = Report(
        bench=f"eval-{questions.name}",
        settings={
            **settings,
            "judge": judge,
            "votes": plan.votes,
            "concurrency": plan.concurrency,
            "left_out": questions.left_out,
            "ingested": {name: value for name, value in finished.ingested.items() if name != "usage"},
            "requests": dict(requests),
        },
        rows=rows,
        headline=_headline(rows, times, costs, finished, plan),
        parts={"latency": times, "cost": costs},
    )
    _print_rows(console, f"{questions.title}, {plan.method}", rows)
    if times:
        print_table(console, "Latency", times, ["step", "times", "milliseconds", "milliseconds_p95"])
    if costs:
        print_table(console, "Cost", costs, list(costs[0]))
    if requests:
        told = ", ".join(f"{times} {what}" for what, times in sorted(requests.items()))
        console.print(f"Requests over all starts: {told}", soft_wrap=True, highlight=False)
    page = written_answers(f"{questions.title}: answers", judged, by_question)
    (out / "answers.md").write_text(page, encoding="utf-8")
    _print_pending(finished, console)
    title = f"{questions.title}, {plan.method}, {len(answers)} answers"
    plot = partial(plot_answers, rows, latencies(answers), costs, title=title)
    return report.finish(console, out / f"{report.bench}.json", plot)


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


def _headline(
    rows: Sequence[Row], times: Sequence[Row], costs: Sequence[Row], finished: Finished, plan: Plan
) -> Mapping[str, str | float | int]:
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
    headline |= {name: answerable[name] for name in ("contained", "f1", "evidence") if name in answerable}
    headline |= {name: by_category[ALL][name] for name in ("by_words", "always_answering_at_most") if name in by_category[ALL]}
    if ABSTENTION in by_category and "abstained" in by_category[ABSTENTION]:
        headline["abstained"] = by_category[ABSTENTION]["abstained"]
    if ABSTENTION not in by_category or len(by_category) > 2:
        headline |= {"false_abstentions": answerable["abstained"]} if "abstained" in answerable else {}
    headline |= {f"{row['step']}_ms": round(float(row["milliseconds"]), 1) for row in times if row["step"] != "vote"}
    if costs:
        headline["tokens"] = sum(int(row["input_tokens"]) + int(row["output_tokens"]) for row in costs)
    if costs and "cost" in costs[0]:
        headline["cost"] = sum(float(row["cost"]) for row in costs)
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
