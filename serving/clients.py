"""Helpers of every client of a memory: one owner, names of conversations, all pages of a list, and the wait for a new index."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mneme.errors import InputError, StoreUnavailable
from mneme.ids import lasting_name, make_id
from mneme.records import Owner, OwnerType

if TYPE_CHECKING:
    from queries import Memories
    from queries.browsing.responses import Memory


_KINDS: tuple[OwnerType, ...] = ("user", "group", "agent")


def one_owner(
    user_id: str | None,
    group_id: str | None,
    agent_id: str | None,
    tenant_id: str,
    called: tuple[str, str, str] = ("user_id", "group_id", "agent_id"),
) -> Owner:
    """The owner that exactly one of the ids names; ``called`` is what they are called where they were given.

    Raises:
        InputError: none is given, or several.
    """
    named = [(kind, name) for kind, name in zip(_KINDS, (user_id, group_id, agent_id), strict=True) if name]
    if len(named) != 1:
        raise InputError(f"give one of {called[0]}, {called[1]} and {called[2]}: it says whose memory is meant")
    [(kind, name)] = named
    return Owner(tenant_id=tenant_id, type=kind, id=name)


def conversation_name(begun_by: str, owner: Owner, *names: str) -> str:
    """The id of a conversation: who began it, whose it is, and its name.

    >>> conversation_name("mcp", Owner(tenant_id="default", type="user", id="mira"), "trip")
    'mcp:user:mira:trip'
    """
    return ":".join(lasting_name(make_id(part)).replace(":", "%3A") for part in (begun_by, owner.type, owner.id, *names))


_PAGE_SIZE = 200


def iterate_memories(memories: "Memories", kind: str, filters: Mapping[str, Any]) -> "Iterator[Memory]":
    """All memories of a kind that pass the filters, the newest first; a page is read when it is come to.

    Raises:
        InputError, StoreError: as ``Memories.browse``.
    """
    after: str | None = None
    while True:
        page = memories.browse(kind, filters, _PAGE_SIZE, after)
        yield from page.items
        after = page.next
        if after is None:
            return


_POLL_SECONDS = 0.1


def await_index(memories: "Memories", seconds: float) -> None:
    """Return as soon as there is an index to be asked.

    Raises:
        StoreUnavailable: there is none after so many seconds; it says why.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            memories.receipt("none")  # the least that can be asked
            return
        except StoreUnavailable:
            if time.monotonic() >= deadline:
                raise
        time.sleep(_POLL_SECONDS)
