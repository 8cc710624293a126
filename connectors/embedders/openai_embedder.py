"""An embedder behind an OpenAI-compatible endpoint."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from connectors.endpoints.backoff import Retries
from connectors.endpoints.openai_client import OpenAiClient
from mneme.errors import ModelMalformed, SettingsError
from mneme.ports import EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import EmbedderSettings
from mneme.text import estimate_tokens

_BASE_URL = "https://api.openai.com/v1"
_RETRY_BASE_SECONDS = 2.0
_LONGEST_TOKENS = 6500  # the usual limit is 8,191 by exact count; the estimate may be 20 % too low. The rest is not seen
_ANY_DIMENSION = "text-embedding-3"  # models that shorten their vectors when asked; others refuse the question


class OpenAiEmbedder:
    """Texts to vectors with any endpoint that has ``/embeddings``."""

    def __init__(self, settings: EmbedderSettings, retries: Retries | None = None) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, key, model, dimension, batch; ``timeout_seconds`` is for one batch over its attempts.
            retries: replaces the retries of the settings (a test's clock).

        Raises:
            SettingsError: the URL is invalid.
        """
        self._settings = settings
        self._endpoint = OpenAiClient(
            settings.base_url or _BASE_URL,
            settings.api_key,
            retries or Retries(settings.retries, _RETRY_BASE_SECONDS, settings.timeout_seconds),
            "MNEME_EMBEDDER",
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """The model by name and the dimension of the settings."""
        return EmbedderIdentity(self._settings.model, "openai", self._settings.dimension)

    def embed(self, texts: Sequence[str]) -> Vector:
        """Float32 of shape (texts, dimension), each row of length 1, in the order of the texts.

        Raises:
            ModelError: after retries.
            SettingsError: the model's vectors have another dimension than the settings say.
        """
        vectors = np.empty((len(texts), self._settings.dimension), np.float32)
        for start in range(0, len(texts), self._settings.batch):
            batch = [_fitted(text) for text in texts[start : start + self._settings.batch]]
            vectors[start : start + len(batch)] = self._batch(batch)
        return vectors

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _batch(self, texts: list[str]) -> Vector:
        body: dict[str, Any] = {"model": self._settings.model, "input": texts, "encoding_format": "float"}
        if self._settings.model.rsplit("/", 1)[-1].startswith(_ANY_DIMENSION):
            body["dimensions"] = self._settings.dimension
        answer = self._endpoint.embeddings(body)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelMalformed("an answer without embeddings; check MNEME_EMBEDDER__BASE_URL and __MODEL") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelMalformed(
                f"{len(vectors)} embeddings for {len(texts)} texts; check MNEME_EMBEDDER__BASE_URL and __MODEL"
            )
        if vectors.shape[1] != self._settings.dimension:
            raise SettingsError(
                f"MNEME_EMBEDDER__DIMENSION is {self._settings.dimension}, "
                f"but {self._settings.model} gives {vectors.shape[1]}; set it to that"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise ModelMalformed(f"{self._settings.model} gave a vector without a length; check the model's server")
        normalised: Vector = vectors / lengths
        return normalised


def _fitted(text: str) -> str:
    """The beginning of a text that the model takes; a blank for an empty text, which endpoints refuse."""
    while len(text.encode(errors="replace")) > _LONGEST_TOKENS and (tokens := estimate_tokens(text)) > _LONGEST_TOKENS:
        text = text[: len(text) * _LONGEST_TOKENS // tokens]
    return text or " "
