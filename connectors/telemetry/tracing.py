"""The ids of what is worked at, and traces by OpenTelemetry: off, and at no cost, until ``start`` is called.

OTEL_EXPORTER_OTLP_* say where to. Attributes are counts, kinds and names; never a text, a question, an owner or a key.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import unquote

from mneme.errors import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_CONVERSATION = 3  # its place in a scope

_ids: ContextVar[Mapping[str, str]] = ContextVar("mneme_ids", default={})  # noqa: B039  never changed, only replaced


@contextmanager
def about(**ids: str | None) -> Iterator[None]:
    """Name what the block works at: ``request_id``, ``tenant``, ``conversation``. Of nested blocks the inner one counts."""
    token = _ids.set({**_ids.get(), **{name: value for name, value in ids.items() if value is not None}})
    try:
        yield
    finally:
        _ids.reset(token)


def current_ids() -> Mapping[str, str]:
    """The ids of what is worked at now."""
    return _ids.get()


def ids_of(scope: str) -> Mapping[str, str]:
    """The ids that a scope of answers names: ``tenant/type/owner/conversation``, of which the owner is left out."""
    parts = [unquote(part) for part in scope.split("/")]
    named = {"tenant": parts[0], "conversation": parts[_CONVERSATION] if len(parts) > _CONVERSATION else ""}
    return {name: value for name, value in named.items() if value}


class ContextPool(ThreadPoolExecutor):
    """A pool whose threads work at what whoever submitted works at: the ids, and the span that theirs are children of."""

    def submit(
        self, call: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> "Future[Result]":
        """As of ``ThreadPoolExecutor``."""
        context: Any = copy_context()
        return super().submit(context.run, call, *args, **kwargs)


Attribute = str | int | float | bool


class Span:
    """A span of work that attributes may be added to; without one of OpenTelemetry, nobody listens."""

    def __init__(self, begun: Any = None) -> None:
        self._begun = begun

    def tell(self, **attributes: Attribute) -> None:
        """Add attributes."""
        if self._begun is not None:
            self._begun.set_attributes(attributes)


_NO_SPAN = nullcontext(Span())
_tracer: "Tracer | None" = None
_provider: "TracerProvider | None" = None


def start(service: str, exporter: "SpanExporter | None" = None) -> None:
    """Trace from now on.

    Args:
        service: how this process is called in traces, unless OTEL_SERVICE_NAME says it: ``mneme-serve``, ``mneme-flow``.
        exporter: in place of OTLP over HTTP (a test's).

    Raises:
        SettingsError: OpenTelemetry is not installed.
    """
    global _tracer, _provider
    try:
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"MNEME_TELEMETRY__TRACES is set and {error.name} is not installed; pip install 'mneme-river[telemetry]'"
        ) from error
    stop()
    resource = Resource({"service.name": service}).merge(OTELResourceDetector().detect())
    _provider = TracerProvider(resource=resource, shutdown_on_exit=True)
    _provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = _provider.get_tracer("mneme")


def stop() -> None:
    """Send what waits, and trace nothing more; safe to repeat."""
    global _tracer, _provider
    provider, _tracer, _provider = _provider, None, None
    if provider is not None:
        provider.shutdown()


def span(name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
    """A span around a block, a child of the one that it runs in. An error is told by its kind."""
    return _NO_SPAN if _tracer is None else _span(_tracer, name, attributes)


def record_span(name: str, began_ns: int, **attributes: Attribute) -> None:
    """A span of what just ended; ``began_ns`` of ``time.perf_counter_ns``."""
    if _tracer is not None:
        now = time.time_ns()
        begun = _tracer.start_span(name, start_time=now - (time.perf_counter_ns() - began_ns), attributes=attributes)
        begun.end(now)


@contextmanager
def _span(tracer: "Tracer", name: str, attributes: dict[str, Any]) -> Iterator[Span]:
    from opentelemetry.trace import Status, StatusCode

    # The message of an error is not told: it may quote what came in.
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as begun:
        try:
            yield Span(begun)
        except BaseException as error:
            if not isinstance(error, GeneratorExit):
                begun.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
