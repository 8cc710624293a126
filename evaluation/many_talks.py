"""Conversations in any number, made of nothing but their numbers: what a benchmark of volume feeds the flow.

The same numbers give the same message in every process, so that an index need not keep what can be made again. Messages
are some twelve words long; a conversation stays with a subject for a while, as the vectors of its messages tell.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from mneme.events import Message, parse_event
from mneme.ports import Incoming
from mneme.records import Position, StoredMessage
from mneme.rows import Vector

TENANT = "volume"
DIMENSION = 384
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_PAUSE = timedelta(seconds=40)  # between messages of a conversation
_STAY = 7  # messages about one thing, before a longer pause
_LONGER_PAUSE = timedelta(hours=30)
_STRIDE = 7919  # a prime: neighbours in the stream are far apart, as conversations of many people are

_OPENINGS = ("I think", "Well,", "Do you know whether", "Yesterday", "Honestly,", "Yes,", "By the way,", "We heard that")
_PEOPLE = ("my sister", "the landlord", "our team", "a neighbour", "the teacher", "your cousin", "everybody", "nobody here")
_ACTS = ("talked about", "forgot", "wants to change", "is looking for", "paid for", "asked me about", "likes", "repaired")
_THINGS = (
    "kitchen", "garden", "train", "budget", "concert", "bicycle", "harbour", "printer", "library", "marathon", "recipe",
    "passport", "orchestra", "balcony", "deadline", "mountain", "dentist", "museum", "contract", "festival", "laptop",
    "vineyard", "ferry", "workshop", "allergy", "telescope", "apartment", "invoice", "painting", "football", "novel", "airport",
)  # fmt: skip
_TIMES = ("before the weekend", "in the morning", "again", "as far as I remember", "last summer", "with a lot of patience")


@dataclass(frozen=True, slots=True)
class Talks:
    """``conversations`` that go on side by side, or one after the other, each with ``at_once`` messages.

    The stream's ``index``-th message is the next one of some conversation.
    """

    conversations: int
    at_once: int = 0

    def place(self, index: int) -> tuple[int, int]:
        """The conversation of a message of the stream, and the message's number in it."""
        if self.at_once:
            return divmod(index, self.at_once)
        number, at = divmod(index, self.conversations)
        return at * _STRIDE % self.conversations, number

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
                "tenant_id": TENANT,
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
    """When a conversation's message was sent."""
    return START + number * _PAUSE + _things_before(conversation, number) * _LONGER_PAUSE


def _things_before(conversation: int, number: int) -> int:
    """About how many things a conversation was before; not all change at the same time."""
    return (number + conversation % _STAY) // _STAY


def text_of(conversation: int, number: int) -> str:
    """What is said: about one thing for some messages."""
    mixed = _mixed(conversation * 1_000_003 + number)
    thing = _THINGS[_mixed(conversation * 1_000_003 + _things_before(conversation, number)) % len(_THINGS)]
    words = [group[mixed // 64**place % len(group)] for place, group in enumerate((_OPENINGS, _PEOPLE, _ACTS, _TIMES))]
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
    things = drawn.normal(size=(len(_THINGS), 1, DIMENSION))
    vectors = (things + drawn.normal(size=(len(_THINGS), _SHADES, DIMENSION))).reshape(-1, DIMENSION)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


_SHADES = 64
_PLACES = {thing: place for place, thing in enumerate(_THINGS)}
_VECTORS = _table()
