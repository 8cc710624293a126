"""JSON for others to read: fast where it can be, and for whatever Python's own encoder knows."""

import json
from typing import Any

import orjson


def encoded(value: Any) -> bytes:
    """JSON in UTF-8.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # a surrogate, or an integer of more than 64 bits, which it does not know
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
