"""Forms of exported JSON: how each is recognised, and read as events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from connectors.files.chat_events import Event, Given


@dataclass(frozen=True, slots=True)
class Shape:
    """A form of chat or of memories: how it is recognised in parsed JSON, and read as events."""

    name: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Given], Iterator[Event]]


def listed(data: Any) -> list[Any]:
    """Several, where a file may hold one alone."""
    return data if isinstance(data, list) else [data]


def first(data: Any) -> Any:
    """The first of several, or what is there alone: it tells the form of all."""
    return data[0] if isinstance(data, list) and data else data
