"""``mneme bench locomo | beam | longmemeval | memdaily``: how well each method finds the messages that answer.

1. Ingest the set's conversations through the flow into an index of its own.
2. Ask every question by each method, within the memory it is asked of.
3. Measure on messages (evaluation/metrics.py), as a whole, and by category, and report with intervals.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from evaluation.metrics import ALL, KS, Answer, rows_of
from evaluation.options import FoldsOption, PathsArgument
from evaluation.own_index import fresh_index
from evaluation.report import Report, Row, embedder_of, plot_bars, print_table
from evaluation.retrieval.compare import DIFFERENCE, compare
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import LOADERS
from evaluation.retrieval.systems import METHODS, SEARCHES, MemoriesOf, ask_all, found_by, open_memories
from flows import IngestReport, ingest
from mneme.errors import InputError
from mneme.settings import Settings

SHOWN = [*(f"recall@{k}" for k in KS), "hit@5", "ndcg@10", "mrr", "recall@600tokens", "tokens@10"]


def run_retrieval(
    name: str,
    paths: PathsArgument,
    settings: Settings,
    console: Console,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            help="Ask by this one, repeatable. reflect: agentic, with reflection for every question.",
            show_default="keyword, vector, hybrid",
        ),
    ] = None,
    folds: FoldsOption = None,
    constants: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another constant of retrieval, repeatable.", show_default=False),
    ] = None,
) -> Report:
    """Measure and report; the JSON has an answer for each question.

    Args:
        name: of the set, one of ``LOADERS``.
        paths: its files, or folders of them.
        settings: ``index.backend`` says which index is filled.
        console: for tables and progress.
        method: which of ``METHODS`` are measured.
        folds: see ``open_memories``: coefficients that have not seen the conversation that is asked.
        constants: see ``with_constants``.

    Raises:
        InputError: a file is not of the set, or a method is not known.
        MnemeError: whatever the flow or a search raises.
    """
    methods = method or SEARCHES
    if unknown := [each for each in methods if each not in METHODS]:
        raise InputError(f"method: {', '.join(unknown)} not known; accepted are {', '.join(METHODS)}")
    questions, settings = LOADERS[name](paths), with_constants(settings, constants or ())
    # 1.
    with searched(questions, settings, console, folds) as (_, memories, ingested):
        # 2.
        asked = ask_all({each: found_by(each, memories) for each in methods}, questions.questions, console)
    for each, notes in asked.notes.items():
        for note, times in notes.items():
            console.print(f"{each}, {times} questions: {note}")
    # 3.
    by_method = {each: [answer for answer in asked.answers if answer.method == each] for each in methods}
    others = [each for each in methods if "hybrid" in by_method and each != "hybrid"]
    rows = rows_of(asked.answers)
    overall = [row for row in rows if row["category"] == ALL]
    headline = {f"{row['method']}_{figure}": row[figure] for row in overall for figure in ("recall@10", "hit@5")}
    seconds = round(ingested.seconds, 1)
    run = {
        "embedder": embedder_of(settings),
        "messages": ingested.messages,
        "episodes": ingested.episodes,
        "facts": ingested.facts,
        "refused": ingested.dead_letters,
        "ingest_seconds": seconds,
        "notes": asked.notes,
    }
    title = f"{questions.title}, {settings.index.backend} index"
    report = Report(
        bench=questions.name,
        settings={
            "set": questions.name,
            "questions": len(questions.questions),
            "left_out": questions.left_out,
            "fingerprint": questions.fingerprint,
            "index": settings.index.backend,
            "extractor": settings.extraction.extractor,
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "retrieval": settings.retrieval.model_dump(mode="json"),
            "runs": [run],
        },
        rows=rows,
        headline={"index": settings.index.backend, **headline, "ingest_seconds": seconds},
        parts={
            "differences": [row for each in others for row in compare(by_method["hybrid"], by_method[each], "hybrid", each)],
            "answers": [answer_row(each) for each in asked.answers],
        },
        plot=partial(plot_bars, rows, "category", "method", "recall@10", title=title),
    )
    _show(console, report)
    return report


def ingest_set(questions: QuestionSet, own: Settings, console: Console) -> IngestReport:
    """Take the conversations of a set through the flow. What it refuses (a message may be too long) cannot be found."""
    with console.status("ingesting"):
        report = ingest([questions.write(own.data)], own)
    console.print(f"{report.messages} messages, {report.episodes} episodes and {report.facts} facts in {report.seconds:.1f} s")
    if report.dead_letters:
        console.print(f"{report.dead_letters} messages were refused by the flow: what they say counts as not found")
    return report


@contextmanager
def searched(
    questions: QuestionSet, settings: Settings, console: Console, folds: Path | None = None
) -> Iterator[tuple[Settings, MemoriesOf, IngestReport]]:
    """An index of its own with the conversations of a set: its settings, the memories of each question at its time, and what
    was ingested.

    Args:
        questions: the set.
        settings: which index and which embedder is searched.
        console: where progress goes.
        folds: see ``open_memories``.
    """
    with fresh_index(settings, questions.name) as own, ExitStack() as stack:
        report = ingest_set(questions, own, console)
        yield own, open_memories(own, questions, folds, stack), report


def with_constants(settings: Settings, given: Sequence[str]) -> Settings:
    """Change constants of retrieval, each ``NAME=VALUE``; what a part is worth shows in ``mneme bench compare`` of two runs.

    Raises:
        InputError: there is no such constant, or its value is no JSON.
    """
    changed: dict[str, Any] = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in (known := settings.retrieval.model_dump()):
            raise InputError(f"set: {name!r} is no constant of retrieval; accepted are {', '.join(known)}")
        try:
            changed[name] = json.loads(value)
        except ValueError as error:
            raise InputError(f"set: {value!r} of {name} is no JSON ({error}); write {name}=0.5 or false") from error
    return settings.replace(retrieval=changed)


def answer_row(answer: Answer) -> dict[str, Any]:
    """An answer as it stands in a report: no text, only ids and figures."""
    return {
        "method": answer.method,
        "question": answer.question,
        "category": answer.category,
        "conversation": answer.conversation,
        "figures": {name: round(value, 4) for name, value in answer.figures.items()},
        "messages": list(answer.messages),
    }


def _show(console: Console, report: Report) -> None:
    title = report.bench
    overall: list[Row] = [row for row in report.rows if row["category"] == ALL]
    print_table(console, f"{title}, by method", overall, ["method", "questions", *SHOWN])
    best = "hybrid" if any(row["method"] == "hybrid" for row in overall) else str(overall[-1]["method"])
    by_category = [row for row in report.rows if row["method"] == best and row["category"] != ALL]
    if by_category:
        print_table(console, f"{title}, {best}, by category", by_category, ["category", "questions", *SHOWN])
    figures = ("recall@10", "recall@600tokens")
    rows = [row for row in report.parts["differences"] if row["category"] == ALL and row["figure"] in figures]
    if rows:
        print_table(console, f"{title}, 95 % intervals", rows, DIFFERENCE)
