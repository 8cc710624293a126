"""Connections: the broker, the index, and the models on this machine or behind endpoints."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, SecretStr, field_validator

from mneme.prompts import check_rules
from mneme.settings.base import Group


class Topics(Group):
    """Names of the Kafka topics."""

    messages: str = "mneme.messages"
    backfill: str = "mneme.backfill"
    documents: str = "mneme.documents"
    dead_letters: str = "mneme.dead-letters"
    memories: str = "mneme.memories"


class Kafka(Group):
    """The broker."""

    bootstrap_servers: str = Field(
        default="127.0.0.1:9092", description="host:port of one or more brokers, separated by commas"
    )
    group_id: str = Field(default="mneme", description="consumer group under which lag monitors see the offsets")
    topics: Topics = Topics()
    partitions: int = Field(default=8, ge=1, description="partitions of a topic that Mneme creates")
    replication_factor: int = Field(default=1, ge=1, description="replicas of a topic that Mneme creates")
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    sasl_mechanism: str | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    ssl_cafile: str | None = None
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None


class OpenSearch(Group):
    """The index of a deployment."""

    url: str = "http://127.0.0.1:9200"
    username: str | None = None
    password: SecretStr | None = None
    api_key: SecretStr | None = None
    ca_certs: str | None = None
    verify_certs: bool = True
    index_prefix: str = Field(default="mneme", pattern=r"^[a-z][a-z0-9-]*$", description="names of all indices begin with it")
    shards: int = Field(default=1, ge=1, description="shards of each index; fixed when the index is created")
    replicas: int = Field(default=0, ge=0, description="replicas of each shard")
    refresh_interval: str = Field(default="1s", description="how long a write may stay invisible to searches")

    # Candidates that a nearest-neighbour search keeps. Recall is flat from 100 on (`mneme bench query --curve`).
    ef_search: ClassVar[int] = 100
    # One bulk request. Beyond 5 MB OpenSearch gains nothing, and a refused bulk is sent again whole.
    bulk_bytes: ClassVar[int] = 5_000_000
    timeout_seconds: ClassVar[float] = 30.0
    # A refused bulk is tried again for so long: a node above its flood stage, or a restart, is over by then.
    retry_seconds: ClassVar[float] = 600.0


class Index(Group):
    """The index in use."""

    backend: Literal["embedded", "opensearch"] = Field(default="embedded", description="LanceDB in this process, or OpenSearch")
    cache_megabytes: int = Field(
        default=512,
        ge=0,
        description="memory that searches keep rows in; 0: none",
    )


class EmbedderSettings(Group):
    """Texts to vectors."""

    provider: Literal["local", "openai", "hash"] = Field(
        default="local",
        description="models on this machine, or an OpenAI-compatible endpoint; hash: for tests",
    )
    multilingual: bool | None = Field(
        default=None,
        description="local: multilingual-e5-small for other languages than English; default: as the store has it",
    )
    token_vectors: bool | None = Field(
        default=None,
        description="local: keep vectors of tokens, for late interaction; default: as the store has it",
    )
    path: Path | None = Field(default=None, description="folder with model.safetensors, tokenizer.json of all-MiniLM-L6-v2")
    model: str = Field(default="text-embedding-3-small", description="openai: name of the model")
    dimension: int = Field(default=1536, ge=1, description="openai: dimension of its vectors")
    base_url: str | None = None
    api_key: SecretStr | None = None

    # Of a local model: 8-bit integers find as much as fp32 (none) in half the time.
    quantize: ClassVar[Literal["none", "int8"]] = "int8"
    threads: ClassVar[int] = 0  # of a local model: as many as there are processors
    batch: ClassVar[int] = 100  # texts of one call: endpoints take up to 2,048 inputs, but limit the tokens of a request
    retries: ClassVar[int] = 3
    timeout_seconds: ClassVar[float] = 30.0


class Models(Group):
    """Chat models. Without ``base_url`` and ``api_key`` nothing is ever called."""

    provider: Literal["none", "openai"] = Field(default="none", description="any OpenAI-compatible endpoint, or none")
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    default: str = Field(default="gpt-4.1-mini", description="the model of every role that by_role does not name")
    by_role: dict[str, str] = Field(
        default_factory=dict,
        description="a model for each role (docs/models.md)",
    )
    reasoning_models: tuple[str, ...] = Field(
        default=("o1", "o3", "o4", "gpt-5"), description="prefixes of models without temperature"
    )
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    calls_in_flight: int = Field(default=10, ge=1, description="calls of one worker at a time")
    requests_per_minute: int = Field(default=0, ge=0, description="of this process; 0: no limit")
    tokens_per_minute: int = Field(default=0, ge=0, description="of this process, asked and answered; 0: no limit")
    deadline_seconds: float = Field(default=60.0, gt=0, description="for one call with its retries")
    output_language: str | None = Field(default=None, description="default: that of the conversation")
    prompts: dict[Literal["extraction", "boundary", "reconcile", "vision"], str] = Field(
        default_factory=dict,
        description="rules in place of those shipped, by role; extraction and vision may have the field {language}",
    )

    temperature: ClassVar[float] = 0.0  # the same memory from the same conversation, as far as a model can
    calls_in_flight_process: ClassVar[int] = 300  # of all clients, a quarter kept for queries: open sockets have a limit
    retries: ClassVar[int] = 5
    retry_base_seconds: ClassVar[float] = 2.0  # first wait, doubled each time

    @field_validator("prompts")
    @classmethod
    def _fields_are_known(cls, prompts: dict[str, str]) -> dict[str, str]:
        return {role: check_rules(role, rules) for role, rules in prompts.items()}


class Transcription(Group):
    """Speech to text, by an OpenAI-compatible endpoint. None: recordings are kept by name, and marked as not read."""

    provider: Literal["none", "openai"] = Field(default="none", description="``POST {base_url}/audio/transcriptions``, or none")
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    model: str = "whisper-1"

    retries: ClassVar[int] = 3
    timeout_seconds: ClassVar[float] = 300.0  # for one recording with its retries: an hour of speech takes minutes


class Rerank(Group):
    """A second judgement of the first places of a search, by a model. Off, nothing is ever called."""

    provider: Literal["none", "endpoint", "model"] = Field(
        default="none", description="endpoint: a cross-encoder over HTTP; model: the chat model of the role rerank"
    )
    base_url: str | None = Field(default=None, description="endpoint: its address up to /rerank")
    api_key: SecretStr | None = None
    model: str = Field(default="", description="endpoint: name of the model, if the endpoint needs one")

    top_n: ClassVar[int] = 30  # places that are judged, the best first; the rest stays behind them
    retries: ClassVar[int] = 1  # of an endpoint: a search waits for it
    timeout_seconds: ClassVar[float] = 10.0  # then the search goes on without it
