"""Rows by the thousand: read and written some at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex, Outcome, Put
from mneme.rows import Collection, Row

BATCH = 500  # rows of one write: some 3 MB with vectors

Item = TypeVar("Item")
OnProgress = Callable[[int, int], None]


def rows_in(index: MemoryIndex) -> dict[Collection, int]:
    """Count the rows of each collection, of all tenants."""
    return {collection: index.count(collection) for collection in Collection}


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in order, in lists of ``size``; the last one may be shorter. ``itertools.batched`` needs Python 3.12."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def put_all(rows: Sequence[Row], index: MemoryIndex, refusal: str, remedy: str = "") -> None:
    """Write rows in one bulk.

    Raises:
        StoreRejected: the index takes one of them not; ``refusal`` and ``remedy`` are for people.
        StoreUnavailable: the index does not answer.
    """
    for row, result in zip(rows, index.write([Put(row) for row in rows]), strict=True):
        if result.outcome is not Outcome.DONE:
            raise StoreRejected(f"{row.id}: {refusal} ({result.outcome} {result.reason}){remedy}")
