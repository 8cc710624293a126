"""The memories of a running service: the same calls as in process, by HTTP (``Memories.connect(url=...)``).

Filters and limits are checked here as they are there, so that what is wrong is said without a request. What the service
refuses is raised as the error that it was there.
"""

import json
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from connectors.service import NotThere, ServiceClient, quoted
from mneme.errors import InputError, StoreUnavailable
from queries.agents.query import QueryPolicy
from queries.answers.answer import AnswerResponse, AnswerStream, ContextResponse
from queries.answers.followup import Turns
from queries.browsing.lists import check_limit, place_of
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
from queries.memories import Memories
from queries.responses import Graph, SearchResponse

_PLAIN = ("user_id", "group_id", "agent_id", "tenant_id")  # of the filters, that a URL has as they are
_LONGEST_WAIT_SECONDS = 30.0  # that one request asks the service to wait

Response = TypeVar("Response", bound=BaseModel)


class RemoteMemories(Memories):
    """The memories of a running service. Safe for several threads; a context manager.

    Its clock says when a question is asked, and its settings hold. ``gather`` is for an index in this process only.

    >>> with Memories.connect(url="http://127.0.0.1:8765") as memories:  # doctest: +SKIP
    ...     memories.search("what did we decide?", filters={"user_id": "user_123"}).facts
    """

    def __init__(self, client: ServiceClient) -> None:
        """Nothing is asked before the first call.

        Args:
            client: of the service; it is closed with this.
        """
        self._client = client

    def search(
        self,
        query: str,
        method: str = "hybrid",
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        explain: bool = False,
        *,
        agent: str | None = None,
        agent_mode: bool = False,
        policy: QueryPolicy | None = None,
        expand_context: int = 0,
        order: str = "score",
    ) -> SearchResponse:
        """See ``Memories.search``."""
        asked = {
            "query": query,
            "method": method,
            "filters": _filters(filters),
            "top_k": top_k,
            "explain": explain,
            "agent": agent,
            "agent_mode": agent_mode,
            "policy": policy and asdict(policy),
            "expand_context": expand_context,
            "order": order,
        }
        return _as(SearchResponse, self._client.request("POST", "/memories/search", json=asked, repeatable=True))

    def context(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        max_tokens: int = 1500,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
    ) -> ContextResponse:
        """See ``Memories.context``."""
        asked = {
            "question": question,
            "filters": _filters(filters),
            "max_tokens": max_tokens,
            "method": method,
            "agent": agent,
            "top_k": top_k,
        }
        return _as(ContextResponse, self._client.request("POST", "/memories/context", json=asked, repeatable=True))

    def ask(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
        history: Turns = (),
        explain: bool = False,
    ) -> AnswerResponse:
        """See ``Memories.ask``."""
        asked = _question(question, filters, method, agent, top_k, history, explain)
        return _as(AnswerResponse, self._client.request("POST", "/ask", json=asked, repeatable=True))

    def ask_stream(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
        history: Turns = (),
        explain: bool = False,
    ) -> AnswerStream:
        """See ``Memories.ask_stream``. The first piece is there on return."""
        asked = _question(question, filters, method, agent, top_k, history, explain) | {"stream": True}
        events = self._client.events("POST", "/ask", json=asked)
        return AnswerStream(_pieces(next(events, None), events))

    def gather(self, query: str, filters: Mapping[str, Any] | None = None, top_k: int | None = None) -> NoReturn:
        """
        Raises:
            InputError: always; it needs the index itself.
        """
        raise InputError("gather: a service does not tell what competes; open the index itself, without MNEME_SERVICE__URL")

    def history(self, entity: str, filters: Mapping[str, Any] | None = None) -> History:
        """See ``Memories.history``."""
        return _as(History, self._asked("/history", filters, entity=entity))

    def inspect(self, conversation_id: str, filters: Mapping[str, Any] | None = None) -> Inspection | None:
        """See ``Memories.inspect``."""
        return self._one(Inspection, quoted("conversations", conversation_id), filters)

    def documents(self, filters: Mapping[str, Any] | None = None) -> DocumentList:
        """See ``Memories.documents``."""
        return _as(DocumentList, self._asked("/documents", filters))

    def conversations(
        self, filters: Mapping[str, Any] | None = None, limit: int = 50, after: str | None = None
    ) -> ConversationPage:
        """See ``Memories.conversations``."""
        _check_page(limit, after)
        return _as(ConversationPage, self._asked("/conversations", filters, limit=limit, after=after))

    def browse(
        self,
        kind: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> MemoryPage:
        """See ``Memories.browse``."""
        _check_page(limit, after)
        return _as(MemoryPage, self._asked("/memories", filters, kind=kind, limit=limit, after=after))

    def get(self, id: str, filters: Mapping[str, Any] | None = None) -> Memory | None:
        """See ``Memories.get``."""
        return self._one(Memory, quoted("memories", id), filters)

    def graph(
        self,
        entity: str | None = None,
        filters: Mapping[str, Any] | None = None,
        hops: int = 1,
        limit: int = 50,
    ) -> Graph:
        """See ``Memories.graph``."""
        return _as(Graph, self._asked("/graph", filters, entity=entity, hops=hops, limit=limit))

    def portrait(self, filters: Mapping[str, Any] | None = None) -> Portrait:
        """See ``Memories.portrait``."""
        return _as(Portrait, self._asked("/profile", filters))

    def owners(self, tenant_id: str | None = None) -> tuple[OwnerSummary, ...]:
        """See ``Memories.owners``."""
        answer = self._client.request("GET", "/owners", params={"tenant_id": tenant_id})
        return _as(_Owners, answer).items

    def wait_for_flush(self, flush_id: str, tenant_id: str | None = None, timeout: float = 60.0) -> bool:
        """See ``Memories.wait_for_flush``."""
        waits = self._waits(quoted("flushes", flush_id), tenant_id, timeout)
        return any(_as(_Flushed, answer).searchable for answer in waits)

    def receipt(self, erasure_id: str, tenant_id: str | None = None, timeout: float = 0.0) -> Receipt | None:
        """See ``Memories.receipt``."""
        waits = self._waits(quoted("erasures", erasure_id), tenant_id, timeout)
        for answer in waits:
            erased = _as(_Erased, answer)
            if erased.receipt is not None and erased.erased_at is not None:
                return Receipt(erased_at=erased.erased_at, removed=erased.receipt)
        return None

    def close(self) -> None:
        """Release the connections."""
        self._client.close()

    def _asked(self, path: str, filters: Mapping[str, Any] | None, **params: Any) -> Any:
        return self._client.request("GET", path, params=_params(filters) | params)

    def _one(self, kind: type[Response], path: str, filters: Mapping[str, Any] | None) -> Response | None:
        try:
            return _as(kind, self._asked(path, filters))
        except NotThere:
            return None

    def _waits(self, path: str, tenant_id: str | None, timeout: float) -> Iterator[Any]:
        """The answers of the service, again and again until the timeout; it waits itself each time."""
        end = time.monotonic() + timeout
        while True:
            wait = min(max(end - time.monotonic(), 0.0), _LONGEST_WAIT_SECONDS)
            yield self._client.request("GET", path, params={"tenant_id": tenant_id, "wait": wait}, wait_seconds=wait)
            if time.monotonic() >= end:
                return


class _Owners(BaseModel):
    items: tuple[OwnerSummary, ...]


class _Flushed(BaseModel):
    searchable: bool


class _Erased(BaseModel):
    receipt: dict[str, int] | None
    erased_at: datetime | None


def _pieces(first: tuple[str, Any] | None, events: Iterator[tuple[str, Any]]) -> Generator[str, None, AnswerResponse]:
    """The pieces of an answer, then the whole."""
    event = first
    with closing(events):  # type: ignore[type-var]  # a generator, whose end ends the connection
        while event is not None:
            name, answer = event
            if name == "answer":
                return _as(AnswerResponse, answer)
            if name == "piece":
                yield str(answer["text"])
            event = next(events, None)
    raise StoreUnavailable("the service broke off within an answer; ask again")


def _question(
    question: str,
    filters: Mapping[str, Any] | None,
    method: str,
    agent: str | None,
    top_k: int | None,
    history: Turns,
    explain: bool,
) -> dict[str, Any]:
    return {
        "question": question,
        "filters": _filters(filters),
        "method": method,
        "agent": agent,
        "top_k": top_k,
        "history": [list(turn) for turn in history],
        "explain": explain,
    }


def _filters(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filters that were given, as JSON. The tenant is the key's, unless it is among them.

    Raises:
        InputError: an unknown filter, or not exactly one owner.
    """
    checked = Filters.parse(given or {})
    return checked.model_dump(mode="json", include=checked.model_fields_set)


def _params(given: Mapping[str, Any] | None) -> dict[str, Any]:
    filters = _filters(given)
    further = {name: value for name, value in filters.items() if name not in _PLAIN}
    plain = {name: value for name, value in filters.items() if name in _PLAIN}
    return plain | ({"filters": json.dumps(further)} if further else {})


def _check_page(limit: int, after: str | None) -> None:
    check_limit(limit)
    place_of(after)


def _as(kind: type[Response], answer: Any) -> Response:
    """
    Raises:
        StoreUnavailable: the service told something else.
    """
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        raise StoreUnavailable(
            f"the service answers with something else than a {kind.__name__} ({error.error_count()} differences); "
            "is it of the same version as this program?"
        ) from error
