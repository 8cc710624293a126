"""A cross-encoder behind HTTP: ``POST {base_url}/rerank``, as Cohere, Jina, vLLM and Infinity have it.

Asked is ``{model, query, documents}``, and answered ``{"results": [{"index", "relevance_score"}]}``.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from connectors.endpoints.backoff import Retries
from connectors.endpoints.openai_client import OpenAiClient
from connectors.telemetry.meters import measured_call
from mneme.errors import ModelMalformed, SettingsError
from mneme.settings import Rerank

_PATH = "/rerank"
_GROUP = "MNEME_RERANK"
_RETRY_BASE_SECONDS = 0.5  # somebody waits for the search


class RerankEndpoint:
    """A ``Reranker`` at an endpoint. Safe for several threads."""

    def __init__(self, settings: Rerank, retries: Retries | None = None) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, key, model; ``timeout_seconds`` is for one call over all attempts.
            retries: replaces the retries of the settings (a test's clock).

        Raises:
            SettingsError: the URL is missing or invalid.
        """
        if settings.base_url is None:
            raise SettingsError(f"{_GROUP}__BASE_URL is not set, and {_GROUP}__PROVIDER=endpoint needs it")
        self._name = settings.model or _GROUP
        self._model = {"model": settings.model} if settings.model else {}
        retries = retries or Retries(settings.retries, _RETRY_BASE_SECONDS, settings.timeout_seconds)
        self._endpoint = OpenAiClient(settings.base_url, settings.api_key, retries, _GROUP)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """The endpoint's score of each text, as it is; None for a text that its answer leaves out.

        Raises:
            ModelError: see ``Backoff.call``; ModelMalformed also where a score is no number, or of no text that was sent.
        """
        if not texts:
            return []
        body = {**self._model, "query": query, "documents": [text or " " for text in texts]}  # servers refuse an empty text
        with measured_call("rerank", self._name, scope=""):
            answer = self._endpoint.post(_PATH, body)
        answered = dict(_results(answer, len(texts)))
        return [answered.get(place) for place in range(len(texts))]

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()


def _results(answer: Any, count: int) -> Iterator[tuple[int, float]]:
    """The place and the score of each result of an answer."""
    seen: set[int] = set()
    results: Any = answer.get("results") if isinstance(answer, dict) else answer
    for result in results if isinstance(results, list) else [results]:
        fields: dict[str, Any] = result if isinstance(result, dict) else {}
        place, score = fields.get("index"), fields.get("relevance_score")
        if type(place) is not int or not 0 <= place < count or place in seen or not _is_score(score):
            raise ModelMalformed(f"{_GROUP}__BASE_URL answered with what is no score of a text; check it and {_GROUP}__MODEL")
        seen.add(place)
        yield place, float(score)


def _is_score(value: Any) -> TypeGuard[float]:
    return (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) < 2**53)
