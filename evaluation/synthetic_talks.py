"""Conversations of made-up people, for benchmarks of speed. The same numbers give the same messages in every process.

``talk`` makes a talk of two people whose messages can each be found by a word of its own. ``copied`` gives a conversation again
under other names.
"""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from evaluation.synthetic_words import ACTS, NAMES, PLACES, REASONS, THINGS
from mneme.events import Message
from mneme.ids import short_hash

Event = dict[str, Any]

_NAMES = ("conversation_id", "user_id", "group_id", "agent_id")


def copied(event: Event, number: int) -> Event:
    """The event in another conversation of another owner; number 0 is the event itself."""
    return event if number == 0 else event | {name: f"{event[name]}-{number}" for name in _NAMES if event.get(name)}


def own_word(conversation: str, number: int) -> str:
    """A word that only this message of this conversation holds."""
    return f"zq{short_hash(f'{conversation}/{number}')}"


def message(conversation: str, user: str, number: int, sent_at: datetime, tenant: str = "default") -> Message:
    """A message of a talk between two people about one thing."""
    thing = random.Random(conversation).choice(THINGS)
    drawn = random.Random(f"{conversation}/{number}")
    name = NAMES[(number % 2) + 2 * (len(conversation) % 4)]
    text = (
        f"{drawn.choice(NAMES)} {drawn.choice(ACTS)} the {thing} in {drawn.choice(PLACES)} {drawn.choice(REASONS)}, "
        f"and the reference is {own_word(conversation, number)}."
    )
    return Message(
        tenant_id=tenant,
        conversation_id=conversation,
        user_id=user,
        message_id=f"m{number}",
        sender_id=name.lower(),
        sender_name=name,
        sent_at=sent_at,
        content=text,
    )


def talk(conversation: str, user: str, messages: int, ends_at: datetime, tenant: str = "default") -> Iterator[Message]:
    """So many messages, a few seconds apart, the last of them now."""
    for number in range(messages):
        yield message(conversation, user, number, ends_at - timedelta(seconds=5 * (messages - 1 - number)), tenant)
