"""``mneme bench boundaries``: where conversations turn, found online by the model of the default detector.

1. Read the sets and embed every message once.
2. Cross-validate the model on all kinds at once, with vectors and with words only, and cut each conversation online by
   what was fitted without it; beside it the shipped coefficients, which have seen these conversations.
3. Cut the dialogues again, without times and with times at several paces.
4. Measure and report.
"""

import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.boundary_sets import FOLDS, TIMED, Kind, paced, read_kinds, vectors_of
from evaluation.fit_boundaries import cross_validate, cut_online, examples_of
from evaluation.options import SegmentationArgument
from evaluation.report import Report, Row, embedder_of, plot_bars, print_table
from evaluation.segmentation import Results, score
from flows.boundaries.semantic import VECTORS, WORDS_ONLY, Head, shipped_heads
from mneme.rows import Vector
from mneme.settings import Boundaries, Settings

CROSS_VALIDATED = "cross-validated"
SHIPPED = "shipped (in-sample)"
PACES = (1.0, 10.0, 30.0, 120.0)  # seconds between messages
MADE_UP = "times made up: behaviour, not accuracy"

_SHOWN = {"pk": "Pk", "window_diff": "WindowDiff", "precision": "P", "recall": "R", "f1": "F1"}


def run_boundaries(
    segmentation: SegmentationArgument,
    settings: Settings,
    console: Console,
    locomo: Annotated[
        Path | None, typer.Option("--locomo", help="Your LoCoMo JSON: its session ends, with and without times.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=5, help="So many conversations of each set, for a quick look.")
    ] = None,
    pace: Annotated[
        list[float] | None,
        typer.Option(
            "--pace", min=0.001, help="Seconds between messages; several times for several.", show_default="1 10 30 120"
        ),
    ] = None,
) -> Report:
    """Detection of topic changes: the model of the default detector, cross-validated and online, at several paces.

    Raises:
        InputError: a file cannot be read or written, or there is too little to fit on.
        SettingsError: the embedder cannot be opened.
    """
    started = time.monotonic()
    # 1.
    kinds = read_kinds(segmentation, locomo, sample)
    known = vectors_of(kinds, settings, console)
    # 2.
    rows: list[Row] = []
    for signals, given in ((VECTORS, known), (WORDS_ONLY, None)):
        with console.status(signals):
            heads = {CROSS_VALIDATED: cross_validate(examples_of(kinds, given)).folds, SHIPPED: (shipped_heads()[signals],)}
            for kind in kinds:
                rows += [
                    _row(kind, name, signals, cut_online(kind, given, each, settings.boundaries))
                    for name, each in heads.items()
                ]
            # 3.
            if given is not None:
                at_paces = _at_paces(kinds, known, heads, (None, *(pace or PACES)), settings.boundaries)
    # 4.
    seconds = round(time.monotonic() - started, 1)
    rows.sort(key=lambda row: [kind.name for kind in kinds].index(str(row["set"])))
    _show(console, kinds, rows)
    print_table(console, "At every pace, with vectors", at_paces, list(at_paces[0]))
    labelled = [{**row, "label": f"{row['method']}, {row['signals']}"} for row in rows]
    return Report(
        bench="boundaries",
        settings={
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "embedder": embedder_of(settings),
            "folds": FOLDS,
            "sample": sample,
            "sets": {kind.name: _description(kind) for kind in kinds},
            "seconds": seconds,
        },
        rows=rows,
        headline=_headline(kinds, rows) | _worst(at_paces) | {"seconds": seconds},
        parts={"paces": at_paces},
        plot=partial(plot_bars, labelled, "set", "label", "f1", title="Boundaries found exactly, F1"),
    )


def _at_paces(
    kinds: Sequence[Kind],
    vectors: Mapping[str, Vector],
    heads: Mapping[str, Sequence[Head]],
    paces: Sequence[float | None],
    settings: Boundaries,
) -> list[Row]:
    """Score the cuts at each pace of the dialogues whose times are made up; None is without times."""
    rows: list[Row] = []
    dialogues = {kind.name.removesuffix(TIMED) for kind in kinds if kind.made_up}
    for kind in (kind for kind in kinds if kind.name in dialogues):
        for pace in paces:
            chance = random.Random(kind.name)
            there = replace(kind, dialogues=tuple(paced(dialogue, pace, chance) for dialogue in kind.dialogues))
            for method, each in heads.items():
                found = score(cut_online(there, vectors, each, settings))
                seconds = "no times" if pace is None else f"{pace:g} s"
                rows.append({"set": kind.name, "pace": seconds, "method": method, "pk": found.pk, "f1": found.f1})
    return rows


def _worst(at_paces: Sequence[Row]) -> dict[str, str | float | int]:
    """The cross-validated Pk of each set at the pace at which it is worst."""
    found: dict[str, float] = {}
    for row in at_paces:
        if row["method"] == CROSS_VALIDATED:
            name = f"{_slug(str(row['set']))}_pk_worst_pace"
            found[name] = max(found.get(name, 0.0), float(row["pk"]))
    return dict(found)


def _row(kind: Kind, method: str, signals: str, results: Results) -> Row:
    return {"set": kind.name, "method": method, "signals": signals, **asdict(score(results))}


def _description(kind: Kind) -> dict[str, object]:
    return {
        "conversations": len(kind.dialogues),
        "messages": sum(len(dialogue.messages) for dialogue in kind.dialogues),
        "boundaries": sum(len(dialogue.boundaries) for dialogue in kind.dialogues),
        "weight": kind.weight,
        "times_made_up": kind.made_up,
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
            {"method": row["method"], "signals": row["signals"], **{name: row[figure] for figure, name in _SHOWN.items()}}
            for row in rows
            if row["set"] == kind.name
        ]
        print_table(console, f"{title} ({MADE_UP})" if kind.made_up else title, shown)
    console.print("P, R, F1: boundaries found exactly", highlight=False)
