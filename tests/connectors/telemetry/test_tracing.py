"""Traces: one for a search, with its stages and the searches of an agent; nothing while they are off."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from connectors.telemetry import tracing
from mneme.errors import InputError
from tests.queries.world import memories as opened


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.start("mneme-test", exporter)
    yield exporter
    tracing.stop()


def finished(exporter: InMemorySpanExporter) -> list[ReadableSpan]:
    assert tracing._provider is not None
    tracing._provider.force_flush()
    return list(exporter.get_finished_spans())


def parent(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


def test_a_search_is_one_trace_with_its_stages(spans: InMemorySpanExporter):
    with opened() as memories:
        memories.search("where does Maya work?", filters={"user_id": "maya"})
    told = finished(spans)
    (search,) = [span for span in told if span.name == "search"]
    below = {span.name for span in told if parent(span) == search.context.span_id}
    assert {"understand", "recall", "fuse", "complete", "compete", "shape"} <= below
    assert search.attributes is not None
    assert search.attributes["method"] == "hybrid"
    assert search.resource.attributes["service.name"] == "mneme-test"
    assert "Maya" not in str([span.to_json() for span in told])


def test_the_searches_of_an_agent_are_below_its_own_also_from_other_threads(spans: InMemorySpanExporter):
    with opened() as memories:
        memories.search("where does Maya work, and who leads it?", "agentic", {"user_id": "maya"}, agent="reflect")
    searches = [span for span in finished(spans) if span.name == "search"]
    (outer,) = [span for span in searches if span.attributes is not None and span.attributes["method"] == "agentic"]
    inner = [span for span in searches if span is not outer]
    assert inner
    assert {span.context.trace_id for span in inner} == {outer.context.trace_id}


def test_of_an_error_its_kind_is_told_and_not_its_message(spans: InMemorySpanExporter):
    with opened() as memories, pytest.raises(InputError):
        memories.search("  ", filters={"user_id": "maya"})
    (search,) = [span for span in finished(spans) if span.name == "search"]
    assert search.status.description == "InputError"
    assert not search.events


def test_off_a_span_is_always_the_same_nothing():
    tracing.stop()
    assert tracing.span("one") is tracing.span("two", count=1)
    with tracing.span("three") as span:
        span.tell(count=1)
    tracing.record_span("four", 0)
