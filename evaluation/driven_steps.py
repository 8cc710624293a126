"""The steps of the flow driven by hand, in one thread, each with the time that the processor spent in it.

Items go from step to step as the engine takes them (flows/engines/): what a source gives at once passes a step together, a
bucket of it at a time. Jobs run where they are handed to the pool, so that they count for their step. What they write goes into
an index in memory: a write costs what one of OpenSearch costs on our side, the lines of bulk requests.
"""

import json
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

from connectors.opensearch.bulk import BulkWriter
from flows.decode import decode
from flows.engines.dataflow import EMBED, EXTRACT, RECONCILE, SEGMENT, goes_to_the_writer
from flows.engines.port import Lane
from flows.items import Pause
from flows.lanes.pending import Backlogs
from flows.lanes.services import Services
from flows.lanes.state import Versions
from flows.running.open_services import file_endpoints, open_services
from flows.write import Writer
from mneme.ports import (
    Create,
    Embedder,
    Filter,
    Hit,
    Incoming,
    MemoryIndex,
    Outcome,
    Remove,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.rows import Collection, Embedding, Key, Row
from mneme.settings import OpenSearch, Settings

Result = TypeVar("Result")

STEPS = {step.name: step for step in (EMBED, SEGMENT, EXTRACT, RECONCILE)}
_DONE = WriteResult(Outcome.DONE)
_EPOCH_MESSAGES = 1000  # messages between snapshots: a second of a flow that takes in as many


def at_once(call: Callable[[], Result], /) -> "Future[Result]":
    """A pool that works at the moment of submission."""
    future: Future[Result] = Future()
    try:
        future.set_result(call())
    except Exception as error:  # noqa: BLE001  as a pool does
        future.set_exception(error)
    return future


class RowsInMemory:
    """The rows by key. ``acknowledged`` is how many seconds of the writing threads stood for a server."""

    def __init__(self, settings: OpenSearch) -> None:
        self.rows: dict[Key, Row] = {}
        self.acknowledged = 0.0
        self._lock = Lock()
        self._bulk = BulkWriter(self._acknowledge, settings)

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Encode the writes as for OpenSearch, then keep the rows."""
        with self._lock:
            self._bulk.write(writes)
            began = time.thread_time()
            for write in writes:
                if isinstance(write, Remove):
                    self.rows.pop(write.key, None)
                elif not (isinstance(write, Create) and write.row.key in self.rows):
                    self.rows[write.row.key] = write.row
            self.acknowledged += time.thread_time() - began
        return [_DONE] * len(writes)

    def _acknowledge(self, body: bytes) -> Mapping[str, Any]:
        """Answer as a server that takes everything."""
        began = time.thread_time()
        lines = iter(body.splitlines())
        items = []
        for line in lines:
            (action,) = json.loads(line)
            if action != "delete":
                next(lines)  # the document
            items.append({action: {"status": 200}})
        self.acknowledged += time.thread_time() - began
        return {"items": items}

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """The rows that there are."""
        with self._lock:
            return {key: self.rows[key] for key in keys if key in self.rows}

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """All rows of a collection."""
        return iter([row for key, row in self.rows.items() if key.collection is collection])

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """Count the rows of a collection."""
        return sum(key.collection is collection for key in self.rows)

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Nothing is found."""
        return [[] for _ in legs]

    def refresh(self) -> None:
        """Everything is there at once."""

    def purge(self) -> None:
        """Nothing is kept of what was removed."""


def by_hand(services: Services, embedder: Embedder) -> Services:
    """The services, of which nothing runs in another thread."""

    def embed(texts: list[str]) -> "Future[Sequence[Embedding]]":
        return at_once(lambda: list(map(Embedding, embedder.embed(texts))))

    return replace(services, embed=embed, embed_last=None, submit=at_once, reading=None, tally=Counter())


@contextmanager
def opened(
    settings: Settings, index: RowsInMemory, embedder: Embedder, backlogs: Backlogs
) -> Iterator[tuple[Services, Writer]]:
    """The services of a flow that writes into an index in memory, and its writer."""
    with tempfile.TemporaryDirectory(prefix="mneme-stages-") as folder, ExitStack() as stack:
        own, stopping = settings.replace(data=Path(folder)), threading.Event()
        ends = stack.enter_context(file_endpoints(own, (), backlogs, wrote=lambda kind, identity: None))
        held = cast(MemoryIndex, index)  # nobody searches a flow that calls no model
        services, writer, _ = open_services(own, held, embedder, Versions(int(time.time())), ends, stopping, stack)
        yield services, writer


class DrivenSteps:
    """All steps of one process. ``seconds`` of the processor by step; ``snapshots`` counts for all steps together."""

    def __init__(self, services: Services, writer: Writer) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._services, self._writer = services, writer
        self._buckets = services.settings.flow.buckets
        self._lanes: dict[str, dict[str, Lane]] = {name: {} for name in STEPS}
        self._touched: dict[str, set[str]] = {name: set() for name in STEPS}
        self._since_snapshot = 0

    def feed(self, incoming: Sequence[Incoming]) -> None:
        """Take events through all steps into the writer."""
        with self._timed("decode"):
            items = [item for event in incoming for item in decode(event, self._buckets)]
        self._pass(items)
        self._since_snapshot += len(incoming)
        if self._since_snapshot >= _EPOCH_MESSAGES:
            self.snapshot()

    def end(self) -> None:
        """The end of all conversations, as a finite source tells it."""
        self._pass([Pause("", "end", bucket=bucket) for bucket in range(self._buckets)])
        self.snapshot()

    def snapshot(self) -> None:
        """The end of an epoch: the state of what was touched in it."""
        self._since_snapshot = 0
        with self._timed("snapshots"):
            for name, touched in self._touched.items():
                for bucket in touched:
                    self._lanes[name][bucket].snapshot()
                    self._lanes[name][bucket].epoch_done()
                touched.clear()

    def _pass(self, items: list[Any]) -> None:
        writes, lanes = _parted(items)
        for name, step in STEPS.items():
            grouped: dict[str, list[Any]] = {}
            for item in lanes:
                grouped.setdefault(step.key(item, self._buckets), []).append(item)
            given: list[Any] = []
            with self._timed(name):
                for bucket, batch in grouped.items():
                    lane = self._lanes[name].get(bucket)
                    if lane is None:
                        lane = self._lanes[name][bucket] = step.lane(self._services, None)
                    given += lane.on_batch(batch)
                    self._touched[name].add(bucket)
            more, lanes = _parted(given)
            writes += more
        with self._timed("write"):
            self._writer.write(writes)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.seconds[name] += time.thread_time() - began


def _parted(items: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Separate what goes straight to the writer from what goes to the next step."""
    writes: list[Any] = []
    lanes: list[Any] = []
    for item in items:
        (writes if goes_to_the_writer(item) else lanes).append(item)
    return writes, lanes
