"""Events of Mneme's own format (mneme/events/), as a list."""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Event, Given, complete
from connectors.files.exports.shape import Shape, first

_EVENT_KEYS = {"event", "conversation_id", "document_id"}
_CHAT_KEYS = {"messages", "chat_messages", "mapping", "conversation_list", "conversation"}


def is_event(item: Any) -> bool:
    """Whether parsed JSON is meant as one event of the event format."""
    return isinstance(item, dict) and bool(_EVENT_KEYS & item.keys()) and not _CHAT_KEYS & item.keys()


def _fits(data: Any) -> bool:
    return isinstance(data, list) and is_event(first(data))


def _read(data: Any, given: Given) -> Iterator[Event]:
    return (complete(event, given) for event in data)


EVENTS = Shape("a list of events", _fits, _read)
