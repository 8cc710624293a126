"""Talks of made-up people, for benchmarks of speed. The same numbers give the same in every process.

``talk`` makes a talk of two people whose messages can each be found by a word of its own. ``copied`` gives a conversation
again under other names. ``synthetic_parts`` makes the parts of messages with their vectors: deeds that happen to things, and
details of 30,000 made-up words of Zipf's frequencies: few words occur everywhere and most hardly anywhere.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from mneme.events import Message
from mneme.ids import short_hash
from mneme.ports import Embedder, embeddings_of
from mneme.rows import Embedding

_WORDS = 30_000

NAMES = (
    "Mira", "Jonas", "Akiko", "Tomasz", "Leila", "Ruben", "Ingrid", "Omar", "Chiara", "Petra", "Dmitri", "Yara",
    "Hannah", "Luca", "Priya", "Mateo", "Sana", "Viktor", "Noor", "Elif", "Gareth", "Wanda", "Kofi", "Bente",
)  # fmt: skip
ACTS = (
    "repaired", "sold", "is looking for", "forgot about", "paid for", "was asked about", "painted", "wants to change",
    "complained about", "photographed", "wrote a letter about", "started to learn about",
)  # fmt: skip
THINGS = (
    "kitchen", "garden", "night train", "budget", "concert", "bicycle", "harbour", "printer", "library", "marathon", "recipe",
    "passport", "orchestra", "balcony", "deadline", "mountain hut", "dentist", "museum", "contract", "festival", "laptop",
    "vineyard", "ferry", "workshop", "allergy", "telescope", "apartment", "invoice", "painting", "football club", "novel",
    "airport", "greenhouse", "language course", "insurance", "sewing machine", "rowing boat", "bakery", "choir", "radio",
)  # fmt: skip
REASONS = (
    "because the neighbours were tired of the {0}", "as the landlord of {1} had promised in spring",
    "although nobody believed in the {0}", "since the old {0} was too heavy to carry to {1}",
    "and it cost far less than {1} had expected", "so that there is more time for the {0} and the children",
    "after a long talk with {1} about the {0}", "which took two weekends, a {0} and a lot of patience",
    "before the weather turns cold again at {1}", "and will tell {1} and everybody on Monday", "at the {0} in {place}",
    "with {1} from {place}, who keeps a {0}",
)  # fmt: skip
PLACES = ("Bergen", "Lyon", "Kyoto", "Porto", "Gdansk", "Galway", "Trieste", "Quito", "Tartu", "Izmir", "Utrecht", "Leeds")
_ONSETS = (*"bdfghjklmnprstvwz", "br", "dr", "gr", "kl", "st", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea")
_ENDS = ("", "n", "r", "l", "s", "t", "m", "k")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of what is said, with the embedding that it adds. ``name`` is somebody or something it names."""

    text: str
    embedding: Embedding
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of messages: ``deeds`` by thing, and ``details``."""

    deeds: dict[str, list[Part]]
    details: list[Part]


def synthetic_parts(embedder: Embedder, count: int) -> Parts:
    """All deeds, and so many details; the same for the same number.

    Args:
        embedder: what makes the vectors.
        count: how many details are made.
    """
    drawn = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        syllables = (drawn.choice(_ONSETS) + drawn.choice(_VOWELS) for _ in range(drawn.choice((2, 2, 3))))
        words["".join(syllables) + drawn.choice(_ENDS)] = None
    vocabulary, frequencies = list(words), list(accumulate(1 / (rank + 2.7) for rank in range(_WORDS)))
    names, details = [], []
    for _ in range(count):
        word, name = drawn.choices(vocabulary, cum_weights=frequencies, k=2)
        names.append(name.capitalize())
        details.append(drawn.choice(REASONS).format(word, names[-1], place=drawn.choice(PLACES)))
    deeds = [(thing, f"{act} the {thing}") for thing in THINGS for act in ACTS]
    by_thing: dict[str, list[Part]] = {thing: [] for thing in THINGS}
    for (thing, text), embedding in zip(deeds, embeddings_of(embedder, [text for _, text in deeds]), strict=True):
        by_thing[thing].append(Part(text, embedding))
    return Parts(
        by_thing,
        [
            Part(text, embedding, name if name in text else "")
            for text, name, embedding in zip(details, names, embeddings_of(embedder, details), strict=True)
        ],
    )


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
    deed = f"{drawn.choice(NAMES)} {drawn.choice(ACTS)} the {thing} in {drawn.choice(PLACES)}"
    reason = drawn.choice(REASONS).format(drawn.choice(THINGS), drawn.choice(NAMES), place=drawn.choice(PLACES))
    text = f"{deed} {reason}, and the reference is {own_word(conversation, number)}."
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
