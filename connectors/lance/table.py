"""One collection as one LanceDB table: versioned writes in single commits, and reading by key, filter and owner."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import BTree
from lancedb.query import ColumnOrdering

from connectors.durable import FolderSync
from connectors.lance import groups
from connectors.lance.rows import (
    ADDRESS,
    REMOVED_AT,
    ROW_COLUMNS,
    VECTOR_COLUMNS,
    any_of,
    before,
    condition,
    labels_pass,
    live,
    schema,
    to_arrow,
    to_rows,
)
from mneme.ports import Create, Filter, Group, Outcome, Owned, Place, Put, Remove, Write, WriteResult
from mneme.rows import Collection, Key, Row
from mneme.times import from_milliseconds, to_milliseconds, utc_now

TOMBSTONES_LAST = timedelta(hours=1)  # as index.gc_deletes of the OpenSearch index
VERSIONS_LAST = timedelta(minutes=1)  # longer than any search of another process takes
_ALL_VERSIONS = timedelta(milliseconds=1)  # 0 makes LanceDB warn that readers lose theirs, which is meant
_OLDEST_MANIFEST = 2**64 - 1  # the file of a version is named by this less its number, so that the newest is listed first
COMMITS_BETWEEN_MAINTENANCE = 200  # a commit leaves about four files
COMMITS_LEFT = 10  # unmaintained when a writer ends: it is not worth the time to merge so few
UNINDEXED_ROWS, UNINDEXED_SHARE = 1000, 0.2  # maintenance costs 0.1 to 0.5 s at 20,000 rows: grow with the table
_OVERDUE = 2  # times what is due: then a write waits for the maintenance that nobody has come to (LanceIndex does it behind)
_LONGEST_TICK_NS = 2_000_000_000  # of any file system's clock
LOOKUP = 1000  # ids in one condition
BATCH = 4096  # rows read at a time
LONGEST_ID_BYTES = 512  # as OpenSearch; a record that one backend refuses is refused by the other


def key_of(write: Write) -> Key:
    """The key of the row that a write is about."""
    return write.key if isinstance(write, Remove) else write.row.key


class LanceTable:
    """A collection in a database. One writer at a time (the caller's lock); any number of readers."""

    def __init__(self, database: lancedb.DBConnection, folder: Path, collection: Collection) -> None:
        self.collection = collection
        self._table: Any = database.open_table(collection.value)
        self._schema: pa.Schema = self._table.schema
        self._dimension: int = self._schema.field("vector").type.list_size
        self._sync = FolderSync(folder / f"{collection.value}.lance")
        self._versions = folder / f"{collection.value}.lance" / "_versions"
        self._known_version = (0, -1)  # when the folder of versions was changed, and the version that was then asked for
        self._rows = self._commits = self._unindexed = 0
        self._keeps_replaced = False  # whether files that a maintenance replaced may be there yet
        self._is_pure = False  # whether nothing that was removed or replaced can be left in a file

    @staticmethod
    def create(database: lancedb.DBConnection, collection: Collection, dimension: int) -> None:
        """Make the table with its indices."""
        _create_indices(database.create_table(collection.value, schema=schema(dimension)))

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Apply writes in order, in one commit that is on the disk on return.

        1. Look up the versions of all ids at once.
        2. Decide each write by them, in order, with those before it applied.
        3. Add the last state of each id, or merge it into what is stored.
        """
        # Step 1.
        versions = self._stored_versions([key_of(write).id for write in writes])
        stored_before = set(versions)
        # Step 2.
        results: list[WriteResult] = []
        changed: dict[Key, Put | Create | Remove] = {}
        for write in writes:
            key, version, (stored, is_live) = key_of(write), _version(write), versions.get(key_of(write), (-1, False))
            reason = self._refusal(write)
            if reason:
                results.append(WriteResult(Outcome.REJECTED, reason))
            elif is_live if isinstance(write, Create) else stored > version:
                results.append(WriteResult(Outcome.NEWER_EXISTS))
            else:
                changed.pop(key, None)  # so that the order is that of the last write
                changed[key] = write
                versions[key] = (version, not isinstance(write, Remove))
                results.append(WriteResult(Outcome.DONE))
        # Step 3.
        if changed:
            rows = [write.row for write in changed.values() if not isinstance(write, Remove)]
            now = utc_now()
            tombstones = [
                {"id": write.key.id, "owner_key": write.key.owner_key, "version": write.version, REMOVED_AT: now}
                for write in changed.values()
                if isinstance(write, Remove)
            ]
            is_news = not any(key in stored_before for key in changed)
            # To LanceDB a missing vector is a bad one; "null" keeps it missing.
            if is_news:  # a merge would join them with all rows: twice the time
                self._table.add(to_arrow(rows, tombstones, self._schema), on_bad_vectors="null")
            else:
                merge = self._table.merge_insert(["owner_key", "id"]).when_matched_update_all().when_not_matched_insert_all()
                merge.execute(to_arrow(rows, tombstones, self._schema), on_bad_vectors="null")
            self._sync.sync()
            self._commits += 1
            self._is_pure = self._is_pure and is_news
            self._unindexed += len(changed)
            self._rows = self._rows or self._table.count_rows()
            if self.is_due(_OVERDUE):
                self.maintain()
        return results

    def is_due(self, times: float = 1) -> bool:
        """True if so much was written that maintenance pays, or so many times as much."""
        return (
            self._unindexed >= times * max(UNINDEXED_ROWS, UNINDEXED_SHARE * self._rows)
            or self._commits >= times * COMMITS_BETWEEN_MAINTENANCE
        )

    def maintain(self) -> None:
        """Index new rows, merge small files, forget old tombstones and old versions of the table."""
        self._table.delete(before(REMOVED_AT, utc_now() - TOMBSTONES_LAST))
        self._table.optimize(cleanup_older_than=VERSIONS_LAST)
        self._sync.sync()
        self._commits = self._unindexed = 0
        self._rows = self._table.count_rows()
        self._keeps_replaced = True

    def close(self) -> None:
        """Leave no files behind that were replaced: nobody maintains the table from here on."""
        if self._keeps_replaced or self._commits > COMMITS_LEFT:
            self.maintain()
            self._table.optimize(cleanup_older_than=_ALL_VERSIONS)

    def purge(self) -> None:
        """Leave nothing in the files that was removed or replaced, not even the ids of tombstones.

        1. Drop the tombstones: what is still on its way must be newer than what was removed.
        2. Write all rows anew: a merge of files keeps deleted rows where they are few (a tenth, LanceDB 0.40).
        3. Make the indices anew: they keep the ids of deleted rows.
        4. Remove all versions but the last, with what an interrupted commit left; also those of a time when the clock of this
           machine was ahead, which are never old to LanceDB.
        """
        if self._is_pure:
            return
        self._table.delete(f"{REMOVED_AT} IS NOT NULL")
        self._table.update(values_sql={"version": "version"})
        for index in self._table.list_indices():
            self._table.drop_index(index.name)
        _create_indices(self._table)
        self._table.optimize(cleanup_older_than=_ALL_VERSIONS, delete_unverified=True)
        newest, *older = sorted(self._versions.glob("*.manifest"))
        if older and newest.stem == f"{_OLDEST_MANIFEST - self._table.version:020d}":
            for manifest in older:
                manifest.unlink(missing_ok=True)
            self._table.optimize(cleanup_older_than=_ALL_VERSIONS, delete_unverified=True)
        self._sync.sync()
        self._commits = self._unindexed = 0
        self._rows = self._table.count_rows()
        self._is_pure = True

    def _stored_versions(self, ids: Sequence[str]) -> dict[Key, tuple[int, bool]]:
        """The stored version of each id, and whether it is a row (not a tombstone)."""
        stored: dict[Key, tuple[int, bool]] = {}
        columns = ["id", "owner_key", "version", REMOVED_AT]
        for part in _parts(list(dict.fromkeys(ids))):
            for cells in self._select(any_of("id", part), columns).to_pylist():
                key = Key(self.collection, cells["owner_key"], cells["id"])
                stored[key] = (cells["version"], cells[REMOVED_AT] is None)
        return stored

    def _refusal(self, write: Write) -> str:
        """Why a write can never succeed; empty if it can."""
        if (size := len(key_of(write).id.encode())) > LONGEST_ID_BYTES:
            return f"id: {size} bytes; an id has at most {LONGEST_ID_BYTES} (mneme/ids.py makes such ids)"
        vector = None if isinstance(write, Remove) else write.row.vector
        if vector is None:
            return ""
        if vector.shape != (self._dimension,):
            return (
                f"vector: shape {vector.shape}, but this index holds {self._dimension} dimensions; set the old embedder again"
            )
        if not np.isfinite(vector).all() or not vector.any():
            return "vector: it must have finite numbers that are not all 0; leave it out if there is none"
        return ""

    # --- reading -----------------------------------------------------------------------------------------------------

    def get(self, keys: Sequence[Key], with_vectors: bool) -> dict[Key, Row]:
        """The rows with these keys; those that are not there are left out."""
        wanted = set(keys)
        rows: list[Row] = []
        for part in _parts(list(dict.fromkeys(key.id for key in keys))):
            found = self._select(f"{any_of('id', part)} AND {REMOVED_AT} IS NULL", self._columns(with_vectors))
            rows += to_rows(self.collection, found)
        return {row.key: row for row in rows if row.key in wanted}

    def scan(self, filter: Filter | None, with_vectors: bool) -> Iterator[Row]:
        """Every row that passes, by id."""
        order = [ColumnOrdering(column_name="id"), ColumnOrdering(column_name="owner_key")]
        there = set(self._schema.names)  # an older table, which only a rebuild scans, may lack some
        columns = [name for name in self._columns(with_vectors) if name in there]
        search = self._table.search().where(_condition(filter)).select(columns).order_by(order).limit(None)
        for batch in search.to_batches(LOOKUP):
            rows = pa.Table.from_batches([batch])
            yield from to_rows(self.collection, rows if filter is None else _labelled(rows, filter))

    def count(self, filter: Filter | None) -> int:
        """Count the rows that pass."""
        if filter is not None and filter.labels:
            return int(self._passing(filter, ["labels"]).num_rows)
        return int(self._table.count_rows(_condition(filter)))

    def page(self, filter: Filter, limit: int, after: Place | None) -> list[Row]:
        """The newest rows that pass, ties by id: found by two columns, then read."""
        rows = self._passing(filter, ["id", "owner_key", "at"])
        rows = rows.set_column(rows.column_names.index("at"), "at", pc.floor_temporal(rows["at"], unit="millisecond"))
        if after is not None:
            begin = from_milliseconds(to_milliseconds(after[0]))
            rows = groups.behind(rows, rows["at"], rows["id"], (begin, after[1]))
        rows = rows.sort_by([("at", "descending"), ("id", "ascending"), ("owner_key", "ascending")]).slice(0, limit)
        return self._rows_of(zip(rows["owner_key"].to_pylist(), rows["id"].to_pylist(), strict=True))

    def conversations(self, filter: Filter, limit: int, after: Place | None) -> list[Group]:
        """The rows of each conversation; which are asked for, and then what is in them."""
        order = groups.latest(self._passing(filter, groups.GROUPED), limit, after)
        if not order:
            return []
        narrowed = replace(filter, conversation_ids=tuple(order))
        found = groups.by_conversation(self._passing(narrowed, groups.COUNTED))
        newest = {row.conversation_id: row for row in self._rows_of(map(groups.newest, found.values()))}
        return [groups.group(found[each], newest[each]) for each in order if each in newest]

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """Count the rows of each owner of a tenant."""
        return groups.owned(self._select(live(tenant_id), groups.OWNED), limit)

    def _rows_of(self, places: Iterable[tuple[str, str]]) -> list[Row]:
        """The rows with these owners' keys and ids, in their order."""
        keys = [Key(self.collection, owner, identity) for owner, identity in places]
        rows = self.get(keys, with_vectors=False)
        return [rows[key] for key in keys if key in rows]

    # --- reading what an owner has, for connectors/lance/row_cache.py ------------------------------------------------------

    def version(self) -> int:
        """The version of the table: another one after each commit, by whatever process.

        A commit adds a file to the folder of versions. Where that was not changed since the table was asked, nothing was
        committed: to ask costs half a millisecond, and a search asks for each of its legs. A clock of the file system may
        tick too seldom to tell two commits apart, so a change of a moment ago is never trusted.
        """
        changed = self._versions.stat().st_mtime_ns
        if changed != self._known_version[0]:
            version = int(self._table.version)
            if time.time_ns() - changed < _LONGEST_TICK_NS:
                return version
            self._known_version = (changed, version)
        return self._known_version[1]

    def addresses(self, owner_key: str) -> npt.NDArray[np.uint64]:
        """The addresses of an owner's rows. A row that was written again lies elsewhere, under an address never used before."""
        search = self._table.search().where(_owned(owner_key)).select(["version"]).with_row_id(True)
        addresses: npt.NDArray[np.uint64] = search.limit(None).to_arrow()[ADDRESS].to_numpy()
        return addresses

    def owned(self, owner_key: str) -> Iterator[pa.RecordBatch]:
        """All rows of an owner with their vectors and addresses, of one version of the table."""
        search = self._table.search().where(_owned(owner_key)).select(self._columns(with_vectors=True)).with_row_id(True)
        yield from search.limit(None).to_batches(BATCH)

    def at(self, addresses: npt.NDArray[np.uint64]) -> pa.Table:
        """The rows at these addresses with their vectors; those that lie elsewhere by now are left out."""
        take = self._table.take_row_ids(addresses.tolist())
        return take.select(self._columns(with_vectors=True)).with_row_id().to_arrow()

    def _columns(self, with_vectors: bool) -> list[str]:
        return [*ROW_COLUMNS, *VECTOR_COLUMNS] if with_vectors else ROW_COLUMNS

    def _passing(self, filter: Filter, columns: list[str]) -> pa.Table:
        """These columns of the rows that pass a filter."""
        asked = list(dict.fromkeys([*columns, *(["labels"] if filter.labels else [])]))
        return _labelled(self._select(condition(filter), asked), filter)

    def _select(self, where: str, columns: list[str]) -> pa.Table:
        return self._table.search().where(where).select(columns).limit(None).to_arrow()


def _create_indices(table: Any) -> None:
    """Ids and owner for look-ups and prefilters; those that are there are made anew."""
    for column in ("id", "owner_key", "parent_id"):
        table.create_index(column, config=BTree())


def _owned(owner_key: str) -> str:
    return f"{any_of('owner_key', [owner_key])} AND {REMOVED_AT} IS NULL"


def _labelled(table: pa.Table, filter: Filter) -> pa.Table:
    """The rows whose labels pass."""
    return table.filter(labels_pass(filter, table["labels"])) if filter.labels else table


def _condition(filter: Filter | None) -> str:
    return f"{REMOVED_AT} IS NULL" if filter is None else condition(filter)


def _version(write: Write) -> int:
    return write.version if isinstance(write, Remove) else write.row.version


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for part in range(math.ceil(len(ids) / LOOKUP)):
        yield ids[part * LOOKUP : (part + 1) * LOOKUP]
