"""Everything outside the steps, opened from the settings: services of the lanes and a writer, for any engine."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from connectors.dead_letters import FileDeadLetters
from connectors.documents.claims import ErasedClaims, erase_claims
from connectors.documents.pool import processes_of
from connectors.documents.reader import open_reader
from connectors.documents.references import DocumentReferences
from connectors.documents.stores import documents_of, uploads_of
from connectors.embedders.queue import EmbeddingQueue
from connectors.endpoints.answer_cache import erase_answers
from connectors.endpoints.call_budget import Purpose, share_of
from connectors.indices import open_index
from connectors.models import ANSWERS_FILE, open_chat_model, open_embedder
from connectors.telemetry.meters import Tally
from flows.boundaries import open_detector
from flows.boundaries.semantic import SemanticDetector
from flows.consistency.judge import open_judge
from flows.consistency.skill_writer import model_writer
from flows.engines.port import Source
from flows.extraction import LocalExtractor, open_extractor
from flows.items import Erased, Erasure
from flows.lanes.pending import Backlogs
from flows.lanes.services import Reading, Services
from flows.lanes.state import Versions
from flows.running.pool import Pool
from flows.running.recovery import RecoveryStore
from flows.write import Writer
from mneme.errors import StoreUnavailable
from mneme.ports import ChangeFeed, DeadLetters, Embedder, MemoryIndex, RememberingChat
from mneme.settings import Settings
from mneme.times import utc_now

_EMBEDDING_CALLS = 8  # at a time to an endpoint
_FETCHING = 4  # documents that are fetched, or wait for a model, beside those that are parsed
_GRACE_SECONDS = 2.0  # for what runs in the pools at a stop: enough for all that waits for no server


@dataclass(frozen=True, slots=True)
class SourcesAndSinks:
    """The sources and sinks of a process's flow, apart from the index.

    ``wrote`` is called as ``Writer`` says; ``named_files`` may be read by reference.
    """

    sources: Sequence[Source]
    dead_letters: DeadLetters
    changes: ChangeFeed | None
    backlogs: Backlogs
    wrote: Callable[[str, str], None] = lambda kind, identity: None
    named_files: Sequence[Path] = ()


def open_services(
    settings: Settings,
    index: MemoryIndex,
    embedder: Embedder,
    versions: Versions,
    sources_and_sinks: SourcesAndSinks,
    stopping: threading.Event,
    stack: ExitStack,
    processes: int = 1,
) -> tuple[Services, Writer, RememberingChat | None]:
    """Open pools and models, and put together what the steps and the writer need; and the chat model, if any is called.

    Args:
        settings: where and how.
        index: what is written, prepared for the embedder.
        embedder: of the index.
        versions: higher than all that were given out before.
        sources_and_sinks: where the flow begins and ends.
        stopping: set when the flow is to end; then nothing waits for a server any more.
        stack: closes what is opened.
        processes: how many run the flow together, as of ``Services``.

    Raises:
        SettingsError: a model or the reader of documents is not set up as it must be.
        StoreUnavailable: the data folder cannot be written.
    """
    at_a_time = _EMBEDDING_CALLS if settings.embedder.provider == "openai" else 1
    queue = EmbeddingQueue(embedder, settings.embedder.batch, max_wait_seconds=0.005, threads=at_a_time)
    stack.callback(queue.close, _GRACE_SECONDS)
    pool = Pool(settings.flow.threads, "mneme")
    stack.callback(pool.close, _GRACE_SECONDS)
    chat = open_chat_model(settings, hands_back=True)  # an episode waits in its queue
    calls = None
    if chat is not None:
        stack.callback(chat.close)
        # Beside the calls in flight there are those that wait for their turn, read or embed.
        models, threads = settings.models, settings.flow.threads
        in_flight = min(models.calls_in_flight, share_of(Purpose.INGESTION, models.calls_in_flight_process))
        calls = Pool(in_flight + threads, "mneme-calls")
        stack.callback(calls.close, _GRACE_SECONDS)
    services = Services(
        settings=settings,
        reading=_reading(settings, sources_and_sinks, stack),
        index=index,
        embed=queue.submit,
        embed_last=partial(queue.submit, behind=True),
        submit=pool.submit,
        clock=utc_now,
        versions=versions,
        pending=sources_and_sinks.backlogs.unfinished,
        detector=open_detector(settings, chat),
        fallback_detector=SemanticDetector(settings.boundaries),
        extractor=open_extractor(settings, chat),
        fallback_extractor=LocalExtractor(),
        judge=open_judge(settings, chat),
        skill_writer=partial(model_writer, chat) if chat is not None and settings.reconcile.judge == "model" else None,
        tally=Tally(),
        submit_call=calls.submit if calls is not None else None,
        processes=processes,
    )
    writer = Writer(
        index,
        sources_and_sinks.dead_letters,
        sources_and_sinks.changes,
        utc_now,
        stopping,
        sources_and_sinks.wrote,
        partial(_erase_answers, settings.data / ANSWERS_FILE),
        partial(_erase_claims, settings),
    )
    return services, writer, chat


def _reading(settings: Settings, sources_and_sinks: SourcesAndSinks, stack: ExitStack) -> Reading:
    """The reader of documents, in a pool of its own: as many at a time as processes that parse, and some that fetch."""
    reader = open_reader(settings)
    stack.callback(reader.close, _GRACE_SECONDS)
    pool = Pool(processes_of(settings.documents) + _FETCHING, "mneme-reading")
    stack.callback(pool.close, _GRACE_SECONDS)
    references = DocumentReferences(documents_of(settings), sources_and_sinks.named_files)
    return Reading(reader, references, pool.submit, sources_and_sinks.backlogs.chunks, sources_and_sinks.backlogs.documents)


def _erase_answers(file: Path, erased: Erased) -> int:
    """Erase what models answered about a conversation, a document or an owner: the scopes of DESIGN section 5, point 5."""
    erasure = erased.erasure
    assert erasure.owner is not None, "known by now"
    if erasure.is_of_an_owner:
        return erase_answers(file, erasure.owner.key)
    # Directly in the owner's scope lie answers about several conversations.
    places = (erasure.conversation_id or erasure.document_id, *erasure.speech)
    return erase_answers(file, None, also=[*(f"{erasure.owner.key}/{place}" for place in places), erasure.owner.key])


def _erase_claims(settings: Settings, erasure: Erasure) -> ErasedClaims:
    """Erase the claim checks of a document or an owner. Messages have none, and so a conversation has none."""
    is_untouched = not settings.documents.store and not uploads_of(settings).exists()  # the store of the embedded mode
    if erasure.conversation_id is not None or is_untouched:
        return ErasedClaims()
    assert erasure.owner is not None, "known by now"
    return erase_claims(documents_of(settings), erasure.owner, erasure.document_id, erasure.arrived_at)


@contextmanager
def with_file_sinks(
    settings: Settings, sources: Sequence[Source], backlogs: Backlogs, **more: Any
) -> Iterator[SourcesAndSinks]:
    """The sources with a file of dead letters; nobody hears of changes. ``more`` as of ``SourcesAndSinks``."""
    with closing(FileDeadLetters(settings.data / "dead-letters.sqlite")) as dead_letters:
        yield SourcesAndSinks(sources, dead_letters, None, backlogs, **more)


@contextmanager
def with_kafka_sinks(
    settings: Settings, sources: Sequence[Source], backlogs: Backlogs, **more: Any
) -> Iterator[SourcesAndSinks]:
    """The sources with the topics that the flow writes; ``more`` as of ``SourcesAndSinks``."""
    from connectors.kafka.sinks import KafkaChangeFeed, KafkaDeadLetters  # an extra

    with ExitStack() as stack:
        dead_letters = KafkaDeadLetters(settings.kafka, lock=settings.data / "dead-letters.lock")
        stack.callback(dead_letters.close)
        changes = KafkaChangeFeed(settings.kafka) if settings.flow.change_feed else None
        if changes is not None:
            stack.callback(changes.close)
        yield SourcesAndSinks(sources, dead_letters, changes, backlogs, **more)


def open_prepared(
    settings: Settings, stopping: threading.Event, stack: ExitStack, open_store: Callable[[], MemoryIndex] | None = None
) -> tuple[MemoryIndex, Embedder]:
    """The index that is written, prepared for the embedder of the settings. The stack closes both.

    Args:
        settings: of both.
        stopping: set when the flow is to end; then nothing waits for the index any more.
        stack: closes what is opened.
        open_store: opens another index than that of the settings.
    """
    index = open_store() if open_store is not None else open_index(settings, pause=partial(pause, stopping))
    stack.callback(index.close)
    embedder = open_embedder(settings)
    stack.callback(embedder.close)
    index.prepare(embedder.identity)
    return index, embedder


def begin_run(settings: Settings, store: RecoveryStore, stopping: threading.Event) -> int:
    """Begin a run of a flow whose processes are others; its number. The index is there then.

    Raises:
        SettingsError, StoreError: as of the index, the embedder and the store.
    """
    with ExitStack() as stack:
        index, _ = open_prepared(settings, stopping, stack)
        return store.begin_run(index, settings.flow.adopt_index)


def pause(stopping: threading.Event, seconds: float) -> None:
    """Wait between two attempts of a write, unless the flow is to end: then the writer hears of it at once."""
    if stopping.wait(seconds):
        raise StoreUnavailable("told to stop while the index asks to be tried again later")
