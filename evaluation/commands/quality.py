"""Benchmarks of quality: boundaries, extraction, granularity, agents, and the truth of memories."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.options import (
    Backend,
    IndexOption,
    OutOption,
    SegmentationArgument,
    VectorsOption,
    configured,
)
from serving.terminal.output import output


def boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[
        Path | None, typer.Option("--locomo", help="Your LoCoMo JSON: its session ends, with and without times.")
    ] = None,
    out: OutOption = Path("bench-results/boundaries.json"),
    vectors: VectorsOption = None,
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
    """Detection of topic changes: the model of the default detector, cross-validated and online, beside baselines."""
    from evaluation.bench_boundaries import PACES, run_boundaries

    run_boundaries(segmentation, configured(), out, locomo, vectors, sample, pace or PACES, console=output())


def extraction(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA_FOLDER]", help="Your folder with locomo/, chats/ and chinese/; without it only the examples count."
        ),
    ] = None,
    out: OutOption = Path("bench-results/extraction.json"),
    errors: Annotated[bool, typer.Option("--errors", help="Show what was missed and what was wrong, of the dev part.")] = False,
) -> None:
    """Entities, relationships, foresight and profile against episodes labelled by hand: precision, recall and F1."""
    from evaluation.bench_extraction import run_extraction

    run_extraction(data, configured(), out, errors, console=output())


def granularity(
    examples: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Of the examples; without it that of this checkout.")
    ] = None,
    index: IndexOption = Backend.EMBEDDED,
    out: OutOption = Path("bench-results/granularity.json"),
) -> None:
    """Rank of the type of memory that a question wants: 60 written questions about the examples."""
    from evaluation.granularity import run_granularity

    run_granularity(configured(index), out, examples, console=output())


class Planner(StrEnum):
    """Planner of agentic searches."""

    RULES = "rules"
    MODEL = "model"


def multihop(
    locomo: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[LOCOMO]...", help="Your LoCoMo JSON; without it only the questions about the examples are asked."
        ),
    ] = None,
    planner: Annotated[
        list[Planner] | None,
        typer.Option("--planner", help="Who decides, repeatable; model: that of the settings.", show_default="rules"),
    ] = None,
    oracle: Annotated[
        bool, typer.Option("--oracle/--no-oracle", help="The upper bound too: hops asked for in words written beforehand.")
    ] = True,
    examples: Annotated[Path | None, typer.Option(help="Folder of the examples.", show_default="that of the project")] = None,
    index: IndexOption = Backend.EMBEDDED,
    out: OutOption = Path("bench-results/multihop.json"),
) -> None:
    """Agents against one hybrid search: 60 written questions whose answer lies in several episodes; hops found, calls, time."""
    from evaluation.multihop.bench import run_multihop

    chosen = [each.value for each in planner] if planner else ["rules"]
    run_multihop(configured(index), out, locomo or (), chosen, oracle, examples, console=output())


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
    """Check after 61 changes in everyday words that the current fact comes first and the old one is marked as ended."""
    from evaluation.truth.changes import run_changes

    run_changes(configured(), out, output())


@truth.command()
def questions(
    out: OutOption = Path("bench-results/truth-questions.json"),
) -> None:
    """60 natural questions about the shipped chats, 20 without an answer: by hybrid search, and by ask without a model."""
    from evaluation.truth.questions import run_questions

    run_questions(configured(), out, output())
