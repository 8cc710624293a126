"""``mneme bench boundaries``: where conversations turn, found online by the model of the default detector.

1. Read the sets and embed every message once.
2. Cross-validate the model on all kinds at once, with vectors and with words only, and cut each conversation online by
   what was fitted without it; beside it the shipped coefficients, which have seen these conversations.
3. Cut by the baselines (evaluation/baselines.py).
4. Measure and report.
"""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.console import Console

from evaluation.baselines import cut_every, no_cut, text_tiled
from evaluation.boundary_model import cross_validate, cut_online, examples_of, logistic_regression
from evaluation.boundary_sets import FOLDS, Kind, read_kinds, vectors_of
from evaluation.report import Report, Row, plot_bars, print_table
from evaluation.segmentation import Results, score, segment_lengths
from flows.boundaries.model import Head, shipped_heads
from mneme.rows import Vector
from mneme.settings import Boundaries, Settings

CROSS_VALIDATED = "cross-validated"
SHIPPED = "shipped (in-sample)"
VECTORS, WORDS = "vectors", "words only"
MADE_UP = "times made up: behaviour, not accuracy"

_SHOWN = {"pk": "Pk", "window_diff": "WindowDiff", "precision": "P", "recall": "R", "f1": "F1"}


def run_boundaries(
    segmentation: Path,
    settings: Settings,
    out: Path,
    locomo: Path | None = None,
    vectors: Path | None = None,
    sample: int | None = None,
    console: Console | None = None,
) -> Report:
    """Measure, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        segmentation: the folder of the Def-DTS bundle.
        settings: which embedder, and the detector's settings.
        out: where the JSON goes.
        locomo: a LoCoMo file, whose sessions end where a boundary lies; None leaves it out, of the fit too.
        vectors: a file that keeps the vectors for the next time.
        sample: so many conversations of each kind; None is all.
        console: where tables and progress go; None is standard output.

    Raises:
        InputError: a file cannot be read or written, or there is too little to fit on.
        SettingsError: scikit-learn is not installed, or the embedder cannot be opened.
    """
    console = console or Console()
    started = time.monotonic()
    logistic_regression()
    # 1.
    kinds = read_kinds(segmentation, locomo, sample)
    known = vectors_of(kinds, settings, vectors, console)
    # 2. and 3.
    with console.status("with vectors"):
        rows = _with_signals(kinds, known, settings.boundaries)
    with console.status("with words only"):
        rows += _with_signals(kinds, None, settings.boundaries)
    for kind in kinds:
        rows += [_row(kind, "cut every n", "", cut_every(kind)), _row(kind, "no cut", "", no_cut(kind))]
    # 4.
    seconds = round(time.monotonic() - started, 1)
    rows.sort(key=lambda row: [kind.name for kind in kinds].index(str(row["set"])))
    report = Report(
        bench="boundaries",
        settings={
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"}),
            "folds": FOLDS,
            "sample": sample,
            "sets": {kind.name: _description(kind) for kind in kinds},
            "seconds": seconds,
        },
        rows=rows,
        headline=_headline(kinds, rows) | {"seconds": seconds},
    )
    _show(console, kinds, rows)
    report.write(out)
    labelled = [{**row, "label": ", ".join(filter(None, (str(row["method"]), str(row["signals"]))))} for row in rows]
    plotted = [row for row in labelled if row["method"] != "no cut"]  # its F1 is 0
    plot_bars(plotted, "set", "label", "f1", out.with_suffix(".png"), "Boundaries found exactly, F1")
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def _with_signals(kinds: Sequence[Kind], vectors: Mapping[str, Vector] | None, settings: Boundaries) -> list[Row]:
    """The rows of everything that looks at words, and at vectors where they are given."""
    signals = VECTORS if vectors else WORDS
    validated: Sequence[Mapping[str, Head]] = cross_validate(examples_of(kinds, vectors)).folds
    rows: list[Row] = []
    for kind in kinds:
        rows += [
            _row(kind, CROSS_VALIDATED, signals, cut_online(kind, vectors, validated, settings)),
            _row(kind, SHIPPED, signals, cut_online(kind, vectors, [shipped_heads()], settings)),
            _row(kind, "TextTiling", signals, text_tiled(kind, vectors)),
        ]
    return rows


def _row(kind: Kind, method: str, signals: str, results: Results) -> Row:
    quarter, half, three = _quartiles(results)
    return {
        "set": kind.name,
        "method": method,
        "signals": signals,
        **asdict(score(results)),
        "length_quarter": quarter,
        "length_median": half,
        "length_three_quarters": three,
    }


def _quartiles(results: Results) -> tuple[float, float, float]:
    quarter, half, three = np.percentile(segment_lengths(results), [25, 50, 75]).tolist()
    return quarter, half, three


def _truth(kind: Kind) -> Results:
    return [(dialogue, dialogue.boundaries) for dialogue in kind.dialogues]


def _description(kind: Kind) -> dict[str, object]:
    return {
        "conversations": len(kind.dialogues),
        "messages": sum(len(dialogue.messages) for dialogue in kind.dialogues),
        "boundaries": sum(len(dialogue.boundaries) for dialogue in kind.dialogues),
        "weight": kind.weight,
        "times_made_up": kind.made_up,
        "length_quartiles": _quartiles(_truth(kind)),
    }


def _headline(kinds: Sequence[Kind], rows: Sequence[Row]) -> dict[str, str | float | int]:
    """Pk and F1 of the cross-validated model with vectors, on every set whose times are not made up."""
    real = {kind.name for kind in kinds if not kind.made_up}
    shown = [row for row in rows if row["set"] in real and (row["method"], row["signals"]) == (CROSS_VALIDATED, VECTORS)]
    return {f"{_slug(str(row['set']))}_{figure}": row[figure] for row in shown for figure in ("pk", "f1")}


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower())


def _show(console: Console, kinds: Sequence[Kind], rows: Sequence[Row]) -> None:
    for kind in kinds:
        truth = _description(kind)
        title = f"{kind.name}: {truth['conversations']} conversations, {truth['boundaries']} boundaries"
        shown = [
            {
                "method": row["method"],
                "signals": row["signals"],
                **{name: row[figure] for figure, name in _SHOWN.items()},
                "length": _lengths(float(row[f"length_{name}"]) for name in ("quarter", "median", "three_quarters")),
            }
            for row in rows
            if row["set"] == kind.name
        ]
        shown.append({"method": "truth", "length": _lengths(_quartiles(_truth(kind)))})
        print_table(console, f"{title} ({MADE_UP})" if kind.made_up else title, shown, list(shown[0]))
    console.print("P, R, F1: boundaries found exactly; length: messages in an episode, quartiles", highlight=False)


def _lengths(quartiles: Iterable[float]) -> str:
    return " / ".join(f"{value:.0f}" for value in quartiles)
