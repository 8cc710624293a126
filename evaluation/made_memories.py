"""Memories of made-up people in any number, for benchmarks of speed: nothing is taken from any data set.

A few owners have most of it, as it is with people (Zipf 1949). What an owner was told lies in conversations, these in episodes
of eight messages about one thing, each message told by a fact, now and then with something expected; beside that the people
and things in a graph, and a portrait. A tenth of all is documents of the tenant. The same numbers give the same rows.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from mneme import ids
from mneme.records import (
    AtomicFact,
    Entity,
    Episode,
    Foresight,
    Mention,
    Owner,
    Position,
    Profile,
    ProfileItem,
    Relationship,
    StoredMessage,
)
from mneme.rows import Row, Vector, row_of

TENANT = "made"
_DOCUMENTS = Owner(tenant_id=TENANT, type="tenant", id=TENANT)
_START = datetime(2024, 1, 8, 9, tzinfo=UTC)
_MESSAGES = 8  # of an episode
_EPISODES = 5  # of a conversation
_DOCUMENT_SHARE = 0.1
_NOISE = 0.6  # length of what tells vectors of one theme apart: cosines of about .75 among them

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
    "because the neighbours were tired of it", "as the landlord had promised in spring", "although nobody believed in it",
    "since the old one was too heavy to carry", "and it cost far less than everybody had expected",
    "so that there is more time for the children", "after a long talk with the people at the office",
    "which took two weekends and a lot of patience", "before the weather turns cold again", "and will tell everybody on Monday",
)  # fmt: skip
PLACES = ("Bergen", "Lyon", "Kyoto", "Porto", "Gdansk", "Galway", "Trieste", "Quito", "Tartu", "Izmir", "Utrecht", "Leeds")

Embed = Callable[[Sequence[str]], Vector]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to one owner's memory."""

    user_id: str
    question: str


class MadeMemories:
    """``facts`` in all, of ``owners`` people.

    Args:
        embed: texts to vectors: one for each of some hundred themes, which rows then share but for a little noise.
    """

    def __init__(self, facts: int, owners: int, embed: Embed) -> None:
        weights = 1 / np.arange(1, owners + 1)
        own = round(facts * (1 - _DOCUMENT_SHARE))
        self.sizes = np.maximum(1, np.floor(own * weights / weights.sum())).astype(int)
        self.sizes[0] += own - self.sizes.sum()
        self._documents = facts - own
        themes = [(act, thing) for act in ACTS for thing in THINGS]
        self._themes = dict(zip(themes, embed([f"{act} the {thing}" for act, thing in themes]), strict=True))

    def __len__(self) -> int:
        """How many facts there are."""
        return int(self.sizes.sum()) + self._documents

    def rows(self) -> Iterator[Row]:
        """Everything that is remembered."""
        for number, size in enumerate(self.sizes):
            owner = Owner(tenant_id=TENANT, type="user", id=f"p{number}")
            yield from _Owned(owner, f"talk-{number}", self._themes, number).rows(int(size))
        yield from _Owned(_DOCUMENTS, "book", self._themes, len(self.sizes)).rows(self._documents)

    def questions(self, count: int, seed: int = 1) -> list[Asked]:
        """Questions to owners, the more the more they have; of all forms, and none twice in a row about the same."""
        drawn = random.Random(seed)
        owners = drawn.choices(range(len(self.sizes)), weights=self.sizes.tolist(), k=count)
        asked = []
        for owner in owners:
            name, thing, act = drawn.choice(NAMES), drawn.choice(THINGS), drawn.choice(ACTS)
            forms = (
                f"What did {name} say about the {thing}?",
                f"Who {act} the {thing} in {drawn.choice(PLACES)}?",
                f"When did {name} go to {drawn.choice(PLACES)} because of the {thing}?",
                f"How many times was the {thing} talked about?",
                f"Why does {name} think that the {thing} and the {drawn.choice(THINGS)} have to wait until the autumn?",
            )
            asked.append(Asked(f"p{owner}", drawn.choice(forms)))
        return asked


class _Owned:
    """What one owner remembers; ``conversation`` begins the names of its conversations."""

    def __init__(self, owner: Owner, conversation: str, themes: dict[tuple[str, str], Vector], seed: int) -> None:
        self._owner = owner
        self._conversation = conversation
        self._themes = themes
        self._drawn = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._people = self._drawn.sample(NAMES, 6)

    def rows(self, facts: int) -> Iterator[Row]:
        """Rows with so many facts among them."""
        mentions: dict[str, list[Mention]] = {}
        for first in range(0, facts, _MESSAGES):
            yield from self._episode(first, min(_MESSAGES, facts - first), mentions)
        yield from self._graph(mentions)
        yield self._portrait(mentions)

    def _episode(self, first: int, facts: int, mentions: dict[str, list[Mention]]) -> Iterator[Row]:
        number = first // _MESSAGES
        conversation = f"{self._conversation}-{number // _EPISODES}"
        begun = _START + timedelta(hours=7 * number)
        thing = self._drawn.choice(THINGS)
        identity = ids.episode_id(TENANT, conversation, int(begun.timestamp() * 1000), f"m{first}")
        said = [self._said(begun + timedelta(seconds=50 * at), thing) for at in range(facts)]
        for at, (moment, speaker, text, vector) in enumerate(said):
            caller = f"m{first + at}"
            yield row_of(self._message(conversation, caller, speaker, text, moment), vector)
            yield row_of(
                AtomicFact(
                    id=ids.fact_id(identity, at),
                    parent_episode_id=identity,
                    atomic_fact=f"{speaker} said: {text}",
                    topic_name=f"The {thing}",
                    message_ids=(caller,),
                    speakers=(speaker,),
                    said_at=moment,
                    event_at=moment.replace(hour=0, minute=0, second=0),
                    **self._of(conversation),
                ),
                vector,
                context=said[at - 1][2] if at else "",
            )
        moment, speaker, text, vector = said[-1]
        caller = f"m{first + facts - 1}"
        mentions.setdefault(thing, []).append(Mention(episode_id=identity, text=text, at=moment, message_ids=(caller,)))
        mentions.setdefault(speaker, []).append(Mention(episode_id=identity, text=text, at=moment, message_ids=(caller,)))
        if number % 4 == 0:
            yield row_of(
                Foresight(
                    id=ids.foresight_id(identity, 0),
                    parent_episode_id=identity,
                    statement=f"{speaker} will see to the {thing} in {self._drawn.choice(PLACES)}",
                    evidence=text,
                    message_ids=(caller,),
                    said_at=moment,
                    start=moment + timedelta(days=40),
                    **self._of(conversation),
                ),
                vector,
            )
        yield row_of(
            Episode(
                id=identity,
                subject=f"The {thing}",
                summary=" ".join(text for _, _, text, _ in said[:3]),
                episode=" ".join(f"{speaker} said: {text}" for _, speaker, text, _ in said),
                started_at=begun,
                ended_at=moment,
                participants=tuple(dict.fromkeys(speaker for _, speaker, _, _ in said)),
                message_ids=tuple(f"m{first + at}" for at in range(facts)),
                fact_ids=tuple(ids.fact_id(identity, at) for at in range(facts)),
                closed_by="boundary",
                extractor="local",
                **self._of(conversation),
            ),
            said[0][3],
        )

    def _said(self, moment: datetime, thing: str) -> tuple[datetime, str, str, Vector]:
        """When, by whom, what, and its vector."""
        act, speaker, place = self._drawn.choice(ACTS), self._drawn.choice(self._people), self._drawn.choice(PLACES)
        text = f"I heard that {self._drawn.choice(NAMES)} {act} the {thing} in {place} {self._drawn.choice(REASONS)}."
        noise = self._noise.normal(size=self._themes[act, thing].shape)
        vector = self._themes[act, thing] + _NOISE * noise / np.linalg.norm(noise)
        return moment, speaker, text, np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    def _message(self, conversation: str, caller: str, speaker: str, text: str, moment: datetime) -> StoredMessage:
        return StoredMessage(
            id=ids.message_id(TENANT, conversation, caller),
            message_id=caller,
            sender_id=speaker.lower(),
            sender_name=speaker,
            role="user",
            sent_at=moment,
            timezone="UTC",
            text=text,
            tokens=len(text) // 4,
            position=Position(topic="made", partition=0, offset=0),
            **self._of(conversation),
        )

    def _graph(self, mentions: dict[str, list[Mention]]) -> Iterator[Row]:
        for name, evidence in mentions.items():
            yield row_of(
                Entity(
                    id=ids.entity_id(self._owner.key, name),
                    name=name,
                    type="person" if name in NAMES else "thing",
                    summary=evidence[-1].text,
                    mentions=tuple(evidence[-20:]),
                    **self._of(None),
                )
            )
        for source in (name for name in mentions if name in NAMES):
            for target in (name for name in mentions if name not in NAMES):
                yield row_of(
                    Relationship(
                        id=ids.relationship_id(self._owner.key, source, "interested_in", target),
                        source=source,
                        relation="interested_in",
                        target=target,
                        date=mentions[target][0].at,
                        mentions=tuple(mentions[target][:1]),
                        **self._of(None),
                    )
                )

    def _portrait(self, mentions: dict[str, list[Mention]]) -> Row:
        lines = tuple(
            ProfileItem(about=self._people[0], statement=f"cares for the {thing}", category="interest", evidence=(evidence[0],))
            for thing, evidence in mentions.items()
            if thing not in NAMES
        )
        return row_of(Profile(id=ids.profile_id(self._owner.key), explicit=lines, **self._of(None)))

    def _of(self, conversation: str | None) -> dict[str, object]:
        is_document = self._owner.type == "tenant"
        return {
            "owner": self._owner,
            "conversation_id": None if is_document else conversation,
            "document_id": conversation if is_document else None,
            "created_at": _START,
            "version": 1,
        }
