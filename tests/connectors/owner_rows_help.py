"""Rows as LanceDB would read them, without LanceDB."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from connectors.lance.rows import ADDRESS, REMOVED_AT, schema, to_arrow
from mneme.rows import Collection, Row
from tests.contracts.rows import DIMENSION


def as_read(rows: Sequence[Row], addresses: Sequence[int] | None = None) -> pa.Table:
    """The columns of rows, with where they lie."""
    table = to_arrow(rows, [], schema(DIMENSION)).drop_columns(REMOVED_AT)
    return table.append_column(ADDRESS, pa.array(range(len(rows)) if addresses is None else addresses, pa.uint64()))


class TableInMemory:
    """What a RowCache asks of a LanceTable. ``read`` are the ids of the rows that were read, in order."""

    collection = Collection.FACTS

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}  # by address
        self.read: list[str] = []
        self.on_addresses: Callable[[], None] = lambda: None
        self._version = self._next = 0

    def put(self, *rows: Row) -> None:
        """Write rows in one commit; each lies where no row lay before."""
        for row in rows:
            self.rows = {address: other for address, other in self.rows.items() if other.key != row.key}
            self.rows[self._next] = row
            self._next += 1
        self._version += 1

    def remove(self, *ids: str) -> None:
        """Remove rows in one commit."""
        self.rows = {address: row for address, row in self.rows.items() if row.id not in ids}
        self._version += 1

    def move(self) -> None:
        """Write all rows anew, as maintenance does."""
        self.put(*self.rows.values())

    def version(self) -> int:
        return self._version

    def addresses(self, owner_key: str) -> np.ndarray:
        there = np.array([address for address, row in self.rows.items() if row.owner_key == owner_key], dtype=np.uint64)
        self.on_addresses()
        return there

    def owned(self, owner_key: str) -> Iterator[pa.RecordBatch]:
        rows = {address: row for address, row in self.rows.items() if row.owner_key == owner_key}
        yield from self._table(rows).to_batches()

    def at(self, addresses: np.ndarray) -> pa.Table:
        return self._table({address: self.rows[address] for address in addresses.tolist() if address in self.rows})

    def _table(self, rows: dict[int, Row]) -> pa.Table:
        self.read += [row.id for row in rows.values()]
        return as_read(list(rows.values()), list(rows))
