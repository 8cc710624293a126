"""Rows by the thousand, read and written some at a time, and the end of what fills the next generation with them."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import TypeVar

from connectors.indices import open_generations, open_index
from flows.running.recovery import REBUILD, REINDEX, flows_stopped
from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex, Outcome, Put
from mneme.rows import Collection, Row
from mneme.settings import Settings
from mneme.store_format import FORMAT

BATCH = 500  # rows of one write: some 3 MB with vectors
TOPICS = "topics"  # the note in the index that a rebuild from them has begun to remove everything
MESSAGES = "messages"  # the note that one from the messages fills the next generation

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


def abandon(settings: Settings) -> bool:
    """Give up a move or a rebuild from messages that has not ended: the index stays as it is; whether there was one.

    Raises:
        StoreRejected: a flow runs, or a rebuild.
        SettingsError, StoreError: the index cannot be used.
    """
    folder = settings.data / "rebuild"
    with flows_stopped(settings), closing(open_generations(settings)) as generations:
        was_begun, noted = generations.abandon() or (folder / "begun.json").exists(), dict[str, str]()
        if generations.made_for()["format"] == str(FORMAT):  # of another format no flow of this version starts anyway
            with closing(open_index(settings)) as index:
                metadata = index.metadata()
                noted = {name: "" for name in (REINDEX, REBUILD) if metadata.get(name) and metadata[name] != TOPICS}
                index.set_metadata(noted)
    shutil.rmtree(folder, ignore_errors=True)
    return was_begun or bool(noted)
