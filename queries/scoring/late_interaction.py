"""Late interaction: how well the tokens of a question match those of a candidate.

Each token of the question is compared with all tokens of the candidate, and the mean of its best matches is the score: MaxSim
(Khattab and Zaharia 2020, ColBERT). The embedder gives the vectors of tokens with that of the text, in the same forward pass.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from connectors.aging_cache import AgingCache
from connectors.telemetry.meters import stage
from mneme.ports import MemoryIndex
from mneme.rows import TOKEN_DIMENSION, Key, Row, message_key
from queries.scoring.field import Field, Numbers, rank_of

_MOST_KEPT = 5_000  # rows in each of two generations, some 2 KB each
_SECONDS = 300.0  # of a generation: what nobody asks for leaves memory within ten minutes
COMPARED = 100  # statements: those that the other scores put first; of the rest hardly one answers
_SHORTEST = 1e-9


@stage("late_interaction")
def with_matches(token_vectors: "TokenVectors", question: bytes, field: Field) -> Field | None:
    """The field with how well the tokens of each statement match those of the question, and the vectors of its tokens.

    Compared are the statements that words and vectors put first; the rest matches as badly as the worst of them. What has no
    vectors of tokens, as a foresight, matches as well as its vector is near.

    Args:
        token_vectors: of statements, and of the messages in whose words others are told.
        question: the vectors of its tokens, as ``Embedding.token_vectors``.
        field: the candidates, both legs known.

    Returns:
        None where nothing can be compared.
    """
    if not question or not field.statements:
        return None
    order = np.argsort(-(rank_of(field.legs.bm25) + rank_of(field.legs.cosine)), kind="stable")[:COMPARED]
    vectors = token_vectors.of([field.statements[at].row for at in order])
    known = np.array([bool(each) for each in vectors])
    if not known.any():
        return None
    best = max_sim(question, [each for each in vectors if each])
    low, high = best.min(), best.max()
    matches = np.full(len(field.statements), low)
    matches[order] = low + field.legs.near[order] * (high - low)
    matches[order[known]] = best
    tokens = [b""] * len(field.statements)
    for at, each in zip(order, vectors, strict=True):
        tokens[at] = each
    return replace(field, matches=matches, token_vectors=tokens)


def max_sim(question: bytes, statements: Sequence[bytes]) -> Numbers:
    """The mean over the question's tokens of the best cosine with a token of a statement, for each statement.

    Args:
        question: vectors of tokens, as ``Embedding.token_vectors``.
        statements: those of each statement; none is empty.

    Returns:
        From -1 to 1, of shape (statements,).
    """
    # einsum, because BLAS starts threads for a product of this size: 9 ms of the processor, not .7.
    cosines = np.einsum("ij,kj->ik", _directions(b"".join(statements)), _directions(question))
    found: Numbers = np.maximum.reduceat(cosines, _starts(statements), axis=0).mean(axis=1, dtype=np.float64)
    return found


def mean_directions(statements: Sequence[bytes]) -> Numbers:
    """The mean direction of the tokens of each statement; none is empty."""
    sums = np.add.reduceat(_directions(b"".join(statements)), _starts(statements), axis=0, dtype=np.float64)
    found: Numbers = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _SHORTEST)
    return found


def _starts(statements: Sequence[bytes]) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *(len(each) // TOKEN_DIMENSION for each in statements[:-1])])


def _directions(tokens: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(tokens, np.int8).reshape(-1, TOKEN_DIMENSION).astype(np.float32) / np.float32(127)


class TokenVectors:
    """The vectors of the tokens of rows, read from an index once for each version of a row. Safe for several threads."""

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index
        self._known: AgingCache[tuple[Key, int], bytes] = AgingCache(_MOST_KEPT, _SECONDS)

    def of(self, rows: Sequence[Row]) -> list[bytes]:
        """Those of each row, of its message where it has none of its own; empty where there are none."""
        known = dict(zip(versions := [(row.key, row.version) for row in rows], self._known.get_many(versions), strict=True))
        missing = {version: row for version, row in zip(versions, rows, strict=True) if known[version] is None}
        if missing:
            messages = {each: _message_of(row) for each, row in missing.items()}
            found = self._index.token_vectors(list(dict.fromkeys((*(key for key, _ in missing), *messages.values()))))
            for version, message in messages.items():
                if vectors := found.get(version[0]) or found.get(message):
                    known[version] = vectors
                    self._known.put(version, vectors)
        return [known[version] or b"" for version in versions]


def _message_of(row: Row) -> Key:
    """The message in whose words a row is told; the row itself where there are several or none."""
    return message_key(row, row.message_ids[0]) if len(row.message_ids) == 1 else row.key
