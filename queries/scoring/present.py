"""What is so now first: of statements about the same, the later leads where a question asks for a state. Pure.

The words of an older statement often fit a question better ("We rent a flat in Leith" against "First night in Dundee!"), and
what became of it is marked only where it is certain. So in a search for a state ("where does Nora live?") a few numbers of
each of the best statements are weighed by a logistic regression and added to the log-odds of its score (``mneme fit present``):

1. an older statement that fits the question, near it in words, where the later tells of a change (change_words.py);
2. an older statement of another sitting that fits a question for one value (queries/questions/values.py); and where the later
   tells of a change as well;
3. the same, where the later has another value of the kind asked for;
4. a value of the kind asked for.

Of many later statements at most one tells what became of the older, so 2 and 3 are the less, the more of them there are.

An older statement counts as far as it fits, and less where somebody else speaks of somebody else. It only raises: what was so
before keeps its score. A question for anything else, and one for what hardly changes (a name, an allergy), is scored as it was.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from connectors.aging_cache import Derived
from mneme.rows import Row
from mneme.text import tokenise
from queries.questions.people import names_person
from queries.questions.states import asks_for_lasting
from queries.questions.understand import Question
from queries.questions.values import ValueKind, is_another, value_asked, values_in
from queries.questions.viewpoint import likely_people
from queries.recall import Candidate
from queries.records import words_of
from queries.scoring.change_words import LONGEST, tells_of_change
from queries.scoring.field import Numbers, probability

FEATURES = ("older_beside_a_change", "later", "later_in_a_change", "another_value", "has_value")

MOST = 24  # statements, the best, that are compared with each other
_KINDS = frozenset(("fact", "message", "foresight"))
_SITTING = 3600.0  # seconds: what was said within an hour is no later state
_HAS_IT = 0.3  # how far an older statement must fit for a later one to be counted among several
_OF_OTHERS = 0.3  # how much two statements of different people about nobody in common count as about the same
_LEAST, _HIGHEST = 1e-6, 1 - 1e-6


class PresentWeights(BaseModel):
    """A weight for each of ``FEATURES``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[str, float]
    fitted_on: str
    date: date

    @model_validator(mode="after")
    def _has_every_weight(self) -> "PresentWeights":
        if set(self.weights) != set(FEATURES):
            raise ValueError("the features are others than this version's; fit again with `mneme fit present`")
        return self


@dataclass(frozen=True, slots=True)
class Statements:
    """The best statements of a question, with a row of ``FEATURES`` and the log-odds of each."""

    rows: Sequence[Row]
    features: Numbers
    log_odds: Numbers


@cache
def shipped() -> PresentWeights:
    """The weights in use."""
    return read(Path(str(files("queries.scoring") / "present.json")))


def read(path: Path) -> PresentWeights:
    """Weights from a file of ``mneme fit present``."""
    return PresentWeights.model_validate(json.loads(path.read_text(encoding="utf-8")))


def asks_for_present(question: Question) -> bool:
    """Whether a question asks for a state that may have changed."""
    return question.asks_for_state and not asks_for_lasting(question.text)


def present_first(
    question: Question, candidates: Sequence[Candidate], scores: Mapping[str, float], weights: PresentWeights
) -> dict[str, float]:
    """The scores, where a question for a state raises what is so now; all as they are for any other question.

    Args:
        question: what is asked.
        candidates: all statements that compete.
        scores: of every candidate, from 0 to 1.
        weights: of the features.
    """
    if not asks_for_present(question):
        return dict(scores)
    best = best_statements(question, candidates, scores)
    raised = np.maximum(best.features @ np.array([weights.weights[name] for name in FEATURES]), 0.0)
    found = probability(best.log_odds + raised)
    changed = {row.id: float(score) for row, score, by in zip(best.rows, found, raised, strict=True) if by > 0}
    return {**scores, **changed}


def best_statements(question: Question, candidates: Sequence[Candidate], scores: Mapping[str, float]) -> Statements:
    """What was said that fits a question best, with its features; documents and artifacts tell nobody's present."""
    said = [each.row for each in candidates if each.row.kind in _KINDS and each.row.id in scores and not _is_quoted(each.row)]
    rows = sorted(said, key=lambda row: (-scores[row.id], row.id))[:MOST]
    if not rows:
        return Statements((), np.zeros((0, len(FEATURES))), np.zeros(0))
    chance = np.clip([scores[row.id] for row in rows], _LEAST, _HIGHEST)
    log_odds = np.log(chance / (1 - chance))
    at = np.array([row.at.timestamp() for row in rows])
    change = np.array([tells_of_change(words_of(row)) for row in rows], dtype=np.float64)
    # [later, older]: how far the older fits, of the same person
    fits = _of_same(question, rows) * np.exp(log_odds - log_odds.max())[None, :]
    near = fits * np.sqrt(_near([_tokens(row) for row in rows])) * (at[None, :] < at[:, None])
    kind = value_asked(question.text)
    later = fits * (at[None, :] < at[:, None] - _SITTING) * (kind is not None)
    values = _values_of(rows, kind)
    another = np.array([[is_another(one, other) for other in values] for one in values], dtype=np.float64)
    of_several = _of_several(later.max(axis=1))
    columns = {
        "older_beside_a_change": near.max(axis=1) * change,
        "later": of_several,
        "later_in_a_change": of_several * change,
        "another_value": _of_several((later * another).max(axis=1)),
        "has_value": np.array([bool(each) for each in values], dtype=np.float64) * (later.max(axis=1) > 0),
    }
    return Statements(rows, np.stack([columns[name] for name in FEATURES], axis=1), log_odds)


def _of_several(fits: Numbers) -> Numbers:
    """A feature of the statements, the less of each the more of them have it."""
    shared: Numbers = fits / math.sqrt(max(1, int((fits > _HAS_IT).sum())))
    return shared


def _values_of(rows: Sequence[Row], kind: ValueKind | None) -> list[frozenset[str]]:
    """The values of a kind that each statement has; the names of those who talk are no values."""
    if kind is None:
        return [frozenset()] * len(rows)
    talking = {name for row in rows for person in row.people for name in person.casefold().split()}
    return [frozenset(v for v in _values(row)[kind] if v.removesuffix("'s") not in talking) for row in rows]


def _is_quoted(row: Row) -> bool:
    """Whether it is part of a document, or an artifact of a message."""
    return row.document_id is not None or bool((row.body.get("quote") or {}).get("artifact"))


def _tokens_of(row: Row) -> frozenset[str]:
    return frozenset(tokenise(words_of(row)))


def _all_values_of(row: Row) -> Mapping[ValueKind, frozenset[str]]:
    return values_in(words_of(row)[:LONGEST])


_tokens = Derived(_tokens_of, 10_000)
_values = Derived(_all_values_of, 10_000)


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


def _of_same(question: Question, rows: Sequence[Row]) -> Numbers:
    """1 where the same person speaks, or both speak or tell of somebody whom the question names; else less."""
    speakers = {person for row in rows for person in row.people if names_person(question.text, person)}
    named = [*speakers, *likely_people(question.text)]

    def told_of(row: Row) -> frozenset[str]:
        return frozenset((*row.people, *(name for name in named if names_person(words_of(row), name))))

    about = [told_of(row) for row in rows]
    return np.array([[1.0 if one & other else _OF_OTHERS for other in about] for one in about])
