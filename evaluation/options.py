"""Options that several benchmarks share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Backend = Literal["embedded", "opensearch"]
"""The index that is measured."""

OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Where the results go, as JSON; a plot lies beside it.", show_default="in bench-results/"),
]
FittedOption = Annotated[Path, typer.Option("--out", help="Where the result goes.", show_default="what ships")]
IndexOption = Annotated[Backend, typer.Option("--index", help="Which index is filled and searched.")]
PathsArgument = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Your files of the set, or their folder.", show_default=False)
]
LocomoOption = Annotated[list[Path] | None, typer.Option("--locomo", help="LoCoMo files.", show_default=False)]
BeamOption = Annotated[list[Path] | None, typer.Option("--beam", help="BEAM files, or their folder.", show_default=False)]
FoldsOption = Annotated[
    Path | None,
    typer.Option(
        "--folds",
        help="A folder of `mneme bench fit fusion --folds`: score by coefficients fitted without the question's conversation.",
        show_default=False,
    ),
]
SegmentationArgument = Annotated[
    Path,
    typer.Argument(metavar="SEGMENTATION_FOLDER", help="Your folder with the sets of the Def-DTS bundle.", show_default=False),
]
EngineOption = Annotated[
    Literal["bytewax", "flink"], typer.Option(metavar="NAME", help="What runs the flow, as `mneme run` has it.")
]
JobManagerOption = Annotated[str, typer.Option(metavar="HOST:PORT", help="REST address of the Flink cluster.")]
FlinkPythonOption = Annotated[
    Path | None, typer.Option(metavar="PATH", help="The interpreter with PyFlink.", show_default="this one")
]
