"""``mneme bench fit fusion``: fits how hybrid search scores, on questions with known evidence.

1. Ingest each set through the flow into an index of its own, and gather what competes for every question.
2. Cross-validate by conversation for several alphas, and print the figures with their intervals.
3. Fit on everything and write the coefficients for this index and this embedder beside those of others.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from evaluation.fitting import check_ready, given_sets, identity_of, write_entry
from evaluation.fusion_model import METRICS, Example, conversation_folds, cross_validated, example_of, fit_languages
from evaluation.options import BeamOption, FittedOption, LocomoOption
from evaluation.report import Row, print_table
from evaluation.retrieval.bench import searched
from evaluation.retrieval.bootstrap import interval
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import answerable
from evaluation.retrieval.systems import DEPTH, FOLDS_FILE
from mneme.settings import Settings
from mneme.times import utc_now
from queries.scoring.field import Numbers
from queries.scoring.learned import Coefficients

DEFAULT_OUT = Path(__file__).parent.parent / "queries" / "scoring" / "coefficients.json"
ALPHAS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def run_fit_fusion(
    settings: Settings,
    console: Console,
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = DEFAULT_OUT,
    folds: Annotated[
        Path | None,
        typer.Option(
            "--folds", help="A folder for the coefficients of each fold, for `mneme bench --folds`.", show_default=False
        ),
    ] = None,
) -> None:
    """Fit the scores of hybrid search, also on talks in other languages: prints cross-validated figures, then writes them.

    Raises:
        InputError: the file cannot be written, or there is nothing to fit on.
        SettingsError: the embedder cannot be opened.
    """
    check_ready(out)
    # 1.
    sets = [*given_sets(locomo, beam), answerable.in_other_languages()]
    examples = [example for questions in sets for example in _examples(questions, settings, console)]
    # 2.
    with console.status("cross-validating"):
        validated = dict(zip(ALPHAS, cross_validated(examples, ALPHAS), strict=True))
        best = max(ALPHAS, key=lambda alpha: _by_set(examples, validated[alpha]).mean())
        rows = [_row(examples, figures, alpha) for alpha, figures in validated.items()]
    print_table(
        console, "Cross-validated by conversation, mean over the sets", [r for row in rows for r in row], list(rows[0][0])
    )
    # 3.
    identity = identity_of(settings)
    fingerprint, late_interaction = identity.fitted_as, bool(identity.token_dimension)

    def coefficients(chosen: Sequence[Example]) -> Coefficients:
        english, others = fit_languages(chosen)
        return Coefficients(
            backend=settings.index.backend,
            embedder=fingerprint,
            late_interaction=late_interaction,
            alpha=best,
            statements=english.statements,
            episodes=english.episodes,
            other_languages=others,
            fitted_on=", ".join(f"{each.title} ({len(each.questions)} questions)" for each in sets),
            date=utc_now().date(),
        )

    if folds is not None:
        folds.mkdir(parents=True, exist_ok=True)
        fold_of = conversation_folds(examples)
        for fold in set(fold_of.values()):
            without = coefficients([each for each in examples if fold_of[each.conversation] != fold])
            write_entry(folds / f"{fold}.json", without)
        (folds / FOLDS_FILE).write_text(json.dumps(fold_of, indent=1) + "\n", encoding="utf-8")
    write_entry(out, coefficients(examples))
    console.print(f"coefficients for {fingerprint} on {settings.index.backend}: {out}", soft_wrap=True, highlight=False)
    figures = dict(zip(METRICS, np.mean(validated[best], axis=0), strict=True))
    line = " ".join(f"{name}={value:.4f}" for name, value in figures.items())
    console.print(f"FIT fusion index={settings.index.backend} alpha={best} {line}", soft_wrap=True, highlight=False)


def _examples(questions: QuestionSet, settings: Settings, console: Console) -> list[Example]:
    examples = []
    with searched(questions, settings, console) as (_, memories, _):
        answered = [each for each in questions.questions if each.evidence]
        for each in track(answered, f"gathering, {questions.title}", console=console, transient=True):
            question, gathered = memories(each).gather(each.text, {**each.owner, "expired": True}, DEPTH)
            examples.append(example_of(questions.name, each.conversation, each.category, each.evidence, question, gathered))
    return examples


def _by_set(examples: Sequence[Example], figures: Numbers) -> Numbers:
    """The mean of each set, then of the sets, for each metric."""
    names = sorted({each.question_set for each in examples})
    sets = np.array([each.question_set for each in examples])
    found: Numbers = np.mean([figures[sets == name].mean(axis=0) for name in names], axis=0)
    return found


def _row(examples: Sequence[Example], figures: Numbers, alpha: float) -> list[Row]:
    """A row for each set: the mean of each metric with its 95 % interval over conversations."""
    rows: list[Row] = []
    for name in sorted({each.question_set for each in examples}):
        chosen = [place for place, each in enumerate(examples) if each.question_set == name]
        spread = interval(figures[chosen], [examples[place].conversation for place in chosen])
        row: dict[str, str | float] = {"set": name, "alpha": alpha}
        for at, metric in enumerate(METRICS):
            mean = float(figures[chosen, at].mean())
            row[metric] = f"{mean:.3f} ({spread.low[at]:.3f} to {spread.high[at]:.3f})" if spread else f"{mean:.3f}"
        rows.append(row)
    return rows
