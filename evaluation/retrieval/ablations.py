"""``mneme bench ablations``: what each part of the retrieval is worth.

1. Ingest the set once.
2. Ask every question of hybrid search as it is set, and with each part switched off (``VARIANTS``).
3. The difference of each variant to the full method, paired by question, with its interval.

A part whose interval holds 0 does not pay for itself on this set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from evaluation.own_index import fresh_index
from evaluation.report import Report, Row
from evaluation.retrieval.bench import answer_row, ingest_set, settings_of
from evaluation.retrieval.compare import compare, print_differences
from evaluation.retrieval.figures import ALL, Answer
from evaluation.retrieval.plots import plot_differences
from evaluation.retrieval.sets import LOADERS
from evaluation.retrieval.systems import ask_all, open_systems
from mneme.errors import InputError
from mneme.settings import Settings

Variant = tuple[str, Mapping[str, Any]]

_MIN_MAX = {"scoring": "min-max"}

VARIANTS: tuple[Variant, ...] = (
    # What leads to candidates.
    ("no viewpoint", {"viewpoint": False}),
    ("no graph leg", {"graph_weight": 0.0}),
    # How they are scored.
    ("min-max scores", _MIN_MAX),
    ("alpha 0: episodes' scores alone", {"alpha": 0.0}),
    ("alpha 0.25", {"alpha": 0.25}),
    ("alpha 0.5", {"alpha": 0.5}),
    ("alpha 0.75", {"alpha": 0.75}),
    ("alpha 1: facts' scores alone", {"alpha": 1.0}),
    # How they compete.
    ("no competition: episodes alone", {"competition": False}),
    ("no granularity", {"granularity": False}),
)
"""A variant whose settings equal those of the run is left out: there is nothing to compare."""


FULL = "hybrid"
FIGURES = ("recall@10", "recall@20", "ndcg@10", "mrr")


def run_ablations(
    name: str,
    paths: Sequence[Path],
    settings: Settings,
    out: Path,
    variants: Sequence[Variant] = VARIANTS,
    only: Sequence[str] = (),
    console: Console | None = None,
    folds: Path | None = None,
) -> Report:
    """Measure and report.

    Args:
        name: of the set, one of ``LOADERS``.
        paths: its files, or folders of them.
        settings: the full method, and ``index.backend``.
        variants: what is switched off.
        only: words, one of which a variant's name must hold; none is all.
        folds: see ``open_systems``: coefficients that have not seen the conversation that is asked.

    Raises:
        InputError: a file is not of the set, a variant sets what there is not, or ``only`` leaves none.
        MnemeError: whatever the flow or a search raises.
    """
    console = console or Console()
    chosen = {
        variant: changed
        for variant, changes in variants
        if not only or any(word in variant for word in only)
        if changed_settings(settings, changed := switched(settings, variant, changes))
    }
    if not chosen:
        raise InputError(f"only: no variant is called so; there are {', '.join(variant for variant, _ in variants)}")
    questions = LOADERS[name](paths)
    answers: list[Answer] = []
    with fresh_index(settings, name) as own:
        # 1.
        ingest_set(questions, own, console)
        # 2.
        for variant, changed in {FULL: settings, **chosen}.items():
            here = own.model_copy(update={"retrieval": changed.retrieval})
            with open_systems(here, questions, [FULL], None, console, folds) as systems:
                asked = ask_all({variant: systems[FULL]}, questions.questions, console, time_sample=0)
            answers += asked.answers
    # 3.
    full = [each for each in answers if each.method == FULL]
    rows: list[Row] = []
    for variant in chosen:
        rows += compare([each for each in answers if each.method == variant], full, variant, FULL)
    main = sorted(
        (row for row in rows if row["category"] == ALL and row["figure"] == "recall@10"),
        key=lambda row: float(row["difference"]),
    )
    print_differences(console, f"{questions.title}, recall@10, 95 % intervals", main)
    report = Report(
        bench="ablations",
        settings={
            **settings_of(questions, settings),
            "variants": {variant: changed_settings(settings, changed) for variant, changed in chosen.items()},
        },
        rows=[row for row in rows if row["figure"] in FIGURES],
        headline={
            "set": name,
            f"{FULL}_recall@10": float(main[0]["baseline"]),
            "worst_without": str(main[0]["method"]).replace(" ", "_"),
            "costs": -float(main[0]["difference"]),
        },
        parts={"answers": [answer_row(_shortened(each)) for each in answers]},
    )
    return report.finish(console, out, partial(plot_differences, main, title=f"{questions.title}: each variant less {FULL}"))


def switched(settings: Settings, variant: str, changes: Mapping[str, Any]) -> Settings:
    """The settings of a variant.

    Raises:
        InputError: it sets what is no setting or constant of retrieval.
    """
    if unknown := sorted(changes.keys() - settings.retrieval.model_dump().keys()):
        raise InputError(f"variant {variant!r}: {', '.join(unknown)} is no setting or constant of retrieval")
    return settings.replace(retrieval=changes)


def changed_settings(settings: Settings, changed: Settings) -> dict[str, Any]:
    """Return the changed settings, as they are written."""
    before = settings.retrieval.model_dump(mode="json")
    return {name: value for name, value in changed.retrieval.model_dump(mode="json").items() if value != before[name]}


def _shortened(answer: Answer) -> Answer:
    """Without the messages, and with the main figures only: a report holds dozens of variants."""
    return replace(answer, messages=(), figures={name: answer.figures[name] for name in FIGURES})
