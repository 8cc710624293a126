"""The recovery store: one runner at a time, one index it belongs to, and the number of the run.

The directory holds Bytewax's store (``epochs/``), a lock file and ``mneme.json`` with the store's id and the last run.
The index keeps the id and the run as well: a store that was lost, or an index that another store wrote, is noticed
before anything is written.
"""

import json
import uuid
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from connectors.durable import FolderLock, replace_json
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.rows import Collection


class RecoveryStore(AbstractContextManager["RecoveryStore"]):
    """The recovery directory of one flow, held by this process.

    Args:
        directory: where the store lives; made if it is not there.
        name: which flow it serves (``kafka``, ``files``): one index may be fed by one store of each name.
        buckets: into how many buckets its states are keyed.

    Raises:
        StoreRejected: another process holds the directory, or its states are keyed into another number of buckets.
    """

    def __init__(self, directory: Path, name: str, buckets: int) -> None:
        self._directory = directory
        self._name = name
        directory.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = FolderLock(directory, "the recovery store")
        except StoreUnavailable as error:
            raise StoreRejected(
                f"another Mneme runs on the recovery store {directory}; stop it first, or give this one its own MNEME_DATA"
            ) from error
        try:
            state = self._read()
        except StoreRejected:
            self._lock.release()
            raise
        self._id, self._run, self._buckets = str(state["recovery_id"]), int(state["run"]), buckets
        if state.get("buckets", buckets) != buckets:
            self._lock.release()
            raise StoreRejected(
                f"the states of {directory} are keyed into {state['buckets']} buckets: set "
                f"MNEME_FLOW__BUCKETS={state['buckets']}, or start a new store with its own MNEME_DATA"
            )

    @property
    def epochs(self) -> Path:
        """Where Bytewax keeps its snapshots."""
        return self._directory / "epochs"

    def begin_run(self, index: MemoryIndex, adopt: bool) -> int:
        """Bind the store to the index and start a run.

        Returns:
            The run's number, higher than that of every earlier run on this index.

        Raises:
            StoreRejected: the index was filled by another recovery store, and ``adopt`` does not allow to go on.
        """
        metadata = index.metadata()
        key = f"recovery_{self._name}"
        other = metadata.get(key)
        if other is not None and other != self._id and not adopt and index.count(Collection.MESSAGES):
            raise StoreRejected(
                f"the index was written with recovery store {other}, and {self._directory} is {self._id}: the positions and "
                "open conversations are not known here. Restore that store, or set MNEME_FLOW__ADOPT_INDEX=true to read the "
                "topics from the start (nothing is duplicated: ids are positions in the source)"
            )
        run = max(self._run, int(metadata.get("run", "0"))) + 1
        replace_json(self._state_file, {"recovery_id": self._id, "run": run, "buckets": self._buckets})
        index.set_metadata({key: self._id, "run": str(run)})
        return run

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()

    @property
    def _state_file(self) -> Path:
        return self._directory / "mneme.json"

    def _read(self) -> dict[str, Any]:
        if not self._state_file.exists():
            return {"recovery_id": uuid.uuid4().hex, "run": 0}
        try:
            state: dict[str, Any] = json.loads(self._state_file.read_text())
        except ValueError as error:
            raise StoreRejected(
                f"{self._state_file} is damaged; restore it, or remove {self._directory} to start anew"
            ) from error
        return state
