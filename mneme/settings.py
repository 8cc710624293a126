"""One tree of settings: environment variables with the prefix ``MNEME_``, nested by ``__``, also from ``.env``.

``MNEME_OPENSEARCH__URL`` is ``settings.opensearch.url``. An unknown or wrong variable stops the program with its
name. Settings are read once; a change takes effect at a restart.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from mneme.errors import SettingsError

PREFIX = "MNEME_"


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Topics(_Group):
    """Names of the Kafka topics."""

    messages: str = "mneme.messages"
    backfill: str = "mneme.backfill"
    documents: str = "mneme.documents"
    dead_letters: str = "mneme.dead-letters"
    memories: str = "mneme.memories"


class Kafka(_Group):
    """The broker."""

    bootstrap_servers: str = "127.0.0.1:9092"
    group_id: str = "mneme"
    topics: Topics = Topics()
    partitions: int = Field(default=8, ge=1, description="partitions of a topic that Mneme creates")
    replication_factor: int = Field(default=1, ge=1)
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    sasl_mechanism: str | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    ssl_cafile: str | None = None
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None


class OpenSearch(_Group):
    """The index of a deployment."""

    url: str = "http://127.0.0.1:9200"
    username: str | None = None
    password: SecretStr | None = None
    api_key: SecretStr | None = None
    ca_certs: str | None = None
    verify_certs: bool = True
    index_prefix: str = Field(default="mneme", pattern=r"^[a-z][a-z0-9-]*$")
    shards: int = Field(default=1, ge=1)
    replicas: int = Field(default=0, ge=0)
    refresh_interval: str = "1s"
    ef_search: int = Field(default=100, ge=1)
    bulk_bytes: int = Field(default=5_000_000, ge=10_000)
    timeout_seconds: float = Field(default=30.0, gt=0)
    retry_seconds: float = Field(default=600.0, ge=0, description="how long a refused bulk is tried again")


class Index(_Group):
    """Which index is used."""

    backend: Literal["embedded", "opensearch"] = "embedded"


class EmbedderSettings(_Group):
    """Texts to vectors."""

    provider: Literal["local", "openai"] = "local"
    path: Path | None = Field(default=None, description="folder with model.safetensors, tokenizer.json of all-MiniLM-L6-v2")
    quantize: Literal["none", "int8"] = "none"
    threads: int = Field(default=0, ge=0, description="0: as many as there are processors")
    model: str = "text-embedding-3-small"
    dimension: int = Field(default=1536, ge=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    languages: tuple[str, ...] = ("*",)
    batch: int = Field(default=100, ge=1)
    retries: int = Field(default=3, ge=0)
    timeout_seconds: float = Field(default=30.0, gt=0)


class Models(_Group):
    """Chat models. Without ``base_url`` and ``api_key`` nothing is ever called."""

    provider: Literal["none", "openai"] = "none"
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    default: str = "gpt-4.1-mini"
    by_role: dict[str, str] = Field(default_factory=dict, description="a model for a role: boundary, extraction, ...")
    reasoning_models: tuple[str, ...] = Field(
        default=("o1", "o3", "o4", "gpt-5"), description="prefixes of models without temperature"
    )
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    temperature: float = Field(default=0.0, ge=0)
    calls_in_flight: int = Field(default=10, ge=1, description="for a worker")
    calls_in_flight_process: int = Field(default=300, ge=1)
    retries: int = Field(default=5, ge=0)
    retry_base_seconds: float = Field(default=2.0, ge=0)
    deadline_seconds: float = Field(default=60.0, gt=0)
    output_language: str | None = Field(default=None, description="None: the language of the conversation")


class Boundaries(_Group):
    """Where a conversation is cut."""

    detector: Literal["semantic", "llm"] = "semantic"
    max_messages: int = Field(default=50, ge=1)
    max_tokens: int = Field(default=8192, ge=1)
    look_ahead: int = Field(default=2, ge=0, le=2)
    threshold: float = Field(default=0.5, gt=0, lt=1)
    window: int = Field(default=20, ge=2, description="llm: messages that one call judges")
    idle_seconds: float = Field(default=300.0, gt=0)
    hold_back_seconds: float = Field(default=60.0, ge=0)


class Extraction(_Group):
    """What is taken from an episode."""

    extractor: Literal["local", "model"] = "local"
    custom_instructions: str = ""


class Flow(_Group):
    """The stream."""

    buckets: int = Field(default=256, ge=1, le=4096)
    epoch_seconds: float = Field(default=1.0, ge=0)
    pending_limit: int = Field(default=2000, ge=1, description="unfinished messages of a process above which its sources pause")
    threads: int = Field(default=16, ge=1, description="slow calls of one process at a time")
    source_batch: int = Field(default=500, ge=1)
    recovery_partitions: int = Field(default=16, ge=1)
    change_feed: bool = True
    adopt_index: bool = Field(default=False, description="go on with an index that another recovery store wrote")


class Retrieval(_Group):
    """How a search ranks. A request chooses only method, agent, filters, top_k and explain."""

    top_k: int = Field(default=20, ge=1, le=1000)
    recall: int = Field(default=100, ge=1, description="hits of each leg")
    fusion: Literal["rrf", "lr"] = "rrf"
    rrf_k: int = Field(default=60, ge=1)
    alpha: float = Field(default=0.5, ge=0, le=1)
    patience: int = Field(default=10, ge=1)
    expand_batch: int = Field(default=10, ge=1)
    facts_per_episode: int = Field(default=5, ge=1, description="facts nested under an episode")
    candidates: int = Field(default=60, ge=1, description="hybrid: episodes whose facts compete, best fused rank first")
    bm25_weight: float = Field(default=0.5, ge=0, le=1, description="hybrid: of BM25 against the cosine")
    neighbour_weight: float = Field(default=0.15, ge=0, description="hybrid: of the better fact beside it, against its own 1")
    speaker_weight: float = Field(default=0.2, ge=0, description="hybrid: of a speaker named in the question, against its own 1")


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_file=".env", env_file_encoding="utf-8", extra="forbid", frozen=True
    )

    data: Path = Field(default=Path("mneme-data"), description="embedded index, recovery store, answer cache, dead letters")
    cache: Path | None = Field(
        default=None, description="what can be made again: the converted local model, token ranks; None: the user's cache folder"
    )
    index: Index = Index()
    kafka: Kafka = Kafka()
    opensearch: OpenSearch = OpenSearch()
    embedder: EmbedderSettings = EmbedderSettings()
    models: Models = Models()
    boundaries: Boundaries = Boundaries()
    extraction: Extraction = Extraction()
    flow: Flow = Flow()
    retrieval: Retrieval = Retrieval()


def load_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Settings from the environment and ``.env``; keyword arguments win.

    Raises:
        SettingsError: an unknown or wrong variable, named as it is written in the environment.
    """
    names = [name for name in (os.environ if environment is None else environment) if name.upper().startswith(PREFIX)]
    known = set(Settings.model_fields)
    for name in names:
        head = name[len(PREFIX) :].lower().split("__")[0]
        if head not in known and not name.startswith(f"{PREFIX}TEST_"):
            raise SettingsError(f"{name} is not a setting; the groups are {', '.join(sorted(known))} (docs/settings.md)")
    try:
        return Settings(**overrides)
    except ValidationError as error:
        lines = []
        for detail in error.errors(include_url=False, include_input=False):
            variable = PREFIX + "__".join(str(part) for part in detail["loc"]).upper()
            lines.append(f"{variable}: {detail['msg']}")
        raise SettingsError("; ".join(lines) + " (docs/settings.md)") from error
