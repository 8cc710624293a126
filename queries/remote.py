"""The memories of a running service: the same calls as in process, by HTTP (``Memories.connect(url=...)``).

Filters and limits are checked here as they are there, so that what is wrong is said without a request. What the service
refuses is raised as the error that it was there.
"""

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from functools import update_wrapper
from inspect import signature
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from connectors.service import NotThere, ServiceClient, quoted
from mneme.errors import InputError, StoreUnavailable
from mneme.times import utc_now
from queries.answers.answer import AnswerResponse, AnswerStream, ContextResponse
from queries.browsing.lists import all_rows, check_limit, place_of
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

Arguments = ParamSpec("Arguments")
Response = TypeVar("Response", bound=BaseModel)
Asked = TypeVar("Asked", bound=Callable[..., Any])
Method = Callable[Concatenate[Any, Arguments], Response]
"""A method of ``Memories``, or that of the same name and arguments which asks a service."""


def _of_service(
    verb: str, path: str, method: Method[Arguments, Response], response: type[Response], whole: str = ""
) -> Method[Arguments, Response]:
    """A method that asks a service, with its arguments as the body of ``POST`` or the query of ``GET``.

    What is made from everything of an owner, and has a name here (``whole``), takes the owner alone.
    """

    def ask(self: Any, /, *args: Any, **kwargs: Any) -> Response:
        asked = _arguments(method, self, *args, **kwargs)
        if verb == "POST":
            return _as(response, self._client.request(verb, path, json=asked))
        filters = asked.pop("filters")
        if whole:
            all_rows(Filters.parse(filters).scope(utc_now(), open_days=1), whole)
            filters = {name: value for name, value in filters.items() if name in _PLAIN}
        return _as(response, self._client.request(verb, path, params=_params(filters) | asked))

    return _like(method, ask)


def _like(method: Asked, remote: Callable[..., Any]) -> Asked:
    """A method that asks a service, with the name, the signature and the description of the one in process."""
    return cast("Asked", update_wrapper(remote, method))


def _arguments(method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name, those that were left out too, as JSON.

    Raises:
        InputError: an unknown filter, not exactly one owner, or no page of a list.
    """
    bound = signature(method).bind(*args, **kwargs)
    bound.apply_defaults()
    _, *named = bound.arguments.items()  # not of self
    asked: dict[str, Any] = to_jsonable_python({name: value for name, value in named if name != "filters"})
    if "after" in asked:
        check_limit(asked["limit"])
        place_of(asked["after"])
    return asked | {"filters": _filters(bound.arguments["filters"])}


def _filters(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filters that were given, as JSON. The tenant is the key's, unless it is among them.

    Raises:
        InputError: an unknown filter, or not exactly one owner.
    """
    checked = Filters.parse(given or {})
    return checked.model_dump(mode="json", include=checked.model_fields_set)


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

    search = _of_service("POST", "/memories/search", Memories.search, SearchResponse)
    context = _of_service("POST", "/memories/context", Memories.context, ContextResponse)
    ask = _of_service("POST", "/ask", Memories.ask, AnswerResponse)
    history = _of_service("GET", "/history", Memories.history, History)
    documents = _of_service("GET", "/documents", Memories.documents, DocumentList)
    conversations = _of_service("GET", "/conversations", Memories.conversations, ConversationPage)
    browse = _of_service("GET", "/memories", Memories.browse, MemoryPage)
    graph = _of_service("GET", "/graph", Memories.graph, Graph, "the graph")
    portrait = _of_service("GET", "/profile", Memories.portrait, Portrait, "a portrait")

    def _ask_stream(self, *args: Any, **kwargs: Any) -> AnswerStream:
        """The first piece is there on return."""
        asked = _arguments(Memories.ask_stream, self, *args, **kwargs) | {"stream": True}
        events = self._client.events("POST", "/ask", json=asked)
        return AnswerStream(_pieces(next(events, None), events))

    ask_stream = _like(Memories.ask_stream, _ask_stream)

    def gather(self, query: str, filters: Mapping[str, Any] | None = None, top_k: int | None = None) -> NoReturn:
        """
        Raises:
            InputError: always; it needs the index itself.
        """
        raise InputError("gather: a service does not tell what competes; open the index itself, without MNEME_SERVICE__URL")

    def inspect(self, conversation_id: str, filters: Mapping[str, Any] | None = None) -> Inspection | None:
        """See ``Memories.inspect``."""
        return self._one(Inspection, quoted("conversations", conversation_id), filters)

    def get(self, id: str, filters: Mapping[str, Any] | None = None) -> Memory | None:
        """See ``Memories.get``."""
        return self._one(Memory, quoted("memories", id), filters)

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

    def _one(self, kind: type[Response], path: str, filters: Mapping[str, Any] | None) -> Response | None:
        try:
            return _as(kind, self._client.request("GET", path, params=_params(_filters(filters))))
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


def _params(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Filters as parameters of a query: those that a URL has as they are, and the others as one JSON object."""
    further = {name: value for name, value in filters.items() if name not in _PLAIN}
    plain = {name: value for name, value in filters.items() if name in _PLAIN}
    return plain | ({"filters": json.dumps(further)} if further else {})


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
