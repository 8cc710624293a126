"""``mneme bench fit present``: fits how far what is so now is raised in a search for a state (queries/scoring/present.py).

0. Fit the chance that a statement tells of a change (queries/scoring/change.py). Statements are those of the talks of
   evaluation/changes.json that are fitted on, and of evaluation/told_changes.json: the later of two about the same tells of a
   change, the earlier and whatever stands beside them does not. All are written for this set, in twelve languages: 481 changes
   by hand, and 1,900 by language models, each told in two or three ways and beside what only seems to be one.
1. Ingest the made-up changes (evaluation/retrieval/sets/changes.py), and beside them sets whose answers mostly do not change:
   the small talks (evaluation/retrieval/sets/answerable.py), those that the reader was not fitted on, and those that are given.
2. Of each question for a state take the best statements by their score, with their features and which of them answer.
3. Fit a network with one hidden layer: of two statements the later took the place of the older where it answers and the older
   is what it was before; of the other sets none did that did not answer. Two statements count as far as the older fits.
   ``READILY`` is added.
4. Print who stands first before and after, on what was fitted on and on the half of the changes that was not, and write.
"""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from connectors.models import open_embedder
from evaluation.fit_reader import talks_aside
from evaluation.fitting import check_ready, fitted, folds_of, given_sets
from evaluation.options import BeamOption, FittedOption, LocomoOption
from evaluation.report import Row, print_table
from evaluation.retrieval.bench import searched
from evaluation.retrieval.question_set import QuestionSet, owner_name
from evaluation.retrieval.sets import answerable, changes
from evaluation.retrieval.sets.changes import Statement
from evaluation.retrieval.systems import DEPTH
from mneme.errors import InputError
from mneme.ports import Embedder, EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import Settings
from mneme.times import utc_now
from queries.scoring.change import ChangeScorer, ChangeWeights, model_of, tells_of_change
from queries.scoring.field import Numbers
from queries.scoring.learned import LearnedScorer, coefficients_for
from queries.scoring.min_max import MinMaxScorer
from queries.scoring.present import FEATURES, ChangesOf, PresentWeights, Statements, asks_for_present, best_statements

TOLD_CHANGES = Path(__file__).parent / "told_changes.json"
STRENGTH = 1.0  # inverse of the L2 penalty
_FOLDS = 5


def statements() -> list[Statement]:
    """All statements to fit on."""
    told = json.loads(TOLD_CHANGES.read_text(encoding="utf-8"))
    of_items = (_of_item(f"told-{number}", item) for number, item in enumerate(told))
    return [*changes.statements("fit"), *chain.from_iterable(of_items)]


def _of_item(group: str, item: Mapping[str, Any]) -> list[Statement]:
    others = (item["before"], *item["beside"])
    return [*(Statement(each, True, group) for each in item["after"]), *(Statement(each, False, group) for each in others)]


@dataclass(frozen=True, slots=True)
class FittedChanges:
    """The regressions by the name of the model; ``without``: those that did not see a group, by the group."""

    weights: Mapping[str, ChangeWeights]
    without: Mapping[str, Mapping[str, ChangeWeights]]


def fit_changes(known: Sequence[Statement], embedder: Embedder) -> FittedChanges:
    """Fit a regression for each model of the embedder.

    Raises:
        ModelError: the embedder cannot embed.
    """
    vectors = dict(zip([each.text for each in known], embedder.embed([each.text for each in known]), strict=True))
    folds = folds_of((each.group for each in known), _FOLDS)
    others = [[each for each in known if folds[each.group] != fold] for fold in range(_FOLDS)]
    of_fold = [_fitted(each, vectors, embedder.identity) for each in others]
    without = {group: of_fold[fold] for group, fold in folds.items()}
    return FittedChanges(_fitted(known, vectors, embedder.identity), without)


def _fitted(known: Sequence[Statement], vectors: Mapping[str, Vector], embedder: EmbedderIdentity) -> dict[str, ChangeWeights]:
    """A regression for each model that embeds some of the statements."""
    of_model: dict[str, list[Statement]] = {}
    for each in known:
        of_model.setdefault(model_of(each.text, embedder), []).append(each)
    return {model: _regression(own, vectors) for model, own in of_model.items()}


def _regression(known: Sequence[Statement], vectors: Mapping[str, Vector]) -> ChangeWeights:
    rows = np.array([[*vectors[each.text], tells_of_change(each.text)] for each in known])
    is_change = [each.is_change for each in known]
    names = list(map(str, range(rows.shape[1])))
    weights, bias = fitted(names, rows, is_change, None, STRENGTH, max_iter=1000, class_weight="balanced")
    *vector, words = weights.values()
    return ChangeWeights(vector=tuple(vector), words=words, bias=bias)


# --- what is raised ----------------------------------------------------------------------------------------------------


DEFAULT_OUT = Path(__file__).parent.parent / "queries" / "scoring" / "present.json"
READILY = 2.6  # log-odds, chosen with changes and everyday questions that nothing was fitted on in view
FITS = 0.03  # how far an older statement fits at least, as a share of the best odds
UNITS = 16  # of the hidden layer
_PENALTY, _RATE, _ROUNDS = 3e-3, 2e-3, 40
_SMALLEST = 1e-6
FIRST_TEN = 10


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A question for a state: its best statements, which of them answer, and which says the other thing about the same."""

    question_set: str
    category: str
    statements: Statements
    answers: Sequence[bool]
    beside: Sequence[bool]


def run_fit_present(
    settings: Settings,
    locomo: LocomoOption = None,
    beam: BeamOption = None,
    out: FittedOption = DEFAULT_OUT,
    console: Console | None = None,
) -> None:
    """Fit how far a search for a state raises current statements: prints figures before and after, then writes.

    Raises:
        InputError: a file cannot be read or written.
        SettingsError: the embedder cannot be opened.
    """
    console = console or Console()
    check_ready(out)
    # 0.
    with closing(open_embedder(settings)) as embedder:
        told = fit_changes(statements(), embedder)
        identity = embedder.identity

    def changes_of(owner: str) -> ChangesOf:
        """The chances of statements by regressions that did not see those of the owner."""
        talk = next((each for each in (owner, owner.rpartition("-")[0]) if each in told.without), None)
        return ChangeScorer(told.without[talk] if talk else told.weights, identity).chances

    # 1. and 2.
    fitted_on = [changes.load("fit"), answerable.load(), talks_aside(), *given_sets(locomo, beam)]
    examples = [each for questions in fitted_on for each in _examples(questions, settings, changes_of, console)]
    unseen = _examples(changes.load("judge"), settings, changes_of, console)
    # 3.
    found = fit(examples).model_copy(
        update={
            "changes": dict(told.weights),
            "fitted_on": ", ".join(f"{each.title} ({len(each.questions)} questions)" for each in fitted_on),
        }
    )
    # 4.
    rows = [*_rows(examples, found, "fitted on"), *_rows(unseen, found, "unseen")]
    print_table(console, "Questions for a state: before and after", rows)
    out.write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    console.print(f"FIT present examples={len(examples)} bias={found.bias:.2f}", soft_wrap=True, highlight=False)


def fit(examples: Sequence[Example]) -> PresentWeights:
    """The network, which knows no changes yet."""
    pairs = [_pairs(each) for each in examples]
    took = np.concatenate([each.took for each in pairs]) if pairs else np.zeros(0, np.bool_)
    if not took.any() or took.all():
        raise InputError("sets: there is too little to fit on: no later statement took the place of an older one, or each did")
    rows, counts = np.vstack([each.features for each in pairs]), np.concatenate([each.weight for each in pairs])
    means, widths = rows.mean(axis=0), rows.std(axis=0) + _SMALLEST
    network = MLPClassifier((UNITS,), alpha=_PENALTY, learning_rate_init=_RATE, max_iter=_ROUNDS, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many rounds are meant
        network.fit((rows - means) / widths, took, sample_weight=counts)
    (hidden, out), (hidden_bias, bias) = network.coefs_, network.intercepts_
    hidden = hidden / widths[:, None]
    return PresentWeights(
        hidden={name: _rounded(each) for name, each in zip(FEATURES, hidden, strict=True)},
        hidden_bias=_rounded(hidden_bias - means @ hidden),
        out=_rounded(out[:, 0]),
        bias=round(float(bias[0]) + READILY, 3),
        fitted_on="",
        date=utc_now().date(),
    )


def _rounded(numbers: Numbers) -> tuple[float, ...]:
    return tuple(round(float(each), 4) for each in numbers)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """A later and an older statement in each row: whether the later took the place of the older, and how much that counts."""

    features: Numbers
    took: npt.NDArray[np.bool_]
    weight: Numbers


def _pairs(example: Example) -> _Pairs:
    found = example.statements
    fits = np.exp(found.features[:, :, FEATURES.index("older_fits")])
    answers, beside = np.array(example.answers, np.bool_), np.array(example.beside, np.bool_)
    known = found.earlier & (fits > FITS)
    if example.question_set != "changes":
        known &= ~answers[:, None]
    took = answers[:, None] & beside[None, :] & (example.category == changes.CHANGE)
    return _Pairs(found.features[known], took[known], fits[known])


def _examples(
    questions: QuestionSet, settings: Settings, changes_of: Callable[[str], ChangesOf], console: Console
) -> list[Example]:
    both = {each.question.id: each for half in ("fit", "judge") for each in changes.changes(half)}
    examples = []
    with searched(questions, settings, console) as (own, memories, _):
        scorer = _scorer(own)
        for each in questions.questions:
            question, gathered = memories(each).gather(each.text, {**each.owner, "expired": True}, DEPTH)
            if not asks_for_present(question):
                continue
            used = MinMaxScorer(own.retrieval.alpha) if scorer is None or question.vector is None else scorer
            scores = used.score(question, gathered.field, gathered.messages).scores
            statements = best_statements(question, gathered.field, scores, changes_of(owner_name(each.owner)))
            beside = both[each.id].beside if each.id in both else None
            examples.append(
                Example(
                    questions.name,
                    each.category,
                    statements,
                    [bool(each.evidence & set(row.message_ids)) for row in statements.rows],
                    [beside in row.message_ids for row in statements.rows],
                )
            )
    return examples


def _scorer(settings: Settings) -> LearnedScorer | None:
    embedder = open_embedder(settings)
    coefficients = coefficients_for(settings, embedder.identity)
    embedder.close()
    return LearnedScorer(coefficients, settings.retrieval.alpha) if coefficients else None


def _rows(examples: Sequence[Example], weights: PresentWeights, part: str) -> list[Row]:
    """For each set and kind of question how many have the answer first, and before the other statement, before and after."""
    rows: list[Row] = []
    kinds = dict.fromkeys((each.question_set, each.category if each.question_set == "changes" else "all") for each in examples)
    for name, kind in kinds:
        chosen = [each for each in examples if each.question_set == name and kind in ("all", each.category)]
        row: dict[str, str | float | int] = {"part": part, "set": name, "kind": kind, "questions": len(chosen)}
        for label in ("before", "after"):
            firsts = leads = 0
            for each in chosen:
                found = each.statements
                order = np.argsort(-(found.raised(weights) if label == "after" else found.log_odds), kind="stable")
                answer = next((place for place, at in enumerate(order) if each.answers[at]), len(order))
                other = next((place for place, at in enumerate(order) if each.beside[at]), len(order))
                firsts += answer == 0
                leads += answer < min(other, FIRST_TEN)
            row[f"first {label}"], row[f"leads {label}"] = firsts, leads
        rows.append(row)
    return rows
