"""One tree of settings: environment variables with the prefix ``MNEME_``, nested by ``__``, also from ``.env``.

``MNEME_OPENSEARCH__URL`` is ``settings.opensearch.url``. An unknown or wrong variable stops the program with its
name. Settings are read once; a change takes effect at a restart.
"""

import os
from collections.abc import Mapping, Sequence
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


class OpenSearch(_Group):
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


class Index(_Group):
    """Which index is used."""

    backend: Literal["embedded", "opensearch"] = Field(default="embedded", description="LanceDB in this process, or OpenSearch")
    cache_megabytes: int = Field(
        default=512, ge=0, description="embedded: memory for rows of the owners that are searched; 0: none is kept"
    )


class EmbedderSettings(_Group):
    """Texts to vectors."""

    provider: Literal["local", "openai", "hash"] = Field(
        default="local",
        description="all-MiniLM-L6-v2 on this machine, or an OpenAI-compatible endpoint; hash: for tests and volume benchmarks",
    )
    path: Path | None = Field(default=None, description="folder with model.safetensors, tokenizer.json of all-MiniLM-L6-v2")
    quantize: Literal["none", "int8"] = Field(
        default="none", description="local: int8 is twice as fast, with vectors of its own"
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


class Models(_Group):
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
        description="answers come from this file and nothing is called (docs/evaluation.md)",
    )
    pending: Path | None = Field(
        default=None, description="requests that recordings lacks are written here, as a batch; None: beside it, .pending.jsonl"
    )


class Boundaries(_Group):
    """Where a conversation is cut."""

    detector: Literal["semantic", "llm"] = Field(
        default="semantic", description="cheap signals, or a chat model for a window of messages"
    )
    max_messages: int = Field(default=50, ge=1, description="an episode with so many is cut without a question")
    max_tokens: int = Field(default=8192, ge=1, description="an episode with so many is cut without a question")
    look_ahead: int = Field(default=2, ge=0, le=2, description="semantic: messages after a candidate that are waited for")
    threshold: float = Field(
        default=0.5, gt=0, lt=1, description="semantic: probability from which a boundary is one; higher cuts less"
    )
    window: int = Field(default=20, ge=2, description="llm: messages that one call judges")
    idle_seconds: float = Field(default=300.0, gt=0, description="a conversation that rests so long is shown as it stands")
    hold_back_seconds: float = Field(default=60.0, ge=0, description="how long messages wait to be put in order; 0 for files")


class Extraction(_Group):
    """What is taken from an episode."""

    extractor: Literal["local", "model"] = Field(default="local", description="rules and the embedder, or a chat model")
    custom_instructions: str = Field(default="", description="model: added to the rules of extraction")


class Reconcile(_Group):
    """How memories are kept consistent: what a newer statement does to an older one."""

    judge: Literal["rule", "model"] = Field(
        default="rule", description="by what they claim of an attribute, or a chat model that also sees what is near in meaning"
    )
    neighbours: int = Field(default=5, ge=0, description="model: older statements, near in meaning, that one is compared with")
    near: float = Field(default=0.6, gt=0, le=1, description="model: cosine from which statements are near in meaning")


class Profiles(_Group):
    """The portrait of a person in an owner's profile."""

    explicit: int = Field(default=60, ge=0, description="lines of what was said of a person")
    implicit: int = Field(default=30, ge=0, description="lines of what a person showed")
    implicit_episodes: int = Field(default=2, ge=1, description="that must show something before it counts as a trait")


class Skills(_Group):
    """What an agent learns from cases that recur."""

    cases: int = Field(default=2, ge=2, description="of one kind from which a skill is made")
    near: float = Field(default=0.35, ge=0, le=1, description="cosine of their tasks from which cases may be of one kind")
    overlap: float = Field(default=0.3, ge=0, le=1, description="share of their words and tools in common, needed too")


class Documents(_Group):
    """Documents: where they may be fetched from, and what reading one may cost."""

    roots: tuple[str, ...] = Field(
        default=(),
        description="folders, and prefixes of stores (s3://bucket/prefix), under which a uri may lie, as JSON; {tenant} in one"
        " stands for the tenant; none: no document is read by reference",
    )
    store: str = Field(
        default="",
        description="folder or prefix of a store where a publisher leaves what is too large for an event; also under roots",
    )
    inline_bytes: int = Field(
        default=1_000_000, ge=0, le=6_000_000, description="the most of a document that an event itself carries"
    )
    largest_bytes: int = Field(default=50_000_000, ge=1, description="of one file")
    largest_text: int = Field(default=5_000_000, ge=1, description="characters of one document")
    most_pages: int = Field(default=2_000, ge=1, description="pages, sheets or slides of one document")
    seconds: float = Field(default=900.0, gt=0, description="for reading one document; then its process is ended")
    megabytes: int = Field(default=2_048, ge=256, description="memory of the processes that read one document")
    processes: int = Field(
        default=0, ge=0, le=64, description="documents read at a time; 0: half as many as there are processors"
    )
    ocr_languages: tuple[str, ...] = Field(
        default=("eng", "chi_sim"), description="tesseract's, as JSON; those that are not installed are left out"
    )
    ocr_dpi: int = Field(default=200, ge=72, le=600, description="of a page without text, as a picture")
    attachment_depth: int = Field(default=3, ge=0, le=10, description="mails in mails that are opened")
    chunks_in_flight: int = Field(
        default=0,
        ge=0,
        description="of all documents on their way to the index, so that conversations pass them; 0: 2, and half of the calls"
        " in flight where a chat model extracts",
    )


class Transcription(_Group):
    """Speech to text, by an OpenAI-compatible endpoint. None: recordings are kept by name, and marked as not read."""

    provider: Literal["none", "openai"] = Field(default="none", description="``POST {base_url}/audio/transcriptions``, or none")
    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr | None = None
    model: str = "whisper-1"
    language: str | None = Field(default=None, description="ISO 639-1; None: the endpoint finds out")
    retries: int = Field(default=3, ge=0)
    timeout_seconds: float = Field(default=300.0, gt=0, description="for one recording, with its retries")


class Flow(_Group):
    """The stream."""

    buckets: int = Field(
        default=256, ge=1, le=4096, description="into which conversations and owners are hashed; fixed for a recovery store"
    )
    processes: int = Field(
        default=1, ge=1, le=64, description="that share the work of mneme run; --processes wins; more than 1 need OpenSearch"
    )
    epoch_seconds: float = Field(default=1.0, ge=0, description="between snapshots of the state")
    pending_limit: int = Field(
        default=2000,
        ge=1,
        description="unfinished messages of a process above which its sources pause; 50 for each model call in flight do",
    )
    threads: int = Field(
        default=16, ge=1, description="reads and embeddings of one process at a time; calls of chat models come on top"
    )
    source_batch: int = Field(default=500, ge=1, description="events read at a time")
    recovery_partitions: int = Field(default=16, ge=1, description="files of a new recovery store")
    change_feed: bool = Field(default=True, description="whether what is written is told on the memories topic")
    adopt_index: bool = Field(default=False, description="go on with an index that another recovery store wrote")


class Retrieval(_Group):
    """How a search ranks. A request chooses only method, agent, filters, top_k and explain."""

    top_k: int = Field(
        default=20, ge=1, le=1000, description="results, where neither the request nor the type of the question says it"
    )
    recall: int = Field(default=100, ge=1, description="hits of each leg")
    fusion: Literal["rrf", "lr"] = Field(
        default="rrf", description="of the recalled lists: reciprocal rank, or logistic regression"
    )
    rrf_k: int = Field(default=60, ge=1, description="constant of reciprocal rank fusion")
    scoring: Literal["auto", "lr", "min-max"] = Field(
        default="auto",
        description="hybrid: logistic regression, or min-max of both legs; auto: lr where there are coefficients for the index"
        " and the embedder",
    )
    coefficients: Path | None = Field(
        default=None, description="file of `mneme fit fusion`, for lr; None: those that are shipped"
    )
    alpha: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="share of the fact in a score; the rest is its episode's. None: what was fitted, 0.5 without coefficients",
    )
    patience: int = Field(default=10, ge=1, description="rounds without a change after which the competition ends")
    expand_batch: int = Field(default=10, ge=1, description="episodes expanded in a round")
    facts_per_episode: int = Field(default=5, ge=1, description="facts nested under an episode")
    candidates: int = Field(default=30, ge=1, description="hybrid: episodes whose facts compete, best fused rank first")
    viewpoint: bool = Field(
        default=True,
        description="whether a question about somebody is also asked from their point of view: what they said, they said of"
        " themselves",
    )
    episodes_by: Literal["narrative", "messages"] = Field(
        default="narrative", description="hybrid: what an episode is scored by: its own text, or its best messages"
    )
    competition: bool = Field(
        default=True, description="hybrid: whether facts compete with their episodes; else only episodes hold places"
    )
    granularity: bool = Field(
        default=True, description="hybrid: whether the type of memory that the question asks for is favoured"
    )
    bm25_weight: float = Field(default=0.5, ge=0, le=1, description="hybrid: of BM25 against the cosine")
    neighbour_weight: float = Field(default=0.15, ge=0, description="hybrid: of the better fact beside it, against its own 1")
    speaker_weight: float = Field(
        default=0.2, ge=0, description="hybrid: of a speaker named in the question, against its own 1"
    )
    graph_weight: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="hybrid: of the way to the best score for what relationships lead to, where a question asks for more than"
        " one step; 0: that leg is off",
    )
    open_foresight_days: int = Field(
        default=180, ge=1, description="how long something is expected for which no date was named, from when it was said"
    )


class Rerank(_Group):
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


class Agents(_Group):
    """Agentic search: several searches for one question. A request may ask for less of a budget, never for more."""

    planner: Literal["auto", "rules", "model"] = Field(
        default="auto",
        description="who decides what is searched for; auto: the chat model of the role agents, rules without one",
    )
    agent: Literal["router", "direct", "split", "chain", "reflect"] = Field(
        default="router", description="the strategy; router chooses one of the others for each question"
    )
    max_attempts: int = Field(default=3, ge=1, le=10, description="chain: searches, each for what the one before did not find")
    confidence_score: float = Field(
        default=0.8, ge=0, le=1, description="chain: confidence from which what was found is sufficient"
    )
    supplementary: int = Field(default=3, ge=1, le=6, description="reflect: further searches, side by side")
    coefficients: Path | None = Field(
        default=None, description="a file of `mneme fit agents` instead of the coefficients that come with the package"
    )
    searches: int = Field(default=8, ge=1, description="of one question")
    calls: int = Field(default=5, ge=0, description="of the chat model for one question")
    tokens: int = Field(default=40_000, ge=0, description="asked and answered, for one question")
    seconds: float = Field(default=30.0, gt=0, description="for one question; then what was found so far is returned")
    tool_select_prompt: str = Field(default="", description="rules of the router in place of those shipped")
    split_prompt: str = Field(default="", description="rules of split in place of those shipped")
    combined_prompt: str = Field(default="", description="rules of chain in place of those shipped")
    reflect_prompt: str = Field(default="", description="rules of reflect in place of those shipped")


class Answers(_Group):
    """Answers to questions from what is remembered."""

    writer: Literal["auto", "extractive", "model"] = Field(
        default="auto", description="who answers; auto: the chat model of the role answer, the best facts as quotes without one"
    )
    context_tokens: int = Field(default=6000, ge=200, description="of memories and relationships that an answer is made from")
    seconds: float = Field(default=60.0, gt=0, description="for one answer, beside the search")
    prompt: str = Field(default="", description="rules of the answer in place of those shipped")


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_file=".env", env_file_encoding="utf-8", extra="forbid", frozen=True
    )

    data: Path = Field(default=Path("mneme-data"), description="embedded index, recovery store, answer cache, dead letters")
    cache: Path | None = Field(
        default=None,
        description="what can be made again: the converted local model, token ranks; None: the user's cache folder",
    )
    index: Index = Index()
    kafka: Kafka = Kafka()
    opensearch: OpenSearch = OpenSearch()
    embedder: EmbedderSettings = EmbedderSettings()
    models: Models = Models()
    boundaries: Boundaries = Boundaries()
    extraction: Extraction = Extraction()
    reconcile: Reconcile = Reconcile()
    profiles: Profiles = Profiles()
    skills: Skills = Skills()
    documents: Documents = Documents()
    transcription: Transcription = Transcription()
    flow: Flow = Flow()
    retrieval: Retrieval = Retrieval()
    rerank: Rerank = Rerank()
    agents: Agents = Agents()
    answers: Answers = Answers()


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
            *groups, _ = path = [str(part) for part in detail["loc"]]
            # The name of an unknown variable in .env comes as it is written there, with the prefix.
            variable = PREFIX + "__".join(path).upper().removeprefix(PREFIX)
            if detail["type"] == "extra_forbidden":
                lines.append(f"{variable} is not a setting; the settings of this group are {', '.join(_settings_of(groups))}")
            else:
                lines.append(f"{variable}: {detail['msg']}")
        raise SettingsError("; ".join(lines) + " (docs/settings.md)") from error


def _settings_of(groups: Sequence[str]) -> list[str]:
    """The names of the settings of a nested group."""
    model: type[BaseModel] = Settings
    for group in groups:
        annotation = model.model_fields[group].annotation
        assert isinstance(annotation, type), "only a group has settings inside"
        assert issubclass(annotation, BaseModel), "only a group has settings inside"
        model = annotation
    return sorted(model.model_fields)
