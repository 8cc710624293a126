"""Meters of models, searches, HTTP requests and the flow: counts, times, outcomes.

Those of the flow count once for a batch, an epoch or a bulk, never for each message (flows/engines/, flows/write.py).
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from connectors.telemetry import metrics, tracing
from connectors.telemetry.tracing import Span, about, current_ids, ids_of
from mneme.ports import Create, DeadLetter, Outcome, Write, WriteResult

Prices = Mapping[str, tuple[float, float]]  # of a model: a million tokens asked and answered

_MILLION = 1_000_000
_NOBODY = "none"  # the tenant of a call for nobody in particular: an evaluation's judge


@contextmanager
def measured_call(role: str, model: str, scope: str) -> Iterator[None]:
    """A call of a model is under way; its time counts, whatever comes of it."""
    began, outcome = time.perf_counter_ns(), "ok"
    in_flight = metrics.IN_FLIGHT.labels(role)
    in_flight.inc()
    try:
        yield
    except GeneratorExit:  # who reads an answer as it is written wants no more of it
        outcome = "left"
        raise
    except BaseException as error:
        outcome = type(error).__name__
        raise
    finally:
        in_flight.dec()
        metrics.CALLS.labels(role, model, tenant_of(scope), outcome).inc()
        metrics.CALL_SECONDS.labels(role, model).observe((time.perf_counter_ns() - began) / 1e9)
        # Told when it is over: a text that is read piece by piece may end in another thread than it began in.
        tracing.record_span("model", began, role=role, model=model, outcome=outcome)


def count_tokens(role: str, model: str, scope: str, asked: int, answered: int, prices: Prices) -> None:
    """An endpoint has answered, and bills that."""
    tenant = tenant_of(scope)
    metrics.TOKENS.labels(role, model, tenant, "in").inc(asked)
    metrics.TOKENS.labels(role, model, tenant, "out").inc(answered)
    if price := prices.get(model):
        metrics.COST.labels(role, model, tenant).inc((asked * price[0] + answered * price[1]) / _MILLION)


@contextmanager
def measured_batch(texts: int) -> Iterator[None]:
    """A batch of the flow's embedder is under way."""
    began = time.perf_counter_ns()
    try:
        yield
    except Exception as error:
        metrics.EMBEDDER_ERRORS.labels(type(error).__name__).inc()
        raise
    finally:
        metrics.EMBEDDER_SECONDS.observe((time.perf_counter_ns() - began) / 1e9)
        tracing.record_span("embed", began, texts=texts)
    metrics.EMBEDDED.inc(texts)


def tenant_of(scope: str) -> str:
    """The label of the tenant that a scope (``tenant/owner/conversation``) begins with, or of the search that asks."""
    tenant = ids_of(scope).get("tenant") or current_ids().get("tenant")
    return metrics.tenant_label(tenant) if tenant else _NOBODY


PART_OF_AGENTIC = "agentic_part"  # the method of a search that an agent makes

_method: ContextVar[str] = ContextVar("mneme_method", default="none")  # outside a search: what a benchmark gathers


@contextmanager
def measured_search(method: str, tenant: str) -> Iterator[Span]:
    """A search of a method; what is yielded is told of its results."""
    token = _method.set(method)
    began = time.perf_counter()
    try:
        with about(tenant=tenant), tracing.span("search", method=method) as span:
            yield span
    except BaseException as error:
        metrics.SEARCH_ERRORS.labels(method, type(error).__name__).inc()
        raise
    finally:
        _method.reset(token)
    metrics.SEARCH_SECONDS.labels(method).observe(time.perf_counter() - began)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """A stage of the search that runs in this thread, as a block or around a function: ``understand``, ``recall``, ..."""
    began = time.perf_counter()
    with tracing.span(name):
        yield
    metrics.STAGE_SECONDS.labels(_method.get(), name).observe(time.perf_counter() - began)


def count_answer(extractive: bool, abstained: bool, seconds: float) -> None:
    """A question was answered."""
    writer = "quotes" if extractive else "model"
    metrics.ANSWERS.labels(writer, "abstained" if abstained else "given").inc()
    metrics.ANSWER_SECONDS.labels(writer).observe(seconds)


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_MOUNTS = ("/console", "/mcp")  # shown as one route each


class MeasuredRequests:
    """Counts and times requests by route, method and status. ``app.add_middleware(MeasuredRequests)``.

    The route is what was declared (``/api/v1/memories/{id}``), never the path that was asked for; ``other`` where none fits.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else metrics.OTHER
        began, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        metrics.REQUESTS_IN_FLIGHT.inc()
        try:
            with tracing.span(f"{method} request") as span:
                await self._app(scope, receive, answer)
                span.tell(route=_route(scope), status=status)
        finally:
            route = _route(scope)
            metrics.REQUESTS_IN_FLIGHT.dec()
            metrics.REQUESTS.labels(route, method, str(status)).inc()
            metrics.REQUEST_SECONDS.labels(route, method).observe(time.perf_counter() - began)


def _route(scope: Scope) -> str:
    """The route as it is declared; the router notes it in the scope."""
    path = scope.get("path", "")
    for mount in _MOUNTS:
        if path == mount or path.startswith(f"{mount}/"):
            return mount
    declared = getattr(scope.get("route"), "path", None)
    return declared if isinstance(declared, str) else metrics.OTHER


# --- the flow ---------------------------------------------------------------------------------------------------------

_OF_A_FILE = "file:"  # topics of files: what lies in one did not arrive just now


class StepMeter:
    """The meter of the steps of one name: one for all buckets of a process."""

    def __init__(self, step: str) -> None:
        self._span = f"flow.{step}"
        self._seconds = metrics.STEP_SECONDS.labels(step)
        self._items = metrics.STEP_ITEMS.labels(step)

    def worked(self, began_ns: int, taken: int, given: int) -> None:
        """A step took in so many items, and gave out so many; ``began_ns`` of ``time.perf_counter_ns``.

        A look at its clock that brought nothing is not counted.
        """
        if taken:
            self._items.inc(taken)
        if taken or given:
            self._seconds.observe((time.perf_counter_ns() - began_ns) / 1e9)
            tracing.record_span(self._span, began_ns, items_in=taken, items_out=given)


class SourceMeter:
    """The meter of one partition of a source."""

    def __init__(self, lane: str, partition: str) -> None:
        self._events = metrics.EVENTS.labels(lane)
        self._lag = metrics.LAG.labels(lane, partition)

    def read(self, count: int) -> None:
        """So many events were read."""
        self._events.inc(count)

    def left(self, unread: int) -> None:
        """So many are not read yet."""
        self._lag.set(unread)


class Tally(Counter[str]):
    """The counts of a run (flows/lanes/services.py), exported as metrics while they grow."""

    def __setitem__(self, name: str, count: int) -> None:
        if metric := _METRICS.get(name):
            metric.inc(max(0, count - self[name]))
        super().__setitem__(name, count)


_METRICS = {
    "duplicate": metrics.DUPLICATES,
    "erased": metrics.ERASED_LATE,
    "without_vector": metrics.WITHOUT_VECTOR,
}


def count_bulk(writes: Sequence[Write], results: Sequence[WriteResult], began_ns: int, now: datetime) -> None:
    """A bulk was written, at ``now``."""
    metrics.BULK_SECONDS.observe((time.perf_counter_ns() - began_ns) / 1e9)
    written: Counter[str] = Counter()
    rejected = 0
    for write, result in zip(writes, results, strict=True):
        if result.outcome is Outcome.REJECTED:
            rejected += 1
        elif result.outcome is Outcome.DONE and (row := getattr(write, "row", None)) is not None:
            written[row.kind] += 1
            if isinstance(write, Create) and row.kind == "message" and row.document_id is None:
                _count_arrival(row.body, now)
    for kind, count in written.items():
        metrics.RECORDS.labels(kind).inc(count)
    if rejected:
        metrics.REJECTED.inc(rejected)
    tracing.record_span("flow.write", began_ns, writes=len(writes), rejected=rejected)


def _count_arrival(message: Mapping[str, Any], now: datetime) -> None:
    if not message["position"]["topic"].startswith(_OF_A_FILE):
        arrived = datetime.fromisoformat(message["created_at"])
        metrics.RAW_SECONDS.observe(max(0.0, (now - arrived).total_seconds()))


def count_dead_letters(letters: Sequence[DeadLetter]) -> None:
    """Dead letters were kept."""
    for letter in letters:
        metrics.DEAD_LETTERS.labels(letter.stage).inc()
