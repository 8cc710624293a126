"""The recovery store: one runner at a time, one index it belongs to, and the number of the run.

The directory holds Bytewax's files (``epochs/``), a lock file, ``mneme.json`` with the store's id and the last run, and the
write marks of that run. The index keeps the same: a store that was lost, an index that another store wrote, and one that is
older than its store are noticed before anything is written. At start and after a clean stop Bytewax's files are tidied
(flows/running/store_files.py).
"""

import json
import logging
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from connectors.durable import FolderLock, disk_errors, replace_bytes, replace_json
from connectors.inbox import is_of_an_inbox
from flows.running.store_files import is_used, remedy, tidy
from mneme.errors import StoreError, StoreRejected, StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.store_format import FORMAT
from mneme.times import utc_now

TOPICS = "kafka"  # the name of the store of the flow from Kafka
FILES = "files"  # of that of files and of the inbox
REBUILD = "rebuild"  # in the index's metadata while a rebuild is under way, and the name of its store
REINDEX = "reindex"  # in the index's metadata while its rows move to another embedder or tokeniser, which it names
IMPORT = "importing"  # in the index's metadata: which import has begun and not ended, by owner and time of the export
NAMED_FILES = "named-files.json"  # in the store of files: those that a run was given which has not ended

Engine = Literal["bytewax", "flink"]

_STATE_FILE, _EPOCHS = "mneme.json", "epochs"
_STORE = "recovery_"  # in the index's metadata, before the name of each flow that wrote it: the id of its store
_BETWEEN_MARKS_SECONDS = 10.0  # what is written meanwhile and then goes back, without a stop in order, is not noticed

log = logging.getLogger(__name__)


def deployment_of(metadata: Mapping[str, str], topic: str) -> str | None:
    """The name of the topics, or the inbox, whose positions an index has: the id of the store of the flow that read them."""
    return metadata.get(f"{_STORE}{FILES if is_of_an_inbox(topic) else TOPICS}") or None


def why_unfinished(metadata: Mapping[str, str], but: str = "") -> str | None:
    """Say how to end what has begun on an index and not ended: a rebuild, or a move of its rows.

    Args:
        metadata: of the index.
        but: which of the two does not matter, ``REBUILD`` or ``REINDEX``.
    """
    if but != REINDEX and (embedder := metadata.get(REINDEX)):
        return (
            f"a move of this index to {embedder} has begun and not ended: repeat `mneme admin reindex` with that embedder "
            "set, or give it up with `mneme admin reindex --abandon`"
        )
    if but != REBUILD and (unfinished := metadata.get(REBUILD)):
        origin = unfinished.split()[0]
        return f"a rebuild of this index has begun and not ended: repeat it first, `mneme admin rebuild --from {origin}`" + (
            ", or give it up with `mneme admin rebuild --abandon`" if origin == "messages" else ""
        )
    return None


def refuse_unfinished(metadata: Mapping[str, str], but: str = "") -> None:
    """Refuse an index on which something has begun and not ended, as of ``why_unfinished``.

    Raises:
        StoreRejected: says how to end it.
    """
    if why := why_unfinished(metadata, but):
        raise StoreRejected(why)


def why_index_is_older(directory: Path, run: int, metadata_of_index: Callable[[], Mapping[str, str]]) -> str | None:
    """Say what to do if an index is older than a recovery store: the store goes on behind events that the index lost.

    Args:
        directory: of the store, whose flow may be running.
        run: the last one that the store began.
        metadata_of_index: asked for after the store was read, since a flow writes them into the index first.
    """
    marks: dict[str, str] = {}
    for file in _marks(directory) if run else ():
        with suppress(FileNotFoundError):  # a run begins
            marks[_mark_name(file)] = file.read_text()
    metadata = metadata_of_index()
    missing = [mark for name, mark in marks.items() if metadata.get(name, "") < mark]
    if run > int(metadata.get("run", "0")):
        unseen = f"run {run}"
    elif missing:
        unseen = f"what was written until {max(missing)} by the flow"
    else:
        return None
    return (
        f"the index has not seen {unseen} of the recovery store {directory}: it is another index, empty, or from an older "
        "backup, and what the flow read since is missing in it. Restore the index and this store from one backup; or read "
        "everything again, with `mneme admin rebuild --from topics`, or for files without this store; or go on without what "
        "is missing, once, with MNEME_FLOW__ADOPT_INDEX=true"
    )


class WriteMark:
    """The time until which one process has written in this run, known to the index first, and then to the recovery store.

    A store with a later mark than its index tells that the index went back (``why_index_is_older``). Where the index has
    another store by then, another flow has taken it over: two may find it empty at the same moment, and both begin.

    Args:
        index: what is written.
        directory: of the store.
        number: of the process in its flow.
    """

    def __init__(self, index: MemoryIndex, directory: Path, number: int) -> None:
        self._index = index
        self._file = directory / f"{number}.written"
        self._mark = ""
        self._set_at: float | None = None
        self._is_behind = False

    def wrote(self) -> None:
        """Something was written; the mark follows at the first time, and then once in a while.

        Raises:
            StoreRejected: the index has another store now.
        """
        self._is_behind = True
        if self._set_at is None or time.monotonic() - self._set_at >= _BETWEEN_MARKS_SECONDS:
            self.set()

    def set(self) -> None:
        """Set the mark, if something was written since. An index or a disk that refuses it is asked again later.

        Raises:
            StoreRejected: as of ``wrote``.
        """
        if not self._is_behind:
            return
        self._set_at = time.monotonic()
        self._mark = max(self._mark, utc_now().isoformat(timespec="milliseconds"))  # a clock may be set back
        try:
            metadata = self._index.metadata()
        except StoreError:
            return
        store = json.loads((self._file.parent / _STATE_FILE).read_text())["recovery_id"]
        if store not in metadata.values():
            raise StoreRejected(
                f"another flow has begun on this index, with another recovery store than {self._file.parent}: only one may "
                "write. Give this one an index of its own; or stop the other one, and start this one once with "
                "MNEME_FLOW__ADOPT_INDEX=true"
            )
        with suppress(StoreError, OSError):
            self._index.set_metadata({_mark_name(self._file): self._mark})
            replace_bytes(self._file, self._mark.encode())
            self._is_behind = False


def _marks(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.written"))


def _mark_name(file: Path) -> str:
    """The name of a mark in the index's metadata."""
    return f"written_{file.parent.name}_{file.stem}"


def forget_older_stores(data: Path, metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Forget what recovery stores of an older format know; the names of their flows. None of them may run.

    Args:
        data: the folder that they lie in, ``MNEME_DATA``.
        metadata: of an index of an older format: a store that it names, and that is empty, was forgotten by an earlier call.
    """
    forgotten = []
    for folder in sorted(data.glob("recovery/*/")):
        if not (folder / _STATE_FILE).exists():
            if metadata.get(f"{_STORE}{folder.name}") and not (folder / _EPOCHS).exists():
                forgotten.append(folder.name)
        elif _format_of(json.loads((folder / _STATE_FILE).read_text())) != FORMAT:
            shutil.rmtree(folder / _EPOCHS, ignore_errors=True)
            (folder / _STATE_FILE).unlink()  # last: with it alone the store is a damaged one
            forgotten.append(folder.name)
    return tuple(forgotten)


def _format_of(state: Mapping[str, Any]) -> object:
    return state.get("format") if state.get("run") else FORMAT  # a store that no flow has begun has no states


class RecoveryStore(AbstractContextManager["RecoveryStore"]):
    """The recovery directory of one flow, held by this process and those that inherit ``lock``; an index knows it by ``id``.

    Args:
        directory: where the store lives; made if it is not there.
        name: which flow it serves (``kafka``, ``files``): one index may be fed by one store of each name.
        buckets: into how many buckets its states are keyed.
        partitions: into how many files a new store is divided.
        engine: which one keeps its states; Flink keeps them in checkpoints, of which the store names the newest.

    Raises:
        StoreRejected: another process holds the directory, its states are those of another engine or keyed into another
            number of buckets, or a part of it is missing or damaged.
        DiskFull: there is no room on its volume.
    """

    def __init__(self, directory: Path, name: str, buckets: int, partitions: int, engine: Engine = "bytewax") -> None:
        self._engine = engine
        self._directory = directory
        self._name = name
        self._buckets = buckets
        self._partitions = partitions
        with disk_errors(str(directory)):
            directory.mkdir(parents=True, exist_ok=True)
            try:
                self._lock = FolderLock(directory, "the recovery store")
            except StoreUnavailable as error:
                raise StoreRejected(
                    f"another Mneme runs on the recovery store {directory}; stop it first, or give this one its own MNEME_DATA"
                ) from error
        try:
            state = self._read()
            self._check(state)
            self.tidy()
        except BaseException:
            self._lock.release()
            raise
        self.id, self._run = str(state["recovery_id"]), int(state["run"])

    @property
    def epochs(self) -> Path:
        """The folder of the engine's snapshots."""
        return self._directory / _EPOCHS

    @property
    def moved(self) -> Path:
        """The file of what another engine left behind (flows/running/change_engine.py)."""
        return self._directory / "moved.zip"

    @property
    def is_begun(self) -> bool:
        """True if a flow has run on it."""
        return self._run > 0

    def hand_over(self, engine: Engine) -> None:
        """Give the store to another engine: what the one before kept in ``epochs`` goes."""
        replace_json(self._state_file, json.loads(self._state_file.read_text()) | {"engine": engine})
        self._engine = engine
        for file in self.epochs.iterdir():  # the folder stays: without it the store is a damaged one
            file.unlink()

    @property
    def lock(self) -> int:
        """The descriptor that holds the directory: whoever inherits it holds it as well, until it ends."""
        return self._lock.fileno()

    def begin_run(self, index: MemoryIndex, adopt: bool) -> int:
        """Bind the store to the index and start a run; Bytewax's files are there then.

        Returns:
            The run's number, higher than that of every earlier run on this index.

        Raises:
            StoreRejected: the index was filled by another recovery store, or is older than this one, and ``adopt`` does not
                allow to go on.
            DiskFull: there is no room on its volume.
        """
        metadata = index.metadata()
        refuse_unfinished(metadata, but=REBUILD if self._name == REBUILD else "")
        if not adopt and (older := why_index_is_older(self._directory, self._run, lambda: metadata)):
            raise StoreRejected(older)
        key = f"{_STORE}{self._name}"
        other = metadata.get(key)
        if other and other != self.id and not adopt and index.count(Collection.MESSAGES):
            raise StoreRejected(
                f"the index was written with recovery store {other}, and {self._directory} is {self.id}: the positions and "
                "open conversations are not known here. Restore that store, or set MNEME_FLOW__ADOPT_INDEX=true to read the "
                "topics from the start (nothing is duplicated: ids are positions in the source)"
            )
        with disk_errors(str(self._directory)):
            if self._engine == "bytewax":
                from flows.engines.bytewax import (
                    make_store,  # with all steps: who is refused hears of it before they are loaded
                )

                make_store(self.epochs, self._partitions)
            self.epochs.mkdir(exist_ok=True)
            state = {"recovery_id": self.id, "run": self._run, "buckets": self._buckets, "format": FORMAT}
            state["engine"] = self._engine
            replace_json(self._state_file, state)  # the index names no store that is not there
        self._run = max(self._run, int(metadata.get("run", "0"))) + 1
        index.set_metadata({key: self.id, "run": str(self._run)})
        for mark in _marks(self._directory):  # of the run before
            mark.unlink()
        # Last: a store with a run that its index has not seen tells that the index went back.
        with disk_errors(str(self._directory)):
            replace_json(self._state_file, state | {"run": self._run})
        return self._run

    def tidy(self) -> None:
        """Tidy Bytewax's files; no run may be under way.

        Raises:
            StoreRejected, DiskFull: as for the store itself.
        """
        if self._engine == "bytewax" and self.epochs.exists():
            tidy(self.epochs)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if error is None:
                self.tidy()
        except StoreError as failure:  # what was settled is settled; the next start says it again
            log.warning("the recovery store could not be tidied: %s", failure)
        finally:
            self._lock.release()

    @property
    def _state_file(self) -> Path:
        return self._directory / _STATE_FILE

    def _read(self) -> dict[str, Any]:
        if not self._state_file.exists():
            return {"recovery_id": uuid.uuid4().hex, "run": 0}
        try:
            state: dict[str, Any] = json.loads(self._state_file.read_text())
        except ValueError as error:
            raise StoreRejected(f"{self._state_file} is damaged; {remedy(self._directory)}") from error
        return state

    def _check(self, state: dict[str, Any]) -> None:
        """Raise what does not fit together."""
        if not state["run"] and self._engine == "bytewax" and self.epochs.exists() and is_used(self.epochs):
            raise StoreRejected(f"{self._state_file} is missing beside {self.epochs}; {remedy(self._directory)}")
        if state["run"] and not self.epochs.exists():
            raise StoreRejected(f"{self.epochs} is missing beside {self._state_file}; {remedy(self._directory)}")
        if state["run"] and (engine := state.get("engine", "bytewax")) != self._engine:
            way = ", or move it with `mneme admin engine flink`" if self._engine == "flink" else ""
            raise StoreRejected(
                f"{self._directory} holds the positions and conversations of the engine {engine}, and this is {self._engine}: "
                f"run the flow with --engine {engine}{way}; or, to read the topics from the start, give this one its own "
                "MNEME_DATA and MNEME_FLOW__ADOPT_INDEX=true (nothing is duplicated: ids are positions in the source)"
            )
        if _format_of(state) != FORMAT:
            raise StoreRejected(
                f"{self._directory}: another version of Mneme made this recovery store (format {state.get('format')}, here "
                f"{FORMAT}). Run `mneme admin rebuild`; if the index is rebuilt already, remove the store, and set "
                "MNEME_FLOW__ADOPT_INDEX=true for one start, to read the topics from the beginning"
            )
        if state.get("buckets", self._buckets) != self._buckets:
            raise StoreRejected(
                f"the states of {self._directory} are keyed into {state['buckets']} buckets, and this "
                f"version has {self._buckets}; run `mneme admin rebuild`, or start a new store with its own MNEME_DATA"
            )


def refuse_flink(settings: Settings) -> None:
    """Refuse to read the topics again where Flink read them: only Flink has the states, and its job may still run.

    Raises:
        StoreRejected: says how to go on.
    """
    for file in settings.data.glob(f"recovery/*/{_STATE_FILE}"):
        with suppress(ValueError):  # damaged: to read the topics again is the remedy
            if json.loads(file.read_text()).get("engine") == "flink":
                raise StoreRejected(
                    f"{file.parent} is of a flow on Flink, and `mneme admin rebuild --from topics` would read the topics with "
                    "Bytewax: use `mneme admin rebuild --from messages`; or, to read the topics again, start the flow with "
                    "--engine flink, its own MNEME_DATA and MNEME_FLOW__ADOPT_INDEX=true"
                )


@contextmanager
def flows_stopped(settings: Settings) -> Iterator[None]:
    """Hold the recovery stores of all flows of ``MNEME_DATA``.

    Raises:
        StoreRejected: a flow runs.
    """
    with ExitStack() as stack:
        for folder in sorted(settings.data.glob("recovery/*/")):
            try:
                stack.callback(FolderLock(folder, "the recovery store").release)
            except StoreUnavailable as error:
                raise StoreRejected(f"a flow runs on {settings.data}: {error}") from error
        yield
