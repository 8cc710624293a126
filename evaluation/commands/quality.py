"""Benchmarks of quality: boundaries, and the truth of memories."""

from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.options import (
    OutOption,
    SegmentationArgument,
    configured,
)
from serving.terminal.output import output


def boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[
        Path | None, typer.Option("--locomo", help="Your LoCoMo JSON: its session ends, with and without times.")
    ] = None,
    out: OutOption = Path("bench-results/boundaries.json"),
    sample: Annotated[
        int | None, typer.Option("--sample", min=5, help="So many conversations of each set, for a quick look.")
    ] = None,
    pace: Annotated[
        list[float] | None,
        typer.Option(
            "--pace", min=0.001, help="Seconds between messages; several times for several.", show_default="1 10 30 120"
        ),
    ] = None,
) -> None:
    """Detection of topic changes: the model of the default detector, cross-validated and online, at several paces."""
    from evaluation.bench_boundaries import PACES, run_boundaries

    run_boundaries(segmentation, configured(), out, locomo, sample, pace or PACES, console=output())


def lists(
    examples: Annotated[
        Path, typer.Argument(metavar="EXAMPLES", help="The folder examples/ of a checkout.", show_default=False)
    ],
    locomo: Annotated[
        list[Path] | None,
        typer.Option("--locomo", help="Your LoCoMo JSON, repeatable: its questions whose gold is a list.", show_default=False),
    ] = None,
    out: OutOption = Path("bench-results/lists.json"),
) -> None:
    """Questions for all of a kind and for counts: the share of the items that the writer of an answer is shown."""
    from evaluation.bench_lists import run_lists

    run_lists(examples, locomo or (), configured(), out, output())


truth = typer.Typer(no_args_is_help=True, help="Whether what is remembered is true: a draw to grade, changes, questions.")


@truth.command()
def draw(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[[NAME=]PATH]...",
            help="Chats in any form that `mneme ingest` reads, files of BEAM, MemDaily or LongMemEval, or the data folder of an"
            " embedded index. Files of one name, or of one published set, are one source.",
            show_default="the shipped chats",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="What the draw begins with.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The sheet; the reading copy lies beside it.")] = Path(
        "bench-results/truth-sheet.json"
    ),
    facts: Annotated[int, typer.Option("--facts", min=0, help="Drawn of each source.")] = 100,
    dates: Annotated[int, typer.Option("--dates", min=0, help="Dated facts, drawn of all sources together.")] = 200,
    annotations: Annotated[
        int, typer.Option("--annotations", min=0, help="Entities, relationships, lines of profiles and foresights.")
    ] = 60,
    endings: Annotated[int, typer.Option("--endings", min=0, help="Facts that are marked as no longer so.")] = 50,
) -> None:
    """Draw what a grader reads: a sheet of ids with a place for each verdict, and a reading copy with the text."""
    from evaluation.truth.draw import Sizes, run_draw

    run_draw(sources or (), seed, out, configured(), Sizes(facts, dates, annotations, endings), output())


@truth.command()
def score(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET.json", help="A graded sheet.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the shares go, as JSON.")] = Path("bench-results/truth.json"),
) -> None:
    """The shares of a graded sheet, by source: facts that are true and can be read alone, dates, annotations, endings."""
    from evaluation.truth.sheet import run_score

    run_score(sheet, out, output())


@truth.command()
def changes(
    out: OutOption = Path("bench-results/truth-changes.json"),
) -> None:
    """Check after changes in everyday words that the current fact comes first and the old one is marked as ended."""
    from evaluation.truth.changes import run_changes

    run_changes(configured(), out, output())


@truth.command()
def questions(
    out: OutOption = Path("bench-results/truth-questions.json"),
) -> None:
    """Natural questions about the shipped chats, some without an answer: by hybrid search, and by ask without a model."""
    from evaluation.truth.questions import run_questions

    run_questions(configured(), out, output())
