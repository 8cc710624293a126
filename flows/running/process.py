"""One process of the flow: opens everything outside the steps, runs the dataflow until its sources end, and leaves."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from connectors.documents.claims import ErasedClaims, erase_claims
from connectors.documents.pool import processes_of
from connectors.documents.reader import open_reader
from connectors.documents.references import open_references
from connectors.documents.stores import documents_of, uploads_of
from connectors.embedders.queue import EmbeddingQueue
from connectors.endpoints.answer_cache import erase_answers
from connectors.endpoints.call_budget import Purpose, share_of
from connectors.indices import open_index
from connectors.models import ANSWERS_FILE, open_chat_model, open_embedder
from connectors.telemetry.flow import Tally
from flows.boundaries import open_detector
from flows.boundaries.semantic import SemanticDetector
from flows.consistency.judge import open_judge
from flows.consistency.skill_writer import model_writer
from flows.decode import decode
from flows.engine import EngineFailed, Failures, Source, build, execute
from flows.extraction import LocalExtractor, open_extractor
from flows.items import Erased, Erasure
from flows.lanes.epochs import Versions
from flows.lanes.pending import Pending
from flows.lanes.services import Reading, Services
from flows.running.pool import Pool
from flows.running.store_files import store_error
from flows.write import Stopped, Writer
from mneme.errors import MnemeError, StoreUnavailable
from mneme.ports import ChangeFeed, DeadLetters, MemoryIndex, Role, Usage
from mneme.settings import Settings
from mneme.times import utc_now

_EMBEDDING_CALLS = 8  # at a time to an endpoint
_FETCHING = 4  # documents that are fetched, or wait for a model, beside those that are parsed
INTERRUPTED = "broken_off"  # in the tally: the last epoch is not settled
_GRACE_SECONDS = 2.0  # for what runs in the pools at a stop: enough for all that waits for no server

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunContext:
    """The place of one process in the flow.

    Attributes:
        run: the number of the run; that of all processes of the flow.
        epochs: where the engine keeps its state.
        addresses: ``host:port`` of each process of the flow; none where this one is alone.
        number: which of them this is.
    """

    run: int
    epochs: Path
    addresses: tuple[str, ...] = ()
    number: int = 0

    @property
    def processes(self) -> int:
        """The number of processes that run the flow together."""
        return len(self.addresses) or 1


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The sources and sinks of a process's flow, apart from the index.

    ``wrote`` is called as ``Writer`` says. ``documents_at_work`` counts what is read; ``named_files`` may be read by reference.
    ``partition_of_tenant`` is where a tenant's events are in topics that several flows share (flows/decode.py).
    """

    sources: Sequence[Source]
    dead_letters: DeadLetters
    changes: ChangeFeed | None
    wrote: Callable[[str, str], None] = lambda kind, identity: None
    documents_at_work: Pending = field(default_factory=Pending)
    named_files: Sequence[Path] = ()
    partition_of_tenant: Callable[[str], int] | None = None


def run_process(
    settings: Settings,
    start_run: Callable[[MemoryIndex], RunContext],
    ends: Endpoints,
    pending: Pending,
    stopping: threading.Event,
    on_ready: Callable[[], None] = lambda: None,
    on_failure: Callable[[Exception], None] = lambda error: None,
    in_bulk: bool = False,
    open_store: Callable[[], MemoryIndex] | None = None,
) -> tuple[Tally, Mapping[Role, Usage]]:
    """Run the flow, or this process's part of it, until its sources end.

    Args:
        settings: where and how.
        start_run: gives this process its place, once the index is there.
        ends: where the flow begins and ends.
        pending: what is not finished.
        stopping: set when the flow is to end; then nothing waits for a server any more.
        on_ready: called when everything is there and reading begins.
        on_failure: called with what ends the flow, before anything is closed.
        in_bulk: whether the index is set for very many writes meanwhile. A lane relies on finding what it wrote some epochs
            ago (flows/lanes/epochs.py): so often it is refreshed.
        open_store: opens the index that is written, which is closed at the end; None for that of the settings.

    Returns:
        What happened, counted, and what chat models cost.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
        EngineFailed: another process of the flow is gone.
    """
    tally = Tally()
    with ExitStack() as stack:
        index = open_store() if open_store is not None else open_index(settings, pause=partial(pause, stopping))
        stack.callback(index.close)
        embedder = open_embedder(settings)
        stack.callback(embedder.close)
        index.prepare(embedder.identity)
        index.refresh()  # what a process that died wrote must be found by the searches of this one
        if in_bulk:
            stack.enter_context(index.bulk(settings.flow.epoch_seconds))
        place = start_run(index)
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
            reading=_reading(settings, ends, stack),
            index=index,
            embed=queue.submit,
            embed_last=partial(queue.submit, behind=True),
            submit=pool.submit,
            clock=utc_now,
            versions=Versions(place.run),
            pending=pending,
            detector=open_detector(settings, chat),
            fallback_detector=SemanticDetector(settings.boundaries),
            extractor=open_extractor(settings, chat),
            fallback_extractor=LocalExtractor(),
            judge=open_judge(settings, chat),
            skill_writer=partial(model_writer, chat) if chat is not None and settings.reconcile.judge == "model" else None,
            tally=tally,
            submit_call=calls.submit if calls is not None else None,
            processes=place.processes,
        )
        writer = Writer(
            index,
            ends.dead_letters,
            ends.changes,
            utc_now,
            stopping,
            ends.wrote,
            partial(_erase_answers, settings.data / ANSWERS_FILE),
            partial(_erase_claims, settings),
        )
        decoder = partial(decode, buckets=settings.flow.buckets, partition_of_tenant=ends.partition_of_tenant)
        failures, flow = Failures(), settings.flow
        dataflow = build(ends.sources, decoder, services, writer, failures, on_ready)
        try:
            execute(dataflow, place.epochs, flow.epoch_seconds, flow.recovery_partitions, place.addresses, place.number)
            if not stopping.is_set():  # after a stop the index does so itself, and may be out of reach
                index.refresh()
        except Exception as error:
            cause = _cause(failures, error, place.epochs)
            if isinstance(cause, Stopped) or (isinstance(cause, EngineFailed) and stopping.is_set()):
                log.warning("stopped while a store was out of reach; the last epoch is repeated at the next start")
                tally[INTERRUPTED] += 1
            else:
                on_failure(cause)
                if cause is error:
                    raise
                raise cause from error
        return tally, chat.usage() if chat is not None else {}


def _reading(settings: Settings, ends: Endpoints, stack: ExitStack) -> Reading:
    """The reader of documents, in a pool of its own: as many at a time as processes that parse, and some that fetch."""
    reader = open_reader(settings)
    stack.callback(reader.close, _GRACE_SECONDS)
    pool = Pool(processes_of(settings.documents) + _FETCHING, "mneme-reading")
    stack.callback(pool.close, _GRACE_SECONDS)
    references = open_references(documents_of(settings), ends.named_files)
    return Reading(reader, references, pool.submit, Pending(), ends.documents_at_work, settings.documents)


def _erase_answers(file: Path, erased: Erased) -> int:
    """Erase what models answered about a conversation, a document or an owner: the scopes of DESIGN section 5, point 5."""
    erasure = erased.erasure
    assert erasure.owner is not None, "known by now"
    if erasure.is_of_an_owner:
        return erase_answers(file, erasure.owner.key)
    # Directly in the owner's scope lie answers about several conversations.
    place = erasure.conversation_id or erasure.document_id
    return erase_answers(file, None, also=[f"{erasure.owner.key}/{place}", erasure.owner.key])


def _erase_claims(settings: Settings, erasure: Erasure) -> ErasedClaims:
    """Erase the claim checks of a document or an owner. Messages have none, and so a conversation has none."""
    is_untouched = not settings.documents.store and not uploads_of(settings).exists()  # the store of the embedded mode
    if erasure.conversation_id is not None or is_untouched:
        return ErasedClaims()
    assert erasure.owner is not None, "known by now"
    return erase_claims(documents_of(settings), erasure.owner, erasure.document_id, erasure.arrived_at)


def pause(stopping: threading.Event, seconds: float) -> None:
    """Wait between two attempts of a write, unless the flow is to end: then the writer hears of it at once."""
    if stopping.wait(seconds):
        raise StoreUnavailable("told to stop while the index asks to be tried again later")


def _cause(failures: Failures, error: Exception, epochs: Path) -> Exception:
    """The error that ended the flow: one of ours under the engine's wrapping, else what a step raised, else the engine's."""
    for found in (failures.first, error):
        at: BaseException | None = found
        while at is not None:
            if isinstance(at, MnemeError | Stopped):
                return at
            at = at.__cause__ or at.__context__
    return store_error(epochs, error) or failures.first or error
