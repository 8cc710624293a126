"""Running the flow: from files until they end, or from Kafka until told to stop."""

import logging
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from connectors.call_budget import Purpose, share_of
from connectors.embedding_queue import EmbeddingQueue
from connectors.indices import open_index
from connectors.models import open_chat_model, open_embedder
from connectors.plain_text import PlainTextParser
from flows.boundaries import open_detector
from flows.boundaries.semantic import SemanticDetector
from flows.consistency.judges import open_judge
from flows.consistency.skill_writer import model_writer
from flows.decode import decode
from flows.engine import Source, build, execute
from flows.extraction import open_extractor
from flows.extraction.local import LocalExtractor
from flows.feeds import FileFeed, PartitionFeed, Reader
from flows.pending import Pending
from flows.recovery import RecoveryStore
from flows.services import Services
from flows.versions import Versions
from flows.write import Stopped, Writer
from mneme.errors import MnemeError, StoreUnavailable
from mneme.ids import short_hash
from mneme.ports import ChangeFeed, DeadLetters, Incoming, Role, Usage
from mneme.settings import Settings
from mneme.times import utc_now

_EMBEDDING_CALLS = 8  # at a time to an endpoint

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What a run over files did. Episodes and facts are counted once, however often they were revised.

    ``usage`` is what chat models cost, by role.
    """

    messages: int
    duplicates: int
    episodes: int
    facts: int
    dead_letters: int
    seconds: float
    usage: Mapping[Role, Usage] = field(default_factory=dict)


def ingest(
    paths: Sequence[Path],
    settings: Settings,
    on_progress: Callable[[int, int], None] | None = None,
    defaults: Mapping[str, str] | None = None,
) -> IngestReport:
    """Take files through the whole flow into the index, until they end.

    Args:
        paths: files in the formats of connectors/files.py.
        settings: where and how; the hold-back is 0, since a file is in order.
        on_progress: called with events finished and events in all.
        defaults: ``user_id``, ``group_id``, ``tenant_id`` for files that do not say whose they are.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; what was read is settled, and the next run goes on from there.
        InputError: a file is missing, empty or in no known format.
        SettingsError, StoreError: the flow cannot run.
    """
    from connectors.dead_letters import FileDeadLetters
    from connectors.files import content_identity, count_events, read_file

    started = time.monotonic()
    settings = settings.model_copy(update={"boundaries": settings.boundaries.model_copy(update={"hold_back_seconds": 0.0})})
    owner_defaults = dict(defaults or {})
    total = sum(count_events(path, **owner_defaults) for path in paths)
    stopping, pending = threading.Event(), Pending()
    if on_progress is not None:
        on_progress(0, total)

    def identity(path: Path) -> str:
        """The same content given to another owner is another file."""
        content = content_identity(path)
        return f"{content}:{short_hash(repr(sorted(owner_defaults.items())))}" if owner_defaults else content

    def fed(count: int) -> None:
        if on_progress is not None:
            on_progress(max(0, count - pending.total), total)

    def read(path: Path, start: int) -> Iterator[Incoming]:
        return read_file(path, start, **owner_defaults)

    def open_feed(name: str, place: Any) -> FileFeed:
        flow = settings.flow
        return FileFeed(
            paths, read, identity, place, flow.buckets, pending, flow.pending_limit, flow.source_batch, stopping, fed
        )

    wrote: dict[str, set[str]] = {}
    with ExitStack() as stack:
        letters = FileDeadLetters(settings.data / "dead-letters.jsonl")
        stack.callback(letters.close)
        stack.enter_context(_stopped_by_signals(stopping))
        tally, usage = _run(
            settings,
            "files",
            [Source("files", ("files",), open_feed)],
            letters,
            None,
            pending,
            stopping,
            lambda kind, identity: wrote.setdefault(kind, set()).add(identity),
        )
    if stopping.is_set():  # everything read so far is settled; the next run goes on from there
        raise KeyboardInterrupt
    if on_progress is not None:
        on_progress(total, total)
    return IngestReport(
        messages=len(wrote.get("message", ())),
        duplicates=tally["duplicate"],
        episodes=len(wrote.get("episode", ())),
        facts=len(wrote.get("fact", ())),
        dead_letters=len(wrote.get("dead_letter", ())),
        seconds=time.monotonic() - started,
        usage=usage,
    )


def run(settings: Settings, stopping: threading.Event | None = None, on_ready: Callable[[], None] | None = None) -> None:
    """Continuous ingestion from Kafka, until SIGTERM, SIGINT or ``stopping``.

    A stop is clean: nothing open is closed by it, and the next start goes on where this one was. ``on_ready`` is called
    when broker, index and models are there and reading begins.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    from connectors.kafka import create_topics, partitions_of
    from connectors.kafka_reader import PartitionReader
    from connectors.kafka_sinks import KafkaChangeFeed, KafkaDeadLetters

    kafka, topics, flow = settings.kafka, settings.kafka.topics, settings.flow
    stopping, pending = stopping or threading.Event(), Pending()
    create_topics(kafka)
    live: dict[str, Reader] = {}

    def no_live_lag() -> bool:
        return all(reader.lag() == 0 for reader in live.values())

    def open_feed(topic: str, is_live: bool, name: str, place: int | None) -> PartitionFeed:
        reader = PartitionReader(kafka, topic, int(name), place)
        if is_live:
            live[f"{topic}/{name}"] = reader
        may_read = (lambda: True) if is_live else no_live_lag
        return PartitionFeed(reader, pending, flow.pending_limit, flow.source_batch, stopping, may_read)

    sources = [
        Source(name, tuple(str(number) for number in partitions_of(kafka, topic)), partial(open_feed, topic, is_live))
        for name, topic, is_live in (
            ("messages", topics.messages, True),
            ("documents", topics.documents, True),
            ("backfill", topics.backfill, False),
        )
    ]
    with ExitStack() as stack:
        letters = KafkaDeadLetters(kafka)
        stack.callback(letters.close)
        changes = KafkaChangeFeed(kafka) if flow.change_feed else None
        if changes is not None:
            stack.callback(changes.close)
        stack.enter_context(_stopped_by_signals(stopping))
        _run(settings, "kafka", sources, letters, changes, pending, stopping, lambda kind, identity: None, on_ready)


def _run(
    settings: Settings,
    name: str,
    sources: Sequence[Source],
    letters: DeadLetters,
    changes: ChangeFeed | None,
    pending: Pending,
    stopping: threading.Event,
    wrote: Callable[[str, str], None],
    on_ready: Callable[[], None] | None = None,
) -> tuple[Counter[str], Mapping[Role, Usage]]:
    """What happened, counted, and what chat models cost."""
    tally: Counter[str] = Counter()
    with ExitStack() as stack:
        store = stack.enter_context(RecoveryStore(settings.data / "recovery" / name, name, settings.flow.buckets))
        index = open_index(settings, pause=partial(_pause, stopping))
        stack.callback(index.close)
        embedder = open_embedder(settings)
        stack.callback(embedder.close)
        index.prepare(embedder.identity)
        index.refresh()  # what a process that died wrote must be found by the searches of this one
        versions = Versions(store.begin_run(index, settings.flow.adopt_index))
        at_a_time = 1 if settings.embedder.provider == "local" else _EMBEDDING_CALLS
        queue = EmbeddingQueue(embedder, settings.embedder.batch, max_wait_seconds=0.005, threads=at_a_time)
        stack.callback(queue.close)
        pool = ThreadPoolExecutor(settings.flow.threads, thread_name_prefix="mneme")
        stack.callback(partial(pool.shutdown, wait=True, cancel_futures=True))
        chat = open_chat_model(settings)
        calls = None
        if chat is not None:
            stack.callback(chat.close)
            # Beside the calls in flight there are those that wait for their turn, read or embed.
            models, threads = settings.models, settings.flow.threads
            in_flight = min(models.calls_in_flight, share_of(Purpose.INGESTION, models.calls_in_flight_process))
            calls = ThreadPoolExecutor(in_flight + threads, thread_name_prefix="mneme-calls")
            stack.callback(partial(calls.shutdown, wait=True, cancel_futures=True))
        services = Services(
            settings=settings,
            index=index,
            embed=queue.submit,
            submit=pool.submit,
            clock=utc_now,
            versions=versions,
            pending=pending,
            detector=open_detector(settings, chat),
            fallback_detector=SemanticDetector(settings.boundaries),
            extractor=open_extractor(settings, chat),
            fallback_extractor=LocalExtractor(),
            judge=open_judge(settings, chat),
            skill_writer=partial(model_writer, chat) if chat is not None and settings.reconcile.judge == "model" else None,
            tally=tally,
            submit_call=calls.submit if calls is not None else None,
        )
        writer = Writer(index, letters, changes, utc_now, stopping, wrote)
        flow = build(sources, partial(decode, parser=PlainTextParser()), services, writer)
        if on_ready is not None:
            on_ready()
        try:
            execute(flow, store.epochs, settings.flow.epoch_seconds, settings.flow.recovery_partitions)
            index.refresh()
        except Exception as error:
            own = _own_error(error)
            if isinstance(own, Stopped):
                log.warning("stopped while a store was out of reach; the last epoch is repeated at the next start")
            elif own is not None:
                raise own from error
            else:
                raise
        return tally, chat.usage() if chat is not None else {}


def _pause(stopping: threading.Event, seconds: float) -> None:
    """Wait between two attempts of a write, unless the flow is to end: then the writer hears of it at once."""
    if stopping.wait(seconds):
        raise StoreUnavailable("told to stop while the index asks to be tried again later")


def _own_error(error: BaseException | None) -> MnemeError | Stopped | None:
    """The error of ours under the engine's wrapping."""
    while error is not None:
        if isinstance(error, MnemeError | Stopped):
            return error
        error = error.__cause__ or error.__context__
    return None


@contextmanager
def _stopped_by_signals(stopping: threading.Event) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        log.info("stopping on signal %d", number)
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
