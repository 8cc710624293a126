"""The features of each candidate of a question: the input of every learned score. Pure.

All numbers are relative to the candidates of the same question, never absolute: the magnitudes of BM25 and of cosines differ
from index to index, from owner to owner and from embedder to embedder. Which of them help, and by how much, was measured:
see ``mneme bench fit fusion`` and docs/internals/ranking.md.
"""

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from connectors.aging_cache import Derived
from mneme.rows import Row
from queries.questions.people import is_asker
from queries.questions.periods import period_fit
from queries.questions.types import QuestionType
from queries.questions.understand import Question
from queries.recall import Candidate
from queries.records import words_of
from queries.scoring.field import Field, LegScores, Numbers, rank_of

OF_STATEMENTS = (
    *("bm25", "bm25_rank", "shares_no_word", "cosine", "cosine_deviation", "cosine_rank"),
    *("message_bm25", "message_bm25_rank", "message_cosine", "message_cosine_rank"),
    *("previous_bm25", "previous_cosine", "next_bm25", "next_cosine", "is_first", "is_last"),
    *("speaker_named", "another_named", "said_by_asker", "length"),
    *("is_question", "is_answered", "answers", "question_bm25", "question_cosine"),
    *("has_number", "has_name", "is_artifact", "is_dated", "dated_for_when", "number_for_count", "period_fit"),
    *("match", "match_deviation", "match_rank", "previous_match", "next_match"),
)
_OF_EPISODES = (
    *("bm25", "bm25_rank", "cosine", "cosine_rank", "best_bm25", "mean_bm25", "best_cosine", "mean_cosine"),
    *("period_fit", "best_match", "mean_match"),
)
WITH_ASSISTANT = "with_assistant"


def _in_two_settings(names: tuple[str, ...]) -> tuple[str, ...]:
    """Features, and what each counts besides where an assistant takes part in the talk: there answers look different."""
    return (*names, WITH_ASSISTANT, *(f"{WITH_ASSISTANT}_{name}" for name in names))


STATEMENT_FEATURES, EPISODE_FEATURES = _in_two_settings(OF_STATEMENTS), _in_two_settings(_OF_EPISODES)
"""One weight each in a ``queries.scoring.learned.Coefficients``."""

_NUMBER = re.compile(r"\d")
NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][a-z]+")  # a capital inside a sentence
_MOST_NAMES = 4  # capitalised words after which more say nothing


@Derived  # of all that was found
def _form(row: Row) -> bytes:
    """Eight numbers of a row that do not depend on the question.

    The logarithm of its length; whether it asks; whether it has a number; how many words have a capital, 1 for many; whether it
    is dated, is of a document, is an artifact, answers a question.
    """
    quote = row.body.get("quote") or {}
    text = words_of(row)
    names = min(len(NAME.findall(text)), _MOST_NAMES) / _MOST_NAMES
    asks, has_number = any(mark in text for mark in "?？"), bool(_NUMBER.search(text))
    dated, of_document, artifact = row.event_at is not None, row.document_id is not None, bool(quote.get("artifact"))
    answers = bool(quote.get("question"))
    numbers = (math.log1p(len(text)) / 5, asks, has_number, names, dated, of_document, artifact, answers)
    return np.array(numbers, np.float64).tobytes()


def statement_features(question: Question, field: Field, messages: Iterable[Candidate]) -> Numbers:
    """A row of ``STATEMENT_FEATURES`` for each statement of the field, shape (statements, features).

    What is said in a conversation leans on what was said before and after, and its message is little more than itself. A
    statement of a document stands alone among those of its chunk, as a row of a table does: its own numbers stand for those of
    its message and its neighbours.

    Args:
        question: who is named, what kind of answer is wanted, which time is meant.
        field: the candidates, both legs known.
        messages: what the recall of raw messages found: whether the very message of a fact fits.
    """
    rows = [each.row for each in field.statements]
    count = len(rows)
    if not count:
        return np.zeros((0, len(STATEMENT_FEATURES)))
    share, near, bm25, cosine = field.legs.share, field.legs.near, field.legs.bm25, field.legs.cosine
    bm25_rank, cosine_rank = rank_of(bm25), rank_of(cosine)
    message_share, message_near = _of_messages(rows, messages)
    place = np.arange(count)
    alone = field.parents < 0
    between = field.parents[1:] != field.parents[:-1]
    first, last = alone.copy(), alone.copy()
    first[0] = last[-1] = True
    first[1:] |= between
    last[:-1] |= between
    previous, following = np.where(first, count, place - 1), np.where(last, count, place + 1)
    forms = np.frombuffer(b"".join(map(_form, rows)), np.float64).reshape(count, -1)
    length, asks, numbers, names, dated, document, artifact, answers = forms.T
    said_by = {
        people: (question.names(people[:1]), any(is_asker(each, question.owner) for each in people[:1]))
        for people in {row.people for row in rows}
    }
    named, by_asker = np.array([said_by[row.people] for row in rows], dtype=np.float64).T
    of_document = document > 0
    match = field.match
    matches = match if field.matches is None else field.matches
    share_around, near_around, match_around = _with_none(share), _with_none(near), _with_none(match)

    def around(others: Numbers, own: Numbers) -> Numbers:
        return np.where(of_document, own, others)

    columns = {
        "bm25": share,
        "bm25_rank": bm25_rank,
        "shares_no_word": (bm25 <= 0).astype(np.float64),
        "cosine": near,
        "cosine_deviation": _deviation(cosine),
        "cosine_rank": cosine_rank,
        "message_bm25": around(message_share, share),
        "message_bm25_rank": around(rank_of(message_share), bm25_rank),
        "message_cosine": around(message_near, near),
        "message_cosine_rank": around(rank_of(message_near), cosine_rank),
        "previous_bm25": around(share_around[previous], share),
        "previous_cosine": around(near_around[previous], near),
        "next_bm25": around(share_around[following], share),
        "next_cosine": around(near_around[following], near),
        "is_first": first.astype(np.float64),
        "is_last": last.astype(np.float64),
        "speaker_named": named,
        "another_named": (1.0 - named) * named.max(),
        "said_by_asker": by_asker,
        "length": length,
        "is_question": asks,
        "is_answered": asks * _with_none(answers)[following],
        "answers": answers,
        "question_bm25": answers * share_around[previous],
        "question_cosine": answers * near_around[previous],
        "has_number": numbers,
        "has_name": names,
        "is_artifact": artifact,
        "is_dated": dated,
        "dated_for_when": dated * (question.type is QuestionType.TEMPORAL),
        "number_for_count": numbers * (question.type is QuestionType.COUNTING),
        "period_fit": _period_fits(question, field.statements),
        "match": match,
        "match_deviation": _deviation(matches),
        "match_rank": rank_of(matches),
        "previous_match": around(match_around[previous], match),
        "next_match": around(match_around[following], match),
    }
    return _side_by_side([columns[name] for name in OF_STATEMENTS], field)


def episode_features(question: Question, field: Field) -> Numbers:
    """A row of ``EPISODE_FEATURES`` for each episode of the field, shape (episodes, features)."""
    if not field.episodes:
        return np.zeros((0, len(EPISODE_FEATURES)))
    legs, share, near = LegScores(field.episodes), field.legs.share, field.legs.near
    best_bm25, mean_bm25 = field.best_of_episodes(share), field.mean_of_episodes(share)
    best_cosine, mean_cosine = field.best_of_episodes(near), field.mean_of_episodes(near)
    columns = {
        "bm25": legs.share,
        "bm25_rank": rank_of(legs.bm25),
        "cosine": legs.near,
        "cosine_rank": rank_of(legs.cosine),
        "best_bm25": best_bm25,
        "mean_bm25": mean_bm25,
        "best_cosine": best_cosine,
        "mean_cosine": mean_cosine,
        "period_fit": _period_fits(question, field.episodes),
        "best_match": field.best_of_episodes(field.match),
        "mean_match": field.mean_of_episodes(field.match),
    }
    return _side_by_side([columns[name] for name in _OF_EPISODES], field)


def _side_by_side(columns: Sequence[Numbers], field: Field) -> Numbers:
    """A row for each candidate, whose numbers lie together: then equal rows have equal scores, to the last bit."""
    features = np.zeros((len(columns[0]), 2 * len(columns) + 1))
    features[:, : len(columns)] = np.array(columns).T
    if field.with_assistant:
        features[:, len(columns)] = 1
        features[:, len(columns) + 1 :] = features[:, : len(columns)]
    return features


def _period_fits(question: Question, candidates: Sequence[Candidate]) -> Numbers:
    """The fit of each to the time that the question names; 0 where it names none."""
    if question.period is None:
        return np.zeros(len(candidates))
    return np.array([period_fit(question.period, each.row) for each in candidates])


def _of_messages(statements: Sequence[Row], messages: Iterable[Candidate]) -> tuple[Numbers, Numbers]:
    """For each statement the legs of the best message that says it, 0 where the recall did not find it."""
    found = {(each.row.conversation_id, each.row.message_ids[0]): each for each in messages}
    places, nowhere = dict(zip(found, range(len(found)), strict=True)), len(found)
    legs = LegScores(list(found.values()))
    share, near = _with_none(legs.share), _with_none(legs.near * ~legs.unknown)
    said_in = [row.message_ids or ("",) for row in statements]
    said = zip(statements, said_in, strict=True)
    where = np.array([places.get((row.conversation_id, each), nowhere) for row, ids in said for each in ids])
    starts = np.cumsum([0, *map(len, said_in[:-1])])
    return np.maximum.reduceat(share[where], starts), np.maximum.reduceat(near[where], starts)


def _with_none(numbers: Numbers) -> Numbers:
    """The numbers, and behind them the 0 of what is not there."""
    return np.concatenate((numbers, (0.0,)))


def _deviation(numbers: Numbers) -> Numbers:
    """The distance above the mean, in units of four standard deviations."""
    spread = numbers.std() if len(numbers) else 0.0
    return (numbers - numbers.mean()) / (4 * spread) if spread > 0 else np.zeros_like(numbers)
