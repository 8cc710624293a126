"""Meters of models, searches and HTTP requests: counts, times, outcomes."""

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from connectors.telemetry import metrics, tracing
from connectors.telemetry.tracing import Span, about, current_ids, ids_of

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
def measured_batch(texts: int, queued: Callable[[], int]) -> Iterator[None]:
    """A batch of the flow's embedder is under way; ``queued`` says how many texts wait for another."""
    began = time.perf_counter_ns()
    metrics.EMBEDDER_QUEUE.set(queued())
    try:
        yield
    except Exception as error:
        metrics.EMBEDDER_ERRORS.labels(type(error).__name__).inc()
        raise
    finally:
        metrics.EMBEDDER_SECONDS.observe((time.perf_counter_ns() - began) / 1e9)
        metrics.EMBEDDER_BATCH.observe(texts)
        metrics.EMBEDDER_QUEUE.set(queued())
        tracing.record_span("embed", began, texts=texts)
    metrics.EMBEDDED.inc(texts)


def tenant_of(scope: str) -> str:
    """The label of the tenant that a scope (``tenant/owner/conversation``) begins with, or of the search that asks."""
    tenant = ids_of(scope).get("tenant") or current_ids().get("tenant")
    return metrics.tenant_label(tenant) if tenant else _NOBODY


PART_OF_AGENTIC = "agentic_part"  # the method of a search that an agent makes

_method: ContextVar[str] = ContextVar("mneme_method", default="none")  # outside a search: what a benchmark gathers


@contextmanager
def measured_search(method: str, tenant: str) -> "Iterator[Found]":
    """A search of a method; its results go to what is yielded."""
    token = _method.set(method)
    began = time.perf_counter()
    try:
        with about(tenant=tenant), tracing.span("search", method=method) as span:
            found = Found(method, span)
            yield found
    except BaseException as error:
        metrics.SEARCH_ERRORS.labels(method, type(error).__name__).inc()
        raise
    finally:
        _method.reset(token)
    metrics.SEARCH_SECONDS.labels(method).observe(time.perf_counter() - began)


class Found:
    """The results of a search that is under way."""

    def __init__(self, method: str, span: Span) -> None:
        self._method, self._span = method, span

    def tell(self, places: int, candidates: int) -> None:
        """So many places were given, out of so many candidates."""
        metrics.SEARCH_RESULTS.labels(self._method).observe(places)
        self._span.tell(places=places, candidates=candidates)


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
