"""A conversation in quarantine: a defect stopped it, and it rests until it is asked for again, while the others go on.

Its messages are stored, and found as they were said; none gets into an episode. When it is released, its open end is read
from the index like that of a conversation that had been forgotten (flows/conversations/resegment.py), so that only what
lies further back has to be noted meanwhile: messages that are late, and those that were edited or deleted.
"""

import json
from datetime import datetime

from flows.conversations.conversation import Conversation
from flows.conversations.rest import Resting, after_a_crash, rest
from flows.defects import end_of_traceback
from flows.items import Amended, Embedded
from mneme.ports import DeadLetter
from mneme.times import to_milliseconds

_UNTIL = "quarantined"  # the time of its last message, in milliseconds; a conversation has it only in quarantine


def quarantined(conversation: Conversation, waking: Resting | None) -> Resting:
    """What is kept of a conversation; ``waking`` as for ``rest``. Nothing it had decided counts: that may not be written."""
    times = [each.message.sent_at for each in (*conversation.open, *(held.utterance for held in conversation.held))]
    return after_a_crash(rest(conversation, waking)) | {
        "undecided": [],
        "episode": [],
        "forgotten": True,
        "touched": None,
        _UNTIL: to_milliseconds(max(times)) if times else None,
    }


def is_quarantined(resting: Resting) -> bool:
    """Whether a conversation at rest is in quarantine."""
    return _UNTIL in resting


def noted(resting: Resting, item: Embedded | Amended, now: datetime) -> Resting:
    """A conversation in quarantine after a message or a change of one came in."""
    message, until = item.utterance.message, resting[_UNTIL]
    if isinstance(item, Amended):
        return resting | {"changes": list(dict.fromkeys([*resting["changes"], message.message_id]))}
    if until is not None and to_milliseconds(message.sent_at) > until:
        return resting  # found in the index, behind all that was there
    return resting | {"held": [*resting["held"], [message.message_id, to_milliseconds(now)]]}


def released(resting: Resting, now: datetime) -> Resting:
    """A conversation that goes on."""
    return {name: value for name, value in resting.items() if name != _UNTIL} | {"touched": to_milliseconds(now)}


def quarantine_letter(lane: str, resting: Resting, error: BaseException, now: datetime) -> DeadLetter:
    """What tells of it. Its bytes name the conversation, so that it can be asked for again."""
    about = {"is": "conversation", "lane": lane, "owner": resting["owner"], "conversation": resting["conversation"]}
    return DeadLetter("segment", end_of_traceback(error), json.dumps(about).encode(), None, now)
