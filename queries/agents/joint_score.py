"""The joint score by logistic regression, fitted on questions that several memories answer (``mneme fit agents``)."""

import json
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from threading import Lock

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from mneme.errors import ModelError, SettingsError
from mneme.ports import Embedder, EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import Settings
from queries.agents.evidence import Evidence, Place
from queries.agents.joint_features import FEATURES, Numbers, known
from queries.questions.types import asks_for_several
from queries.scoring.field import probability

_MOST_VECTORS = 20_000  # texts, some 30 MB
_SCORED_BY = "lr"  # log-odds of another scale mean something else


class JointCoefficients(BaseModel):
    """Coefficients for one index and one embedder: a weight for each feature, and the bias."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: str
    embedder: str
    weights: dict[str, float]
    bias: float
    fitted_on: str
    date: date

    @model_validator(mode="after")
    def _has_every_weight(self) -> "JointCoefficients":
        if set(self.weights) != set(FEATURES):
            different = ", ".join(sorted(set(self.weights) ^ set(FEATURES)))
            raise ValueError(f"the features are others than this version's ({different}); fit again with `mneme fit agents`")
        return self

    def scores(self, numbers: Numbers) -> Numbers:
        """From 0 to 1, higher fits better, of each row of ``FEATURES``."""
        return probability(numbers @ np.array([self.weights[name] for name in FEATURES]) + self.bias)


class JointScorer:
    """Scores together what the searches for a question found that asks for several things. Safe for several threads.

    ``depth`` is how many results of each search it is fitted on: with twenty, a third of what it would lift is not there.
    """

    depth = 100

    def __init__(self, coefficients: Callable[[], JointCoefficients | None], embedder: Embedder) -> None:
        """Prepare.

        Args:
            coefficients: of the index and the embedder in use; None where nothing was fitted for them.
            embedder: compares the texts with the question; what it embedded is kept.
        """
        self._read = coefficients
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}
        self._lock = Lock()

    @property
    def fitted(self) -> bool:
        """True if there are coefficients for what is in use."""
        return self._coefficients is not None

    def places(self, question: str, found: Evidence) -> list[Place] | None:
        """Everything that the searches for the question itself found, best first.

        None where it cannot be told: nothing was found, it was scored by other means than those that this was fitted on, the
        embedder does not answer, or it is not a question for several things nor was it searched for among people's words: then
        one thing answers it, and that stands first as it is.
        """
        first, coefficients = found.first, self._coefficients
        if coefficients is None or first is None or first.metrics.scoring != _SCORED_BY or not found.episodic(first):
            return None
        if not (asks_for_several(question) or any(each.people for each in found.searches)):
            return None
        try:
            candidates = known(question, found, self.embed)
        except ModelError:
            return None
        scores = coefficients.scores(candidates.numbers)
        order = np.argsort(-scores, kind="stable")
        return [Place(candidates.items[at], float(scores[at])) for at in order]

    @cached_property
    def _coefficients(self) -> JointCoefficients | None:
        return self._read()

    def embed(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts; those that were asked for before are not embedded again. Raises what the embedder does."""
        with self._lock:
            vectors = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            vectors |= zip(new, self._embedder.embed(new), strict=True)
            with self._lock:
                if len(self._vectors) + len(new) > _MOST_VECTORS:
                    self._vectors.clear()
                self._vectors |= {text: vectors[text] for text in new}
        return np.stack([vectors[text] for text in texts])


def joint_coefficients_for(settings: Settings, embedder: EmbedderIdentity) -> JointCoefficients | None:
    """The coefficients for the index and the embedder in use: those of the settings' file, else those shipped; None for none.

    Raises:
        SettingsError: ``MNEME_AGENTS__COEFFICIENTS`` names a file that cannot be used.
    """
    path = settings.agents.coefficients
    fitted = _read(path) if path else _shipped()
    wanted = (settings.index.backend, embedder.fitted_as)
    return next((each for each in fitted if (each.backend, each.embedder) == wanted), None)


def _read(path: Path) -> tuple[JointCoefficients, ...]:
    try:
        return FITTED.validate_python(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(
            f"MNEME_AGENTS__COEFFICIENTS: {path} cannot be used ({error}); make it with `mneme fit agents`"
        ) from error


@cache
def _shipped() -> tuple[JointCoefficients, ...]:
    return FITTED.validate_json((files("queries.agents") / "coefficients.json").read_text(encoding="utf-8"))


FITTED: TypeAdapter[tuple[JointCoefficients, ...]] = TypeAdapter(tuple[JointCoefficients, ...])
"""The file of coefficients."""
