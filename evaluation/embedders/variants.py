"""The variants of the local embedder that are compared: each turns a batch of texts into vectors in one call, in one thread."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from connectors.embedders.encoder import Encoder
from connectors.embedders.minilm_weights import find_weights
from evaluation.embedders.static_vectors import StaticVectors
from mneme.rows import Vector
from mneme.settings import Settings

Embed = Callable[[Sequence[str]], Vector]
"""One batch of texts to float32 of shape (texts, dimension), each row of length 1; safe for several threads."""

EXACT = "onnx fp32"
"""What the vectors of others are compared with."""


def open_variants(settings: Settings) -> dict[str, Embed]:
    """Every variant that can run here, by name; torch where sentence-transformers is installed.

    Raises:
        SettingsError: the weights or a package of the local embedder are missing.
    """
    weights = find_weights(settings.embedder.path)
    exact = Encoder(weights.model, quantized=False, cache=settings.cache)
    small = Encoder(weights.model, quantized=True, cache=settings.cache)
    [[before, after]] = exact.tokens([""])
    static = StaticVectors.distilled(partial(_vectors, exact), exact.vocabulary, (before, after))
    variants: dict[str, Embed] = {
        EXACT: lambda texts: _vectors(exact, exact.tokens(texts)),
        "onnx int8": lambda texts: _vectors(small, small.tokens(texts)),
        "static": lambda texts: static.run(exact.tokens(texts)),
    }
    if importlib.util.find_spec("sentence_transformers") is not None:
        variants["torch fp32"] = _torch(weights.folder)
    return variants


def _vectors(encoder: Encoder, batch: Sequence[Sequence[int]]) -> Vector:
    return np.stack([each.vector for each in encoder.run(batch)])


def _torch(folder: Path) -> Embed:
    # By name: neither is a dependency of this project.
    torch, sentence_transformers = (importlib.import_module(name) for name in ("torch", "sentence_transformers"))
    torch.set_num_threads(1)  # as for the others, threads share out batches
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")

    def embed(texts: Sequence[str]) -> Vector:
        vectors: Vector = model.encode(list(texts), batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False)
        return vectors

    return embed
