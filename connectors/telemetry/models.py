"""What models count: calls by outcome, time, tokens and cost, by role, model and tenant; batches of the flow's embedder."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from connectors.telemetry import metrics, tracing
from connectors.telemetry.context import current_ids, ids_of

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
        tracing.tell_work("model", began, role=role, model=model, outcome=outcome)


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
        tracing.tell_work("embed", began, texts=texts)
    metrics.EMBEDDED.inc(texts)


def tenant_of(scope: str) -> str:
    """The label of the tenant that a scope (``tenant/owner/conversation``) begins with, or of the search that asks."""
    tenant = ids_of(scope).get("tenant") or current_ids().get("tenant")
    return metrics.tenant_label(tenant) if tenant else _NOBODY
