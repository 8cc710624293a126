"""The local embedder: a small model for English and one for all other languages, in onnxruntime, without network or key.

all-MiniLM-L6-v2 is twice as quick as multilingual-e5-small, and finds more in English; it knows no other language. Each text
goes to the model of its language. Both give vectors of one length, in spaces of their own: a text is near those of its own
model, and near none of the other's. Chinese is embedded in simplified characters: of 695 questions .78 then have their evidence
among the first 5, and .69 where all is embedded in traditional ones, .60 where statements are in either.
"""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from connectors.embedders import MODEL, VARIANTS, multilingual_e5
from connectors.embedders.encoder import DIMENSION, Encoder, Model
from connectors.embedders.minilm_weights import PINNED_SHA256, find_weights
from mneme.chinese_script import simplified
from mneme.languages import foreign_language
from mneme.ports import EmbedderIdentity
from mneme.rows import TOKEN_DIMENSION, Embedding, Vector
from mneme.settings import EmbedderSettings

# Texts of about one length that one thread embeds at once. On 2 processors, texts of 32 tokens, a second of one
# processor embeds 180 one by one, 270 by eight, 250 by thirty-two: a bigger batch leaves the processor's cache.
_BATCH = 8


class _Batch(NamedTuple):
    """Texts that are embedded in one call: their places among all, and their token ids."""

    encoder: Encoder
    places: list[int]
    tokens: list[list[int]]


class LocalEmbedder:
    """Texts to vectors with all-MiniLM-L6-v2, and with multilingual-e5-small what is certainly not English.

    Work is spread over ``threads`` threads, each with its own small batch, however many threads ask at once. A text's
    vector does not depend on what is embedded beside it: padding changes at most the last bits.

    A model is loaded when the first text needs it.
    """

    def __init__(self, settings: EmbedderSettings, cache: Path | None = None) -> None:
        """Find the weights.

        Args:
            settings: ``path``, ``quantize``, ``multilingual``, ``token_vectors`` and ``threads`` are used.
            cache: the setting ``MNEME_CACHE``, where the converted models are kept.

        Raises:
            SettingsError: there are no weights, or a needed package is missing; says how to install them.
        """
        self._weights = find_weights(settings.path)
        self._other = multilingual_e5.find_model(settings.multilingual)
        self._quantize = settings.quantize
        self._token_dimension = 0 if settings.token_vectors is False else TOKEN_DIMENSION
        self._cache = cache
        self._threads = settings.threads or _processors()
        self._loading = threading.Lock()
        self._loaded: dict[str, Encoder] = {}
        self._pool = ThreadPoolExecutor(self._threads, "embedder")

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """The models, in fp32 or int8; weights of the user's own add their hash, for they give other vectors."""
        own = "" if self._weights.identity == PINNED_SHA256 else f"-{self._weights.identity[:12]}"
        variant = f"{VARIANTS[self._quantize]}{own}"
        languages, other = (("en",), "") if self._other is None else (("*",), multilingual_e5.VECTORS)
        return EmbedderIdentity(MODEL, variant, DIMENSION, languages, other, self._token_dimension)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Float32 of shape (texts, 384), each row of length 1, in the order of the texts.

        Raises:
            ModelError: onnxruntime cannot run a model.
            SettingsError: the first time, if the weights are not what they should be.
        """
        embeddings = self.embed_tokens(texts)
        return np.stack([each.vector for each in embeddings]) if embeddings else np.empty((0, DIMENSION), np.float32)

    def embed_tokens(self, texts: Sequence[str]) -> list[Embedding]:
        """See ``TokenEmbedder``; raises as ``embed``."""
        languages = [foreign_language(text) if self._other is not None else "" for text in texts]
        texts = [simplified(text) if of == "zh" else text for text, of in zip(texts, languages, strict=True)]
        batches = self._batches(self._weights.model, texts, [at for at, language in enumerate(languages) if not language])
        if self._other is not None:
            batches += self._batches(self._other, texts, [at for at, language in enumerate(languages) if language])
        results = self._pool.map(lambda batch: batch.encoder.run(batch.tokens), batches)
        found = {
            place: each
            for batch, made in zip(batches, results, strict=True)
            for place, each in zip(batch.places, made, strict=True)
        }
        return [found[place] for place in range(len(texts))]

    def _batches(self, model: Model, texts: Sequence[str], places: Sequence[int]) -> list["_Batch"]:
        """The texts at these places in batches of about one length; nothing is loaded for none."""
        if not places:
            return []
        encoder = self._encoder(model)
        tokens = dict(zip(places, encoder.tokens([texts[place] for place in places]), strict=True))
        by_length = sorted(places, key=lambda place: len(tokens[place]))
        size = min(_BATCH, -(-len(places) // self._threads))
        parts = (by_length[start : start + size] for start in range(0, len(places), size))
        return [_Batch(encoder, part, [tokens[place] for place in part]) for part in parts]

    def close(self) -> None:
        """Let the threads and the models go."""
        self._pool.shutdown()
        self._loaded.clear()

    def _encoder(self, model: Model) -> Encoder:
        with self._loading:
            if model.name not in self._loaded:
                self._loaded[model.name] = Encoder(model, self._quantize == "int8", self._cache)
            return self._loaded[model.name]


def _processors() -> int:
    """The processors that this process may use; where that cannot be asked (macOS), all there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
