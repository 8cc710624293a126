"""A value as the words of a message and the rest of it, from which it comes back exactly."""

import json
from collections.abc import Mapping
from typing import Any

from mneme.errors import InputError
from mneme.events.messages import LONGEST_TEXT

KEY = "exact"  # of the metadata

_LONGEST_REST = 15_000  # characters beside the words: metadata has room for 16,384 of all keys and values
_WHOLE = ""  # in place of the rest: the words are the JSON


def pack(value: Any, words: str) -> tuple[str, str]:
    """The words to be remembered, and the rest of a value for the metadata.

    >>> pack({"role": "user", "content": "Good morning"}, "Good morning")
    ('Good morning', '[{"role":"user","content":null},[["content"]]]')

    Raises:
        InputError: the value is no JSON, or too large for a message.
    """
    try:
        places: list[list[str | int]] = []
        rest = json_text([_without_words(value, words, [], places), places])
        (words + rest).encode()  # half of a surrogate pair is no text
        if len(rest) <= _LONGEST_REST and words.strip() and len(words) <= LONGEST_TEXT:
            return words, rest
        whole = json_text(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"value: is not JSON ({type(error).__name__}); give texts, numbers, truth values, lists and objects"
        ) from error
    if len(whole) > LONGEST_TEXT:
        raise InputError(f"value: has {len(whole)} characters as JSON; at most {LONGEST_TEXT} are kept")
    return whole, _WHOLE


def unpack(words: str, metadata: Mapping[str, Any]) -> Any:
    """The value of a message.

    Raises:
        KeyError: somebody else wrote the message.
        ValueError: its words were JSON, and have been edited.
    """
    rest = str(metadata[KEY])
    if rest == _WHOLE:
        return json.loads(words)
    value, places = json.loads(rest)
    for place in places:
        value = _with_words(value, words, place)
    return value


def json_text(value: Any) -> str:
    """A value as JSON text, on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _without_words(value: Any, words: str, here: list[str | int], places: list[list[str | int]]) -> Any:
    """The value with null for each text that is the words; ``places`` are where they stood."""
    match value:
        case str() if value == words:
            places.append(here)
            return None
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise TypeError("keys of an object are texts")
            return {key: _without_words(each, words, [*here, key], places) for key, each in value.items()}
        case list() | tuple():
            return [_without_words(each, words, [*here, place], places) for place, each in enumerate(value)]
        case _:
            return value


def _with_words(value: Any, words: str, place: list[str | int]) -> Any:
    if not place:
        return words
    inner = value
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = words
    return value
