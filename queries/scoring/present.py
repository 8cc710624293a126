"""Raise what holds now: of statements about the same, the later leads where a question asks for a state. Pure.

The words of an older statement often fit a question better ("We rent a flat in Leith" against "First night in Dundee!"), and
its end is marked only where it is certain. So in a search for a state ("where does Nora live?") a network of one hidden layer
(``mneme bench fit present``) tells of each two of the best statements how likely the later took the place of the older, by
how well both fit, how near they are in words and meaning, how likely the later tells of a change
(queries/scoring/change.py), whether it was said in another sitting, and whether it has another value of the kind asked for
(queries/questions/values.py). These log-odds are added to those of the older, and the later is raised to them where its own
are lower: it leads where it rather did than not.

A statement that has a value of the kind asked for is raised a little as well. The older one keeps its score. A question for
anything else, and one for what hardly changes (a name, an allergy), is scored as it was.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pydantic

from connectors.aging_cache import Derived
from mneme.rows import Row, Vector
from mneme.text import tokenise
from queries.questions.people import likely_people, names_person
from queries.questions.tense import asks_for_lasting
from queries.questions.types import QuestionType
from queries.questions.understand import Question
from queries.questions.values import FIGURES, ValueKind, is_another, value_asked, values_in
from queries.records import words_of
from queries.scoring.change import LONGEST, ChangeWeights
from queries.scoring.field import Field, Numbers, probability
from queries.scoring.weights import check_weights

FEATURES = (
    *("older_fits", "later_fits", "later_matches", "near_in_words", "near_in_meaning", "near_in_a_change"),
    *("another_sitting", "another_value", "of_several"),
)
"""Knowledge of a later and an older statement: how far the score of each is from the best (log-odds), how well the tokens of
the later match the question's, how near both are, whether the later has what its name says, and how many later ones there are
(log)."""

ChangesOf = Callable[[Sequence[Row], Sequence[Vector | None]], Numbers]
"""``ChangeScorer.chances``."""

MOST = 24  # statements, the best, that are compared with each other
_KINDS = frozenset(("fact", "message", "foresight"))
_SITTING = 3600.0  # seconds
_HAS_VALUE = 0.7  # log-odds, chosen with LoCoMo's questions for a state in view
_LEAST, _HIGHEST = 1e-6, 1 - 1e-6


class PresentWeights(pydantic.BaseModel):
    """A network with one hidden layer over ``FEATURES``, and the regressions that tell changes, by the model of the vectors.

    ``hidden`` has for each feature its weight in each unit, ``out`` the weight of each unit (rectified linear).
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    hidden: dict[str, tuple[float, ...]]
    hidden_bias: tuple[float, ...]
    out: tuple[float, ...]
    bias: float
    changes: dict[str, ChangeWeights] = pydantic.Field(default_factory=dict)
    fitted_on: str
    date: date

    @pydantic.model_validator(mode="after")
    def _has_every_weight(self) -> "PresentWeights":
        check_weights(self.hidden, FEATURES, "present")
        return self

    def log_odds(self, features: Numbers) -> Numbers:
        """The log-odds of each row of features that the later took the place of the older."""
        units = features @ np.array([self.hidden[name] for name in FEATURES]) + np.array(self.hidden_bias)
        found: Numbers = np.maximum(units, 0.0) @ np.array(self.out) + self.bias
        return found


@dataclass(frozen=True, slots=True)
class Statements:
    """The best statements of a question, with the log-odds of each.

    ``earlier`` tells of each statement which were said before it about the same person, ``features`` the ``FEATURES`` of both:
    of shape (later, older) and (later, older, FEATURES).
    """

    rows: Sequence[Row]
    log_odds: Numbers
    earlier: npt.NDArray[np.bool_]
    features: Numbers

    def raised(self, weights: PresentWeights) -> Numbers:
        """The log-odds, where what took the place of another has at least those of the other."""
        took = weights.log_odds(self.features)
        of_older = np.where(self.earlier, self.log_odds + took, -np.inf).max(axis=1, initial=-np.inf)
        found: Numbers = np.maximum(self.log_odds, of_older)
        return found


@cache
def shipped() -> PresentWeights:
    """The weights in use."""
    return read(Path(str(files("queries.scoring") / "present.json")))


def read(path: Path) -> PresentWeights:
    """Weights from a file of ``mneme bench fit present``."""
    return PresentWeights.model_validate_json(path.read_text(encoding="utf-8"))


def asks_for_present(question: Question) -> bool:
    """True if a question asks for one state that may have changed; what takes several steps wants several statements."""
    several = question.type is QuestionType.MULTI_HOP
    return question.asks_for_state and not several and not asks_for_lasting(question.text)


def present_first(
    question: Question, field: Field, scores: Mapping[str, float], weights: PresentWeights, changes: ChangesOf
) -> dict[str, float]:
    """The scores, where a question for a state raises what is so now; all as they are for any other question.

    Args:
        question: what is asked.
        field: all that compete.
        scores: of every candidate, from 0 to 1.
        weights: of the features.
        changes: the chance of each statement to tell of a change.
    """
    if not asks_for_present(question):
        return dict(scores)
    best = best_statements(question, field, scores, changes)
    found = probability(best.raised(weights))
    return {**scores, **{row.id: max(scores[row.id], float(score)) for row, score in zip(best.rows, found, strict=True)}}


def best_statements(question: Question, field: Field, scores: Mapping[str, float], changes: ChangesOf) -> Statements:
    """The statements that fit a question best, compared with each other; no documents and artifacts."""
    said = [(each.row, at) for at, each in enumerate(field.statements) if each.row.id in scores and _is_said(each.row)]
    said = sorted(said, key=lambda each: (-scores[each[0].id], each[0].id))[:MOST]
    rows, places = [row for row, _ in said], [place for _, place in said]
    chance = np.clip([scores[row.id] for row in rows], _LEAST, _HIGHEST)
    log_odds = np.log(chance / (1 - chance))
    at = np.array([row.at.timestamp() for row in rows])
    kind = value_asked(question.text)
    values = _values_of(rows, kind)
    has_value = np.array([bool(each) for each in values], dtype=np.float64)
    near = np.sqrt(_near([_tokens(row) for row in rows]))
    vectors = [field.vectors[place] if field.vectors else None for place in places]
    change = changes(rows, vectors)
    fits = log_odds - log_odds.max(initial=-np.inf)
    matches = np.zeros(len(rows)) if field.matches is None else _standard(field.matches[places])
    earlier = (at[None, :] < at[:, None]) & _of_same(question, rows)
    if kind in FIGURES:  # of what has none, nothing takes the place of a time, a date or a number; nor a count that of a price
        own = (kind,) if kind is ValueKind.PRICE else FIGURES
        earlier &= np.array([any(_values(row)[each] for each in own) for row in rows], np.bool_)[:, None]
    features = {
        "older_fits": fits[None, :],
        "later_fits": fits[:, None],
        "later_matches": matches[:, None],
        "near_in_words": near,
        "near_in_meaning": _near_in_meaning(vectors),
        "near_in_a_change": near * change[:, None],
        "another_sitting": at[None, :] < at[:, None] - _SITTING,
        "another_value": np.array([[is_another(one, other) for other in values] for one in values]) if kind else np.zeros(()),
        "of_several": np.log1p(earlier.sum(axis=0))[None, :],
    }
    pairs = np.stack([np.broadcast_to(features[name], earlier.shape) for name in FEATURES], axis=-1)
    return Statements(rows, log_odds + _HAS_VALUE * has_value, earlier, pairs.astype(np.float64))


def _values_of(rows: Sequence[Row], kind: ValueKind | None) -> list[frozenset[str]]:
    """The values of a kind that each statement has; the names of those who talk are no values."""
    if kind is None:
        return [frozenset()] * len(rows)
    talking = {name for row in rows for person in row.people for name in person.casefold().split()}
    return [frozenset(v for v in _values(row)[kind] if v.removesuffix("'s") not in talking) for row in rows]


def _is_said(row: Row) -> bool:
    """True if somebody said it: it is no part of a document, and no artifact of a message."""
    artifact = (row.body.get("quote") or {}).get("artifact")
    return row.kind in _KINDS and row.document_id is None and not artifact


@Derived
def _tokens(row: Row) -> frozenset[str]:
    return frozenset(tokenise(words_of(row)))


@Derived
def _values(row: Row) -> Mapping[ValueKind, frozenset[str]]:
    return values_in(words_of(row)[:LONGEST])


def _near(texts: Sequence[frozenset[str]]) -> Numbers:
    """The cosine of each two texts by their words, rare ones among these texts weighing more."""
    among = Counter(token for tokens in texts for token in tokens)
    vocabulary = {token: place for place, token in enumerate(among)}
    vectors = np.zeros((len(texts), max(1, len(vocabulary))))
    for vector, tokens in zip(vectors, texts, strict=True):
        for token in tokens:
            vector[vocabulary[token]] = math.log(1 + len(texts) / among[token])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, 1.0)
    found: Numbers = np.clip(unit @ unit.T, 0.0, 1.0)
    return found


def _of_same(question: Question, rows: Sequence[Row]) -> npt.NDArray[np.bool_]:
    """True if the same person says each two, or both speak or tell of somebody whom the question names."""
    speakers = {person for row in rows for person in row.people if names_person(question.text, person)}
    named = [*speakers, *likely_people(question.text)]

    def people_in(row: Row) -> frozenset[str]:
        return frozenset((*row.people, *(name for name in named if names_person(words_of(row), name))))

    about = [people_in(row) for row in rows]
    return np.array([[bool(one & other) for other in about] for one in about], np.bool_).reshape(len(rows), len(rows))


def _near_in_meaning(vectors: Sequence[Vector | None]) -> Numbers:
    """The cosine of each two statements, in standard deviations; 0 where a vector is not known."""
    found = np.zeros((len(vectors), len(vectors)))
    known = [at for at, vector in enumerate(vectors) if vector is not None]
    if len(known) > 1:
        unit = np.array([vectors[at] for at in known], dtype=np.float64)
        others = ~np.eye(len(known), dtype=np.bool_)
        cosines = np.zeros(others.shape)
        cosines[others] = _standard((unit @ unit.T)[others])
        found[np.ix_(known, known)] = cosines
    return found


def _standard(numbers: Numbers) -> Numbers:
    """Numbers as standard deviations from their mean."""
    found: Numbers = (numbers - numbers.mean()) / max(float(numbers.std()), _LEAST) if len(numbers) else numbers
    return found
