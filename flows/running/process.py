"""One process of the flow: opens everything outside the steps, runs the dataflow until its sources end, and leaves."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flows.decode import decode
from flows.engines.bytewax import build, execute
from flows.engines.dataflow import Dataflow
from flows.engines.port import EngineFailed, Failures
from flows.lanes.state import Versions
from flows.running.open_services import SourcesAndSinks, open_prepared, open_services
from flows.running.recovery import WriteMark
from flows.running.store_files import store_error
from flows.write import Stopped
from mneme.errors import MnemeError
from mneme.ports import MemoryIndex, Role, Usage
from mneme.settings import Settings

INTERRUPTED = "interrupted"  # in the tally: the last epoch is not settled

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


def run_process(
    settings: Settings,
    start_run: Callable[[MemoryIndex], RunContext],
    sources_and_sinks: SourcesAndSinks,
    stopping: threading.Event,
    on_ready: Callable[[], None] = lambda: None,
    on_failure: Callable[[Exception], None] = lambda error: None,
    open_store: Callable[[], MemoryIndex] | None = None,
) -> tuple[Counter[str], Mapping[Role, Usage]]:
    """Run the flow, or this process's part of it, until its sources end.

    Args:
        settings: where and how.
        start_run: gives this process its place, once the index is there.
        sources_and_sinks: where the flow begins and ends.
        stopping: set when the flow is to end; then nothing waits for a server any more.
        on_ready: called when everything is there and reading begins.
        on_failure: called with what ends the flow, before anything is closed.
        open_store: opens the index that is written, which is closed at the end; None for that of the settings.

    Returns:
        What happened, counted, and what chat models cost.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
        EngineFailed: another process of the flow is gone.
    """
    with ExitStack() as stack:
        index, embedder = open_prepared(settings, stopping, stack, open_store)
        index.refresh()  # what a process that died wrote must be found by the searches of this one
        context = start_run(index)
        services, writer, chat = open_services(
            settings, index, embedder, Versions(context.run), sources_and_sinks, stopping, stack, processes=context.processes
        )
        decoder = partial(decode, buckets=settings.flow.buckets)
        flow, failures, tally = settings.flow, Failures(), services.tally
        mark = WriteMark(index, context.epochs.parent, context.number)
        dataflow = build(Dataflow(sources_and_sinks.sources, decoder, services, writer, failures, on_ready, mark.wrote))
        try:
            execute(dataflow, context.epochs, flow.epoch_seconds, flow.recovery_partitions, context.addresses, context.number)
            mark.set()
            if not stopping.is_set():  # after a stop the index does so itself, and may be out of reach
                index.refresh()
        except Exception as error:
            cause = _cause(failures, error, context.epochs)
            if isinstance(cause, Stopped) or (isinstance(cause, EngineFailed) and stopping.is_set()):
                log.warning("stopped while a store was out of reach; the last epoch is repeated at the next start")
                tally[INTERRUPTED] += 1
            else:
                on_failure(cause)
                if cause is error:
                    raise
                raise cause from error
        return tally, chat.usage() if chat is not None else {}


def _cause(failures: Failures, error: Exception, epochs: Path) -> Exception:
    """The error that ended the flow: one of ours under the engine's wrapping, else what a step raised, else the engine's."""
    for found in (failures.first, error):
        at: BaseException | None = found
        while at is not None:
            if isinstance(at, MnemeError | Stopped):
                return at
            at = at.__cause__ or at.__context__
    return store_error(epochs, error) or failures.first or error
