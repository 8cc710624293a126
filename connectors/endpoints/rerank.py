"""A cross-encoder behind HTTP: ``POST {base_url}/rerank``, in the dialects of its servers.

==========  =======================================================  ===================================================
style       asked                                                    answered
==========  =======================================================  ===================================================
``cohere``  ``{model, query, documents}``                            ``{"results": [{"index", "relevance_score"}]}``
``jina``    the same and ``return_documents`` (vLLM, Infinity too)   the same
``tei``     ``{query, texts, truncate, ...}``, at most 32 texts      ``[{"index", "score"}]``
==========  =======================================================  ===================================================
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from connectors.endpoints.backoff import Retries
from connectors.endpoints.openai_client import OpenAiClient
from connectors.telemetry.meters import measured_call
from mneme.errors import ModelMalformed, SettingsError
from mneme.settings import Rerank

_PATH = "/rerank"
_GROUP = "MNEME_RERANK"
_RETRY_BASE_SECONDS = 0.5  # somebody waits for the search


@dataclass(frozen=True, slots=True)
class _Style:
    """The dialect of one kind of server; ``batch`` is the most texts of one request."""

    texts: str
    score: str
    batch: int
    more: Mapping[str, Any]


_STYLES: Mapping[str, _Style] = {
    "cohere": _Style("documents", "relevance_score", 1000, {}),
    "jina": _Style("documents", "relevance_score", 1000, {"return_documents": False}),
    # 32 is what a server takes that is started without --max-client-batch-size
    "tei": _Style("texts", "score", 32, {"truncate": True, "raw_scores": False, "return_text": False}),
}


class RerankEndpoint:
    """A ``Reranker`` at an endpoint. Safe for several threads.

    The scores of one text do not depend on the texts beside it, so that texts may go in several requests.
    """

    def __init__(self, settings: Rerank, retries: Retries | None = None) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, style, key, model; ``timeout_seconds`` is for one call over all requests and attempts.
            retries: replaces the retries of the settings (a test's clock).

        Raises:
            SettingsError: there is no URL, or it is none.
        """
        if settings.base_url is None:
            raise SettingsError(f"{_GROUP}__BASE_URL is not set, and {_GROUP}__PROVIDER=endpoint needs it")
        self._style = _STYLES[settings.style]
        self._name = settings.model or settings.style
        self._model = {"model": settings.model} if settings.model else {}
        retries = retries or Retries(settings.retries, _RETRY_BASE_SECONDS, settings.timeout_seconds)
        self._endpoint = OpenAiClient(settings.base_url, settings.api_key, retries, _GROUP)

    def rerank(self, query: str, texts: Sequence[str]) -> list[float | None]:
        """The endpoint's score of each text, as it is; None for a text that its answer leaves out.

        Raises:
            ModelError: see ``Backoff.call``; ModelMalformed also where a score is none, or of no text that was sent.
        """
        deadline = self._endpoint.retries.deadline()
        scores: list[float | None] = []
        for start in range(0, len(texts), self._style.batch):
            batch = [text or " " for text in texts[start : start + self._style.batch]]  # servers refuse an empty text
            body = {**self._model, "query": query, self._style.texts: batch, **self._style.more}
            with measured_call("rerank", self._name, scope=""):
                answer = self._endpoint.post(_PATH, body, deadline)
            answered = dict(self._results(answer, len(batch)))
            scores += [answered.get(place) for place in range(len(batch))]
        return scores

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _results(self, answer: Any, count: int) -> Iterator[tuple[int, float]]:
        """The place and the score of each result of an answer."""
        seen: set[int] = set()
        results: Any = answer.get("results") if isinstance(answer, dict) else answer
        for result in results if isinstance(results, list) else [results]:
            fields: dict[str, Any] = result if isinstance(result, dict) else {}
            place, score = fields.get("index"), fields.get(self._style.score)
            if type(place) is not int or not 0 <= place < count or place in seen or not _is_score(score):
                raise ModelMalformed(
                    f"{_GROUP}__BASE_URL answered with what is no score of a text; check it and {_GROUP}__STYLE"
                )
            seen.add(place)
            yield place, float(score)


def _is_score(value: Any) -> TypeGuard[float]:
    return (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) < 2**53)
