"""What is worked at now: the ids that a log line, a metric or a span is about. Each thread and task has its own."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, TypeVar
from urllib.parse import unquote

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_CONVERSATION = 3  # its place in a scope

_ids: ContextVar[Mapping[str, str]] = ContextVar("mneme_ids", default={})  # noqa: B039  never changed, only replaced


@contextmanager
def about(**ids: str | None) -> Iterator[None]:
    """Name what the block works at: ``request_id``, ``tenant``, ``conversation``. Of nested blocks the inner one counts."""
    token = _ids.set({**_ids.get(), **{name: value for name, value in ids.items() if value is not None}})
    try:
        yield
    finally:
        _ids.reset(token)


def current_ids() -> Mapping[str, str]:
    """The ids of what is worked at now."""
    return _ids.get()


def ids_of(scope: str) -> Mapping[str, str]:
    """The ids that a scope of answers names: ``tenant/type/owner/conversation``, of which the owner is left out."""
    parts = [unquote(part) for part in scope.split("/")]
    named = {"tenant": parts[0], "conversation": parts[_CONVERSATION] if len(parts) > _CONVERSATION else ""}
    return {name: value for name, value in named.items() if value}


class ContextPool(ThreadPoolExecutor):
    """A pool whose threads work at what whoever submitted works at: the ids, and the span that theirs are children of."""

    def submit(
        self, call: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> "Future[Result]":
        """As of ``ThreadPoolExecutor``."""
        context: Any = copy_context()
        return super().submit(context.run, call, *args, **kwargs)
