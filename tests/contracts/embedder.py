"""What every Embedder promises (mneme/ports/), as tests.

Subclass ``EmbedderContract`` as ``TestSomething`` and supply the fixture ``embedder``.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mneme.ports import Embedder
from mneme.rows import Vector

TEXTS = [
    "Anna: The pottery class moves to Thursday.",
    "Ben: Great, then I can join you after work, if the train is on time for once and nobody holds the doors again.",
    "ok",
    "Anna: I booked the cabin by the lake for the second week of August.",
    "Ben: 😀",
    "The quarterly figures are due on Friday.",
    "Anna: " + "and then we walked on and on along the river, " * 12,
]
ODD = ["", " ", "\n\n", "a", "!!!", "我们下周四去爬山。", "\x00", "x" * 20_000, "naïve café", "\ud800"]


class EmbedderContract:
    """The promises."""

    def test_each_text_has_a_vector_of_length_one(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.identity.dimension)
        assert vectors.dtype == np.float32
        assert_unit(vectors)

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.identity.dimension)

    def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        there, back = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
        np.testing.assert_allclose(there, back[::-1], atol=1e-5)
        assert len(np.unique(there.round(4), axis=0)) == len(TEXTS)

    def test_a_text_has_the_same_vector_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        np.testing.assert_allclose(embedder.embed(TEXTS), alone, atol=1e-5)
        np.testing.assert_allclose(embedder.embed(TEXTS * 7)[-len(TEXTS) :], alone, atol=1e-5)

    @pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:12])
    def test_odd_texts_have_vectors_too(self, embedder: Embedder, text: str) -> None:
        assert_unit(embedder.embed([text, TEXTS[0]]))

    def test_a_text_is_nearer_to_one_about_the_same(self, embedder: Embedder) -> None:
        pottery, figures, question = embedder.embed([TEXTS[0], TEXTS[5], "When is the pottery class?"])
        assert question @ pottery > question @ figures

    def test_several_threads_get_what_one_gets(self, embedder: Embedder) -> None:
        expected = embedder.embed(TEXTS)
        with ThreadPoolExecutor(6) as pool:
            for vectors in pool.map(lambda _: embedder.embed(TEXTS), range(6)):
                np.testing.assert_allclose(vectors, expected, atol=1e-5)

    def test_the_identity_names_model_variant_dimension_and_languages(self, embedder: Embedder) -> None:
        identity = embedder.identity
        assert identity.model
        assert identity.variant
        assert identity.languages
        assert identity == embedder.identity


def assert_unit(vectors: Vector) -> None:
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
