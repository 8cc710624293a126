"""Vectors of questions that were asked a moment ago."""

from collections.abc import Sequence

import numpy as np

from connectors.embedders.hash_embedder import HashEmbedder
from mneme.ports import embeddings_of
from mneme.rows import Vector
from queries.models import CachingEmbedder


class Counting(HashEmbedder):
    """Tells what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.asked.append(list(texts))
        return super().embed(texts)


def test_a_question_is_embedded_once():
    inner = Counting()
    embedder = CachingEmbedder(inner)
    first, second = (embedder.embed(["where is Ann?", "who is Bob?"]) for _ in range(2))
    assert inner.asked == [["where is Ann?", "who is Bob?"]]
    assert np.array_equal(first, second)


def test_only_what_is_new_is_embedded_and_the_order_is_kept():
    inner = Counting()
    embedder = CachingEmbedder(inner)
    embedder.embed(["old"])
    found = embedder.embed(["new", "old", "new"])
    assert inner.asked == [["old"], ["new"]]
    assert np.array_equal(found, [each.vector for each in embeddings_of(HashEmbedder(), ["new", "old", "new"])])
