"""``mneme bench fit boundaries``: fits the semantic boundary detector, on several kinds of conversation at once.

1. Read the dialogues, without times and with times at every pace (evaluation/boundary_sets.py), and embed every message once.
2. With vectors and without: cross-validate (evaluation/boundary_model.py), measure out of fold and online, as the flow
   asks the detector, and print the figures.
3. Fit on everything and write the coefficients.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from evaluation.boundary_model import cross_validate, cut_online, examples_of, fit, moved
from evaluation.boundary_sets import FOLDS, read_kinds, vectors_of
from evaluation.fitting import check_ready
from evaluation.options import FittedOption, SegmentationArgument
from evaluation.report import print_table
from evaluation.segmentation import score
from flows.boundaries.semantic import VECTORS, WORDS_ONLY, Head, heads_from
from mneme.errors import InputError
from mneme.settings import Boundaries, Settings
from mneme.times import utc_now

DEFAULT_OUT = Path(__file__).parent.parent / "flows" / "boundaries" / "coefficients.json"


def run_fit_boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[Path, typer.Argument(metavar="LOCOMO_FILE", help="Your LoCoMo JSON.", show_default=False)],
    settings: Settings,
    console: Console,
    out: FittedOption = DEFAULT_OUT,
) -> None:
    """The semantic boundary detector: prints cross-validated figures, then writes its coefficients.

    The detector's own settings are the defaults, for which its model is made.

    Raises:
        InputError: a file cannot be read or written, or there is too little to fit on.
        SettingsError: the embedder cannot be opened.
    """
    check_ready(out)
    # 1.
    kinds = read_kinds(segmentation, locomo)
    known = vectors_of(kinds, settings, console)
    # 2. and 3.
    fitted: dict[str, Head] = {}
    rows: list[dict[str, str | float]] = []
    for situation, given in ((VECTORS, known), (WORDS_ONLY, None)):
        with console.status(f"fitting, {situation}"):
            examples = examples_of(kinds, given)
            validated = cross_validate(examples)
            for kind in kinds:
                results = cut_online(kind, given, validated.folds, Boundaries())
                rows.append({"set": kind.name, "signals": situation, **asdict(score(results))})
            fitted[situation] = moved(fit(examples), validated.point)
    print_table(console, "Cross-validated, online", rows)
    about = {
        "command": "mneme bench fit boundaries SEGMENTATION_FOLDER LOCOMO_FILE",
        "date": utc_now().date().isoformat(),
        "data": [f"{kind.name}: {len(kind.dialogues)} conversations, weight {kind.weight}" for kind in kinds],
        "folds": FOLDS,
    }
    text = as_json(fitted, about)
    heads_from(json.loads(text))  # what cannot be read back is not written
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"out: {out} cannot be written ({error.strerror}); choose another file") from error
    console.print(f"coefficients: {out}", soft_wrap=True, highlight=False)


def as_json(heads: Mapping[str, Head], fitted: Mapping[str, Any]) -> str:
    """The form of coefficients.json, a line for each feature: mean, scale, weight, weight for each gate."""
    lines = ["{", f'"fitted": {json.dumps(fitted)},', '"heads": {']
    for number, (name, head) in enumerate(heads.items()):
        lines.append(f'"{name}": {{"gates": {json.dumps(head.gates)}, "intercept": {head.intercept:.4f}, "features": {{')
        table = np.vstack([head.means, head.scales, head.weights]).T
        rows = [
            f'"{feature}": [{", ".join(f"{value:.4g}" for value in row)}]'
            for feature, row in zip(head.names, table, strict=True)
        ]
        lines += [",\n".join(rows), "}}" + ("," if number < len(heads) - 1 else "")]
    return "\n".join([*lines, "}", "}", ""])
