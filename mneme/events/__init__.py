"""Events of the topics, validated by pydantic at the edge.

An event is a JSON object with ``schema`` (``"1.0"``), ``event`` and the fields of its class. Unknown fields are
ignored, so that a newer minor version passes; an unknown major version is refused. ``parse_event`` is the only
way in: whatever it refuses becomes a dead letter with the message of the ``InputError``. Everything has a largest size,
checked before what would cost more than its length: a hostile event is refused in the time it takes to read it.
"""

from mneme.events.base import SCHEMA, Name
from mneme.events.documents import Document, Erase, Forget, ForgetDocument
from mneme.events.messages import LONGEST_TEXT, Correct, Delete, Edit, Flush, Message, Part, Retract
from mneme.events.parsing import DEEPEST, FURTHEST_FUTURE, LARGEST_EVENT_BYTES, AnyEvent, describe, parse_event, refuse_future

__all__ = [
    "DEEPEST",
    "FURTHEST_FUTURE",
    "LARGEST_EVENT_BYTES",
    "LONGEST_TEXT",
    "SCHEMA",
    "AnyEvent",
    "Correct",
    "Delete",
    "Document",
    "Edit",
    "Erase",
    "Flush",
    "Forget",
    "ForgetDocument",
    "Message",
    "Name",
    "Part",
    "Retract",
    "describe",
    "parse_event",
    "refuse_future",
]
