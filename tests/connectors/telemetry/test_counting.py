"""What is counted: by the flow, by models, by searches and by requests."""

import asyncio
import time
from collections.abc import Iterator, MutableMapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from connectors.endpoints.openai_chat import OpenAiChat
from connectors.telemetry.meters import MeasuredRequests, StepMeter, Tally, count_bulk, tenant_of
from mneme.errors import InputError, ModelError
from mneme.ports import Create, Outcome, Prompt, Put, Role, WriteResult
from mneme.settings import Models
from tests.connectors.model_help import Clock
from tests.connectors.telemetry.counted import counted
from tests.queries.world import MAYA, messages
from tests.queries.world import memories as opened
from tests.servers.models import Fault, ModelServer


def test_a_step_that_only_looked_at_its_clock_is_not_counted():
    meter = StepMeter("made-up")
    with counted() as grown:
        meter.worked(time.perf_counter_ns(), 0, 0)
        meter.worked(time.perf_counter_ns(), 3, 1)
        meter.worked(time.perf_counter_ns(), 0, 1)
        assert grown("flow_step_items_total", step="made-up") == 3
        assert grown("flow_step_seconds_count", step="made-up") == 2


def test_the_tally_of_a_run_is_told_as_it_grows():
    tally = Tally()
    with counted() as grown:
        tally["duplicate"] += 2
        tally["duplicate"] += 1
        tally["documents"] += 1
        assert grown("flow_duplicates_total") == 3
    assert tally == {"duplicate": 3, "documents": 1}


def test_of_a_bulk_what_was_done_is_counted_and_arrivals_are_timed():
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    row, again, file = (messages(MAYA, "c", [("Maya", text)])[0] for text in ("one", "two", "three"))
    for each, topic in ((row, "mneme.messages"), (again, "mneme.messages"), (file, "file:1234")):
        each.body["created_at"] = (now - timedelta(seconds=2)).isoformat()
        each.body["position"]["topic"] = topic
    done, newer, rejected = WriteResult(Outcome.DONE), WriteResult(Outcome.NEWER_EXISTS), WriteResult(Outcome.REJECTED, "no")
    writes = [Create(row), Create(again), Create(file), Put(row), Put(row)]
    with counted() as grown:
        count_bulk(writes, [done, newer, done, done, rejected], time.perf_counter_ns(), now)
        assert grown("flow_records_written_total", kind="message") == 3
        assert grown("index_rejected_writes_total") == 1
        assert grown("flow_raw_seconds_count") == 1  # a replay is no arrival, a file does not arrive
        assert grown("flow_raw_seconds_sum") == 2


class Brief(BaseModel):
    """What is asked for."""

    subject: str


@pytest.fixture
def chat(model_server: ModelServer) -> Iterator[OpenAiChat]:
    models = Models(provider="openai", base_url=model_server.url, default="small")
    opened = OpenAiChat(models, Clock().retries(0), prices={"small": (2.0, 8.0)})
    yield opened
    opened.close()


def test_calls_are_counted_with_tokens_and_cost_by_tenant(chat: OpenAiChat):
    labels = {"role": "extraction", "model": "small", "tenant": "a/b"}
    with counted() as grown:
        chat.answer(Prompt(Role.EXTRACTION, "rules", "data", scope="a%2Fb/user/maya/c"), Brief)
        used = chat.usage()[Role.EXTRACTION]
        assert grown("model_calls_total", outcome="ok", **labels) == 1
        assert grown("model_tokens_total", direction="in", **labels) == used.input_tokens > 0
        assert grown("model_tokens_total", direction="out", **labels) == used.output_tokens > 0
        assert grown("model_cost_total", **labels) == pytest.approx((2 * used.input_tokens + 8 * used.output_tokens) / 1e6)
        assert grown("model_call_seconds_count", role="extraction", model="small") == 1
        assert grown("model_wait_seconds_count", purpose="ingestion") == 1


def test_a_call_that_fails_is_counted_by_its_kind(chat: OpenAiChat, model_server: ModelServer):
    model_server.script(Fault("rate_limited"))
    with counted() as grown:
        with pytest.raises(ModelError):
            chat.answer(Prompt(Role.ANSWER, "rules", "data"), Brief)
        assert grown("model_calls_total", role="answer", model="small", tenant="none", outcome="ModelRateLimited") == 1
        assert grown("model_calls_in_flight", role="answer") == 0


def test_a_call_without_a_scope_is_of_the_tenant_that_searches():
    from connectors.telemetry.tracing import about

    assert tenant_of("") == "none"
    with about(tenant="acme"):
        assert tenant_of("") == "acme"
        assert tenant_of("globex/user/maya/c") == "globex"


def test_a_search_is_counted_with_its_stages_and_so_is_one_that_fails():
    with counted() as grown, opened() as memories:
        memories.search("where does Maya work?", filters={"user_id": "maya"}, top_k=3)
        with pytest.raises(InputError):
            memories.search(" ", "keyword", filters={"user_id": "maya"})
        assert grown("search_seconds_count", method="hybrid") == 1
        for stage in ("understand", "recall", "fuse", "complete", "compete", "shape"):
            assert grown("search_stage_seconds_count", method="hybrid", stage=stage) == 1, stage
        assert grown("search_errors_total", method="keyword", kind="InputError") == 1
        assert grown("search_seconds_count", method="keyword") == 0


def test_requests_are_counted_by_the_route_as_it_is_declared():
    class Route:
        path = "/api/v1/memories/{id:path}"

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["path"].startswith("/api"):
            scope["route"] = Route
        if scope["path"] == "/broken":
            raise ValueError
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def nothing(*_: Any) -> Any:
        return None

    def ask(path: str, method: str = "GET") -> None:
        asyncio.run(MeasuredRequests(app)({"type": "http", "path": path, "method": method}, nothing, nothing))

    with counted() as grown:
        ask("/api/v1/memories/acme%2Fm1")
        ask("/api/v1/memories/acme%2Fm2")
        ask("/wp-login.php", "BREW")
        ask("/console/search")
        with pytest.raises(ValueError):  # noqa: PT011
            ask("/broken")
        assert grown("http_requests_total", route=Route.path, method="GET", status="404") == 2
        assert grown("http_requests_total", route="other", method="other", status="404") == 1
        assert grown("http_requests_total", route="/console", method="GET", status="404") == 1
        assert grown("http_requests_total", route="other", method="GET", status="500") == 1
        assert grown("http_requests_in_flight") == 0
