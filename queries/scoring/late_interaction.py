"""Late interaction: how well the tokens of a question match those of a candidate.

Each token of the question is compared with all tokens of the candidate, and the mean of its best matches is the score: MaxSim
(Khattab and Zaharia 2020, ColBERT). The embedder gives the vectors of tokens with that of the text, in the same forward pass.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from connectors.telemetry.searches import stage
from mneme.ports import MemoryIndex
from mneme.rows import TOKEN_DIMENSION, Row, message_key
from queries.scoring.field import Field, Numbers, rank_of

COMPARED = 100  # statements: those that the other scores put first; of the rest hardly one answers


@stage("late_interaction")
def matches_of(index: MemoryIndex, question: bytes, field: Field) -> Numbers | None:
    """How well the tokens of each statement match those of the question.

    Compared are the statements that words and vectors put first; the rest matches as badly as the worst of them. What has no
    vectors of tokens, as a foresight, matches as well as its vector is near.

    Args:
        index: asked for the vectors of the statements and of the messages in whose words they are told.
        question: the vectors of its tokens, as ``Embedding.token_vectors``.
        field: the candidates, both legs known.

    Returns:
        From -1 to 1, of shape (statements,); None where nothing can be compared.
    """
    if not question or not field.statements:
        return None
    order = np.argsort(-(rank_of(field.legs.bm25) + rank_of(field.legs.cosine)), kind="stable")[:COMPARED]
    vectors = _token_vectors(index, [field.statements[at].row for at in order])
    known = np.array([bool(each) for each in vectors])
    if not known.any():
        return None
    compared = max_sim(question, [each for each in vectors if each])
    low, high = compared.min(), compared.max()
    found = np.full(len(field.statements), low)
    found[order] = low + field.legs.near[order] * (high - low)
    found[order[known]] = compared
    return found


def max_sim(question: bytes, statements: Sequence[bytes]) -> Numbers:
    """The mean over the question's tokens of the best cosine with a token of a statement, for each statement.

    Args:
        question: vectors of tokens, as ``Embedding.token_vectors``.
        statements: those of each statement; none is empty.

    Returns:
        From -1 to 1, of shape (statements,).
    """
    starts = np.cumsum([0, *(len(each) // TOKEN_DIMENSION for each in statements[:-1])])
    # einsum, because BLAS starts threads for a product of this size: 9 ms of the processor, not .7.
    cosines = np.einsum("ij,kj->ik", _directions(b"".join(statements)), _directions(question))
    found: Numbers = np.maximum.reduceat(cosines, starts, axis=0).mean(axis=1, dtype=np.float64)
    return found


def _directions(tokens: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(tokens, np.int8).reshape(-1, TOKEN_DIMENSION).astype(np.float32) / np.float32(127)


def _token_vectors(index: MemoryIndex, rows: Sequence[Row]) -> list[bytes]:
    """The vectors of the tokens of each row, of its message where it has none of its own; empty where there are none."""
    messages = {row.key: message_key(row, row.message_ids[0]) for row in rows if len(row.message_ids) == 1}
    found = index.token_vectors(list(dict.fromkeys((*(row.key for row in rows), *messages.values()))))
    own_or_told_in = ((row.key, messages.get(row.key, row.key)) for row in rows)
    return [found.get(own) or found.get(message, b"") for own, message in own_or_told_in]
