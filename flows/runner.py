"""Running the flow: from files until they end, or from Kafka until told to stop."""

import json
import logging
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from connectors.durable import disk_errors, is_locked, replace_json
from connectors.folders import private_folder
from connectors.inbox import inbox_folder
from flows.running.recovery import FILES, NAMED_FILES, TOPICS, Engine, RecoveryStore, WriteMark
from mneme.errors import SettingsError, StoreRejected, StoreUnavailable
from mneme.ids import short_hash
from mneme.ports import Incoming, MemoryIndex, Role, Usage
from mneme.settings import Settings

if TYPE_CHECKING:
    from connectors.files.folders import Skipped
    from flows.running.feeds import FileFeed
    from flows.running.process import RunContext

_STOP_SECONDS = 4.5  # what a server that does not answer can keep waiting longer is ended, and repeated at the next start

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The result of a run over files. Episodes and facts are counted once, however often they were revised.

    ``repeated`` are the facts that only say again what another says; ``facts`` counts none of them.
    ``usage`` is what chat models cost, by role. ``files`` were read, those of folders one by one; ``skipped`` are files of
    folders that are not understood, and last lines that are half written.
    """

    messages: int
    duplicates: int
    episodes: int
    facts: int
    dead_letters: int
    seconds: float
    usage: Mapping[Role, Usage] = field(default_factory=dict)
    repeated: int = 0
    files: Sequence[Path] = ()
    skipped: "Sequence[Skipped]" = ()


def ingest(
    paths: Sequence[Path],
    settings: Settings,
    on_progress: Callable[[int, int], None] | None = None,
    defaults: Mapping[str, str] | None = None,
    on_written: Callable[[str, str], None] = lambda kind, identity: None,
) -> IngestReport:
    """Take files through the whole flow into the index, until they end.

    Args:
        paths: files in the formats of connectors/files/files.py, and folders of them; the files may be read by reference too.
        settings: where and how; the hold-back is 0, since a file is in order.
        on_progress: called with events finished and events in all.
        defaults: ``user_id``, ``group_id``, ``tenant_id`` for files that do not say whose they are.
        on_written: called with kind and id of each row that was written; the kind of one that was removed is empty.

    Raises:
        KeyboardInterrupt: stopped by SIGINT or SIGTERM; what was read is settled, and the next run goes on from there.
        InputError: a file that is given by itself is missing, empty or in no known format, or a folder has none that is.
        SettingsError, StoreError: the flow cannot run.
    """
    from connectors.files.files import identities, read_file
    from connectors.files.folders import find_files
    from flows.engines.port import Source
    from flows.lanes.pending import Backlogs
    from flows.running.feeds import FeedLimits, FileFeed
    from flows.running.open_services import with_file_sinks
    from flows.running.process import run_process

    started = time.monotonic()
    if settings.index.backend == "embedded" and is_locked(inbox_folder(settings.data)):
        raise StoreRejected(
            f"a service or `mneme run` takes events into the embedded index in {settings.data}, which has one writing process: "
            "give it the files, `mneme publish FILE` (from elsewhere with --url URL, or MNEME_SERVICE__URL)"
        )
    settings = settings.replace(boundaries={"hold_back_seconds": 0.0})
    owner_defaults = dict(defaults or {})
    search = find_files(paths, owner_defaults)
    names = {found.path: found.name for found in search.files}
    total = sum(found.events for found in search.files)
    stopping, backlogs = threading.Event(), Backlogs()
    if on_progress is not None:
        on_progress(0, total)

    def known_as(path: Path) -> Iterator[tuple[str, int | None]]:
        """The same content given to another owner, or at another place of a folder, is another file."""
        naming = dict(owner_defaults) | ({"name": names[path]} if names[path] != path.name else {})
        ending = f":{short_hash(repr(sorted(naming.items())))}" if naming else ""
        return ((f"{content}{ending}", end) for content, end in identities(path))

    def fed(count: int) -> None:
        if on_progress is not None:
            on_progress(max(0, count - backlogs.unfinished.total), total)

    def read(path: Path, start: int, source: str | None) -> Iterator[Incoming]:
        return read_file(path, start, source=source, name=names[path], **owner_defaults)

    def open_feed(name: str, place: Any) -> "FileFeed":
        flow = settings.flow
        limits = FeedLimits(backlogs.unfinished, flow.pending_limit, flow.source_batch, stopping, flow.buckets)
        return FileFeed(list(names), read, known_as, place, limits, fed)

    wrote = WrittenRows()

    def written(kind: str, identity: str) -> None:
        wrote(kind, identity)
        on_written(kind, identity)

    folder = _folder(settings, FILES)
    with ExitStack() as stack:
        stack.enter_context(stopped_by_signals(stopping))
        store = stack.enter_context(recovery_store(settings, FILES))
        source, named = Source("files", ("files",), open_feed), _named(folder / NAMED_FILES, names)
        sources_and_sinks = stack.enter_context(with_file_sinks(settings, [source], backlogs, wrote=written, named_files=named))
        tally, usage = run_process(settings, partial(single_process_run, settings, store), sources_and_sinks, stopping)
        if not stopping.is_set():  # nothing waits any more
            (folder / NAMED_FILES).unlink(missing_ok=True)
    if stopping.is_set():  # everything read so far is settled; the next run goes on from there
        raise KeyboardInterrupt
    if on_progress is not None:
        on_progress(total, total)
    rows = wrote.rows()
    return IngestReport(
        messages=rows["message"],
        duplicates=tally["duplicate"],
        episodes=rows["episode"],
        facts=rows["fact"],
        dead_letters=rows["dead_letter"],
        seconds=time.monotonic() - started,
        usage=usage,
        repeated=rows["repetition"],
        files=tuple(names),
        skipped=search.skipped,
    )


def run(
    settings: Settings,
    stopping: threading.Event | None = None,
    on_ready: Callable[[], None] = lambda: None,
    intake: Literal["kafka", "inbox"] = "kafka",
    jobmanager: str = "",
) -> None:
    """Continuous ingestion from Kafka, or from the inbox on disk, until SIGTERM, SIGINT or ``stopping``.

    With ``flow.processes`` above 1 that many processes share the work, and this one watches over them
    (flows/running/supervisor.py). A stop is clean: nothing open is closed by it, and the next start goes on where this one was,
    with any number of processes. ``on_ready`` is called when broker, index and models are there and reading begins.

    With a ``jobmanager`` (``host:port``) the flow runs in so many slots of that Flink cluster instead, and this process follows
    it (flows/running/flink.py).

    A signal ends the process within 5 s, also while a server keeps it waiting: with status 0, for nothing is lost.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    if jobmanager:
        _run_on_flink(settings, jobmanager, stopping or threading.Event(), on_ready)
        return
    if settings.flow.processes > 1 and settings.index.backend == "embedded":
        raise SettingsError(
            f"MNEME_FLOW__PROCESSES (--processes) is {settings.flow.processes}, but the embedded index has one writing "
            "process; set it to 1, or MNEME_INDEX__BACKEND=opensearch"
        )
    if settings.flow.processes > 1 and intake == "inbox":
        raise SettingsError(
            f"MNEME_FLOW__PROCESSES (--processes) is {settings.flow.processes}, but one process reads the inbox; set it to 1, "
            "or MNEME_SERVICE__INTAKE=kafka"
        )
    stopping = stopping or threading.Event()
    if intake == "inbox":
        # That of files: a conversation may come from both, and its state must be known to whichever flow goes on with it.
        with recovery_store(settings, FILES) as store, stopped_by_signals(stopping, _STOP_SECONDS):
            from flows.running.live import stream_inbox

            named = _named(_folder(settings, FILES) / NAMED_FILES, ())
            stream_inbox(settings, partial(single_process_run, settings, store), stopping, on_ready, named)
        return
    with recovery_store(settings, TOPICS) as store, stopped_by_signals(stopping, _STOP_SECONDS):
        from flows.running.kafka import (  # loads all steps and clients: a second runner is refused before
            input_partitions,
            stream,
        )
        from flows.running.supervisor import supervise

        if settings.flow.processes > 1:
            supervise(settings, store, stopping, on_ready)
        else:
            stream(settings, partial(single_process_run, settings, store), input_partitions(settings.kafka), stopping, on_ready)


def _check_is_for_flink(settings: Settings) -> None:
    if settings.intake == "inbox":
        raise SettingsError("--engine flink reads Kafka topics: set MNEME_SERVICE__INTAKE=kafka")


def _run_on_flink(settings: Settings, jobmanager: str, stopping: threading.Event, on_ready: Callable[[], None]) -> None:
    _check_is_for_flink(settings)
    from connectors.indices import open_index
    from connectors.kafka.client import create_topics, input_topic_ids
    from flows.engines.flink import submit
    from flows.running.flink import FlinkCluster, run_on_flink
    from flows.running.open_services import begin_run, pause

    def topic_ids() -> dict[str, str]:
        create_topics(settings.kafka)
        return input_topic_ids(settings.kafka)

    with recovery_store(settings, TOPICS, "flink") as store, stopped_by_signals(stopping), ExitStack() as stack:
        cluster = stack.enter_context(closing(FlinkCluster(jobmanager)))

        @cache
        def mark() -> WriteMark:  # asked for once a run has begun: the index is there then
            index = stack.enter_context(closing(open_index(settings, pause=partial(pause, stopping))))
            return WriteMark(index, store.epochs.parent, 0)

        begin = partial(begin_run, settings, store, stopping)
        run_on_flink(settings, store, cluster, stopping, on_ready, topic_ids, begin, submit, lambda: mark().wrote())
        with suppress(StoreUnavailable):
            mark().wrote()
            mark().set()


def change_engine(settings: Settings) -> int:
    """Move the flow of the topics to Flink, with its positions and open conversations; the number of states.

    Raises:
        SettingsError, StoreError: it runs, or there is nothing to move; or the broker does not answer.
    """
    _check_is_for_flink(settings)
    from flows.running.change_engine import move_to_flink

    with recovery_store(settings, TOPICS) as store:
        return move_to_flink(settings, store)


def _named(note: Path, paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that were named, also for runs that ended early: what waits of them is still to be read. Kept in ``note``."""
    before = tuple(map(Path, json.loads(note.read_text()))) if note.exists() else ()
    named = tuple(dict.fromkeys([*before, *(path.resolve() for path in paths)]))
    if named != before:
        with disk_errors(str(note)):
            replace_json(note, [str(path) for path in named])
    return named


def _folder(settings: Settings, name: str) -> Path:
    return settings.data / "recovery" / name


def recovery_store(settings: Settings, name: str, engine: Engine = "bytewax") -> RecoveryStore:
    """The recovery store of a flow of ``MNEME_DATA``, held by this process."""
    private_folder(settings.data)
    flow = settings.flow
    # Where one process writes, more files would only be more to sync and to tidy: 16 take a start and an end a second.
    is_shared = name != FILES and settings.index.backend != "embedded"
    partitions = flow.recovery_partitions if is_shared else 1
    return RecoveryStore(_folder(settings, name), name, flow.buckets, partitions, engine)


def single_process_run(settings: Settings, store: RecoveryStore, index: MemoryIndex) -> "RunContext":
    """The place of a process that runs the flow alone."""
    from flows.running.process import RunContext

    return RunContext(store.begin_run(index, settings.flow.adopt_index), store.epochs)


@contextmanager
def stopped_by_signals(stopping: threading.Event, within_seconds: float | None = None) -> Iterator[None]:
    """SIGTERM and SIGINT set ``stopping`` while the block runs, in the main thread; elsewhere they are left alone.

    If the block has not ended ``within_seconds`` after that, the process is, as by a crash, but with status 0.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    ended = threading.Event()

    def stop(number: int, frame: object) -> None:
        log.info("stopping on signal %d", number)
        if within_seconds is not None and not stopping.is_set():
            threading.Thread(target=_end_unless, args=(ended, within_seconds), name="end", daemon=True).start()
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        ended.set()
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_unless(ended: threading.Event, within_seconds: float) -> None:
    if ended.wait(within_seconds):
        return
    log.warning("a server does not answer: ended without it; the last epoch is repeated at the next start")
    logging.shutdown()
    os._exit(0)


class WrittenRows:
    """Takes what the writer tells (``Writer.wrote``). What was removed again does not count, and a fact that turned out to
    repeat another is a repetition, whether both were written together or one after the other."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}

    def __call__(self, kind: str, identity: str) -> None:
        """A row was written, or with an empty kind removed."""
        if kind:
            self._kinds[identity] = kind
        else:
            self._kinds.pop(identity, None)

    def rows(self) -> Counter[str]:
        """Count the rows of each kind."""
        return Counter(self._kinds.values())
