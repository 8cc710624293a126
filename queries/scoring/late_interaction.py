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
from mneme.rows import TOKEN_DIMENSION, Embedding, Key, Row, Vector, message_key
from queries.scoring.field import Field, Numbers, rank_of

_MOST_KEPT = 5_000  # rows in each of two generations, some 4 KB each
_SECONDS = 300.0  # of a generation: what nobody asks for leaves memory within ten minutes
COMPARED = 100  # statements: those that the other scores put first; of the rest hardly one answers


@stage("late_interaction")
def with_matches(embeddings: "Embeddings", question: bytes, field: Field) -> Field | None:
    """The field with how well the tokens of each statement match those of the question, and with the vectors.

    Compared are the statements that words and vectors put first; the rest matches as badly as the worst of them. What has no
    vectors of tokens, as a foresight, matches as well as its vector is near.

    Args:
        embeddings: of statements, and of the messages in whose words others are told.
        question: the vectors of its tokens, as ``Embedding.token_vectors``.
        field: the candidates, both legs known.

    Returns:
        None where nothing can be compared.
    """
    if not question or not field.statements:
        return None
    order = np.argsort(-(rank_of(field.legs.bm25) + rank_of(field.legs.cosine)), kind="stable")[:COMPARED]
    found = embeddings.of([field.statements[at].row for at in order])
    known = np.array([each is not None and bool(each.token_vectors) for each in found])
    if not known.any():
        return None
    best = max_sim(question, [each.token_vectors for each in found if each is not None and each.token_vectors])
    low, high = best.min(), best.max()
    matches = np.full(len(field.statements), low)
    matches[order] = low + field.legs.near[order] * (high - low)
    matches[order[known]] = best
    vectors: list[Vector | None] = [None] * len(field.statements)
    tokens = [b""] * len(field.statements)
    for at, each in zip(order, found, strict=True):
        if each is not None:
            vectors[at], tokens[at] = each.vector, each.token_vectors
    return replace(field, matches=matches, vectors=vectors, token_vectors=tokens, asked=question)


def max_sim(question: bytes, statements: Sequence[bytes]) -> Numbers:
    """The mean over the question's tokens of the best cosine with a token of a statement, for each statement.

    Args:
        question: vectors of tokens, as ``Embedding.token_vectors``.
        statements: those of each statement; none is empty.

    Returns:
        From -1 to 1, of shape (statements,).
    """
    # einsum, because BLAS starts threads for a product of this size: 9 ms of the processor, not .7.
    cosines = np.einsum("ij,kj->ik", directions(b"".join(statements)), directions(question))
    starts = np.cumsum([0, *(len(each) // TOKEN_DIMENSION for each in statements[:-1])])
    found: Numbers = np.maximum.reduceat(cosines, starts, axis=0).mean(axis=1, dtype=np.float64)
    return found


def directions(tokens: bytes) -> npt.NDArray[np.float32]:
    """Vectors of tokens as numbers from -1 to 1, shape (tokens, TOKEN_DIMENSION)."""
    return np.frombuffer(tokens, np.int8).reshape(-1, TOKEN_DIMENSION).astype(np.float32) / np.float32(127)


class Embeddings:
    """The vectors of rows and of their tokens, read from an index once for each version of a row. Safe for several threads."""

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index
        self._known: AgingCache[tuple[Key, int], Embedding] = AgingCache(_MOST_KEPT, _SECONDS)

    def of(self, rows: Sequence[Row]) -> list[Embedding | None]:
        """Those of each row; the vectors of its tokens are those of its message where it has none of its own."""
        known = dict(zip(versions := [(row.key, row.version) for row in rows], map(self._known.get, versions), strict=True))
        missing = {version: row for version, row in zip(versions, rows, strict=True) if known[version] is None}
        if missing:
            messages = {each: _message_of(row) for each, row in missing.items()}
            found = self._index.embeddings(list(dict.fromkeys((*(key for key, _ in missing), *messages.values()))))
            for version, message in messages.items():
                own, said = found.get(version[0]), found.get(message)
                if own is not None and not own.token_vectors and said is not None:
                    own = own._replace(token_vectors=said.token_vectors)
                if (embedding := own or said) is not None:
                    known[version] = embedding
                    self._known.put(version, embedding)
        return [known[version] for version in versions]


def _message_of(row: Row) -> Key:
    """The message in whose words a row is told, the first of those that said them; the row itself where there is none."""
    return message_key(row, row.message_ids[0]) if row.message_ids else row.key
