"""Static vectors distilled from a sentence embedder: one vector for each token, looked up and averaged. Evaluation only.

1. Pass every token of the vocabulary through the model by itself.
2. Keep the principal components.
3. Weight each token by Zipf's law: the vocabulary is sorted by frequency, and the logarithm of a token's rank stands for its
   inverse frequency.

A text's vector is the mean of its tokens'. Source: Tulkens and van Dongen, "Model2Vec: Fast State-of-the-Art Static
Embeddings", 2024; here the model's own pooled and normalised output is taken for a token.
"""

from collections.abc import Callable, Sequence

import numpy as np

from mneme.rows import Vector

COMPONENTS = 256
_BATCH = 1024


class StaticVectors:
    """Token ids to vectors without a model."""

    def __init__(self, table: Vector) -> None:
        """``table``: float32 of shape (vocabulary, dimension)."""
        self._table = table

    @classmethod
    def distilled(
        cls,
        run: Callable[[Sequence[Sequence[int]]], Vector],
        vocabulary: int,
        marks: tuple[int, int],
        components: int = COMPONENTS,
    ) -> "StaticVectors":
        """Distil a model.

        Args:
            run: batches of token ids to vectors of shape (batch, dimension).
            vocabulary: the number of tokens; their ids rise as they get rarer.
            marks: ids that the model expects before and after every text.
            components: the dimension of the new vectors.
        """
        # 1.
        before, after = marks
        batches = (range(start, min(start + _BATCH, vocabulary)) for start in range(0, vocabulary, _BATCH))
        tokens = np.concatenate([run([[before, token, after] for token in batch]) for batch in batches])
        # 2.
        centred = tokens - tokens.mean(axis=0)
        _, directions = np.linalg.eigh(centred.T @ centred)  # by rising variance
        kept = centred @ directions[:, -components:]
        # 3.
        weights = np.log(1 + np.arange(1, vocabulary + 1, dtype=np.float32))
        return cls(np.ascontiguousarray(kept * weights[:, None], np.float32))

    def run(self, batch: Sequence[Sequence[int]]) -> Vector:
        """Float32 of shape (batch, dimension), each row of length 1; the marks around a text are left out."""
        vectors = np.stack([self._table[np.asarray(text[1:-1], np.int64)].sum(axis=0) for text in batch])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vector = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
        return unit
