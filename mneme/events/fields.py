"""Types of fields, with their largest sizes: checked before what would cost more than their length."""

from base64 import b64decode
from collections.abc import Sized
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

MOST_ENTRIES = 100  # parts, tool calls, or entries of metadata
_MOST_METADATA = 16_384  # characters of all keys and values


def few(entries: Any) -> Any:
    """A list or a mapping, unless it has too many entries."""
    if isinstance(entries, Sized) and not isinstance(entries, str) and len(entries) > MOST_ENTRIES:
        raise ValueError(f"has {len(entries)} entries; at most {MOST_ENTRIES} are taken")
    return entries


def _brief(metadata: dict[str, Any]) -> dict[str, Any]:
    text = "".join(f"{key}{value}" for key, value in metadata.items())
    if len(text) > _MOST_METADATA:
        raise ValueError(f"has {len(text)} characters; at most {_MOST_METADATA} are taken, put longer texts into content")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds a half of a character (a lone surrogate); write whole characters") from None
    return metadata


def _on_the_calendar(moment: datetime | None) -> datetime | None:
    if moment is not None and not 1 < moment.year < 9999:  # in another zone it would be in no year at all
        raise ValueError(f"is in the year {moment.year}; write when it was")
    return moment


def _decodable(data: str) -> str:
    try:
        b64decode(data, validate=True)
    except ValueError:
        raise ValueError("is not base64; encode the bytes with the standard alphabet") from None
    return data


Base64 = Annotated[str, AfterValidator(_decodable)]
Name = Annotated[str, Field(min_length=1, max_length=512)]
Label = Annotated[str, Field(max_length=512)]
MetadataField = Annotated[
    dict[str, str | int | float | bool], Field(max_length=MOST_ENTRIES), BeforeValidator(few), AfterValidator(_brief)
]
Moment = Annotated[datetime, AfterValidator(_on_the_calendar)]
