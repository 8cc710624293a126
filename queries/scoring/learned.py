"""Scores by logistic regression, fitted on questions with known evidence (``mneme bench fit fusion``). Pure but for the file.

Two regressions, one for statements (does a message that it stands for answer the question?) and one for episodes (is such a
message in it?), over the features of queries/scoring/features.py. A fact counts with its episode, as in DESIGN section 9, in
log-odds: ``alpha * fact + (1 - alpha) * episode``, which is what a product of the two probabilities would order by. Then the
first ten statements are put in order anew (queries/scoring/first_places.py).
"""

from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Self

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
from queries.scoring.field import Field, Numbers, Scored, probability
from queries.scoring.first_places import FIRST_PLACES_FEATURES, in_order
from queries.scoring.reader import readings
from queries.scoring.weights import Weights, check_weights

READING = 0.4  # of a reader's log-odds, to those of the regression: what finds most in docs/internals/figures.md


class Model(BaseModel):
    """The two regressions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    questions that are not in English, whose words and forms are others; None: the same. ``first_places`` puts the first
    statements in order where statements are read; None: they stay as they are.
    """

    backend: str
    embedder: str
    late_interaction: bool
    alpha: float
    other_languages: Model | None = None
    first_places: Weights | None = None
    fitted_on: str
    date: date

    @model_validator(mode="after")
    def _orders_by_every_feature(self) -> Self:
        if self.first_places:
            check_weights(self.first_places.weights, FIRST_PLACES_FEATURES, "fusion")
        return self

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
        """See ``Scorer``. An episode stands for the mean of its facts; what has no episode is its own."""
        if not field.statements and not field.episodes:
            return Scored({}, {})
        alpha, model = self._alpha, self._coefficients.model_of(question.text)
        features, of_episodes = statement_features(question, field, messages), episode_features(question, field)
        found = compare(
            model, alpha, features, of_episodes, field.parents, lambda scores: readings(question, field, features, scores)
        )
        usual = float(np.median(found.facts)) if len(found.facts) and not field.counts.all() else 0.0
        episodes = alpha * field.mean_of_episodes(found.facts, without=usual) + (1 - alpha) * found.episodes
        statements, is_read = found.together, ~np.isnan(found.reading)
        if self._coefficients.first_places and is_read.any():
            statements = in_order(self._coefficients.first_places, statements, found.read, features)
        ids = (each.row.id for each in (*field.episodes, *field.statements))
        return Scored(
            dict(zip(ids, (*probability(episodes).tolist(), *probability(statements).tolist()), strict=True)),
            {field.statements[at].row.id: float(found.reading[at]) for at in np.flatnonzero(is_read).tolist()},
        )


class Compared(NamedTuple):
    """Log-odds of the candidates of a question.

    ``facts`` and ``episodes`` are by their own, ``together`` those of each statement with its episode. ``reading`` is that a
    statement answers by its tokens, NaN of what is not read.
    """

    facts: Numbers
    episodes: Numbers
    together: Numbers
    reading: Numbers

    @property
    def read(self) -> Numbers:
        """The readings; what is not read answers as little as the least of what is."""
        return or_least(self.reading)


def compare(
    model: Model,
    alpha: float,
    features: Numbers,
    of_episodes: Numbers,
    parents: npt.NDArray[np.int64],
    read: Callable[[Numbers], Numbers],
) -> Compared:
    """Compare the candidates of a question by a model.

    Args:
        model: the regressions.
        alpha: how much a statement counts beside its episode.
        features: of the statements.
        of_episodes: features of the episodes.
        parents: the place of each statement's episode, -1 for none.
        read: the log-odds of each statement that it answers, given the log-odds by all else; NaN of each that is not read.
    """
    facts = model.statements.log_odds(features, STATEMENT_FEATURES)
    episodes = model.episodes.log_odds(of_episodes, EPISODE_FEATURES)
    reading = read(with_episodes(facts, episodes, parents, alpha))
    facts = facts + READING * or_least(reading)
    return Compared(facts, episodes, with_episodes(facts, episodes, parents, alpha), reading)


def or_least(reading: Numbers) -> Numbers:
    """The readings, with the least of them in place of NaN; 0 where nothing is read."""
    is_read = ~np.isnan(reading)
    return np.where(is_read, reading, reading[is_read].min() if is_read.any() else 0.0)


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
