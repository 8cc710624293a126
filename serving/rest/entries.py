"""How many entries the lists and objects of a request may have, looked at before anything asks what they are.

Pydantic looks at every entry of a tuple before it counts them, and tells of each that is wrong.
"""

from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError

from mneme.events.base import MOST_ENTRIES

__all__ = ["MOST_ENTRIES", "MOST_MESSAGES", "check_entries"]

MOST_MESSAGES = 1000  # or events, of a request; every other list and object has at most MOST_ENTRIES


def check_entries(given: Mapping[str, Any], most: Mapping[str, int]) -> None:
    """Refuse a list or an object with too many entries, before anything else looks at them.

    Args:
        given: a request, as JSON.
        most: entries of those of its fields that may have more, or fewer, than ``MOST_ENTRIES``.

    Raises:
        RequestValidationError: a list or an object has more than it may.
    """
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), given)]
    while waiting:
        place, value = waiting.pop()
        largest = most.get(str(place[0]), MOST_ENTRIES) if len(place) == 1 else MOST_ENTRIES
        if len(value) > largest:
            message = f"has {len(value)} entries; at most {largest} are taken"
            raise RequestValidationError([{"type": "too_long", "loc": ("body", *place), "msg": message}])
        entries = value.items() if isinstance(value, Mapping) else enumerate(value)
        waiting += [((*place, name), each) for name, each in entries if isinstance(each, Mapping | list | tuple)]
