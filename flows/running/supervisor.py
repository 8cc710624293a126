"""Several processes run the flow as one unit: they begin together, and when one ends the others end and all begin again.

1. Hold the recovery store; every member inherits the lock, so that nobody else begins while one of them still runs.
2. Begin a run, and start the members with its number (flows/running/members.py).
3. When one ends, end the others, for a dataflow goes on with all of its processes or not at all. Tidy the store and go
   to 2: at once, but with doubling pauses while they keep ending early. An error that would come again ends everything.
4. Told to stop, pass it on, and wait until all have settled.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from connectors.indices import open_index
from connectors.models import open_embedder
from flows.running.members import Members
from flows.running.process import pause
from flows.running.recovery import RecoveryStore
from flows.running.stream import input_partitions
from mneme.errors import DiskFull, StoreUnavailable
from mneme.settings import Settings

_LISTEN_SECONDS = 0.1  # after which it is seen that everything is to stop
_FAREWELL_SECONDS = 1.0  # for the others to tell why they end too: they notice within 0.2 s that one is gone
_STOP_SECONDS = 3.5  # for a stop in order; only a server that does not answer takes longer
_EARLY_SECONDS = 3.0  # of reading: an event or a store that ends a process at once will do so again
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger(__name__)


def supervise(settings: Settings, store: RecoveryStore, stopping: threading.Event, on_ready: Callable[[], None]) -> None:
    """Run the flow from Kafka in ``flow.processes`` processes, until ``stopping``.

    Args:
        settings: where and how.
        store: the recovery store, held by this process.
        stopping: set when the flow is to end.
        on_ready: called when all of them read for the first time.

    Raises:
        SettingsError, StoreError: the flow cannot run, or cannot go on.
    """
    partitions = input_partitions(settings.kafka)
    was_whole, early = False, 0
    while not stopping.is_set():
        begun, lived = time.monotonic(), 0.0
        try:
            with Members(settings, _begin_run(settings, store, stopping), store.epochs, partitions, store.lock) as members:
                while not (members.all_read or members.gone or stopping.is_set()):
                    members.listen(_LISTEN_SECONDS)
                whole_at = time.monotonic()
                if members.all_read and not was_whole:
                    was_whole = True
                    on_ready()
                elif members.all_read:
                    log.warning("whole again after %.1f s", whole_at - begun)
                while not (members.gone or stopping.is_set()):
                    members.listen(_LISTEN_SECONDS)
                lived = time.monotonic() - whole_at if members.all_read else 0.0
                if stopping.is_set():
                    if members.all_read:  # else there is nothing to settle
                        members.stop(_STOP_SECONDS)
                    return
                members.farewell(_FAREWELL_SECONDS)
                if (error := members.error()) is not None:
                    raise error
                log.warning("%s; starting all %d again", members.why(), settings.flow.processes)
        except StoreUnavailable as error:
            if stopping.is_set():
                return
            if not was_whole or isinstance(error, DiskFull):
                raise
            log.warning("starting all %d again: %s", settings.flow.processes, error)
        early = early + 1 if lived < _EARLY_SECONDS else 0
        stopping.wait(min(2.0 ** (early - 2), _LONGEST_PAUSE_SECONDS) if early > 1 else 0.0)
        store.tidy()


def _begin_run(settings: Settings, store: RecoveryStore, stopping: threading.Event) -> int:
    """The number of a new run; the index is there then."""
    index = open_index(settings, pause=partial(pause, stopping))
    try:
        embedder = open_embedder(settings)
        try:
            index.prepare(embedder.identity)
        finally:
            embedder.close()
        return store.begin_run(index, settings.flow.adopt_index)
    finally:
        index.close()
