"""Settings: what contradicts itself, and what is not safe."""

import stat
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from mneme.errors import SettingsError, StoreUnavailable
from mneme.ports import Role
from mneme.settings import Settings
from serving.checks import Check, State, room_at
from serving.rest.keys import Keys

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]", ""})
_ROOM_BYTES = 1_000_000_000

Fault = tuple[str, State, str]  # the setting, how bad it is, and the remedy


def settings(loaded: Settings) -> Iterator[Check]:
    """Check the settings one by one; one line where all are right."""
    faults = [*_contradictions(loaded), *_risks(loaded)]
    for name, state, remedy in faults:
        yield Check("settings", name, "", state, remedy, needed=state == "missing")
    if not faults:
        yield Check("settings", "environment and .env", f"index {loaded.index.backend}", "ready")
    yield _data(loaded)


def _contradictions(loaded: Settings) -> Iterator[Fault]:
    models, embedder, rerank = loaded.models, loaded.embedder, loaded.rerank
    asks = {
        "MNEME_BOUNDARIES__DETECTOR=llm": loaded.boundaries.detector == "llm",
        "MNEME_EXTRACTION__EXTRACTOR=model": loaded.extraction.extractor == "model",
        "MNEME_RECONCILE__JUDGE=model": loaded.reconcile.judge == "model",
        "MNEME_AGENTS__PLANNER=model": loaded.agents.planner == "model",
        "MNEME_ANSWERS__WRITER=model": loaded.answers.writer == "model",
        "MNEME_RERANK__PROVIDER=model": rerank.provider == "model",
    }
    if models.provider == "none":
        for name in (name for name, asked in asks.items() if asked):
            yield name, "missing", f"{name} needs a chat model: set MNEME_MODELS__PROVIDER=openai, or leave it out"
    elif not any(asks.values()) and loaded.agents.planner != "auto" and loaded.answers.writer != "auto":
        remedy = "a chat model is set and nothing asks it: set MNEME_EXTRACTION__EXTRACTOR=model"
        yield "MNEME_MODELS__PROVIDER", "partly", remedy
    if unknown := sorted(set(models.by_role) - set(Role)):
        yield "MNEME_MODELS__BY_ROLE", "missing", f"{', '.join(unknown)} is no role; the roles are {', '.join(Role)}"
    needs_key = models.provider == "openai" and "api.openai.com" in models.base_url
    if needs_key and models.api_key is None:
        yield "MNEME_MODELS__API_KEY", "missing", _key_of("MNEME_MODELS__API_KEY")
    if embedder.provider == "openai" and embedder.api_key is None and embedder.base_url is None:
        yield "MNEME_EMBEDDER__API_KEY", "missing", _key_of("MNEME_EMBEDDER__API_KEY")
    if embedder.provider == "hash":
        remedy = "MNEME_EMBEDDER__PROVIDER=hash is for tests: vectors mean nothing; use local"
        yield "MNEME_EMBEDDER__PROVIDER", "partly", remedy
    if rerank.provider == "endpoint" and rerank.base_url is None:
        yield "MNEME_RERANK__BASE_URL", "missing", "MNEME_RERANK__PROVIDER=endpoint needs MNEME_RERANK__BASE_URL; set it"
    if loaded.flow.processes > 1 and loaded.index.backend == "embedded":
        yield "MNEME_FLOW__PROCESSES", "missing", "the embedded index has one writing process; set MNEME_FLOW__PROCESSES to 1"
    if loaded.telemetry.traces and find_spec("opentelemetry") is None:
        yield "MNEME_TELEMETRY__TRACES", "missing", "OpenTelemetry is not installed: pip install 'mneme-river[telemetry]'"


def _key_of(name: str) -> str:
    return f"{name}: api.openai.com needs one; set it, or BASE_URL to yours"


def _risks(loaded: Settings) -> Iterator[Fault]:
    service, search, kafka, file = loaded.service, loaded.opensearch, loaded.kafka, Path(".env")
    if file.is_file() and file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        yield ".env", "partly", ".env may hold secrets and others on this machine may read it: chmod 600 .env"
    if service.host not in _LOOPBACK and not service.keys:
        yield (
            "MNEME_SERVICE__KEYS",
            "missing",
            f"MNEME_SERVICE__HOST={service.host} lets others in, and there are no keys; set MNEME_SERVICE__KEYS "
            "(`mneme admin init --key` makes one), or listen on 127.0.0.1",
        )
    try:
        Keys(service.keys)
    except SettingsError as error:
        yield "MNEME_SERVICE__KEYS", "missing", str(error)
    if loaded.telemetry.host not in _LOOPBACK and loaded.telemetry.metrics_port:
        yield "MNEME_TELEMETRY__HOST", "partly", "metrics are shown to whoever reaches this host; they name tenants"
    if loaded.index.backend == "opensearch":
        away = (urlsplit(search.url).hostname or "") not in _LOOPBACK
        if away and search.url.startswith("http:"):
            yield "MNEME_OPENSEARCH__URL", "partly", "memories and passwords go over the network in clear text; use https"
        if search.url.startswith("https:") and not search.verify_certs:
            yield "MNEME_OPENSEARCH__VERIFY_CERTS", "partly", "any server is believed; set MNEME_OPENSEARCH__CA_CERTS instead"
    servers = [server.strip().rpartition(":")[0] for server in kafka.bootstrap_servers.split(",")]
    if kafka.security_protocol.endswith("PLAINTEXT") and not set(servers) <= _LOOPBACK and loaded.index.backend == "opensearch":
        yield "MNEME_KAFKA__SECURITY_PROTOCOL", "partly", "messages go over the network in clear text; use SSL or SASL_SSL"


def _data(loaded: Settings) -> Check:
    """Check that the data folder can be written, and has room."""
    folder = loaded.data
    try:
        free = room_at(folder)
    except StoreUnavailable as error:
        return Check("settings", "data folder", str(folder), "missing", str(error), needed=True)
    if free < _ROOM_BYTES:
        remedy = f"{free / 1e6:.0f} MB are free where {folder} lies; make room, or set MNEME_DATA"
        return Check("settings", "data folder", str(folder), "partly", remedy)
    return Check("settings", "data folder", f"{folder}, {free / 1e9:.0f} GB free", "ready")
