"""Events of the topics, validated by pydantic at the edge.

An event is a JSON object with ``schema`` (``"1.0"``), ``event`` and the fields of its class. Unknown fields are
ignored, so that a newer minor version passes; an unknown major version is refused. ``parse_event`` is the only
way in: whatever it refuses becomes a dead letter with the message of the ``InputError``. Everything has a largest size,
checked before what would cost more than its length: a hostile event is refused in the time it takes to read it.
"""

from mneme.events.base import SCHEMA as SCHEMA
from mneme.events.base import Name as Name
from mneme.events.documents import Document as Document
from mneme.events.documents import Erase as Erase
from mneme.events.documents import Forget as Forget
from mneme.events.documents import ForgetDocument as ForgetDocument
from mneme.events.messages import LONGEST_TEXT as LONGEST_TEXT
from mneme.events.messages import Correct as Correct
from mneme.events.messages import Delete as Delete
from mneme.events.messages import Edit as Edit
from mneme.events.messages import Flush as Flush
from mneme.events.messages import Message as Message
from mneme.events.messages import Part as Part
from mneme.events.messages import Retract as Retract
from mneme.events.parsing import DEEPEST as DEEPEST
from mneme.events.parsing import FURTHEST_FUTURE as FURTHEST_FUTURE
from mneme.events.parsing import LARGEST_EVENT_BYTES as LARGEST_EVENT_BYTES
from mneme.events.parsing import AnyEvent as AnyEvent
from mneme.events.parsing import describe as describe
from mneme.events.parsing import input_errors as input_errors
from mneme.events.parsing import named_within as named_within
from mneme.events.parsing import parse_event as parse_event
from mneme.events.parsing import plain_message as plain_message
from mneme.events.parsing import refuse_future as refuse_future
