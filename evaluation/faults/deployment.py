"""A flow with topics, indices and a data folder of its own, on running servers: what a scenario plays with."""

import random
import subprocess
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from connectors.indices import open_index
from connectors.kafka.client import create_topics, unread
from connectors.publisher import Publisher
from evaluation.faults.background import Background, Sampling
from evaluation.faults.flow_process import FlowProcess, FlowThread, RunningFlow
from evaluation.faults.texts import Template, Volume, live_traffic, read_templates
from evaluation.own_index import delete_topics, drop_indices
from evaluation.process_costs import bytes_of
from mneme.errors import StoreError
from mneme.events import AnyEvent, Flush, Message
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection, Key
from mneme.settings import Settings, Topics
from mneme.times import utc_now

PATIENCE_SECONDS = 300.0  # without any progress


class Server(Protocol):
    """A broker or an index. What it acknowledged is there again after every one of these."""

    def start(self) -> object:
        """Start it again after ``kill``; it answers on return."""

    def kill(self) -> None:
        """SIGKILL: a crash."""

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""

    def resume(self) -> None:
        """SIGCONT after ``pause``."""


@dataclass(frozen=True, slots=True)
class Servers:
    """The servers that may be harmed; None for what belongs to somebody else."""

    broker: Server | None = None
    index: Server | None = None
    jobmanager: Server | None = None
    taskmanager: Server | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """The command that runs the flow, words after ``mneme``, and the interpreter; None for that of this process."""

    command: tuple[str, ...] = ("run",)
    python: Path | None = None


BYTEWAX = Engine()


def engine_of(name: str, jobmanager: str, python: Path | None = None) -> Engine:
    """Bytewax, or a Flink cluster by the REST address of its JobManager."""
    return Engine(("run", "--engine", "flink", "--jobmanager", jobmanager), python) if name == "flink" else BYTEWAX


class Deployment:
    """Topics, indices and a flow of its own. Leaving the context ends the flow and removes topics, indices and nothing else.

    ``settings`` are its own; ``flow`` is its process; ``servers`` are what may be harmed.

    Args:
        settings: where the servers are, and everything that the flow is to be run with.
        folder: where its data goes.
        servers: what may be harmed.
        templates: conversations that traffic is made of; none means those of the examples.
        topics: those of another deployment, to read the same events (``twin``).
        engine: what runs the flow. A twin runs on Bytewax.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        servers: Servers | None = None,
        templates: Sequence[Template] = (),
        topics: Topics | None = None,
        engine: Engine = BYTEWAX,
    ) -> None:
        name = f"faults-{uuid.uuid4().hex[:12]}"
        own = Topics(**{field: f"{name}.{field.replace('_', '-')}" for field in Topics.model_fields})
        if topics is not None:  # what comes in is shared, what goes out is not
            own = topics.model_copy(update={"dead_letters": own.dead_letters, "memories": own.memories})
        kafka = settings.kafka.model_copy(update={"topics": own, "group_id": name})
        self._shares_topics = topics is not None
        self.settings = settings.replace(
            data=folder / name, kafka=kafka, opensearch={"index_prefix": name}, index={"backend": "opensearch"}
        )
        self.servers = servers or Servers()
        self._templates = templates or read_templates()
        self.flow = FlowProcess(self.settings, command=engine.command, python=engine.python)
        self._running: RunningFlow = self.flow
        self._folder = folder
        self._conversations: dict[tuple[str, str], None] = {}
        self._index: MemoryIndex | None = None
        self._last_flushes: list[Key] = []
        self._twins: list[Deployment] = []

    # --- what goes in ------------------------------------------------------------------------------------------------

    def traffic(self, volume: Volume, seed: int) -> Iterator[Message | Flush]:
        """Events to publish; see evaluation/faults/texts.py."""
        return live_traffic(self._templates, volume, seed)

    def publish(self, events: Iterable[AnyEvent], rate: float = 0.0, stop: threading.Event | None = None) -> int:
        """Send events, durably on return; at most ``rate`` a second (0: as fast as it goes), until ``stop``. How many.

        Raises:
            StoreError: something could not be sent; what was acknowledged before stays.
        """
        count, started = 0, time.monotonic()
        with Publisher(self.settings.kafka) as publisher:
            for event in events:
                if stop is not None and stop.is_set():
                    break
                if rate and (ahead := count / rate - (time.monotonic() - started)) > 0:
                    time.sleep(ahead)
                if isinstance(event, Message):
                    self._conversations[event.tenant_id, event.conversation_id] = None
                publisher.send(event)
                count += 1
        return count

    def publishing(self, events: Iterable[AnyEvent], rate: float = 0.0) -> Background:
        """Send events beside what the scenario does; leaving the context waits until all are sent. The result is how many."""
        return Background(lambda stop: self.publish(events, rate, stop), ends_by_itself=True)

    def flush_all(self) -> list[Key]:
        """Send a flush for every conversation that was published to; the keys of their markers."""
        self._last_flushes = self.flush(list(self._conversations))
        return self._last_flushes

    def flush_some(self, count: int, rng: random.Random) -> list[Key]:
        """Send a flush for some of these conversations; the keys of their markers."""
        known = list(self._conversations)
        return self.flush(rng.sample(known, min(count, len(known))))

    def flush(self, conversations: Iterable[tuple[str, str]]) -> list[Key]:
        """Send a flush for each of these (tenant and conversation); the keys of their markers."""
        flushes = [
            Flush(tenant_id=tenant, conversation_id=conversation, flush_id=uuid.uuid4().hex)
            for tenant, conversation in conversations
        ]
        self.publish(flushes)
        now = utc_now()
        return [flush_marker(flush.tenant_id, flush.flush_id, now).key for flush in flushes]

    # --- the flow ----------------------------------------------------------------------------------------------------

    def start(self, processes: int = 1) -> None:
        """Start the flow, or start it again, and return at once."""
        self.flow.processes = processes
        self.flow.start()

    def stop(self, timeout: float = 120.0) -> None:
        """End the flow in order (SIGTERM).

        Raises:
            StoreError: it does not end in time, or its exit status is not 0.
        """
        try:
            status = self.flow.terminate(timeout)
        except subprocess.TimeoutExpired as error:
            raise StoreError(f"the flow did not stop in {timeout:.0f} s:\n{self.flow.log()}") from error
        if status != 0:
            raise StoreError(f"the flow ended with status {status}:\n{self.flow.log()}")

    @contextmanager
    def in_thread(self) -> Iterator[FlowThread]:
        """Run the flow in a thread of this process instead, for what it makes: nobody kills it or looks at its memory."""
        with FlowThread(self.settings) as flow:
            self._running = flow
            try:
                yield flow
            finally:
                self._running = self.flow

    def until_stored(self, count: int, timeout: float = PATIENCE_SECONDS) -> None:
        """Wait until the index of messages has so many; ``timeout`` is how long without any more."""
        self._running.until(lambda: self.stored() >= count, timeout, progress=self.stored)

    def drain(self, timeout: float = PATIENCE_SECONDS) -> float:
        """Flush every conversation and wait until all flushes are answered: then everything is done. Seconds it took."""
        return self.wait_for_markers(self.flush_all(), timeout)

    def wait_for_markers(self, markers: Sequence[Key], timeout: float = PATIENCE_SECONDS) -> float:
        """Wait until the flow has made these markers; ``timeout`` is how long without any progress. Seconds it took."""
        started = time.monotonic()
        missing = list(markers)

        def all_answered() -> bool:
            while missing:
                page = missing[-1000:]
                if len(self._get(page)) < len(page):
                    return False
                del missing[-1000:]
            return True

        self._running.until(all_answered, timeout, poll=0.2, progress=lambda: (len(missing), self.stored()))
        return time.monotonic() - started

    def run_undisturbed(self, timeout: float = PATIENCE_SECONDS) -> Settings:
        """Run a twin over the same events from their beginning, without any fault, to where this one has settled; its settings.

        The twin's indices are there until this deployment is closed.
        """
        twin = Deployment(self.settings, self._folder, topics=self.settings.kafka.topics)
        self._twins.append(twin)
        create_topics(twin.settings.kafka)
        with twin.in_thread():
            twin.wait_for_markers(self._last_flushes, timeout)
        return twin.settings

    # --- what is seen ------------------------------------------------------------------------------------------------

    def stored(self, collection: Collection = Collection.MESSAGES) -> int:
        """Rows in the index now, as far as it is refreshed; 0 while there is no index."""
        try:
            return self.index.count(collection)
        except StoreError:
            return 0

    def lag(self) -> int:
        """Events on the topic of messages behind the offset that the flow committed (which trails by an epoch)."""
        with suppress(StoreError):
            topic = self.settings.kafka.topics.messages
            return unread(self.settings.kafka, topic)[topic]
        return 0

    def sampling(self, every_seconds: float = 1.0) -> Sampling:
        """Look at memory, lag and recovery store of the flow beside what the scenario does."""
        store = self.settings.data / "recovery"
        return Sampling(
            lambda: self.flow.resident_bytes() if self.flow.is_running else 0, self.lag, lambda: bytes_of(store), every_seconds
        )

    @property
    def index(self) -> MemoryIndex:
        """Its index, to read."""
        if self._index is None:
            self._index = open_index(self.settings, read_only=True)
        return self._index

    def _get(self, keys: Sequence[Key]) -> Sequence[Key]:
        try:
            return list(self.index.get(keys))
        except StoreError:  # there is no index yet, or it is the one that is harmed
            return []

    # --- the end -----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the flow; remove topics and indices."""
        if self.flow.is_running:
            self.flow.kill()
        for twin in self._twins:
            twin.close()
        if self._index is not None:
            self._index.close()
            self._index = None
        topics = self.settings.kafka.topics
        own = {topics.dead_letters, topics.memories}
        if not self._shares_topics:
            own |= {topics.messages, topics.backfill, topics.documents}
        with suppress(StoreError):  # a server that is gone keeps what is on it; why it is gone is the scenario's to tell
            delete_topics(self.settings.kafka, sorted(own))
        with suppress(StoreError):
            drop_indices(self.settings.opensearch)

    def __enter__(self) -> Self:
        create_topics(self.settings.kafka)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
