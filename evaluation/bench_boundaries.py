"""``mneme bench boundaries``: where conversations turn, found online by the model of the default detector.

1. Read the sets and embed every message once.
2. Cross-validate the model on all kinds at once, with vectors and with words only, and cut each conversation online by
   what was fitted without it.
3. Cut the dialogues again, without times and with times at several paces.
4. Measure and report.
"""

import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.boundary_sets import FOLDS, TIMED, Kind, paced, read_kinds, score, vectors_of
from evaluation.fit_boundaries import cross_validate, cut_online, examples_of
from evaluation.options import SegmentationArgument
from evaluation.report import Report, Row, embedder_of, plot_bars, print_table
from flows.boundaries.semantic import VECTORS, WORDS_ONLY, Head
from mneme.rows import Vector
from mneme.settings import Boundaries, Settings

PACES = (None, 1.0, 10.0, 30.0, 120.0)  # seconds between messages; None is without times
_MADE_UP = "Times of sets with the name 'timed' are made up: their figures tell of behaviour, not of accuracy."


def run_boundaries(
    segmentation: SegmentationArgument,
    settings: Settings,
    console: Console,
    locomo: Annotated[
        Path | None, typer.Option("--locomo", help="Your LoCoMo JSON: its session ends, with and without times.")
    ] = None,
) -> Report:
    """Detection of topic changes: the model of the default detector, cross-validated and online, at several paces.

    Raises:
        InputError: a file cannot be read or written, or there is too little to fit on.
        SettingsError: the embedder cannot be opened.
    """
    started = time.monotonic()
    # 1.
    kinds = read_kinds(segmentation, locomo)
    known = vectors_of(kinds, settings, console)
    # 2.
    rows: list[Row] = []
    for signals, given in ((VECTORS, known), (WORDS_ONLY, None)):
        with console.status(signals):
            heads = cross_validate(examples_of(kinds, given)).folds
            for kind in kinds:
                scores = asdict(score(cut_online(kind, given, heads, settings.boundaries)))
                rows.append({"set": kind.name, "method": "cross-validated", "signals": signals, **scores})
            # 3.
            if given is not None:
                at_paces = list(_at_paces(kinds, known, heads, settings.boundaries))
    # 4.
    rows.sort(key=lambda row: [kind.name for kind in kinds].index(str(row["set"])))
    print_table(console, "Boundaries, cross-validated and online; F1 of those found exactly", rows)
    print_table(console, "At every pace, with vectors", at_paces)
    console.print(_MADE_UP, highlight=False)
    seconds = round(time.monotonic() - started, 1)
    return Report(
        bench="boundaries",
        settings={
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "embedder": embedder_of(settings),
            "folds": FOLDS,
            "sets": {kind.name: _description(kind) for kind in kinds},
            "seconds": seconds,
        },
        rows=rows,
        headline=_headline(kinds, rows) | _worst(at_paces) | {"seconds": seconds},
        parts={"paces": at_paces},
        plot=partial(plot_bars, rows, "set", "signals", "f1", title="Boundaries found exactly, F1"),
    )


def _at_paces(
    kinds: Sequence[Kind], vectors: Mapping[str, Vector], heads: Sequence[Head], settings: Boundaries
) -> Iterator[Row]:
    """Score the cuts at each pace of the dialogues whose times are made up."""
    dialogues = {kind.name.removesuffix(TIMED) for kind in kinds if kind.made_up}
    for kind in (kind for kind in kinds if kind.name in dialogues):
        for pace in PACES:
            chance = random.Random(kind.name)
            there = replace(kind, dialogues=tuple(paced(dialogue, pace, chance) for dialogue in kind.dialogues))
            found = score(cut_online(there, vectors, heads, settings))
            yield {"set": kind.name, "pace": "no times" if pace is None else f"{pace:g} s", **asdict(found)}


def _worst(at_paces: Sequence[Row]) -> dict[str, str | float | int]:
    """The Pk of each set at the pace at which it is worst."""
    found: dict[str, str | float | int] = {}
    for row in at_paces:
        name = f"{_slug(str(row['set']))}_pk_worst_pace"
        found[name] = max(float(found.get(name, 0.0)), float(row["pk"]))
    return found


def _description(kind: Kind) -> dict[str, object]:
    return {
        "conversations": len(kind.dialogues),
        "messages": sum(len(dialogue.messages) for dialogue in kind.dialogues),
        "boundaries": sum(len(dialogue.boundaries) for dialogue in kind.dialogues),
        "weight": kind.weight,
        "times_made_up": kind.made_up,
    }


def _headline(kinds: Sequence[Kind], rows: Sequence[Row]) -> dict[str, str | float | int]:
    """Pk and F1 with vectors, on every set whose times are not made up."""
    real = {kind.name for kind in kinds if not kind.made_up}
    shown = [row for row in rows if row["set"] in real and row["signals"] == VECTORS]
    return {f"{_slug(str(row['set']))}_{figure}": row[figure] for row in shown for figure in ("pk", "f1")}


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower())
