"""``mneme fit``: make again what ships with the project and was fitted to data."""

from pathlib import Path
from typing import Annotated

import typer

from serving.commands.options import SegmentationArgument, VectorsOption


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    fits = typer.Typer(no_args_is_help=True, help="Fit shipped coefficients again, on your own data.")
    fits.command()(boundaries)
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
    from serving.console import output

    run_fit(segmentation, locomo, load_settings(), out or DEFAULT_OUT, vectors, console=output())
