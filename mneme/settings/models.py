"""Models behind endpoints: chat, transcription, reranking."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from mneme.settings.base import Group


class Models(Group):
    """Chat models. Without ``base_url`` and ``api_key`` nothing is ever called."""

    provider: Literal["none", "openai"] = Field(default="none", description="any OpenAI-compatible endpoint, or none")
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    default: str = Field(default="gpt-4.1-mini", description="the model of every role that by_role does not name")
    by_role: dict[str, str] = Field(
        default_factory=dict,
        description="a model for a role: boundary, extraction, ...; pictures are only described where vision is among them",
    )
    reasoning_models: tuple[str, ...] = Field(
        default=("o1", "o3", "o4", "gpt-5"), description="prefixes of models without temperature"
    )
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    temperature: float = Field(default=0.0, ge=0)
    calls_in_flight: int = Field(default=10, ge=1, description="for a worker")
    calls_in_flight_process: int = Field(default=300, ge=1, description="of all clients; a quarter is kept for queries")
    requests_per_minute: int = Field(default=0, ge=0, description="of this process, a quarter kept for queries; 0: no limit")
    tokens_per_minute: int = Field(
        default=0, ge=0, description="asked and answered, of this process, a quarter kept for queries; 0: no limit"
    )
    retries: int = Field(default=5, ge=0)
    retry_base_seconds: float = Field(default=2.0, ge=0, description="first wait, doubled each time")
    deadline_seconds: float = Field(default=60.0, gt=0, description="for one call with its retries")
    output_language: str | None = Field(default=None, description="None: the language of the conversation")
    recordings: Path | None = Field(
        default=None,
        description="answers come from this file and nothing is called (docs/internals/evaluation.md)",
    )
    pending: Path | None = Field(
        default=None, description="requests that recordings lacks are written here, as a batch; None: beside it, .pending.jsonl"
    )


class Transcription(Group):
    """Speech to text, by an OpenAI-compatible endpoint. None: recordings are kept by name, and marked as not read."""

    provider: Literal["none", "openai"] = Field(default="none", description="``POST {base_url}/audio/transcriptions``, or none")
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    model: str = "whisper-1"
    language: str | None = Field(default=None, description="ISO 639-1; None: the endpoint finds out")
    retries: int = Field(default=3, ge=0)
    timeout_seconds: float = Field(default=300.0, gt=0, description="for one recording, with its retries")


class Rerank(Group):
    """The places of a search, judged once more by a model. Off, nothing is ever called."""

    provider: Literal["none", "endpoint", "model"] = Field(
        default="none", description="endpoint: a cross-encoder over HTTP; model: the chat model of the role rerank"
    )
    style: Literal["cohere", "jina", "tei"] = Field(default="cohere", description="endpoint: what requests look like")
    base_url: str | None = Field(default=None, description="endpoint: all that stands before /rerank")
    api_key: SecretStr | None = None
    model: str = Field(default="", description="endpoint: its name, where the endpoint wants one")
    top_n: int = Field(default=30, ge=2, le=1000, description="places that are judged, the best first; the rest stays behind")
    retries: int = Field(default=1, ge=0, description="endpoint; those of model are of MNEME_MODELS")
    timeout_seconds: float = Field(default=10.0, gt=0, description="after which the search goes on without it")
