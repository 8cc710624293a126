"""Memories read without a question: a history, conversations, documents, lists, the graph, a portrait, owners, receipts."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from mneme.errors import StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.receipts import erasure_receipt, flush_marker
from mneme.rows import Row
from mneme.times import utc_now
from queries.browsing.graph import read_graph
from queries.browsing.history import read_history, read_portrait
from queries.browsing.inspection import read_inspection
from queries.browsing.lists import read_conversations, read_documents, read_memories, read_memory, read_owners
from queries.browsing.responses import (
    ConversationPage,
    DocumentList,
    History,
    Inspection,
    Memory,
    MemoryPage,
    OwnerSummary,
    Portrait,
    Receipt,
)
from queries.filtering.filters import Filters
from queries.filtering.scope import Scope
from queries.responses import Graph

_TENANT = "default"
_FIRST_SECONDS, _LONGEST_SECONDS = 0.02, 0.5  # between two looks


class MemoryReader:
    """Reads memories from an index. May be used from several threads."""

    def __init__(self, index: MemoryIndex, clock: Callable[[], datetime], open_foresight_days: int) -> None:
        """Prepare, without asking.

        Args:
            index: holds the memories.
            clock: the moment at which they are read.
            open_foresight_days: how long a foresight without a date is expected.
        """
        self._index = index
        self._clock = clock
        self._open_foresight_days = open_foresight_days

    def history(self, entity: str, filters: Mapping[str, Any] | None = None) -> History:
        """Everything that is remembered about a person or a thing, in the order in which it happened, with its validity.

        Args:
            entity: its name, or a part of it that means nobody else.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: a name without a word, an unknown filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> anton = memories.history("Anton", {"user_id": "nadia"})
        >>> sorted({(each.target, each.valid_to is None) for each in anton.relationships if each.relation == "works_at"})
        [('Brightwater', False), ('Lumen Robotics', True)]
        """
        return read_history(self._index, self._scope(filters), entity)

    def inspect(self, conversation_id: str, filters: Mapping[str, Any] | None = None) -> Inspection | None:
        """A conversation or a document episode by episode, with everything that was made from it; None if there is none.

        Args:
            conversation_id: its id, or the id or the file name of a document.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: an unknown filter, not exactly one owner, or ``as_of``.
            StoreError: the index cannot answer.

        >>> [len(episode.messages) for episode in memories.inspect("nadia-and-isla", {"user_id": "nadia"}).episodes]
        [14]
        """
        return read_inspection(self._index, self._scope(filters), conversation_id)

    def documents(self, filters: Mapping[str, Any] | None = None) -> DocumentList:
        """The documents and attachments of an owner, and the tenant's: what each is, and what of it was read.

        Args:
            filters: see ``queries.filtering.filters.Filters``; ``since`` and ``before`` are about the dates of documents.

        Raises:
            InputError: an unknown filter, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> memories.documents({"user_id": "nadia"}).documents
        ()
        """
        return read_documents(self._index, self._scope(filters))

    def conversations(
        self, filters: Mapping[str, Any] | None = None, limit: int = 50, after: str | None = None
    ) -> ConversationPage:
        """The conversations of an owner, the one with the latest message first.

        Args:
            filters: whose, and which part of them; with ``since``, ``before``, ``participants`` or ``metadata`` those that have
                such messages.
            limit: how many at most, from 1 to 200.
            after: the ``next`` of the page before.

        Raises:
            InputError: an unknown filter or cursor, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> page = memories.conversations({"user_id": "nadia"}, limit=2)
        >>> [(each.conversation_id, each.messages, each.participants) for each in page.items]
        [('nadia-and-marek', 12, ('Marek', 'Nadia')), ('nadia-and-isla', 14, ('Isla', 'Nadia'))]
        >>> [each.conversation_id for each in memories.conversations({"user_id": "nadia"}, limit=2, after=page.next).items]
        ['nadia-and-ruben']
        """
        return read_conversations(self._index, self._scope(filters), limit, after)

    def browse(
        self, kind: str | None = None, filters: Mapping[str, Any] | None = None, limit: int = 50, after: str | None = None
    ) -> MemoryPage:
        """The memories of an owner, the newest first.

        Args:
            kind: ``message``, ``episode``, ``fact``, ``foresight``, ``profile``, ``case``, ``skill``, ``entity``,
                ``relationship``, or ``knowledge``, which is the tenant's; None: everything that is the owner's own.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.
            limit: how many at most, from 1 to 200.
            after: the ``next`` of the page before.

        Raises:
            InputError: an unknown kind, filter or cursor, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> memories.browse("message", {"user_id": "nadia"}, limit=1).items[0].text
        'Everybody does, Marek. See you on Thursday.'
        """
        return read_memories(self._index, self._scope(filters), kind, limit, after)

    def get(self, id: str, filters: Mapping[str, Any] | None = None) -> Memory | None:
        """The memory with an id, as it was found, listed or cited; None if there is none in this owner's memory.

        Args:
            id: of a memory of any kind.
            filters: whose memory it is in.

        Raises:
            InputError: an unknown filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> memories.get("default/nadia-and-ruben/acme-004", {"user_id": "nadia"}).text
        'No, I was on the train from Leipzig all morning. What happened?'
        """
        return read_memory(self._index, self._scope(filters), id)

    def graph(
        self, entity: str | None = None, filters: Mapping[str, Any] | None = None, hops: int = 1, limit: int = 50
    ) -> Graph:
        """People, things and what is between them: around a name, or those that are spoken of most.

        Args:
            entity: its name, or a part of it that means nobody else; None: those that are spoken of most.
            filters: whose memory.
            hops: how many relationships away from the name, from 0 to 3.
            limit: how many entities at most, from 1 to 200.

        Raises:
            InputError: a wrong name, number or filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> [(each.source, each.relation, each.target) for each in memories.graph("Clara", {"user_id": "nadia"}).relationships]
        [('Anton Reyes', 'married_to', 'Clara Novak'), ('Clara Novak', 'ceo_of', 'Acme')]
        """
        return read_graph(self._index, self._scope(filters), entity, hops, limit)

    def portrait(self, filters: Mapping[str, Any] | None = None) -> Portrait:
        """The profile of an owner: each line with its evidence, and the facts that changed.

        Args:
            filters: whose memory.

        Raises:
            InputError: an unknown filter, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> line = memories.portrait({"user_id": "nadia"}).lines[0]
        >>> line.about, line.category
        ('Clara Novak', 'work')
        """
        return read_portrait(self._index, self._scope(filters))

    def owners(self, tenant_id: str | None = None) -> tuple[OwnerSummary, ...]:
        """The owners of a tenant's memories, the owner of the latest message first; at most 1,000.

        Args:
            tenant_id: None is ``default``, of a service that of the key.

        Raises:
            StoreError: the index cannot answer.

        >>> [(each.type, each.id, each.messages) for each in memories.owners()]
        [('user', 'nadia', 38)]
        """
        return read_owners(self._index, tenant_id or _TENANT)

    def wait_for_flush(self, flush_id: str, tenant_id: str | None = None, timeout: float = 60.0) -> bool:
        """Wait until everything that was sent before a flush can be searched; whether it can.

        Args:
            flush_id: of the ``mneme.Flush`` that was sent.
            tenant_id: None is ``default``, of a service that of the key.
            timeout: seconds.

        Raises:
            StoreError: the index cannot answer.
        """
        return _awaited(self._index, flush_marker(tenant_id or _TENANT, flush_id, utc_now()), timeout) is not None

    def receipt(self, erasure_id: str, tenant_id: str | None = None, timeout: float = 0.0) -> Receipt | None:
        """The receipt of an erasure, once nothing is left; None if that is not in time.

        Args:
            erasure_id: of the event that was sent.
            tenant_id: None is ``default``, of a service that of the key.
            timeout: seconds.

        Raises:
            StoreError: the index cannot answer.
        """
        row = _awaited(self._index, erasure_receipt(tenant_id or _TENANT, erasure_id, utc_now(), {}), timeout)
        if row is None:
            return None
        return Receipt(erased_at=datetime.fromisoformat(row.body["erased_at"]), removed=row.body["removed"])

    def _scope(self, filters: Mapping[str, Any] | None) -> Scope:
        """
        Raises:
            InputError: an unknown filter, or not exactly one owner.
        """
        return Filters.parse(filters or {}).scope(self._clock(), self._open_foresight_days)


def _awaited(index: MemoryIndex, awaited: Row, timeout: float) -> Row | None:
    """The row under a key, as soon as it is there; None after the timeout."""
    end = time.monotonic() + timeout
    pause = _FIRST_SECONDS
    while True:
        row, left = None, end - time.monotonic()
        try:
            row = index.get([awaited.key]).get(awaited.key)
        except StoreUnavailable:  # the flow may have still to make the index
            if left <= 0:
                raise
        if row is not None or left <= 0:
            return row
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_SECONDS)
