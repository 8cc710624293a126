"""``mneme bench truth``: whether what is remembered is true."""

from pathlib import Path
from typing import Annotated

import typer


def register(benches: typer.Typer) -> None:
    """Add these commands to ``mneme bench``."""
    truth = typer.Typer(no_args_is_help=True, help="Whether what is remembered is true: a draw to grade, changes, questions.")
    for command in (draw, score, changes, questions):
        truth.command()(command)
    benches.add_typer(truth, name="truth")


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
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_draw(sources or (), seed, out, load_settings(), Sizes(facts, dates, annotations, endings), output())


def score(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET.json", help="A graded sheet.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Where the shares go, as JSON.")] = Path("bench-results/truth.json"),
) -> None:
    """The shares of a graded sheet, by source: facts that are true and can be read alone, dates, annotations, endings."""
    from evaluation.truth.sheet import run_score
    from serving.terminal.output import output

    run_score(sheet, out, output())


def changes(
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path(
        "bench-results/truth-changes.json"
    ),
) -> None:
    """Whether what is so now comes first after 61 changes in everyday words, and what was so is marked as ended."""
    from evaluation.truth.changes import run_changes
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_changes(load_settings(), out, output())


def questions(
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path(
        "bench-results/truth-questions.json"
    ),
) -> None:
    """60 natural questions about the shipped chats, 20 without an answer: by hybrid search, and by ask without a model."""
    from evaluation.truth.questions import run_questions
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_questions(load_settings(), out, output())
