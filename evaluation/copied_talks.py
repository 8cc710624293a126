"""Conversations again under other names, so that there is more of them than a file holds."""

from typing import Any

Event = dict[str, Any]

_NAMES = ("conversation_id", "user_id", "group_id", "agent_id")


def copied(event: Event, number: int) -> Event:
    """The event in another conversation of another owner; number 0 is the event itself."""
    return event if number == 0 else event | {name: f"{event[name]}-{number}" for name in _NAMES if event.get(name)}
