"""What is known of each candidate of a question, as numbers: the input of every learned score. Pure.

All numbers are relative to the candidates of the same question, never absolute: the magnitudes of BM25 and of cosines differ
from index to index, from owner to owner and from embedder to embedder. Which of them help, and by how much, was measured:
see ``mneme bench ablations`` and docs/benchmarks.md.
"""

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from mneme.rows import Row
from queries.questions.people import is_asker
from queries.questions.periods import period_fit
from queries.questions.understand import Question, QuestionType
from queries.recall import Candidate
from queries.scoring.field import Field, Numbers

STATEMENT_FEATURES = (
    "bm25",
    "bm25_rank",
    "shares_no_word",
    "cosine",
    "cosine_deviation",
    "cosine_rank",
    "message_bm25",
    "message_bm25_rank",
    "message_cosine",
    "message_cosine_rank",
    "previous_bm25",
    "previous_cosine",
    "next_bm25",
    "next_cosine",
    "is_first",
    "is_last",
    "speaker_named",
    "another_named",
    "said_by_asker",
    "length",
    "is_question",
    "has_number",
    "has_name",
    "is_fact",
    "is_dated",
    "dated_for_when",
    "number_for_count",
    "period_fit",
)
"""One weight each in a ``queries.learned.Coefficients``."""

EPISODE_FEATURES = (
    "bm25",
    "bm25_rank",
    "cosine",
    "cosine_rank",
    "best_bm25",
    "mean_bm25",
    "best_cosine",
    "mean_cosine",
    "period_fit",
)

_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][a-z]+")
_MOST_FORMS = 200_000  # rows, some 40 MB
_MOST_NAMES = 4  # capitalised words after which more say nothing


_Form = tuple[float, float, float, float, bool, bool, bool]


class Forms:
    """What is known of rows that were seen before, whatever is asked: seven numbers each, no text.

    May be used from several threads.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], _Form] = {}

    def of(self, row: Row) -> _Form:
        """The logarithm of its length; whether it asks; whether it has a number; how many words have a capital, 1 for many;
        whether it is dated, is of a document, is a fact.
        """
        key = (row.id, row.version)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_FORMS:
                self._known.clear()
            body = row.body
            text = str(body.get("atomic_fact") or body.get("text") or body.get("statement") or "")
            names = min(len(_NAME.findall(text)), _MOST_NAMES) / _MOST_NAMES
            asks, has_number = any(mark in text for mark in "?？"), bool(_NUMBER.search(text))
            form = (math.log1p(len(text)) / 5, float(asks), float(has_number), names)
            found = (*form, row.event_at is not None, row.document_id is not None, row.kind == "fact")
            self._known[key] = found
        return found


def statement_features(question: Question, field: Field, messages: Iterable[Candidate], forms: Forms | None = None) -> Numbers:
    """A row of ``STATEMENT_FEATURES`` for each statement of the field, shape (statements, features).

    What is said in a conversation leans on what was said before and after, and its message is little more than itself. A
    statement of a document stands alone among those of its chunk, as a row of a table does: its own numbers stand for those of
    its message and its neighbours.

    Args:
        question: who is named, what kind of answer is wanted, which time is meant.
        field: the candidates, both legs known.
        messages: what the recall of raw messages found: whether the very message of a fact fits.
        forms: what is kept of the texts from one question to the next.
    """
    form = (forms or Forms()).of
    rows = [each.row for each in field.statements]
    count = len(rows)
    bm25, cosine = _legs(field.statements)
    share, near = _share_of_best(bm25), _min_max(cosine)
    message_share, message_near = _of_messages(field.statements, messages)
    place = np.arange(count)
    alone = field.parents < 0
    first = alone | np.append(True, field.parents[1:] != field.parents[:-1])[:count]
    last = alone | np.append(field.parents[1:] != field.parents[:-1], True)[:count]
    previous, following = np.where(first, count, place - 1), np.where(last, count, place + 1)
    length, asks, numbers, names, dated, document, fact = np.array([form(row) for row in rows], np.float64).reshape(-1, 7).T
    said_by = {
        people: (question.names(people[:1]), any(is_asker(each, question.owner) for each in people[:1]))
        for people in {row.people for row in rows}
    }
    named, by_asker = np.array([said_by[row.people] for row in rows], dtype=np.float64).reshape(-1, 2).T
    of_document = document > 0

    def around(others: Numbers, own: Numbers) -> Numbers:
        return np.where(of_document, own, others)

    columns = {
        "bm25": share,
        "bm25_rank": _rank(bm25),
        "shares_no_word": (bm25 <= 0).astype(np.float64),
        "cosine": near,
        "cosine_deviation": _deviation(cosine),
        "cosine_rank": _rank(cosine),
        "message_bm25": around(message_share, share),
        "message_bm25_rank": around(_rank(message_share), _rank(bm25)),
        "message_cosine": around(message_near, near),
        "message_cosine_rank": around(_rank(message_near), _rank(cosine)),
        "previous_bm25": around(np.append(share, 0.0)[previous], share),
        "previous_cosine": around(np.append(near, 0.0)[previous], near),
        "next_bm25": around(np.append(share, 0.0)[following], share),
        "next_cosine": around(np.append(near, 0.0)[following], near),
        "is_first": first.astype(np.float64),
        "is_last": last.astype(np.float64),
        "speaker_named": named,
        "another_named": (1.0 - named) * (named.max() if count else 0.0),
        "said_by_asker": by_asker,
        "length": length,
        "is_question": asks,
        "has_number": numbers,
        "has_name": names,
        "is_fact": fact,
        "is_dated": dated,
        "dated_for_when": dated * (question.type is QuestionType.TEMPORAL),
        "number_for_count": numbers * (question.type is QuestionType.COUNTING),
        "period_fit": _period_fits(question, field.statements),
    }
    return np.stack([columns[name] for name in STATEMENT_FEATURES], axis=1) if count else np.zeros((0, len(columns)))


def episode_features(question: Question, field: Field) -> Numbers:
    """A row of ``EPISODE_FEATURES`` for each episode of the field, shape (episodes, features)."""
    if not field.episodes:
        return np.zeros((0, len(EPISODE_FEATURES)))
    bm25, cosine = _legs(field.episodes)
    fact_bm25, fact_cosine = _legs(field.statements)
    share, near = _share_of_best(fact_bm25), _min_max(fact_cosine)
    best_bm25, mean_bm25 = field.best_of_episodes(share), field.mean_of_episodes(share)
    best_cosine, mean_cosine = field.best_of_episodes(near), field.mean_of_episodes(near)
    columns = {
        "bm25": _share_of_best(bm25),
        "bm25_rank": _rank(bm25),
        "cosine": _min_max(cosine),
        "cosine_rank": _rank(cosine),
        "best_bm25": best_bm25,
        "mean_bm25": mean_bm25,
        "best_cosine": best_cosine,
        "mean_cosine": mean_cosine,
        "period_fit": _period_fits(question, field.episodes),
    }
    return np.stack([columns[name] for name in EPISODE_FEATURES], axis=1)


def _legs(candidates: Sequence[Candidate]) -> tuple[Numbers, Numbers]:
    """BM25 and cosine of each; a row without a vector is as far as the farthest."""
    bm25 = np.array([each.bm25 or 0.0 for each in candidates], dtype=np.float64)
    cosine = np.array([each.cosine for each in candidates], dtype=np.float64)  # None becomes NaN
    unknown = np.isnan(cosine)
    farthest = cosine[~unknown].min() if not unknown.all() else 0.0
    return bm25, np.where(unknown, farthest, cosine)


def _period_fits(question: Question, candidates: Sequence[Candidate]) -> Numbers:
    """How well each fits the time that the question speaks of; 0 where it speaks of none."""
    if question.period is None:
        return np.zeros(len(candidates))
    return np.array([period_fit(question, each.row) or 0.0 for each in candidates])


def _of_messages(statements: Sequence[Candidate], messages: Iterable[Candidate]) -> tuple[Numbers, Numbers]:
    """For each statement the legs of the best message that says it, 0 where the recall did not find it."""
    found = {(each.row.conversation_id, each.row.message_ids[0]): each for each in messages}
    bm25, cosine = _legs(list(found.values()))
    places = {key: place for place, key in enumerate(found)}
    share = np.append(_share_of_best(bm25), 0.0)
    near = np.append(_min_max(cosine) * np.array([each.cosine is not None for each in found.values()], dtype=np.float64), 0.0)
    nowhere = len(places)
    said_in: list[int] = []  # the places of the messages of one statement after the other, each list ended by nowhere
    starts: list[int] = []
    for each in statements:
        starts.append(len(said_in))
        said_in += [places.get((each.row.conversation_id, message), nowhere) for message in each.row.message_ids]
        said_in.append(nowhere)
    if not starts:
        return np.zeros(0), np.zeros(0)
    return np.maximum.reduceat(share[said_in], starts), np.maximum.reduceat(near[said_in], starts)


def _share_of_best(numbers: Numbers) -> Numbers:
    best = numbers.max(initial=0.0)
    return np.maximum(numbers, 0.0) / best if best > 0 else np.zeros_like(numbers)


def _min_max(numbers: Numbers) -> Numbers:
    if not len(numbers):
        return numbers
    low, high = numbers.min(), numbers.max()
    return (numbers - low) / (high - low) if high > low else np.ones_like(numbers)


def _deviation(numbers: Numbers) -> Numbers:
    """How far above the mean, in units of four standard deviations."""
    spread = numbers.std() if len(numbers) else 0.0
    return (numbers - numbers.mean()) / (4 * spread) if spread > 0 else np.zeros_like(numbers)


def _rank(numbers: Numbers) -> Numbers:
    """0 for the best, falling with the logarithm of the place; equal numbers share the last of their places."""
    ordered = np.sort(-numbers)
    return -np.log(np.maximum(1, np.searchsorted(ordered, -numbers, side="right"))) / 5
