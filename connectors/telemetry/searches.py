"""What searches and answers count: how long each and each of its stages takes, what came of it, and one trace for all of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from connectors.telemetry import metrics, tracing
from connectors.telemetry.context import about
from connectors.telemetry.tracing import Span

PART_OF_AGENTIC = "agentic_part"  # the method of a search that an agent makes

_method: ContextVar[str] = ContextVar("mneme_method", default="none")  # outside a search: what a benchmark gathers


@contextmanager
def measured_search(method: str, tenant: str) -> "Iterator[Found]":
    """A search of a method; what it found is told to what is yielded."""
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
    """What a search that is under way found."""

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
