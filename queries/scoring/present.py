"""What is so now first: of statements near each other about the same, the later leads where a question asks for a state. Pure.

The words of an older statement often fit a question better ("We rent a flat in Leith" against "First night in Dundee!"), and
what became of it is marked only where it is certain. So in a search for a state ("where does Nora live?") a few numbers of
each of the best statements are weighed by a logistic regression and added to the log-odds of its score (``mneme fit present``):

1. an older statement beside it that fits the question: how near the two are in words, said by or telling of the same person;
2. the same where the later tells of a change (queries/scoring/change_words.py), and where what is asked for hardly changes;
3. a claim of what is asked for, holding or ended (queries/claims.py).

It only raises: what was so before keeps its score, and a question for anything else is scored without this.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from connectors.aging_cache import Derived
from mneme.rows import Row
from mneme.text import tokenise
from queries.claims import claims_of, is_asked_for
from queries.questions.people import names_person
from queries.questions.states import asks_for_lasting
from queries.questions.understand import Question
from queries.questions.viewpoint import likely_people
from queries.recall import Candidate
from queries.scoring.change_words import tells_of_change
from queries.scoring.field import Numbers

FEATURES = ("older_beside", "older_beside_a_change", "older_beside_of_lasting", "claims_it", "claimed_it")

MOST = 24  # statements, the best, that are compared with each other
_KINDS = frozenset(("fact", "message", "foresight"))
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


def present_first(
    question: Question, candidates: Sequence[Candidate], scores: Mapping[str, float], moment: datetime, weights: PresentWeights
) -> dict[str, float]:
    """The scores, where a question for a state raises what is so now; all as they are for any other question.

    Args:
        question: what is asked.
        candidates: all statements that compete.
        scores: of every candidate, from 0 to 1.
        moment: when it is asked.
        weights: of the features.
    """
    if not question.asks_for_state:
        return dict(scores)
    best = best_statements(question, candidates, scores, moment)
    raised = np.maximum(best.features @ np.array([weights.weights[name] for name in FEATURES]), 0.0)
    found = 1 / (1 + np.exp(-(best.log_odds + raised)))
    changed = {row.id: float(score) for row, score, by in zip(best.rows, found, raised, strict=True) if by > 0}
    return {**scores, **changed}


def best_statements(
    question: Question, candidates: Sequence[Candidate], scores: Mapping[str, float], moment: datetime
) -> Statements:
    """What was said that fits a question best, with its features; documents and artifacts tell nobody's present."""
    said = [each.row for each in candidates if each.row.kind in _KINDS and each.row.id in scores and not _is_quoted(each.row)]
    rows = sorted(said, key=lambda row: (-scores[row.id], row.id))[:MOST]
    if not rows:
        return Statements((), np.zeros((0, len(FEATURES))), np.zeros(0))
    chance = np.clip([scores[row.id] for row in rows], _LEAST, _HIGHEST)
    log_odds = np.log(chance / (1 - chance))
    fits = np.exp(log_odds - log_odds.max())
    words = [_words(row) for row in rows]
    tells = np.array([not asks for _, _, asks in words], dtype=np.float64)
    at = np.array([row.at.timestamp() for row in rows])
    pairs = np.sqrt(_near([tokens for _, tokens, _ in words])) * _of_same(question, rows) * tells[:, None] * tells[None, :]
    older = (pairs * fits[None, :] * (at[None, :] < at[:, None])).max(axis=1)
    change = np.array([tells_of_change(text) for text, _, _ in words], dtype=np.float64)
    claims = [[each for each in claims_of(row) if is_asked_for(each, question.asked, question.owner)] for row in rows]
    ended = [[each.valid_to is not None and each.valid_to <= moment for each in of_row] for of_row in claims]
    columns = {
        "older_beside": older,
        "older_beside_a_change": older * change,
        "older_beside_of_lasting": older * asks_for_lasting(question.text),
        "claims_it": np.array([not all(each) for each in ended], dtype=np.float64),
        "claimed_it": np.array([bool(each) and all(each) for each in ended], dtype=np.float64),
    }
    return Statements(rows, np.stack([columns[name] for name in FEATURES], axis=1), log_odds)


def _is_quoted(row: Row) -> bool:
    """Whether it is part of a document, or an artifact of a message."""
    return row.document_id is not None or bool((row.body.get("quote") or {}).get("artifact"))


def _read(row: Row) -> tuple[str, frozenset[str], bool]:
    """The words that were said, their tokens, and whether they only ask."""
    body = row.body
    text = str((body.get("quote") or {}).get("words") or body.get("atomic_fact") or body.get("text") or body.get("statement"))
    return text, frozenset(tokenise(text)), text.rstrip().endswith(("?", "？"))


_words = Derived(_read, 10_000)


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
        return frozenset((*row.people, *(name for name in named if names_person(_words(row)[0], name))))

    about = [told_of(row) for row in rows]
    return np.array([[1.0 if one & other else _OF_OTHERS for other in about] for one in about])
