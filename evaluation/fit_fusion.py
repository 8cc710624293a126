"""``mneme bench fit fusion``: fits how hybrid search scores, on questions with known evidence.

1. Ingest each set through the flow into an index of its own, and gather what competes for every question: an example is all of
   it, with its features, and which of it answers.
2. Cross-validate by conversation for several alphas, and print the figures with their intervals. Whole conversations are left
   out, for questions of one share its episodes and its people.
3. Fit on everything and write the coefficients for this index and this embedder beside those of others: two logistic
   regressions, for statements and for episodes; English has a pair of its own, which no other language moves. Behind them fit
   the order of the first places, also on the talks that the reader was not fitted on.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.progress import track

from evaluation.fit_first_places import Ten, fit_first_places
from evaluation.fit_reader import talks_aside
from evaluation.fitting import check_ready, fitted, folds_of, given_sets, identity_of, write_entry
from evaluation.metrics import interval, ndcg_at, recall_at, reciprocal_rank
from evaluation.options import BeamOption, FittedOption, LocomoOption
from evaluation.report import Row, print_table
from evaluation.retrieval.bench import searched
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import answerable
from evaluation.retrieval.systems import DEPTH, FOLDS_FILE
from mneme.errors import InputError
from mneme.languages import foreign_language
from mneme.settings import Settings
from mneme.times import utc_now
from queries.fuse import Gathered
from queries.questions.understand import Question
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES, episode_features, statement_features
from queries.scoring.field import Numbers
from queries.scoring.first_places import first_of, first_places_features
from queries.scoring.learned import Coefficients, Model, compare, with_episodes
from queries.scoring.reader import MOST, readings
from queries.scoring.weights import Weights

FOLDS = 5
STRENGTH = 1.0  # inverse of the L2 penalty: .03 to 10 differ by less than half a point of recall@10 in cross-validation
_FOREIGN_COUNTS = 3  # times as much; 10 is no better in cross-validation, 1 is worse
METRICS = ("recall@10", "recall@20", "ndcg@10", "mrr")

Labels = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One question; ``is_foreign`` if it is not English. ``said_in`` are the messages of each statement, ``parents`` the place
    of its episode, -1 for none.

    ``statements`` has the shape (statements, STATEMENT_FEATURES), ``episodes`` (episodes, EPISODE_FEATURES). ``reading`` are
    the log-odds that each statement answers, NaN where its tokens are not known.
    """

    question_set: str
    conversation: str
    category: str
    is_foreign: bool
    evidence: frozenset[str]
    statements: Numbers
    answers: Labels
    said_in: Sequence[tuple[str, ...]]
    parents: npt.NDArray[np.int64]
    episodes: Numbers
    holds_answer: Labels
    reading: Numbers


def example_of(
    question_set: str,
    conversation: str,
    category: str,
    evidence: frozenset[str],
    question: Question,
    gathered: Gathered,
) -> Example:
    """Make an example of the candidates of a question, with the messages that answer it."""
    field = gathered.field
    said_in = [each.row.message_ids for each in field.statements]
    features = statement_features(question, field, gathered.messages)
    return Example(
        question_set,
        conversation,
        category,
        bool(foreign_language(question.text)),
        evidence,
        features,
        np.array([bool(evidence & set(messages)) for messages in said_in], dtype=np.bool_),
        said_in,
        field.parents,
        episode_features(question, field),
        np.array([bool(evidence & set(each.row.message_ids)) for each in field.episodes], dtype=np.bool_),
        readings(question, field, features, np.zeros(len(said_in)), most=len(said_in)),
    )


def ten_of(example: Example, model: Model, alpha: float) -> Ten:
    """The first places of a question, as these regressions fill them."""

    def read(scores: Numbers) -> Numbers:
        found = np.full(len(scores), np.nan)
        best = np.argsort(-scores, kind="stable")[:MOST]
        found[best] = example.reading[best]
        return found

    found = compare(model, alpha, example.statements, example.episodes, example.parents, read)
    features = first_places_features(found.together, found.read, example.statements)
    return Ten(example.question_set, features, example.answers[first_of(found.together)])


def fit_languages(examples: Sequence[Example]) -> tuple[Model, Model | None]:
    """The model of English, fitted on English alone, and of other languages, fitted on everything; None where there is none.

    Raises what ``fit`` does.
    """
    english = [each for each in examples if not each.is_foreign]
    if len(english) in (0, len(examples)):
        return fit(examples), None
    return fit(english), fit(examples)


def fit(examples: Sequence[Example]) -> Model:
    """One model of these examples.

    Of one question all right statements together weigh as much as one wrong statement, so that one with many answers does not
    count more; all sets count the same, so that the largest does not decide alone, and a question in another language more.

    Raises:
        InputError: there is too little to fit on.
    """
    sizes: dict[str, int] = {}
    for example in examples:
        sizes[example.question_set] = sizes.get(example.question_set, 0) + 1
    largest = max(sizes.values())
    of_set = {name: largest / size for name, size in sizes.items()}

    def counts(example: Example) -> float:
        return of_set[example.question_set] * (_FOREIGN_COUNTS if example.is_foreign else 1)

    def weights(names: tuple[str, ...], parts: Iterable[tuple[Numbers, Labels, float]]) -> Weights:
        given = [(rows, labels, weight) for rows, labels, weight in parts if len(labels)]
        if len(np.unique(np.concatenate([labels for _, labels, _ in given]))) < 2:
            raise InputError("sets: there is too little to fit on: everything answers, or nothing; give more conversations")
        found, bias = fitted(
            names,
            np.vstack([rows for rows, _, _ in given]),
            np.concatenate([labels for _, labels, _ in given]),
            np.concatenate([_sample_weights(labels, weight) for _, labels, weight in given]),
            STRENGTH,
            digits=4,
            solver="newton-cholesky",
            max_iter=200,
        )
        return Weights(weights=found, bias=bias)

    return Model(
        statements=weights(STATEMENT_FEATURES, ((each.statements, each.answers, counts(each)) for each in examples)),
        episodes=weights(EPISODE_FEATURES, ((each.episodes, each.holds_answer, counts(each)) for each in examples)),
    )


def cross_validated(examples: Sequence[Example], alphas: Sequence[float]) -> list[Numbers]:
    """For each alpha the ``METRICS`` of every example, by a model that has not seen its conversation.

    Each of shape (examples, metrics).
    """
    folds = conversation_folds(examples)
    found = [np.zeros((len(examples), len(METRICS))) for _ in alphas]
    for fold in range(FOLDS):
        english, others = fit_languages([each for each in examples if folds[each.conversation] != fold])
        for place, example in enumerate(examples):
            if folds[example.conversation] == fold:
                model = others if others and example.is_foreign else english
                for figures, alpha in zip(found, alphas, strict=True):
                    figures[place] = measure(example, model, alpha)
    return found


def conversation_folds(examples: Sequence[Example]) -> dict[str, int]:
    """The fold of each conversation: those of a set are dealt in turn."""
    by_set: dict[str, list[str]] = {}
    for each in examples:
        by_set.setdefault(each.question_set, []).append(each.conversation)
    return {name: fold for some in by_set.values() for name, fold in folds_of(some, FOLDS).items()}


def measure(example: Example, model: Model, alpha: float) -> tuple[float, ...]:
    """The ``METRICS`` of all statements in the order of their scores."""
    facts = model.statements.log_odds(example.statements, STATEMENT_FEATURES)
    episodes = model.episodes.log_odds(example.episodes, EPISODE_FEATURES)
    order = np.argsort(-with_episodes(facts, episodes, example.parents, alpha), kind="stable")
    messages = list(dict.fromkeys(message for place in order[:100] for message in example.said_in[place]))
    evidence = example.evidence
    return (
        recall_at(messages, evidence, 10),
        recall_at(messages, evidence, 20),
        ndcg_at(messages, evidence, 10),
        reciprocal_rank(messages[:40], evidence),
    )


def _sample_weights(labels: Labels, weight: float) -> Numbers:
    return np.where(labels, 1 / max(1, labels.sum()), 1.0) * weight


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
    talks = talks_aside()
    aside = _examples(talks, settings, console)
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
        tens = [ten_of(each, others if others and each.is_foreign else english, best) for each in (*chosen, *aside)]
        return Coefficients(
            backend=settings.index.backend,
            embedder=fingerprint,
            late_interaction=late_interaction,
            alpha=best,
            statements=english.statements,
            episodes=english.episodes,
            other_languages=others,
            first_places=fit_first_places(tens) if late_interaction else None,
            fitted_on=", ".join(f"{each.title} ({len(each.questions)} questions)" for each in sets)
            + f"; first places: also {talks.title} ({len(talks.questions)} questions)",
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
            question, gathered = memories(each).gather(each.text, each.filters, DEPTH)
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
