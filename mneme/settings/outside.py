"""Settings of everything outside the process: the broker, the index, the embedder."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

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
    keyed_by: Literal["conversation", "tenant"] = Field(
        default="conversation",
        description="what chooses the partition of an event that is published; flows by partition range need the tenant",
    )
    partitions_read: str = Field(
        default="",
        pattern=r"^(\d{1,4}(-\d{1,4})?)?$",
        description="those that a flow reads of each input topic, such as 0-3, where several flows share them; empty: all",
    )
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
    shards: int = Field(default=1, ge=1, description="of each index; fixed when it is created")
    replicas: int = Field(default=0, ge=0, description="of each shard")
    refresh_interval: str = Field(default="1s", description="how long a write may stay invisible to searches")
    ef_search: int = Field(default=100, ge=1, description="candidates that a nearest-neighbour search keeps")
    bulk_bytes: int = Field(default=5_000_000, ge=10_000, description="the most of one bulk request")
    timeout_seconds: float = Field(default=30.0, gt=0)
    retry_seconds: float = Field(default=600.0, ge=0, description="how long a refused bulk is tried again")


class Index(Group):
    """The index."""

    backend: Literal["embedded", "opensearch"] = Field(default="embedded", description="LanceDB in this process, or OpenSearch")
    cache_megabytes: int = Field(
        default=512,
        ge=0,
        description="memory for rows that are searched: embedded, of whole owners; OpenSearch, what was found; 0: none",
    )


class EmbedderSettings(Group):
    """Texts to vectors."""

    provider: Literal["local", "openai", "hash"] = Field(
        default="local",
        description="models on this machine, or an OpenAI-compatible endpoint; hash: for tests and volume benchmarks",
    )
    multilingual: bool | None = Field(
        default=None,
        description="local: multilingual-e5-small for what is not English; unset: as the store was made, a new one with it",
    )
    token_vectors: bool | None = Field(
        default=None,
        description="local: keep vectors of tokens, for late interaction; unset: as the store was made, a new one with them",
    )
    path: Path | None = Field(default=None, description="folder with model.safetensors, tokenizer.json of all-MiniLM-L6-v2")
    quantize: Literal["none", "int8"] = Field(
        default="int8", description="local: 8-bit integers, or none: fp32, at twice the time; vectors of the two do not compare"
    )
    threads: int = Field(default=0, ge=0, description="0: as many as there are processors")
    model: str = Field(default="text-embedding-3-small", description="openai: its name")
    dimension: int = Field(default=1536, ge=1, description="openai: of its vectors")
    base_url: str | None = None
    api_key: SecretStr | None = None
    languages: tuple[str, ...] = Field(default=("*",), description="openai: those the model serves, ISO 639-1; * is all")
    batch: int = Field(default=100, ge=1, description="texts of one call")
    retries: int = Field(default=3, ge=0)
    timeout_seconds: float = Field(default=30.0, gt=0)
