"""Scores by logistic regression, fitted on questions with known evidence (``mneme bench fit fusion``). Pure but for the file.

Two regressions, one for statements (does a message that it stands for answer the question?) and one for episodes (is such a
message in it?), over the features of queries/scoring/features.py. A fact counts with its episode, as in DESIGN section 9, in
log-odds: ``alpha * fact + (1 - alpha) * episode``, which is what a product of the two probabilities would order by.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

from mneme.errors import SettingsError
from mneme.languages import foreign_language
from mneme.ports import EmbedderIdentity
from mneme.settings import Settings
from queries.questions.understand import Question
from queries.recall import Candidate
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES, episode_features, statement_features
from queries.scoring.field import Field, Numbers, Scored, between, probability
from queries.scoring.reader import readings

READING = 0.4  # of a reader's log-odds, to those of the regression: what finds most in docs/internals/figures.md
FIRST, READING_AMONG_FIRST = 10, 1.0  # statements, among which reading counts more: their order changes, and none leaves them


def check_weights(weights: Mapping[str, object], names: Sequence[str], fit: str) -> None:
    """
    Raises:
        ValueError: the weights are not those of the features with these names; names the command that fits them.
    """
    if different := ", ".join(sorted(set(weights) ^ set(names))):
        raise ValueError(f"the features are others than this version's ({different}); fit again with `mneme bench fit {fit}`")


class Weights(BaseModel):
    """One logistic regression: a weight for each feature, and the bias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[str, float]
    bias: float

    def log_odds(self, features: Numbers, names: Sequence[str]) -> Numbers:
        """Of each row of features, whose columns have these names."""
        found: Numbers = features @ np.array([self.weights[name] for name in names]) + self.bias
        return found


class Model(BaseModel):
    """The two regressions."""

    model_config = ConfigDict(frozen=True, extra="ignore")  # files of before have weights of the recall's legs, too

    statements: Weights
    episodes: Weights

    @model_validator(mode="after")
    def _has_every_weight(self) -> Self:
        check_weights(self.statements.weights, STATEMENT_FEATURES, "fusion")
        check_weights(self.episodes.weights, EPISODE_FEATURES, "fusion")
        return self


class Coefficients(Model):
    """Coefficients for one index and one embedder.

    ``late_interaction``: whether the tokens of questions and statements were compared. ``other_languages`` is the model of
    questions that are not in English, whose words and forms are others; None: the same.
    """

    backend: str
    embedder: str
    late_interaction: bool
    alpha: float
    other_languages: Model | None = None
    fitted_on: str
    date: date

    def model_of(self, question: str) -> Model:
        """The model for a question."""
        return self.other_languages if self.other_languages and foreign_language(question) else self


class LearnedScorer:
    """Scores by coefficients. ``alpha`` takes the place of the one they were fitted with."""

    name = "lr"

    def __init__(self, coefficients: Coefficients, alpha: float | None = None) -> None:
        self._coefficients = coefficients
        self._alpha = coefficients.alpha if alpha is None else alpha

    def score(self, question: Question, field: Field, messages: Iterable[Candidate]) -> Scored:
        """See ``Scorer``. An episode stands for the mean of its facts; what has no episode is its own.

        What is not read answers as little as the least of what is.
        """
        if not field.statements and not field.episodes:
            return Scored({}, {})
        alpha, model = self._alpha, self._coefficients.model_of(question.text)
        features = statement_features(question, field, messages)
        facts = model.statements.log_odds(features, STATEMENT_FEATURES)
        episodes = model.episodes.log_odds(episode_features(question, field), EPISODE_FEATURES)
        reading = readings(question, field, features, with_episodes(facts, episodes, field.parents, alpha))
        is_read = ~np.isnan(reading)
        read = np.where(is_read, reading, reading[is_read].min() if is_read.any() else 0.0)
        facts = facts + READING * read
        usual = float(np.median(facts)) if len(facts) and not field.counts.all() else 0.0
        means = field.mean_of_episodes(facts, without=usual)
        together = with_episodes(facts, episodes, field.parents, alpha)
        scores = probability(first_in_order(together, together + alpha * (READING_AMONG_FIRST - READING) * read))
        of_episodes = probability(alpha * means + (1 - alpha) * episodes)
        ids = (each.row.id for each in (*field.episodes, *field.statements))
        return Scored(
            dict(zip(ids, (*of_episodes.tolist(), *scores.tolist()), strict=True)),
            {field.statements[at].row.id: float(reading[at]) for at in np.flatnonzero(is_read).tolist()},
        )


def first_in_order(log_odds: Numbers, wanted: Numbers) -> Numbers:
    """The log-odds, of which the best stand in another order: each between the best and the least of them, as it is wanted."""
    first = np.argsort(-log_odds, kind="stable")[:FIRST]
    found = log_odds.copy()
    if len(first):
        found[first] = log_odds[first].min() + np.ptp(log_odds[first]) * between(wanted[first])
    return found


def with_episodes(statements: Numbers, episodes: Numbers, parents: npt.NDArray[np.int64], alpha: float) -> Numbers:
    """The log-odds of each statement together with its episode's.

    What has no episode (-1 in ``parents``) is its own, but no better or worse than the episodes of the question are.
    """
    alone = np.clip(statements, episodes.min(), episodes.max()) if len(episodes) else statements
    found: Numbers = alpha * statements + (1 - alpha) * np.where(parents < 0, alone, np.append(episodes, 0.0)[parents])
    return found


def coefficients_for(settings: Settings, embedder: EmbedderIdentity) -> Coefficients | None:
    """The coefficients for the index and the embedder in use: those of the settings' file, else those shipped; None for none.

    Raises:
        SettingsError: ``MNEME_RETRIEVAL__COEFFICIENTS`` names a file that cannot be used.
    """
    path = settings.retrieval.coefficients
    try:
        known = _known.validate_json(path.read_bytes()) if path else _shipped()
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"MNEME_RETRIEVAL__COEFFICIENTS: {path} cannot be used ({error}); make it with `mneme bench fit fusion`"
        ) from error
    wanted = (settings.index.backend, embedder.fitted_as)
    fitted = {each.late_interaction: each for each in known if (each.backend, each.embedder) == wanted}
    return (fitted.get(True) if embedder.token_dimension else None) or fitted.get(False)


_known: TypeAdapter[tuple[Coefficients, ...]] = TypeAdapter(tuple[Coefficients, ...])


@cache
def _shipped() -> tuple[Coefficients, ...]:
    return _known.validate_json((files("queries.scoring") / "coefficients.json").read_bytes())
