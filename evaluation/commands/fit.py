"""``mneme bench fit``: fit again, on your own data, what ships with the project."""

from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.options import (
    Backend,
    BeamOption,
    IndexOption,
    LocomoOption,
    SegmentationArgument,
    configured,
)
from serving.terminal.output import output

app = typer.Typer(no_args_is_help=True, help="Fit shipped coefficients again, on your own data.")

FittedOption = Annotated[
    Path | None, typer.Option("--out", help="Where the result goes; by default in the place of what ships with the project.")
]


@app.command()
def boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[Path, typer.Argument(metavar="LOCOMO_FILE", help="Your LoCoMo JSON.", show_default=False)],
    out: FittedOption = None,
) -> None:
    """The semantic boundary detector: prints cross-validated figures, then writes its coefficients."""
    from evaluation.fit_boundaries import DEFAULT_OUT, run_fit

    run_fit(segmentation, locomo, configured(), out or DEFAULT_OUT, console=output())


@app.command()
def fusion(
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = None,
    index: IndexOption = Backend.EMBEDDED,
    folds: Annotated[
        Path | None,
        typer.Option(
            "--folds", help="A folder for the coefficients of each fold, for `mneme bench --folds`.", show_default=False
        ),
    ] = None,
) -> None:
    """Fit the scores of hybrid search, also on talks in other languages: prints cross-validated figures, then writes them."""
    from evaluation.fit_fusion import DEFAULT_OUT, run_fit_fusion
    from evaluation.retrieval.sets import LOADERS, answerable

    given = [LOADERS[name](paths) for name, paths in (("locomo", locomo), ("beam", beam)) if paths]
    run_fit_fusion([*given, answerable.in_other_languages()], configured(index), out or DEFAULT_OUT, output(), folds)


@app.command()
def present(
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """Fit how far a search for a state raises current statements: prints figures before and after, then writes."""
    from evaluation.fit_present import DEFAULT_OUT, run_fit_present

    run_fit_present({"locomo": locomo or (), "beam": beam or ()}, configured(index), out or DEFAULT_OUT, output())


@app.command()
def agents(
    folds: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDS",
            help="A folder of `mneme bench fit fusion --folds` on the same files; what is fitted without each fold joins it.",
            show_default=False,
        ),
    ],
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """Fit the joint score of several searches of an agent: prints cross-validated figures, then writes."""
    from evaluation.fit_agents import DEFAULT_OUT, run_fit_agents

    run_fit_agents({"locomo": locomo or (), "beam": beam or ()}, configured(index), folds, out or DEFAULT_OUT, output())


@app.command()
def answers(
    locomo: LocomoOption = None,
    enough: Annotated[float, typer.Option("--enough", help="Log-odds from which on a memory that was read answers.")] = -1.0,
    out: FittedOption = None,
    index: IndexOption = Backend.EMBEDDED,
) -> None:
    """Fit how likely a memory answers, for `ask` without a model: prints figures by threshold, then writes."""
    from evaluation.fit_answers import DEFAULT_OUT, run_fit_answers

    run_fit_answers(locomo or (), configured(index), enough, out or DEFAULT_OUT, output())


@app.command()
def tokens(
    files: Annotated[list[Path], typer.Argument(help="Markdown and JSON lines, in many languages.", show_default=False)],
    out: FittedOption = None,
) -> None:
    """By what the local embedder reduces the vectors of tokens: prints how much of their variance is kept, then writes it."""
    from evaluation.fit_tokens import DEFAULT_OUT, run_fit_tokens

    run_fit_tokens(files, out or DEFAULT_OUT, output())


@app.command()
def reader(
    out: Annotated[Path | None, typer.Option("--out", help="A folder for the weights; by default that which is read.")] = None,
) -> None:
    """The reader of hybrid search, on talks that were written for it: prints figures of talks kept aside, then writes."""
    from evaluation.fit_reader import DEFAULT_OUT, run_fit_reader

    run_fit_reader(configured(), out or DEFAULT_OUT, console=output())
