"""The end of a run: its report printed and written, its plot, and a page of its answers."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from evaluation.answers.figures import ALL, ANSWERABLE, Judged, cost_rows, latencies, latency_rows, rows_of
from evaluation.answers.judge import majority
from evaluation.answers.plan import Plan
from evaluation.answers.recorder import traffic
from evaluation.answers.records import ABSTENTION, Cost, GivenAnswer, GoldSet, Vote
from evaluation.recording.pending import ModelPending
from evaluation.report import Report, Row, plotted_views, print_table
from mneme.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_answers(
    rows: Sequence[Row], latencies: dict[str, Sequence[float]], costs: Sequence[Row], out: Path, title: str
) -> None:
    """Four views: right answers and abstentions by category with 95 % intervals, latency as a distribution, tokens by role."""
    measure = "accuracy" if any("accuracy" in row for row in rows) else "contained"
    # Words are of questions with an answer: of all of them they would say the same again.
    hidden = ALL if measure == "contained" and any(row["category"] == ANSWERABLE for row in rows) else ""
    with plotted_views(out, 2, 2, (12.8, 9.0), title) as (right, abstained, time, tokens):
        _bars(right, [row for row in rows if measure in row and row["category"] != hidden], measure)
        right.set_title("Answers found right by the judge" if measure == "accuracy" else "Answers with all words of the gold")
        _bars(abstained, [row for row in rows if "abstained" in row], "abstained")
        abstained.set_title("Abstained")
        for name, values in latencies.items():
            if values:
                time.ecdf(values, label=name)
        time.set(xlabel="ms", ylabel="share of questions", xscale="log", title="Latency", ylim=(0, 1.03))
        _token_bars(tokens, costs)


def _bars(axes: "Axes", rows: Sequence[Row], name: str) -> None:
    heights = [float(row[name]) for row in rows]
    below = [height - float(row[f"{name}_low"]) for row, height in zip(rows, heights, strict=True)]
    above = [float(row[f"{name}_high"]) - height for row, height in zip(rows, heights, strict=True)]
    axes.bar(range(len(rows)), heights, yerr=[below, above], error_kw={"linewidth": 0.9, "capsize": 3})
    labels = [f"{row['category']}\n({row['answered']})".replace("_", "\n").replace("-", "-\n") for row in rows]
    axes.set(ylim=(0, 1.03), ylabel="share, with 95 % interval", xticks=range(len(rows)))
    axes.set_xticklabels(labels, fontsize=8)


def _token_bars(axes: "Axes", costs: Sequence[Row]) -> None:
    if not costs:
        axes.set_title("No model was asked")
        axes.set_axis_off()
        return
    axes.set(title="Tokens by role", ylabel="tokens")
    names = [str(row["role"]) for row in costs]
    asked, answered = [float(row["input_tokens"]) for row in costs], [float(row["output_tokens"]) for row in costs]
    axes.bar(names, asked, label="asked")
    axes.bar(names, answered, bottom=asked, label="answered")


_LONGEST_CITED = 400  # characters; an episode may be a page
_MARKS = {True: "right", False: "wrong", None: "not judged"}


def written_answers(title: str, judged: Sequence[Judged], votes: Mapping[str, Sequence[Vote]]) -> str:
    """A page of Markdown. What people and models wrote stands in quotes in which no markup has an effect.

    Args:
        title: of the page.
        judged: in the order of the page.
        votes: of the judge, by question.
    """
    parts = [f"# {title}", f"{len(judged)} answers."]
    for each in judged:
        parts.append("\n".join(_section(each, votes.get(each.question.id, ()))).rstrip())
    return "\n\n".join(parts) + "\n"


def _section(each: Judged, votes: Sequence[Vote]) -> Iterator[str]:
    gold, answer = each.gold, each.answer
    yield f"## {escape(each.question.id)}: {_MARKS[each.right]}"
    yield ""
    said = ["abstained"] if answer.abstained else []
    said += ["quotes, no model"] if answer.extractive else []
    said += [f"{answer.evidence:.0%} of the evidence found"] if answer.evidence is not None else []
    said += [f"{answer.shown:.0%} of it shown"] if answer.shown is not None else []
    yield ", ".join([each.question.category, f"judged as {gold.kind}", *said])
    yield ""
    yield from _quoted("Question", each.question.text)
    yield from _quoted("Gold", gold.answer or ("" if gold.rubric else "(there is no answer)"))
    for point in gold.rubric:
        yield from _quoted("Rubric", point)
    yield from _quoted("Trap", gold.trap)
    yield from _quoted("Answer", answer.answer)
    yield from _quoted("Reasoning", answer.reasoning)
    for cited in answer.citations:
        text = cited.text if len(cited.text) <= _LONGEST_CITED else f"{cited.text[: _LONGEST_CITED - 1]}…"
        yield from _quoted(f"[{cited.number}] {cited.day}".strip(), text)
    for vote in sorted(votes, key=lambda vote: vote.number):
        yield from _quoted(f"Vote {vote.number + 1}, {_MARKS[vote.correct]}", vote.reason)


def _quoted(name: str, text: str) -> Iterator[str]:
    if not text:
        return
    yield f"**{name}**"
    yield ""
    yield from (f"> {_plain(line)}  " for line in text.splitlines())
    yield ""


def _plain(line: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]#|" else character for character in escape(line, quote=False))


_SHOWN = ("contained", "words", "f1", "abstained", "evidence", "shown", "context_tokens")


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
        counts = ", ".join(f"{times} {what}" for what, times in sorted(requests.items()))
        console.print(f"Requests over all starts: {counts}", soft_wrap=True, highlight=False)
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
    headline |= {
        name: answerable[name] for name in ("contained", "f1", "evidence", "shown", "context_tokens") if name in answerable
    }
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
