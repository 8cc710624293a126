"""The embedded index: ``MemoryIndex`` in a folder, by LanceDB, without a server.

One process writes (a lock on the folder), any number of processes read; a reader takes the latest version of a table
for each query. What is written is found at once, refreshed or not. Fit for up to some 200,000 rows a collection.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import lancedb

from connectors.durable import FolderLock, replace_json
from connectors.lance_table import LanceTable, key_of
from mneme import text
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import EmbedderIdentity, Filter, Hit, Scored, TextLeg, VectorLeg, Write, WriteResult
from mneme.rows import Collection, Key, Row, Vector

FORMAT = 1  # of the tables and index.json; another one is refused


class LanceIndex:
    """A ``MemoryIndex`` in a folder.

    Args:
        path: the folder; a writer makes it.
        read_only: for searching beside a writing process.

    Raises:
        StoreUnavailable: another process writes to the folder, or the folder cannot be used.
    """

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self._path = path
        self._facts = path / "index.json"
        self._writing = Lock()
        self._opening = Lock()
        self._lock: FolderLock | None = None
        self._tables: dict[Collection, LanceTable] = {}
        with _store_errors(path):
            if not read_only:
                path.mkdir(parents=True, exist_ok=True)
                self._lock = FolderLock(path, "this index")

    @cached_property
    def _database(self) -> lancedb.DBConnection:
        # A reader asks for newer versions at each query; a writer makes them itself.
        return lancedb.connect(self._path / "tables", read_consistency_interval=None if self._lock else timedelta(0))

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """See ``MemoryIndex``. A reader creates nothing: it raises StoreUnavailable while there is no index."""
        with _store_errors(self._path), self._writing:
            if self._facts.exists() or self._lock is None:
                self._check(embedder)
            else:
                self._create(embedder.dimension)
                # Comes last: without it a preparation starts again.
                facts = {"format": FORMAT, "embedder": embedder.fingerprint, "tokeniser": text.TOKENISER, "metadata": {}}
                replace_json(self._facts, facts)

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """See ``MemoryIndex``. One commit for each collection, that of the last write last."""
        by_collection: dict[Collection, list[int]] = {}
        for place, write in enumerate(writes):
            by_collection.setdefault(key_of(write).collection, []).append(place)
        results: dict[int, WriteResult] = {}
        with _store_errors(self._path), self._writing:
            self._must_write()
            # Whoever sees the last write (the marker of a flush) must see everything before it.
            for collection, places in sorted(by_collection.items(), key=lambda item: item[1][-1]):
                outcomes = self._table(collection).write([writes[place] for place in places])
                results.update(zip(places, outcomes, strict=True))
        return [results[place] for place in range(len(writes))]

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """See ``MemoryIndex``."""
        found: dict[Key, Row] = {}
        with _store_errors(self._path):
            for collection in dict.fromkeys(key.collection for key in keys):
                wanted = [key for key in keys if key.collection is collection]
                found |= self._table(collection).get(wanted, with_vectors)
        return found

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """See ``MemoryIndex``."""
        with _store_errors(self._path):
            # One after another: LanceDB uses all processors for each, and threads gained nothing (measured).
            return [self._leg(leg) for leg in legs]

    def score(
        self, collection: Collection, filter: Filter, tokens: Sequence[str], vector: Vector | None, limit: int
    ) -> list[Scored]:
        """See ``MemoryIndex``."""
        with _store_errors(self._path):
            return self._table(collection).score(filter, tokens, vector, limit)

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """See ``MemoryIndex``."""
        with _store_errors(self._path):
            yield from self._table(collection).scan(filter, with_vectors)

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """See ``MemoryIndex``."""
        with _store_errors(self._path):
            return self._table(collection).count(filter)

    def refresh(self) -> None:
        """See ``MemoryIndex``. Brings what was written into the full-text index, so that scores are exact."""
        with _store_errors(self._path), self._writing:
            self._must_write()
            for collection in Collection:
                self._table(collection).refresh()

    def purge(self) -> None:
        """See ``MemoryIndex``. All files are written anew, and a reader may have to repeat what it began before."""
        with _store_errors(self._path), self._writing:
            self._must_write()
            for collection in Collection:
                self._table(collection).purge()

    def metadata(self) -> dict[str, str]:
        """See ``MemoryIndex``."""
        with _store_errors(self._path):
            values: dict[str, str] = self._read_facts()["metadata"]
            return values

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """See ``MemoryIndex``."""
        with _store_errors(self._path), self._writing:
            self._must_write()
            facts = self._read_facts()
            facts["metadata"] |= values
            replace_json(self._facts, facts)

    def close(self) -> None:
        """See ``MemoryIndex``."""
        self._tables.clear()
        if self._lock:
            self._lock.release()

    def _leg(self, leg: TextLeg | VectorLeg) -> list[Hit]:
        table = self._table(leg.collection)
        if isinstance(leg, TextLeg):
            return table.match(leg.filter, leg.tokens, leg.limit)
        return table.nearest(leg.filter, leg.vector, leg.limit)

    def _table(self, collection: Collection) -> LanceTable:
        with self._opening:
            if collection not in self._tables:
                self._read_facts()  # says what to do when there is no index
                self._tables[collection] = LanceTable(self._database, self._path / "tables", collection)
            return self._tables[collection]

    def _create(self, dimension: int) -> None:
        """Make the tables; those that an interrupted preparation left, still empty, are made again."""
        present = set(self._database.list_tables().tables)
        for collection in Collection:
            if collection.value in present:
                if self._database.open_table(collection.value).count_rows():
                    raise StoreRejected(f"{self._facts}: missing, though there are {collection.value}; restore it")
                self._database.drop_table(collection.value)
            LanceTable.create(self._database, collection, dimension)

    def _check(self, embedder: EmbedderIdentity) -> None:
        facts = self._read_facts()
        for name, found, wanted in (
            ("format", facts.get("format"), FORMAT),
            ("embedder", facts.get("embedder"), embedder.fingerprint),
            ("tokeniser", facts.get("tokeniser"), text.TOKENISER),
        ):
            if found != wanted:
                raise StoreRejected(
                    f"{self._path}: this index was made with the {name} {found!r}, and {wanted!r} is set now; set it back, "
                    "or set MNEME_DATA to a new folder and ingest again from the files or topics"
                )

    def _read_facts(self) -> dict[str, Any]:
        try:
            facts: dict[str, Any] = json.loads(self._facts.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreUnavailable(f"{self._path}: there is no index here yet; fill it with `mneme ingest FILE`") from None
        except json.JSONDecodeError as error:
            raise StoreRejected(f"{self._facts}: not JSON ({error}); restore it, or ingest into a new folder") from error
        return facts

    def _must_write(self) -> None:
        if self._lock is None:
            raise StoreRejected(f"{self._path}: opened for reading only; open it with read_only=False to write")


@contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    """Errors of LanceDB and of the file system as those of Mneme. LanceDB raises RuntimeError for what the disk refuses."""
    try:
        yield
    except ValueError as error:
        raise StoreRejected(f"{path}: the index refuses this ({error})") from error
    except (OSError, RuntimeError) as error:
        full = "no space left" in str(error).lower()
        remedy = "the disk is full; free some space" if full else "check the disk and its permissions"
        raise StoreUnavailable(f"{path}: {remedy}, then try again ({error})") from error
