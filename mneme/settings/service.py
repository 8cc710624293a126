"""The service: `mneme serve`, and how others reach it."""

from typing import ClassVar, Literal

from pydantic import Field, SecretStr

from mneme.settings.base import Group

Intake = Literal["auto", "kafka", "inbox", "none"]


class Service(Group):
    """`mneme serve`, and where its clients find it."""

    host: str = Field(default="127.0.0.1", description="address to listen on; others than this machine's own need keys")
    port: int = Field(default=8765, ge=0, le=65535, description="0: any that is free")
    url: str | None = Field(
        default=None,
        description="a running service, which clients then ask in place of an index and a broker",
    )
    api_key: SecretStr | None = Field(default=None, description="key of a client for the service at url")
    keys: dict[str, str] = Field(
        default_factory=dict,
        repr=False,
        description="API keys, or sha256:<hexadecimal of one>, each with its tenant, or * for the operator. "
        "Without keys only this machine may ask",
    )
    intake: Intake = Field(
        default="auto",
        description="where events go: Kafka, or an inbox on disk; auto: inbox for the embedded index; none: "
        "the service only answers",
    )
    requests_per_minute: int = Field(default=1200, ge=0, description="of one key, or address without keys; 0: no limit")
    largest_lag: int = Field(default=10_000, ge=0, description="unread events at which the health is red")
    console: bool = Field(default=True, description="serve the console at /console")
    console_secret: SecretStr | None = Field(
        default=None,
        description="signs the console's sessions, 32 characters or more (`openssl rand -hex 32`); the same "
        "for all replicas. Default: one is made and kept in MNEME_DATA",
    )
    mcp: bool = Field(default=True, description="serve MCP at /mcp")

    # Of JSON: a thousand messages of 16,000 bytes. An upload may have MNEME_DOCUMENTS__LARGEST_BYTES.
    largest_request_bytes: ClassVar[int] = 16_000_000
    searches: ClassVar[int] = 16  # at a time; others wait. With local models each takes a processor for tens of milliseconds
    wait_seconds: ClassVar[float] = 60.0  # the longest that a request waits for a flush or an erasure: proxies give up then


class Telemetry(Group):
    """Metrics, traces and logs of the program itself. Nothing is sent anywhere unless set."""

    metrics_port: int = Field(default=0, ge=0, le=65535, description="port on which `mneme run` serves its metrics; 0: none")
    host: str = Field(default="127.0.0.1", description="address for metrics_port")
    traces: bool = Field(default=False, description="send OpenTelemetry traces to where OTEL_EXPORTER_OTLP_* points")
    log_format: Literal["text", "json"] = "text"
    prices: dict[str, tuple[float, float]] = Field(
        default_factory=dict,
        description='prices of a million tokens asked and answered, for the costs in metrics (`{"gpt-4.1-mini": [0.4, 1.6]}`)',
    )
