"""Conversations of made-up people, for benchmarks of speed. The same numbers give the same messages in every process.

``talk`` makes a talk of two people whose messages can each be found by a word of its own. ``Talks`` makes conversations in any
number, out of nothing but their numbers, so that an index need not keep what can be made again; a conversation stays with a
subject for a while, as the vectors of its messages tell. ``copied`` gives a conversation again under other names.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from evaluation.synthetic_words import ACTS, NAMES, PLACES, REASONS, THINGS
from mneme.events import Message, parse_event
from mneme.ids import short_hash
from mneme.ports import Incoming
from mneme.records import Position, StoredMessage
from mneme.rows import Vector

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


VOLUME_TENANT = "volume"
DIMENSION = 384
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_PAUSE = timedelta(seconds=40)  # between messages of a conversation
_STAY = 7  # messages about one thing, before a longer pause
_LONGER_PAUSE = timedelta(hours=30)

_OPENINGS = ("I think", "Well,", "Do you know whether", "Yesterday", "Honestly,", "Yes,", "By the way,", "We heard that")
_PEOPLE = ("my sister", "the landlord", "our team", "a neighbour", "the teacher", "your cousin", "everybody", "nobody here")
_TIMES = ("before the weekend", "in the morning", "again", "as far as I remember", "last summer", "with a lot of patience")


@dataclass(frozen=True, slots=True)
class Talks:
    """``conversations`` one after the other, each with so many ``messages``."""

    conversations: int
    messages: int

    def place(self, index: int) -> tuple[int, int]:
        """The conversation of a message of the stream, and the message's number in it."""
        return divmod(index, self.messages)

    def incoming(self, index: int) -> Incoming:
        """A message of the stream as a source gives it."""
        conversation, number = self.place(index)
        return self.event(conversation, number)

    def event(self, conversation: int, number: int) -> Incoming:
        """A conversation's message as a source gives it."""
        name = f"p{conversation % 5000}"
        sent_at = sent_at_of(conversation, number)
        raw = json.dumps(
            {
                "event": "message",
                "tenant_id": VOLUME_TENANT,
                "conversation_id": f"c{conversation:07d}",
                "message_id": f"m{number:05d}-{_mixed(conversation << 20 | number) >> 24:010x}",  # as long as ids usually are
                "user_id": name,
                "sender_id": name if number % 2 else "other",
                "sender_name": name.upper() if number % 2 else "Other",
                "sent_at": sent_at.isoformat(),
                "content": text_of(conversation, number),
            }
        )
        position = Position(topic="volume", partition=0, offset=conversation * 100_000 + number)
        return Incoming(raw.encode(), position, sent_at)

    def message(self, conversation: int, number: int) -> StoredMessage:
        """A conversation's message as it is stored."""
        incoming = self.event(conversation, number)
        event = parse_event(incoming.raw, incoming.received_at)
        assert isinstance(event, Message)
        return event.stored(event.owner, incoming.position, sent_at_of(conversation, number), version=1)


def sent_at_of(conversation: int, number: int) -> datetime:
    """Return the time of a conversation's message."""
    return START + number * _PAUSE + _things_before(conversation, number) * _LONGER_PAUSE


def _things_before(conversation: int, number: int) -> int:
    """About how many things a conversation was before; not all change at the same time."""
    return (number + conversation % _STAY) // _STAY


def text_of(conversation: int, number: int) -> str:
    """Return the text of a message: about one thing for some messages."""
    mixed = _mixed(conversation * 1_000_003 + number)
    thing = THINGS[_mixed(conversation * 1_000_003 + _things_before(conversation, number)) % len(THINGS)]
    words = [group[mixed // 64**place % len(group)] for place, group in enumerate((_OPENINGS, _PEOPLE, ACTS, _TIMES))]
    return f"{words[0]} {words[1]} {words[2]} number {mixed % 97} {words[3]}, and that is about the {thing}"


def vectors_of_texts(texts: list[str]) -> Vector:
    """A vector for each text at the cost of a look-up: near for texts about the same thing."""
    rows = [_PLACES.get(text.rsplit(" ", 1)[-1], 0) * _SHADES + _mixed(len(text)) % _SHADES for text in texts]
    vectors: Vector = _VECTORS[rows]
    return vectors


def _mixed(number: int) -> int:
    """A number that looks drawn by lot (splitmix64)."""
    number = (number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return number ^ (number >> 31)


def _table() -> Vector:
    drawn = np.random.default_rng(7)
    things = drawn.normal(size=(len(THINGS), 1, DIMENSION))
    vectors = (things + drawn.normal(size=(len(THINGS), _SHADES, DIMENSION))).reshape(-1, DIMENSION)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


_SHADES = 64
_PLACES = {thing.rsplit(" ", 1)[-1]: place for place, thing in enumerate(THINGS)}
_VECTORS = _table()
