"""Vectors from hashed tokens, for tests and volume benchmarks: words in common are all they know of meaning.

Feature hashing (Weinberger et al. 2009): each token adds +1 or -1 to one of 384 places, both chosen by its hash. It needs no
weights and no endpoint, gives the same vectors on every machine, and costs microseconds, so that a test of the stream with
a hundred thousand messages measures the stream.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from mneme.ports import EmbedderIdentity
from mneme.rows import Vector
from mneme.text import tokenise

DIMENSION = 384


class HashEmbedder:
    """An ``Embedder`` that hashes tokens; texts without a token share one vector."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Its own: an index filled with it is refused by every real embedder."""
        return EmbedderIdentity("hashed-tokens", "tests-and-volume-only", DIMENSION)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Float32 of shape (texts, 384), each row of length 1."""
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for at, text in enumerate(texts):
            for token in tokenise(text):
                place, sign = _feature(token)
                vectors[at, place] += sign
            if not vectors[at].any():  # no token, or tokens that cancel each other out
                vectors[at, 0] = 1.0
        lengths: Vector = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths

    def close(self) -> None:
        """Nothing is held."""


@lru_cache(maxsize=65_536)
def _feature(token: str) -> tuple[int, int]:
    """The place of a token, and its sign."""
    number = int.from_bytes(hashlib.blake2b(token.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
    return number % DIMENSION, 1 if number >> 63 else -1
