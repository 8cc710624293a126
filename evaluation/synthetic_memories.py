"""Memories of made-up people in any number, for benchmarks of speed: nothing is taken from any data set.

A few owners have most of it, as it is with people (Zipf 1949). What an owner was told lies in conversations, these in episodes
of eight messages about one thing, each message told by a fact, now and then with something expected; beside that the people
and things in a graph, and a portrait. A tenth of all is documents of the tenants. The same numbers give the same rows.

A message says what happened to a thing and one to four details (evaluation/synthetic_talks.py). Its vector is the sum of
those of its parts, from the embedder, and a little noise. So neighbours are as near and as many as among real messages: the
local intrinsic dimension (Levina and Bickel 2004) of 100,000 is 17, that of LoCoMo's messages 16. The vectors of its tokens are
those of its parts.
"""

import heapq
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.synthetic_talks import ACTS, NAMES, PLACES, THINGS, Parts, synthetic_parts
from mneme import ids
from mneme.ports import Embedder
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
from mneme.rows import Embedding, Row, Vector, row_of

TENANT = "made"
_START = datetime(2024, 1, 8, 9, tzinfo=UTC)
_MESSAGES = 8  # of an episode
_EPISODES = 5  # of a conversation
_DOCUMENT_SHARE = 0.1
_DETAIL_WEIGHTS = (0.7, 0.4, 0.25, 0.2)  # in the vector of a message, whose deed has 1
_DETAILS = (1, 1, 2, 2, 2, 3, 4)  # of a message, each as often as it is here
_NOWHERE = Position(topic="made", partition=0, offset=0)
_NOISE = 0.25  # length of what tells vectors of equal messages apart


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to one owner's memory."""

    user_id: str
    question: str
    tenant_id: str = TENANT

    @property
    def filters(self) -> dict[str, str]:
        """The owner whose memory is searched."""
        return {"user_id": self.user_id, "tenant_id": self.tenant_id}


class SyntheticMemories:
    """``facts`` in all, of ``owners`` people.

    Args:
        facts: documents included.
        owners: the n-th has 1/n of what the first has.
        embedder: makes the vectors of each deed, and of up to 3,000 details.
        tenants: owners are dealt out among them in turn, documents in proportion to their owners' facts.
    """

    def __init__(self, facts: int, owners: int, embedder: Embedder, tenants: int = 1) -> None:
        own = round(facts * (1 - _DOCUMENT_SHARE))
        self.sizes = _shared_out(own, 1 / np.arange(1, owners + 1))
        self._tenants = min(tenants, owners)
        held = np.array([self.sizes[tenant :: self._tenants].sum() for tenant in range(self._tenants)])
        self.document_sizes = _shared_out(facts - own, held)
        self._parts = synthetic_parts(embedder, min(3000, max(100, facts // 20)))

    def __len__(self) -> int:
        """The number of facts."""
        return int(self.sizes.sum() + self.document_sizes.sum())

    def rows(self) -> Iterator[Row]:
        """Everything that is remembered, in the order it is told: everybody tells all the time, episode by episode."""
        owners = range(len(self.sizes) + len(self.document_sizes))
        for _, _, rows in heapq.merge(*map(self._over_time, owners)):
            yield from rows

    def rows_of(self, owner: int) -> Iterator[Row]:
        """Yield the rows of the owner with this number; behind the people the tenants follow, each with its documents."""
        for _, _, rows in self._over_time(owner):
            yield from rows

    def _over_time(self, owner: int) -> Iterator[tuple[float, int, list[Row]]]:
        """Yield an owner's parts, each with its time from 0 to 1."""
        people = len(self.sizes)
        tenant = self.tenant_of(owner if owner < people else owner - people)
        if owner < people:
            size = int(self.sizes[owner])
            owned = _Owned(Owner(tenant_id=tenant, type="user", id=f"p{owner}"), f"talk-{owner}", self._parts, owner)
        else:
            size = int(self.document_sizes[owner - people])
            owned = _Owned(Owner(tenant_id=tenant, type="tenant", id=tenant), "book", self._parts, owner)
        parts = -(-size // _MESSAGES) + 1
        for number, rows in enumerate(owned.parts(size)):
            yield (number + 0.5) / parts, owner, rows

    def tenant_of(self, owner: int) -> str:
        """The tenant of the owner with this number."""
        tenant = owner % self._tenants
        return f"{TENANT}-{tenant}" if tenant else TENANT

    def documents_of(self, owner: int) -> int:
        """The number under which ``rows_of`` knows the documents of an owner's tenant."""
        return len(self.sizes) + owner % self._tenants

    def questions(self, count: int, seed: int = 1, owner: int | None = None) -> list[Asked]:
        """Questions of all forms, to one owner, or to owners the more the more they have."""
        drawn = random.Random(seed)
        everybody = range(len(self.sizes))
        owners = drawn.choices(everybody, weights=self.sizes.tolist(), k=count) if owner is None else [owner] * count
        asked = []
        for number in owners:
            name, thing, act = drawn.choice(NAMES), drawn.choice(THINGS), drawn.choice(ACTS)
            detail = drawn.choice(self._parts.details).text
            forms = (
                f"What did {name} say about the {thing}?",
                f"Who {act} the {thing} {detail}?",
                f"When did {name} go to {drawn.choice(PLACES)} because of the {thing}?",
                f"How many times was the {thing} talked about?",
                f"Why does {name} think that the {thing} and the {drawn.choice(THINGS)} have to wait until the autumn?",
            )
            asked.append(Asked(f"p{number}", drawn.choice(forms), self.tenant_of(number)))
        return asked


def _shared_out(amount: int, weights: npt.NDArray[Any]) -> npt.NDArray[np.int_]:
    """Shares of an amount in proportion to weights, each at least one; the first takes what is left."""
    shares: npt.NDArray[np.int_] = np.maximum(1, np.floor(amount * weights / weights.sum())).astype(int)
    shares[0] += amount - shares.sum()
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A message, which a fact tells of. ``name`` is what one of its details names."""

    caller_id: str
    at: datetime
    speaker: str
    text: str
    embedding: Embedding
    name: str


class _Owned:
    """The memories of one owner; ``conversation`` begins the names of its conversations."""

    def __init__(self, owner: Owner, conversation: str, parts: Parts, seed: int) -> None:
        self._owner = owner
        self._conversation = conversation
        self._parts = parts
        self._drawn = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._people = self._drawn.sample(NAMES, 6)
        self._things = list(parts.deeds)
        self._common: dict[str, Any] = {"owner": owner, "created_at": _START, "version": 1}

    def parts(self, facts: int) -> Iterator[list[Row]]:
        """Rows with so many facts among them: episode by episode, then what follows from all of them."""
        mentions: dict[str, list[Mention]] = {}
        for first in range(0, facts, _MESSAGES):
            yield list(self._told(first, min(_MESSAGES, facts - first), mentions))
        yield [*self._graph(mentions), self._portrait(mentions)]

    def _told(self, first: int, facts: int, mentions: dict[str, list[Mention]]) -> Iterator[Row]:
        """An episode with its messages and facts."""
        number = first // _MESSAGES
        tenant, conversation = self._owner.tenant_id, f"{self._conversation}-{number // _EPISODES}"
        place = "document_id" if self._owner.type == "tenant" else "conversation_id"
        common = {**self._common, place: conversation}
        begun = _START + timedelta(hours=7 * number)
        thing = self._drawn.choice(self._things)
        identity = ids.episode_id(tenant, conversation, int(begun.timestamp() * 1000), f"m{first}")
        said = self._said(begun, first, facts, thing)
        fact_ids = tuple(ids.fact_id(identity, at) for at in range(facts))
        before = ""
        for each, fact_id in zip(said, fact_ids, strict=True):
            message = StoredMessage(
                id=ids.message_id(tenant, conversation, each.caller_id),
                message_id=each.caller_id,
                sender_id=each.speaker.lower(),
                sender_name=each.speaker,
                role="user",
                sent_at=each.at,
                timezone="UTC",
                text=each.text,
                tokens=len(each.text) // 4,
                position=_NOWHERE,
                **common,
            )
            yield row_of(message, each.embedding)
            fact = AtomicFact(
                id=fact_id,
                parent_episode_id=identity,
                atomic_fact=f"{each.speaker} said: {each.text}",
                topic_name=f"The {thing}",
                message_ids=(each.caller_id,),
                speakers=(each.speaker,),
                said_at=each.at,
                event_at=each.at.replace(hour=0, minute=0, second=0),
                **common,
            )
            yield row_of(fact, Embedding(each.embedding.vector), before)
            before = each.text
        last = said[-1]
        for name in (thing, last.speaker, *({last.name} - {""})):
            known = mentions.setdefault(name, [])
            known.append(Mention(episode_id=identity, text=last.text, at=last.at, message_ids=(last.caller_id,)))
        if number % 4 == 0:
            expected = Foresight(
                id=ids.foresight_id(identity, 0),
                parent_episode_id=identity,
                statement=f"{last.speaker} will see to the {thing} in {self._drawn.choice(PLACES)}",
                evidence=last.text,
                message_ids=(last.caller_id,),
                said_at=last.at,
                start=last.at + timedelta(days=40),
                **common,
            )
            yield row_of(expected, Embedding(last.embedding.vector))
        episode = Episode(
            id=identity,
            subject=f"The {thing}",
            summary=" ".join(each.text for each in said[:3]),
            episode=" ".join(f"{each.speaker} said: {each.text}" for each in said),
            started_at=begun,
            ended_at=last.at,
            participants=tuple(dict.fromkeys(each.speaker for each in said)),
            message_ids=tuple(each.caller_id for each in said),
            fact_ids=fact_ids,
            closed_by="boundary",
            extractor="local",
            **common,
        )
        vector: Vector = np.sum([each.embedding.vector for each in said], axis=0, dtype=np.float32)
        yield row_of(episode, Embedding((vector / np.linalg.norm(vector)).astype(np.float32)))

    def _said(self, begun: datetime, first: int, count: int, thing: str) -> list[_Said]:
        """Messages about a thing; all their vectors at once."""
        drawn, parts = self._drawn, self._parts
        chosen = [
            (drawn.choice(parts.deeds[thing]), drawn.choices(parts.details, k=drawn.choice(_DETAILS))) for _ in range(count)
        ]
        vectors = self._noise.standard_normal((count, len(chosen[0][0].embedding.vector)), dtype=np.float32)
        vectors *= _NOISE / np.linalg.norm(vectors, axis=1, keepdims=True)
        for vector, (deed, details) in zip(vectors, chosen, strict=True):
            vector += deed.embedding.vector
            for weight, detail in zip(_DETAIL_WEIGHTS, details, strict=False):
                vector += weight * detail.embedding.vector
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [
            _Said(
                caller_id=f"m{first + at}",
                at=begun + timedelta(seconds=50 * at),
                speaker=drawn.choice(self._people),
                text=f"I heard that {drawn.choice(NAMES)} {deed.text} {', '.join(detail.text for detail in details)}.",
                embedding=Embedding(  # a view of the vector would keep all alive
                    vectors[at].copy(), b"".join(part.embedding.token_vectors for part in (deed, *details))
                ),
                name=next((detail.name for detail in details if detail.name), ""),
            )
            for at, (deed, details) in enumerate(chosen)
        ]

    def _graph(self, mentions: Mapping[str, Sequence[Mention]]) -> Iterator[Row]:
        for name, evidence in mentions.items():
            yield row_of(
                Entity(
                    id=ids.entity_id(self._owner.key, name),
                    name=name,
                    type="thing" if name in THINGS else "person",
                    summary=evidence[-1].text,
                    mentions=tuple(evidence[-20:]),
                    **self._common,
                )
            )
        for source in (name for name in mentions if name in NAMES):
            for target in (name for name in mentions if name in THINGS):
                yield row_of(
                    Relationship(
                        id=ids.relationship_id(self._owner.key, source, "interested_in", target),
                        source=source,
                        relation="interested_in",
                        target=target,
                        date=mentions[target][0].at,
                        mentions=tuple(mentions[target][:1]),
                        **self._common,
                    )
                )

    def _portrait(self, mentions: Mapping[str, Sequence[Mention]]) -> Row:
        lines = tuple(
            ProfileItem(about=self._people[0], statement=f"cares for the {thing}", category="interest", evidence=(evidence[0],))
            for thing, evidence in mentions.items()
            if thing in THINGS
        )
        return row_of(Profile(id=ids.profile_id(self._owner.key), explicit=lines, **self._common))
