"""``mneme fit``: make again what ships with the project and was fitted to data."""

from pathlib import Path
from typing import Annotated

import typer

from serving.commands.bench_retrieval import Backend, IndexOption, with_index
from serving.commands.options import SegmentationArgument, VectorsOption


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    fits = typer.Typer(no_args_is_help=True, help="Fit shipped coefficients again, on your own data.")
    fits.command()(boundaries)
    fits.command()(fusion)
    fits.command()(present)
    fits.command()(answers)
    fits.command()(agents)
    fits.command()(tokens)
    fits.command()(capacity)
    app.add_typer(fits, name="fit")


def boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[Path, typer.Argument(metavar="LOCOMO_FILE", help="Your LoCoMo JSON.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the coefficients go; by default to those that the detector reads.")
    ] = None,
    vectors: VectorsOption = None,
) -> None:
    """The semantic boundary detector: prints cross-validated figures, then writes its coefficients."""
    from evaluation.fit_boundaries import DEFAULT_OUT, run_fit
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_fit(segmentation, locomo, load_settings(), out or DEFAULT_OUT, vectors, console=output())


def fusion(
    locomo: Annotated[list[Path] | None, typer.Option("--locomo", help="LoCoMo files.", show_default=False)] = None,
    beam: Annotated[list[Path] | None, typer.Option("--beam", help="BEAM files, or their folder.", show_default=False)] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the coefficients go; by default to those that searches read.")
    ] = None,
    index: IndexOption = Backend.EMBEDDED,
    folds: Annotated[
        Path | None,
        typer.Option(
            "--folds", help="A folder for the coefficients of each fold, for `mneme bench --folds`.", show_default=False
        ),
    ] = None,
) -> None:
    """How hybrid search scores: prints cross-validated figures, then writes the coefficients of this index and embedder."""
    from evaluation.fit_fusion import DEFAULT_OUT, run_fit_fusion
    from serving.terminal.output import output

    run_fit_fusion({"locomo": locomo or (), "beam": beam or ()}, with_index(index), out or DEFAULT_OUT, output(), folds)


def present(
    locomo: Annotated[list[Path] | None, typer.Option("--locomo", help="LoCoMo files.", show_default=False)] = None,
    beam: Annotated[list[Path] | None, typer.Option("--beam", help="BEAM files, or their folder.", show_default=False)] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the weights go; by default to those that searches read.")
    ] = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """How far a search for a state raises what is so now: prints the figures before and after, then writes the weights."""
    from evaluation.fit_present import DEFAULT_OUT, run_fit_present
    from serving.terminal.output import output

    run_fit_present({"locomo": locomo or (), "beam": beam or ()}, with_index(index), out or DEFAULT_OUT, output())


def agents(
    folds: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDS",
            help="A folder of `mneme fit fusion --folds` on the same files; what is fitted without each fold joins it.",
            show_default=False,
        ),
    ],
    locomo: Annotated[list[Path] | None, typer.Option("--locomo", help="LoCoMo files.", show_default=False)] = None,
    beam: Annotated[list[Path] | None, typer.Option("--beam", help="BEAM files, or their folder.", show_default=False)] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the coefficients go; by default to those that searches read.")
    ] = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """How agentic search scores together what several searches found: prints cross-validated figures, then writes."""
    from evaluation.fit_agents import DEFAULT_OUT, run_fit_agents
    from serving.terminal.output import output

    run_fit_agents({"locomo": locomo or (), "beam": beam or ()}, with_index(index), folds, out or DEFAULT_OUT, output())


def answers(
    locomo: Annotated[list[Path] | None, typer.Option("--locomo", help="LoCoMo files.", show_default=False)] = None,
    enough: Annotated[float, typer.Option("--enough", help="The log-odds from which on a memory answers.")] = -1.5,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the weights go; by default to those that answers read.")
    ] = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """How likely a memory answers, for `ask` without a model: prints what each threshold answers, then writes the weights."""
    from evaluation.fit_answers import DEFAULT_OUT, run_fit_answers
    from serving.terminal.output import output

    run_fit_answers(locomo or (), with_index(index), enough, out or DEFAULT_OUT, output())


def tokens(
    files: Annotated[list[Path], typer.Argument(help="Markdown and JSON lines, in many languages.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder for what is fitted; by default that of the embedder.")
    ] = None,
) -> None:
    """By what the local embedder reduces the vectors of tokens: prints how much of their variance is kept, then writes it."""
    from evaluation.fit_tokens import DEFAULT_OUT, run_fit_tokens
    from serving.terminal.output import output

    run_fit_tokens(files, out or DEFAULT_OUT, output())


def capacity(
    measured: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="With JSON of `mneme bench scaling`, `query`, `state`, `models`.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Where the coefficients go; by default to those of `mneme capacity`.")
    ] = None,
) -> None:
    """What one message, record and search cost, for `mneme capacity`, with the error of leaving out each measurement."""
    from evaluation.capacity.fit import SHIPPED, run_fit_capacity
    from serving.terminal.output import output

    run_fit_capacity(measured, out or SHIPPED, console=output())
