"""The service: `mneme serve`, and how others reach it."""

from typing import Literal

from pydantic import Field, SecretStr

from mneme.settings.base import Group

Intake = Literal["auto", "kafka", "inbox", "none"]


class Service(Group):
    """`mneme serve`, and where its clients find it."""

    host: str = Field(default="127.0.0.1", description="where it listens; other than this machine's own only with keys")
    port: int = Field(default=8765, ge=0, le=65535, description="0: any that is free")
    url: str | None = Field(
        default=None,
        description="a running service: set, the command line, Memories.connect() and Publisher.connect() ask it"
        " in place of an index and a broker",
    )
    api_key: SecretStr | None = Field(default=None, description="what a client says to the service at url")
    keys: dict[str, str] = Field(
        default_factory=dict,
        repr=False,
        description="whoever may ask: key, or sha256:<hexadecimal of one>, and its tenant; * is the operator: every tenant,"
        " dead letters and metrics. None: everybody on this machine",
    )
    intake: Intake = Field(
        default="auto",
        description="where what is sent goes: Kafka, or an inbox on disk that a flow of the service's own reads; auto: inbox"
        " for the embedded index; none: it only answers",
    )
    requests_per_minute: int = Field(default=1200, ge=0, description="of one key, or address without keys; 0: no limit")
    largest_request_bytes: int = Field(
        default=16_000_000, ge=10_000, description="of JSON; an upload may have MNEME_DOCUMENTS__LARGEST_BYTES"
    )
    searches: int = Field(default=16, ge=1, description="at a time; others wait")
    wait_seconds: float = Field(default=60.0, gt=0, description="the longest that a flush or an erasure is waited for")
    largest_lag: int = Field(
        default=10_000, ge=0, description="events not read yet above which the service says that it is not healthy"
    )
    console: bool = Field(default=True, description="whether there is the console, at /console")
    console_secret: SecretStr | None = Field(
        default=None,
        description="what the console's sessions are signed with, 32 characters or more (`openssl rand -hex 32`); the same for"
        " all replicas. None: one is made at the first start, and kept in MNEME_DATA",
    )
    mcp: bool = Field(default=True, description="whether there is the MCP server, at /mcp")
    cors_origins: tuple[str, ...] = Field(default=(), description="pages of other origins that may ask, as JSON")


class Telemetry(Group):
    """Telemetry of the program itself: metrics, traces, logs. Nothing is sent anywhere unless set."""

    metrics_port: int = Field(
        default=0, ge=0, le=65535, description="where `mneme run` shows its metrics, on telemetry.host; 0: nowhere"
    )
    host: str = Field(default="127.0.0.1", description="for metrics_port")
    traces: bool = Field(
        default=False, description="OpenTelemetry; where to is said by the variables OTEL_EXPORTER_OTLP_* that all know"
    )
    log_format: Literal["text", "json"] = "text"
    prices: dict[str, tuple[float, float]] = Field(
        default_factory=dict,
        description="of models, for the costs in metrics: a million tokens asked and answered, as JSON"
        ' (`{"gpt-4.1-mini": [0.4, 1.6]}`)',
    )
