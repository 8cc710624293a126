"""Lists of memories from end to end, whatever the size of their pages."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from queries import Memories
    from queries.browsing.responses import Memory

_PAGE = 200


def all_of(memories: "Memories", kind: str, filters: Mapping[str, Any]) -> "Iterator[Memory]":
    """All memories of a kind that pass the filters, the newest first; a page is read when it is come to.

    Raises:
        InputError, StoreError: as ``Memories.browse``.
    """
    after: str | None = None
    while True:
        page = memories.browse(kind, filters, _PAGE, after)
        yield from page.items
        after = page.next
        if after is None:
            return
