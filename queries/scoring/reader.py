"""A reader: how likely a statement answers a question, by every token of both. Pure but for the file of its weights.

Words and vectors find what a question is about, and often what only repeats its words ("Cool, John loves pizza too!"). The
reader sees which tokens of a statement would be the answer, and the end of what was said before it. It reads the vectors of
tokens that late interaction has at hand, so no other model runs, and takes .4 ms for a statement.

1. Each token of a statement attends to those of the question (Seo et al. 2017, bidirectional attention flow).
2. A convolution over five tokens and one layer of self-attention (Vaswani et al. 2017) join a token with its neighbours.
3. Each token gets the log-odds that it answers, against nothing that does. Those of a statement are joined (log-sum-exp).

The weights are fitted on talks that were written for it (``mneme bench fit reader``): for English and for other languages
apart, since the embedder has a model for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from connectors.telemetry.meters import stage
from mneme.languages import foreign_language
from mneme.rows import TOKEN_DIMENSION
from queries.questions.people import is_assistant
from queries.questions.understand import Question
from queries.scoring.features import STATEMENT_FEATURES
from queries.scoring.field import Field, Numbers
from queries.scoring.late_interaction import directions

Floats = npt.NDArray[np.float32]

QUESTION, BEFORE, STATEMENT = 24, 20, 48  # tokens that are read: the first of both, the last of what was said before
HIDDEN = 48
_HEADS = 4
_AROUND = 2  # tokens on either side
_WIDTH = 2 * _AROUND + 1
_NOTHING = -1e9
_SMALLEST = 1e-5
MOST = 20  # statements that are read: the best by all else; of 30 hardly more is found, and each takes .4 ms
_AT_ONCE = 5  # of them, alike in length: their arrays fit into the cache of a processor, which halves the time
_NAMED, _ANOTHER, _ASKS = map(STATEMENT_FEATURES.index, ("speaker_named", "another_named", "is_question"))


class Circumstances(NamedTuple):
    """Facts about a statement that its tokens do not tell; ``before`` is what was said before it."""

    speaker_named: float
    another_named: float
    asks: float
    before_asks: float
    same_speaker: float
    by_assistant: float


CIRCUMSTANCES = len(Circumstances._fields)


@stage("read")
def readings(question: Question, field: Field, features: Numbers, scores: Numbers, most: int = MOST) -> Numbers:
    """The log-odds that each statement of a field answers, shape (statements,); NaN of each that is not read.

    Read are the best whose tokens are known.

    Args:
        question: what is asked.
        field: the statements, with the vectors of their tokens.
        features: those of ``statement_features``.
        scores: of each statement, by all else.
        most: statements that are read.
    """
    tokens, parents = field.token_vectors, field.parents
    best = [at for at in np.argsort(-scores, kind="stable")[:most].tolist() if tokens and tokens[at]]
    best.sort(key=lambda at: len(tokens[at]))

    def speaker(at: int) -> tuple[str, ...]:
        return field.statements[at].row.people[:1]

    before, circumstances = [], []
    for at in best:
        follows = at > 0 and parents[at] >= 0 and parents[at] == parents[at - 1]
        before.append(tokens[at - 1] if follows else b"")
        circumstances.append(
            Circumstances(
                speaker_named=features[at, _NAMED],
                another_named=features[at, _ANOTHER],
                asks=features[at, _ASKS],
                before_asks=follows and features[at - 1, _ASKS],
                same_speaker=follows and speaker(at) == speaker(at - 1),
                by_assistant=any(map(is_assistant, speaker(at))),
            )
        )
    found = np.full(len(field.statements), np.nan)
    weights = weights_for(question.text)
    for start in range(0, len(best), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        passages = Passages.of(before[part], [tokens[at] for at in best[part]], circumstances[part])
        found[best[part]] = read(field.asked, passages, weights)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Passages:
    """Statements to be read, in arrays.

    ``tokens`` are the vectors of what was said before each and, from place ``split`` on, of itself, shape (passages, places,
    TOKEN_DIMENSION), and ``there`` is 1 where a token is. ``circumstances`` are those of each, shape (passages, CIRCUMSTANCES).
    """

    tokens: Floats
    there: Floats
    circumstances: Floats
    split: int

    @classmethod
    def of(
        cls, before: Sequence[bytes], said: Sequence[bytes], circumstances: Sequence[Sequence[float]], full: bool = False
    ) -> "Passages":
        """Make the arrays of vectors of tokens as in ``Embedding.token_vectors``.

        They have as few places as these passages need, or as many as any (``full``), so that passages of others fit beside.
        """
        firsts, seconds = [directions(each)[-BEFORE:] for each in before], [directions(each)[:STATEMENT] for each in said]
        # The convolution sees no further than over a gap of this width.
        split = BEFORE if full else min(BEFORE, max(map(len, firsts)) + _AROUND)
        places = split + (STATEMENT if full else max(map(len, seconds)))
        tokens = np.zeros((len(said), places, TOKEN_DIMENSION), np.float32)
        there = np.zeros(tokens.shape[:2], np.float32)
        for place, parts in enumerate(zip(firsts, seconds, strict=True)):
            for start, part in zip((0, split), parts, strict=True):
                tokens[place, start : start + len(part)] = part
                there[place, start : start + len(part)] = 1
        return cls(tokens, there, np.array(circumstances, np.float32).reshape(-1, CIRCUMSTANCES), split)


def read(question: bytes, passages: Passages, weights: Mapping[str, Floats]) -> Floats:
    """The log-odds that each passage answers, against 0 for that none does; shape (passages,)."""
    asked = directions(question)[:QUESTION]
    odds = token_odds(np, asked, np.ones(len(asked), np.float32), passages, weights)
    highest = odds.max(axis=1)
    found: Floats = highest + np.log(np.exp(odds - highest[:, None]).sum(axis=1))
    return found


def token_odds(xp: Any, asked: Any, is_asked: Any, passages: Passages, weights: Mapping[str, Any]) -> Any:
    """The log-odds of each token of each statement, shape (passages, places of statements).

    Args:
        xp: numpy, or jax.numpy where the weights are fitted.
        asked: the tokens of the question, shape (tokens, TOKEN_DIMENSION).
        is_asked: 1 where such a token is.
        passages: what is read.
        weights: by the names of ``SHAPES``.
    """
    # Matrices are multiplied in parts: larger products start threads of BLAS, which double the processor time.
    tokens, there, circumstances, split = passages.tokens, passages.there, passages.circumstances, passages.split
    # 1.
    cosines = tokens @ asked.T
    attention = _softmax(xp, xp.where(is_asked > 0, (tokens @ weights["attend"]) @ asked.T, _NOTHING))
    heard = attention @ asked
    nearest = xp.where(is_asked > 0, cosines, -1.0).max(axis=-1, keepdims=True)
    wanted = _softmax(xp, xp.where(is_asked > 0, (asked @ weights["weigh"])[:, 0], _NOTHING)) @ asked @ weights["want"]
    fits, fits_before = (
        (xp.where(there[:, part, None] > 0, cosines[:, part], -1.0).max(axis=1) @ is_asked / is_asked.sum())[:, None, None]
        for part in (slice(split, None), slice(0, split))
    )
    every = xp.ones_like(nearest)
    scalars = xp.concatenate((nearest, every * fits, every * fits_before, every * (fits - fits_before)), axis=-1)
    seen = zip((tokens, heard, tokens * heard, scalars), xp.split(weights["see"], _PARTS_SEEN), strict=True)
    hidden = sum(part @ see for part, see in seen) + wanted @ weights["see_wanted"] + weights["see_bias"]
    hidden = hidden + (circumstances @ weights["see_circumstances"])[:, None]
    hidden = hidden + xp.repeat(weights["part"], np.array([split, tokens.shape[1] - split]), axis=0)
    hidden = _normalised(xp, xp.maximum(hidden, 0), weights["see_scale"]) * there[..., None]
    # 2.
    edge = xp.zeros_like(hidden[:, :_AROUND])  # numpy's pad takes five times as long
    wide = xp.concatenate((edge, hidden, edge), axis=1)
    around = (wide[:, at : at + tokens.shape[1]] @ part for at, part in enumerate(xp.split(weights["around"], _WIDTH)))
    joined = xp.maximum(sum(around) + weights["around_bias"], 0)
    hidden = _normalised(xp, hidden + joined, weights["around_scale"]) * there[..., None]
    own = hidden[:, split:]
    own = _normalised(xp, own + _attended(xp, own, hidden, there, weights), weights["attention_scale"])
    own = own + xp.maximum(own @ weights["widen"] + weights["widen_bias"], 0) @ weights["narrow"] + weights["narrow_bias"]
    # 3.
    odds = (own @ weights["answer"])[..., 0] + (own @ weights["answer_wanted"]) @ wanted
    odds = odds + (circumstances @ weights["answer_circumstances"] + weights["answer_bias"])[:, None]
    return xp.where(there[:, split:] > 0, odds, _NOTHING)


def _attended(xp: Any, own: Any, passage: Any, there: Any, weights: Mapping[str, Any]) -> Any:
    """Self-attention of several heads: the sum that each token of a statement takes from those of its passage."""

    def heads(hidden: Any, name: str) -> Any:
        return (hidden @ weights[name]).reshape(*hidden.shape[:2], _HEADS, -1).swapaxes(1, 2)

    fit = heads(own, "query") @ heads(passage, "key").swapaxes(2, 3) / (HIDDEN / _HEADS) ** 0.5
    attention = _softmax(xp, xp.where(there[:, None, None] > 0, fit, _NOTHING))
    return (attention @ heads(passage, "value")).swapaxes(1, 2).reshape(own.shape) @ weights["out"]


def _softmax(xp: Any, numbers: Any) -> Any:
    shares = xp.exp(numbers - numbers.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def _normalised(xp: Any, numbers: Any, scale: Any) -> Any:
    """Layer normalisation (Ba et al. 2016)."""
    centred = numbers - numbers.mean(axis=-1, keepdims=True)
    return centred / xp.sqrt((centred**2).mean(axis=-1, keepdims=True) + _SMALLEST) * scale


_SEEN = 3 * TOKEN_DIMENSION + 4
_PARTS_SEEN = (TOKEN_DIMENSION, 2 * TOKEN_DIMENSION, 3 * TOKEN_DIMENSION)
SHAPES: Mapping[str, tuple[int, ...]] = {
    "attend": (TOKEN_DIMENSION, TOKEN_DIMENSION),
    "weigh": (TOKEN_DIMENSION, 1),
    "want": (TOKEN_DIMENSION, HIDDEN),
    "see": (_SEEN, HIDDEN),
    "see_wanted": (HIDDEN, HIDDEN),
    "see_bias": (HIDDEN,),
    "see_circumstances": (CIRCUMSTANCES, HIDDEN),
    "part": (2, HIDDEN),
    "see_scale": (HIDDEN,),
    "around": (_WIDTH * HIDDEN, HIDDEN),
    "around_bias": (HIDDEN,),
    "around_scale": (HIDDEN,),
    "query": (HIDDEN, HIDDEN),
    "key": (HIDDEN, HIDDEN),
    "value": (HIDDEN, HIDDEN),
    "out": (HIDDEN, HIDDEN),
    "attention_scale": (HIDDEN,),
    "widen": (HIDDEN, 2 * HIDDEN),
    "widen_bias": (2 * HIDDEN,),
    "narrow": (2 * HIDDEN, HIDDEN),
    "narrow_bias": (HIDDEN,),
    "answer": (HIDDEN, 1),
    "answer_wanted": (HIDDEN, HIDDEN),
    "answer_circumstances": (CIRCUMSTANCES,),
    "answer_bias": (1,),
}
"""The weights by their names; each scale begins at 1, each bias at 0."""


def language_of(text: str) -> str:
    """The language of a text as the weights know it: English, or any other."""
    return "other" if foreign_language(text) else "en"


def weights_for(question: str) -> Mapping[str, Floats]:
    """The weights for the language of a question."""
    return _stored(language_of(question))


@cache
def _stored(name: str) -> Mapping[str, Floats]:
    with (files("queries.scoring") / f"reader.{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {key: stored[key].astype(np.float32) for key in SHAPES}
