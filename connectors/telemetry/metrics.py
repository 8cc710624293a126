"""Every metric there is: name, labels, buckets and what it means. docs/observability.md is checked against this file.

Labels are few by design: no owner, conversation, document or id is one, and only ``_TENANTS`` tenants have a label of their
own in a process; the rest are ``other``. How they are counted is in meters.py.

In a process that was started with ``PROMETHEUS_MULTIPROC_DIR`` (connectors/telemetry/exposition.py) the values lie in files of
that folder, and whoever started it shows them with its own. Gauges are then added up over the processes that live.
"""

import os
import threading
from typing import Final, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, that nobody asks for

REGISTRY: Final = CollectorRegistry()
if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    ProcessCollector(registry=REGISTRY)
    PlatformCollector(registry=REGISTRY)

OTHER: Final = "other"
TIMES: Final = "_until_seconds"  # the names of gauges that hold a moment: of several processes the latest counts
_TENANTS: Final = 50

_QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # seconds of work on this machine
_WAITED = (0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 30, 60, 300)  # seconds that somebody waits
_CALLED = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)  # seconds of a model's answer


def _counter(name: str, help: str, *labels: str) -> Counter:
    return Counter(f"mneme_{name}", help, labels, registry=REGISTRY)


def _gauge(name: str, help: str, *labels: str) -> Gauge:
    mode: Literal["livemax", "livesum"] = "livemax" if name.endswith(TIMES) else "livesum"
    return Gauge(f"mneme_{name}", help, labels, registry=REGISTRY, multiprocess_mode=mode)


def _histogram(name: str, help: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
    return Histogram(f"mneme_{name}", help, labels, registry=REGISTRY, buckets=buckets)


# The flow: what comes in, what a step does, what goes out.
EVENTS = _counter("flow_events_total", "Events that were read: messages, documents, backfill, files", "lane")
LAG = _gauge("flow_lag_events", "Events that were not read yet, as of the last epoch", "lane", "partition")
PENDING = _gauge("flow_pending_items", "Unfinished messages; at MNEME_FLOW__PENDING_LIMIT the sources pause")
STEP_SECONDS = _histogram("flow_step_seconds", "Work of a step at one batch", _QUICK, "step")
STEP_ITEMS = _counter("flow_step_items_total", "Items that a step took in", "step")
RECORDS = _counter("flow_records_written_total", "Rows that the index took, new ones and newer versions", "kind")
DUPLICATES = _counter("flow_duplicates_total", "Messages and documents that were known already")
ERASED_LATE = _counter("flow_refused_erased_total", "Messages that came again after their erasure")
WITHOUT_VECTOR = _counter("flow_without_vector_total", "Messages that the embedder refused")
DEAD_LETTERS = _counter("flow_dead_letters_total", "What was not taken in, by step", "stage")
STORE_WAITS = _counter("flow_store_waits_total", "Waits for an index or a broker that was out of reach")
RAW_SECONDS = _histogram("flow_raw_seconds", "From the arrival of a message until the index has it", _WAITED)

# The index, as the flow writes it.
BULK_SECONDS = _histogram("index_bulk_seconds", "One bulk of writes, with its waits", _QUICK)
BULK_RETRIES = _counter("index_bulk_retries_total", "Bulks, or parts of them, that were sent again")
REJECTED = _counter("index_rejected_writes_total", "Writes that the index refused for good")

# Chat models, transcription and reranking behind endpoints.
CALLS = _counter("model_calls_total", "Calls of models by outcome", "role", "model", "tenant", "outcome")
CALL_SECONDS = _histogram("model_call_seconds", "Time of a call with its retries", _CALLED, "role", "model")
TOKENS = _counter(
    "model_tokens_total", "Tokens that were asked (in) and answered (out)", "role", "model", "tenant", "direction"
)
COST = _counter("model_cost_total", "What they cost by MNEME_TELEMETRY__PRICES", "role", "model", "tenant")
IN_FLIGHT = _gauge("model_calls_in_flight", "Calls of models under way", "role")
WAIT_SECONDS = _histogram("model_wait_seconds", "Wait of a call for its place and the limits of the minute", _CALLED, "purpose")
PAUSED_UNTIL = _gauge(
    "model_paused_until_seconds",
    "Unix time until which an endpoint is not asked; 0 when it has answered since",
    "endpoint",
    "reason",
)
OWED_EPISODES = _gauge("flow_owed_episodes", "Episodes that rules extracted while the model was away")
ANSWER_CACHE = _counter("model_answer_cache_total", "Answers looked for in the cache: hit or miss", "role", "result")

# The embedder.
EMBEDDED = _counter("embedder_texts_total", "Texts that the flow had embedded")
EMBEDDER_SECONDS = _histogram("embedder_batch_seconds", "Time of one batch of texts", _QUICK)
EMBEDDER_ERRORS = _counter("embedder_errors_total", "Batches that failed", "kind")
EMBEDDER_QUEUE = _gauge("embedder_queue_texts", "Texts that wait for a batch")

# Searches and answers.
SEARCH_SECONDS = _histogram("search_seconds", "Time of a search, whole", _QUICK, "method")
STAGE_SECONDS = _histogram("search_stage_seconds", "Time of one stage of a search", _QUICK, "method", "stage")
SEARCH_ERRORS = _counter("search_errors_total", "Searches that failed", "method", "kind")
ANSWERS = _counter(
    "answers_total", "Answers by who wrote them (model, quotes) and outcome (given, abstained)", "writer", "outcome"
)
ANSWER_SECONDS = _histogram("answer_seconds", "An answer with its search", _CALLED, "writer")

# HTTP requests to the service.
REQUESTS = _counter("http_requests_total", "Requests to the service", "route", "method", "status")
REQUEST_SECONDS = _histogram("http_request_seconds", "A request until its answer was sent", _QUICK, "route", "method")
REQUESTS_IN_FLIGHT = _gauge("http_requests_in_flight", "Requests under way")

_tenants: set[str] = set()
_naming = threading.Lock()


def tenant_label(tenant: str) -> str:
    """The label of a tenant: its name while there are few, ``other`` for those that come later."""
    if tenant in _tenants:
        return tenant
    with _naming:
        if len(_tenants) >= _TENANTS:
            return OTHER
        _tenants.add(tenant)
    return tenant
