"""How many model calls are under way at once: in one client, and in the whole process.

Ingestion and queries have budgets of their own, so that a search never queues behind a backfill.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from mneme.errors import ModelTimeout
from mneme.ports import Role


class Purpose(StrEnum):
    """Whom a call serves."""

    INGESTION = "ingestion"
    QUERIES = "queries"


INGESTION_ROLES = frozenset({Role.BOUNDARY, Role.EXTRACTION, Role.RECONCILE})


def purpose_of(role: Role) -> Purpose:
    """Whom a role serves."""
    return Purpose.INGESTION if role in INGESTION_ROLES else Purpose.QUERIES


class CallBudget:
    """For each purpose at most ``in_client`` calls of this client; in the process, of all clients, ``in_process``.

    Of the process's calls a quarter (at least one) is kept for queries, the rest (at least one) for ingestion.
    """

    def __init__(self, in_client: int, in_process: int) -> None:
        for_queries = max(1, in_process // 4)
        shares = {Purpose.QUERIES: for_queries, Purpose.INGESTION: max(1, in_process - for_queries)}
        self._gates = {
            purpose: (threading.BoundedSemaphore(in_client), _shared_gate(purpose, share)) for purpose, share in shares.items()
        }

    @contextmanager
    def call(self, purpose: Purpose, patience_seconds: float) -> Iterator[None]:
        """Hold a place for one call.

        Raises:
            ModelTimeout: no place became free in ``patience_seconds``.
        """
        own, shared = self._gates[purpose]
        with _place(own, purpose, patience_seconds), _place(shared, purpose, patience_seconds):
            yield


@contextmanager
def _place(gate: threading.BoundedSemaphore, purpose: Purpose, patience_seconds: float) -> Iterator[None]:
    if not gate.acquire(timeout=patience_seconds):
        raise ModelTimeout(
            f"{purpose}: no call ended within {patience_seconds:g} s; raise MNEME_MODELS__CALLS_IN_FLIGHT "
            "or MNEME_MODELS__CALLS_IN_FLIGHT_PROCESS, or check the endpoint"
        )
    try:
        yield
    finally:
        gate.release()


_shared: dict[tuple[Purpose, int], threading.BoundedSemaphore] = {}
_sharing = threading.Lock()


def _shared_gate(purpose: Purpose, size: int) -> threading.BoundedSemaphore:
    """The process's one gate of a size: settings are read once, so that all clients of a process ask for the same."""
    with _sharing:
        return _shared.setdefault((purpose, size), threading.BoundedSemaphore(size))
