"""The embedded index: ``MemoryIndex`` in a folder, by LanceDB, without a server.

One process writes (a lock on the folder), any number of processes read; a reader takes the latest version of a table
for each query. What is written is found at once, refreshed or not. Fit for up to some 200,000 rows a collection.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import lancedb

from connectors.background import BackgroundJob
from connectors.durable import FolderLock, replace_json
from connectors.embedders import check_made_for
from connectors.lance.generation_folders import (
    FIRST_TABLES,
    MANIFEST,
    NEXT_MANIFEST,
    drop_generations,
    generation_in_use,
    read_manifest,
)
from connectors.lance.owner_search import OwnerSearch
from connectors.lance.row_cache import RowCache
from connectors.lance.table import LanceTable, key_of
from mneme.errors import StoreError, StoreRejected, StoreUnavailable
from mneme.ports import (
    EmbedderIdentity,
    Filter,
    Group,
    Hit,
    Owned,
    Place,
    Scored,
    Selection,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.rows import Collection, Embedding, Key, Row, Vector
from mneme.store_format import check_format, made_for

# LanceDB keeps what it read of each version of a table, also of those that are long gone, up to 7 GB by default: under a steady
# load a process grew by 70 MB a minute. Searching 20,000 facts takes 3 MB of it.
_INDEX_CACHE_BYTES, _METADATA_CACHE_BYTES = 64_000_000, 16_000_000


class LanceIndex:
    """A ``MemoryIndex`` in a folder.

    Args:
        path: the folder; a writer makes it.
        read_only: for searching beside a writing process.
        cache_bytes: how much of the owners that are searched is kept in memory (connectors/lance/row_cache.py); 0: nothing.
        next_tables: the folder within ``path`` for the tables of a next generation, which is to be filled
            (connectors/lance/generations.py); None for the one in use.
        any_format: also read a store of another format, whose rows have the columns that both have. For a rebuild.

    Raises:
        StoreUnavailable: another process writes to the folder, or the folder cannot be used.
    """

    def __init__(
        self,
        path: Path,
        read_only: bool = False,
        cache_bytes: int = 0,
        next_tables: str | None = None,
        any_format: bool = False,
    ) -> None:
        self._path = path
        self._any_format = any_format
        self._manifest = path / (NEXT_MANIFEST if next_tables else MANIFEST)
        self._folder = path / (next_tables or FIRST_TABLES)
        self._is_prepared = False
        self._writing = Lock()
        self._opening = Lock()
        self._lock: FolderLock | None = None
        self._tables: dict[Collection, LanceTable] = {}
        self._cache = RowCache(cache_bytes)
        self._maintenance = BackgroundJob(self._maintain, "tables are not maintained yet")
        with store_errors(path):
            if not read_only:
                path.mkdir(parents=True, exist_ok=True)
                self._lock = FolderLock(path, "this index")

    @cached_property
    def _database(self) -> lancedb.DBConnection:
        # A reader asks for newer versions at each query; a writer makes them itself.
        interval = None if self._lock else timedelta(0)
        return lancedb.connect(self._folder, read_consistency_interval=interval, session=_session())

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """See ``MemoryIndex``. A reader creates nothing: it raises StoreUnavailable while there is no index."""
        with store_errors(self._path), self._writing:
            if self._manifest.exists() or self._lock is None:
                self._check(embedder)
            else:
                self._create(embedder.dimension)
                # Comes last: without it a preparation starts again.
                replace_json(self._manifest, made_for(embedder) | {"tables": self._folder.name, "metadata": {}})
            self._is_prepared = True

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """See ``MemoryIndex``. One commit for each collection, that of the last write last."""
        by_collection: dict[Collection, list[int]] = {}
        for place, write in enumerate(writes):
            by_collection.setdefault(key_of(write).collection, []).append(place)
        results: dict[int, WriteResult] = {}
        with store_errors(self._path), self._writing:
            self._must_write()
            # Whoever sees the last write (the marker of a flush) must see everything before it.
            for collection, places in sorted(by_collection.items(), key=lambda item: item[1][-1]):
                outcomes = self._table(collection).write([writes[place] for place in places])
                results.update(zip(places, outcomes, strict=True))
            is_due = any(table.is_due() for table in list(self._tables.values()))
        if is_due:
            self._maintenance.ask()
        return [results[place] for place in range(len(writes))]

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        """See ``MemoryIndex``."""
        rows: dict[Key, Row] = {}
        with store_errors(self._path):
            for collection in dict.fromkeys(key.collection for key in keys):
                wanted = [key for key in keys if key.collection is collection]
                rows |= self._table(collection).get(wanted, with_vectors)
        return rows

    def embeddings(self, keys: Sequence[Key]) -> dict[Key, Embedding]:
        """See ``MemoryIndex``."""
        embeddings: dict[Key, Embedding] = {}
        with store_errors(self._path):
            for collection in dict.fromkeys(key.collection for key in keys):
                wanted = [key for key in keys if key.collection is collection]
                embeddings |= self._search(collection, list({key.owner_key for key in wanted})).embeddings(wanted)
        return embeddings

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            searches: dict[tuple[Collection, tuple[str, ...]], OwnerSearch] = {}
            hits: list[list[Hit]] = []
            for leg in legs:
                asked = (leg.collection, leg.filter.owner_keys)
                if asked not in searches:
                    searches[asked] = self._search(*asked)
                if isinstance(leg, TextLeg):
                    hits.append(searches[asked].match(leg.filter, leg.tokens, leg.limit))
                else:
                    hits.append(searches[asked].nearest(leg.filter, leg.vector, leg.limit))
            return hits

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            places = [(each, self._search(each.collection, each.filter.owner_keys)) for each in selections]
            scored = [search.score(each.filter, tokens, vector, each.limit) for each, search in places]
        return self.recall(legs), scored

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            yield from self._table(collection).scan(filter, with_vectors)

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            return self._table(collection).count(filter)

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            return self._table(collection).page(filter, limit, after)

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            return self._table(collection).conversations(filter, limit, after)

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            return self._table(Collection.MESSAGES).owners(tenant_id, limit)

    def refresh(self) -> None:
        """See ``MemoryIndex``. There is nothing to do: what was written is found at once."""
        self._must_write()

    def merge(self) -> None:
        """See ``MemoryIndex``."""
        with store_errors(self._path), self._writing:
            self._must_write()
            for collection in Collection:
                self._table(collection).maintain()

    def purge(self) -> None:
        """See ``MemoryIndex``. All files are written anew, and a reader may have to repeat what it began before.

        Generations that are not in use any more go as well.
        """
        with store_errors(self._path), self._writing:
            self._must_write()
            drop_generations(self._path, 1, generation_in_use(self._path) - 1)
            for collection in Collection:
                self._table(collection).purge()
            self._cache.clear()

    def metadata(self) -> dict[str, str]:
        """See ``MemoryIndex``."""
        with store_errors(self._path):
            values: dict[str, str] = read_manifest(self._manifest)["metadata"]
            return values

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """See ``MemoryIndex``."""
        with store_errors(self._path), self._writing:
            self._must_write()
            manifest = read_manifest(self._manifest)
            manifest["metadata"] |= values
            replace_json(self._manifest, manifest)

    def _maintain(self) -> None:
        """Maintain the tables that are due. LanceDB's compaction gives way to any commit, so writes wait for it."""
        with store_errors(self._path), self._writing:
            for table in list(self._tables.values()):
                if table.is_due():
                    table.maintain()

    def close(self) -> None:
        """See ``MemoryIndex``. What a maintenance replaced lately is removed; who is reading it has to ask again."""
        self._maintenance.close(finish=True)
        with suppress(StoreError), store_errors(self._path), self._writing:
            for table in self._tables.values():
                table.close()
        self._tables.clear()
        self._cache.clear()
        if self._lock:
            self._lock.release()

    def _search(self, collection: Collection, owner_keys: Sequence[str]) -> OwnerSearch:
        return self._cache.search(self._table(collection), owner_keys)

    def _table(self, collection: Collection) -> LanceTable:
        with self._opening:
            if not self._is_prepared:  # then the vectors do not matter, and what is in use now is read
                self._read_from(read_manifest(self._manifest))  # says what to do when there is no index
            if collection not in self._tables:
                self._tables[collection] = LanceTable(self._database, self._folder, collection)
            return self._tables[collection]

    def _read_from(self, manifest: Mapping[str, Any]) -> None:
        """Turn to the generation that this manifest is of.

        Raises:
            StoreRejected: it has another format.
        """
        if not self._any_format:
            check_format(str(self._path), manifest.get("format"))
        folder = self._path / manifest.get("tables", FIRST_TABLES)
        if folder != self._folder:
            self._folder = folder
            self.__dict__.pop("_database", None)
            self._tables.clear()
            self._cache.clear()

    def _create(self, dimension: int) -> None:
        """Make the tables; those that an interrupted preparation left, still empty, are made again."""
        present = set(self._database.list_tables().tables)
        for collection in Collection:
            if collection.value in present:
                if self._database.open_table(collection.value).count_rows():
                    raise StoreRejected(f"{self._manifest}: missing, though there are {collection.value}; restore it")
                self._database.drop_table(collection.value)
            LanceTable.create(self._database, collection, dimension)

    def _check(self, embedder: EmbedderIdentity) -> None:
        manifest = read_manifest(self._manifest)
        check_made_for(str(self._path), manifest, embedder)
        with self._opening:
            self._read_from(manifest)

    def _must_write(self) -> None:
        if self._lock is None:
            raise StoreRejected(f"{self._path}: opened for reading only; open it with read_only=False to write")


@cache
def _session() -> lancedb.Session:
    """The session of all indices of this process: what LanceDB keeps in memory of tables' versions and indices."""
    return lancedb.Session(index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES)


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Errors of LanceDB and of the file system as those of Mneme. LanceDB raises RuntimeError for what the disk refuses."""
    try:
        yield
    except ValueError as error:
        raise StoreRejected(f"{path}: the index refuses this ({error})") from error
    except (OSError, RuntimeError) as error:
        full = "no space left" in str(error).lower()
        remedy = "the disk is full; free some space, then try again" if full else _MEND
        raise StoreUnavailable(f"{path}: {remedy} ({error})") from error


_MEND = (
    "cannot be read or written; check the disk and its permissions, then try again; if a table is damaged, stop the flow, and"
    " `mneme admin rebuild --from messages` makes all but the messages anew; those come back from a backup or the topics"
)
