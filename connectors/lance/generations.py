"""The ``Generations`` of the embedded index: the next tables beside those in use, and one file replaced.

The lock of the index keeps all others from writing, from ``begin`` until what it gave is closed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from connectors.durable import FolderLock, sync_path
from connectors.lance.generation_folders import (
    MANIFEST,
    NEXT_MANIFEST,
    drop_generations,
    generation_in_use,
    read_manifest,
    tables_of,
)
from connectors.lance.index import LanceIndex, store_errors
from mneme.errors import StoreRejected
from mneme.ports import EmbedderIdentity
from mneme.store_format import as_texts

_ANY = 2**31


class LanceGenerations:
    """See ``Generations``.

    Args:
        path: the folder of the index.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def made_for(self) -> Mapping[str, str]:
        """See ``Generations``."""
        return as_texts(read_manifest(self._path / MANIFEST))

    def unfinished(self) -> Mapping[str, str] | None:
        """See ``Generations``."""
        return as_texts(read_manifest(self._path / NEXT_MANIFEST)) if (self._path / NEXT_MANIFEST).exists() else None

    def begin(self, embedder: EmbedderIdentity) -> LanceIndex:
        """See ``Generations``."""
        number = generation_in_use(self._path) + 1
        if self.unfinished() is None:  # tables that were abandoned, by a process that died over it
            with self._alone():
                drop_generations(self._path, number, _ANY)
        index = LanceIndex(self._path, next_tables=tables_of(number))
        try:
            index.prepare(embedder)
        except BaseException:
            index.close()
            raise
        return index

    def switch(self) -> None:
        """See ``Generations``."""
        with self._alone():
            if self.unfinished() is None:
                raise StoreRejected(f"{self._path}: there is no next generation; fill one with `mneme admin reindex`")
            (self._path / NEXT_MANIFEST).replace(self._path / MANIFEST)
            sync_path(self._path)

    def abandon(self) -> bool:
        """See ``Generations``."""
        with self._alone():
            was_begun = self.unfinished() is not None
            (self._path / NEXT_MANIFEST).unlink(missing_ok=True)
            sync_path(self._path)
            drop_generations(self._path, generation_in_use(self._path) + 1, _ANY)
            return was_begun

    def drop_old(self) -> int:
        """See ``Generations``."""
        with self._alone():
            return drop_generations(self._path, 1, generation_in_use(self._path) - 1)

    def close(self) -> None:
        """See ``Generations``: there is nothing to release."""

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else writes to the index."""
        read_manifest(self._path / MANIFEST)  # says what to do when there is none
        with store_errors(self._path):
            lock = FolderLock(self._path, "this index")
            try:
                yield
            finally:
                lock.release()
