"""A small world to search in: two people's memories, a team's, an agent's track, and the tenant's documents."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from mneme import ids
from mneme.ports import EmbedderIdentity, Put
from mneme.records import (
    AgentSkill,
    AtomicFact,
    Citation,
    Claim,
    Entity,
    Episode,
    Foresight,
    Mention,
    Owner,
    Position,
    Profile,
    ProfileItem,
    Quote,
    Relationship,
    StoredDocument,
    StoredMessage,
    Validity,
)
from mneme.rows import Embedding, Row, Vector, revised, row_of
from mneme.settings import Settings, load_settings
from mneme.text import tokenise
from queries import Memories
from tests.memory_index_reference import ReferenceIndex

DIMENSION = 256
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOW = START + timedelta(days=120)
MAYA = Owner(tenant_id="default", type="user", id="maya")
TEAM = Owner(tenant_id="default", type="group", id="team")
PLANNER = Owner(tenant_id="default", type="agent", id="planner")
TENANT = Owner(tenant_id="default", type="tenant", id="default")
OF_MAYA: dict[str, Any] = {"owner": MAYA, "created_at": START, "version": 1}


class WordEmbedder:
    """Texts with common words are near: each token has its own direction. ``asked`` holds all texts it was given."""

    def __init__(self, languages: tuple[str, ...] = ("*",)) -> None:
        self.identity = EmbedderIdentity("words", "test", DIMENSION, languages)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        self.asked += texts
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            vector[0] = 0.1
            for token in tokenise(text):
                vector[ids.stable_hash(token) % DIMENSION] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def close(self) -> None:
        pass


def vector_of(text: str) -> Vector:
    return WordEmbedder().embed([text])[0]


def messages(owner: Owner, conversation: str, lines: Sequence[tuple[str, str]], day: int = 0, first: int = 1) -> list[Row]:
    """Raw messages, one a minute; ``first`` numbers their ids."""
    rows = []
    for number, (sender, text) in enumerate(lines, first):
        record = StoredMessage(
            id=ids.message_id(owner.tenant_id, conversation, f"m{number}"),
            owner=owner,
            conversation_id=conversation,
            created_at=START,
            version=1,
            message_id=f"m{number}",
            sender_id=sender.lower(),
            sender_name=sender,
            role="user",
            sent_at=START + timedelta(days=day, minutes=number),
            timezone="UTC",
            text=text,
            tokens=len(text) // 4,
            position=Position(topic="test", partition=0, offset=number),
        )
        rows.append(row_of(record, Embedding(vector_of(f"{sender}: {text}"))))
    return rows


def quoted(row: Row, *claims: Claim, **parts: object) -> Row:
    """The row of a fact as a quote of what its speaker said, with what it claims."""
    fact = row.record()
    assert isinstance(fact, AtomicFact)
    words = fact.atomic_fact.partition(" said that ")[2]
    quote = Quote.model_validate({"speaker": fact.speakers[0], "words": words, "language": "en"} | parts)
    told = f"{quote.speaker}, {fact.said_at:%-d %B %Y}: {words}"
    return row_of(fact.model_copy(update={"quote": quote, "claims": claims, "atomic_fact": told}), row.embedding)


def conversation(
    owner: Owner, name: str, subject: str, lines: Sequence[tuple[str, str]], day: int = 0, first: int = 1
) -> list[Row]:
    """Messages, one episode that holds them, and a fact for each."""
    said = messages(owner, name, lines, day, first)
    episode = ids.episode_id(owner.tenant_id, name, day, f"m{first}")
    narrative = " ".join(f"{sender}: {text}" for sender, text in lines)
    facts = [
        AtomicFact(
            id=ids.fact_id(episode, index),
            owner=owner,
            conversation_id=name,
            created_at=START,
            version=1,
            parent_episode_id=episode,
            atomic_fact=f"{sender} said that {text}",
            topic_name=subject,
            message_ids=row.message_ids,
            speakers=(sender,),
            said_at=row.at,
        )
        for index, ((sender, text), row) in enumerate(zip(lines, said, strict=True))
    ]
    record = Episode(
        id=episode,
        owner=owner,
        conversation_id=name,
        created_at=START,
        version=1,
        subject=subject,
        summary=lines[0][1],
        episode=narrative,
        started_at=said[0].at,
        ended_at=said[-1].at,
        participants=tuple(dict.fromkeys(sender for sender, _ in lines)),
        message_ids=tuple(message for row in said for message in row.message_ids),
        fact_ids=tuple(fact.id for fact in facts),
        closed_by="boundary",
        extractor="local",
    )
    fact_rows = [row_of(fact, row.embedding) for fact, row in zip(facts, said, strict=True)]
    return [*said, row_of(record, Embedding(vector_of(f"{subject}. {lines[0][1]}"))), *fact_rows]


def section(
    name: str, title: str, text: str, place: str = "", owner: Owner = TENANT, conversation_id: str | None = None
) -> list[Row]:
    """One section of a document, with one fact."""
    identity = ids.chunk_id(ids.document_key(owner.key, name), ids.short_hash(f"{place}{text}"))
    citation = Citation(document_id=name, name=f"{name}.pdf", section=title, place=place) if place else None
    common = {
        "owner": owner,
        "document_id": name,
        "conversation_id": conversation_id,
        "created_at": START,
        "version": 1,
        "citation": citation,
    }
    episode = Episode(
        id=identity,
        subject=title,
        summary=text,
        episode=text,
        started_at=START,
        ended_at=START,
        section=title,
        closed_by="section",
        extractor="local",
        **common,
    )
    fact = AtomicFact(
        id=ids.fact_id(identity, 0),
        parent_episode_id=identity,
        atomic_fact=text,
        topic_name=title,
        message_ids=(),
        said_at=START,
        **common,
    )
    return [row_of(episode, Embedding(vector_of(f"{title}. {text}"))), row_of(fact, Embedding(vector_of(text)))]


def document(identity: str, *sections: Row, owner: Owner = TENANT, **fields: object) -> Row:
    """What is kept of a document of these sections, in this order."""
    given: dict[str, Any] = {
        "id": ids.document_key(owner.key, identity),
        "owner": owner,
        "document_id": identity,
        "created_at": START,
        "version": 1,
        "name": f"{identity}.pdf",
        "title": identity.title(),
        "format": "pdf",
        "edition": "e",
        "status": "read",
        "chunk_ids": tuple(row.id for row in sections if row.kind == "episode"),
        "dated_at": START,
        "position": Position(topic="test", partition=0, offset=0),
    }
    return row_of(StoredDocument.model_validate(given | fields))


def mention(episode: str = "e", *messages: str, text: str = "", day: float = 0, **fields: Any) -> Mention:
    """What an episode says of somebody or something, on a day."""
    at = START + timedelta(days=day)
    return Mention(episode_id=episode, text=text, at=at, message_ids=messages or ("m1",), **fields)


def entity(name: str, *aliases: str, mentions: Sequence[Mention] = (), **fields: Any) -> Entity:
    given = {"type": "person", "summary": "", "mentions": tuple(mentions) or (mention(f"about {name}"),)}
    return Entity(id=ids.entity_id(MAYA.key, name), name=name, aliases=aliases, **OF_MAYA | given | fields)


def edge(source: str, relation: str, target: str, *mentions: Mention, **fields: Any) -> Relationship:
    return Relationship(
        id=ids.relationship_id(MAYA.key, source, relation, target),
        source=source,
        relation=relation,
        target=target,
        mentions=mentions or (mention(f"{source} {relation} {target}"),),
        **OF_MAYA | {"date": None} | fields,
    )


def line(statement: str, *evidence: Mention) -> ProfileItem:
    """A line of a portrait, of whom it names first."""
    return ProfileItem(about=statement.split()[0], statement=statement, category="trait", evidence=evidence or (mention(),))


def portrait(*lines: ProfileItem, **fields: Any) -> Profile:
    return Profile(id=ids.profile_id(MAYA.key), explicit=lines, **OF_MAYA | fields)


def others() -> list[Row]:
    """A profile, a foresight, and the graph around a friend."""
    said = mention(text="Jonas plays the cello")
    trait = line("Maya is patient and curious", said)
    return [
        row_of(portrait(trait), Embedding(vector_of(trait.statement))),
        foresight("Maya will visit the dentist on Friday", message_ids=("m9",)),
        row_of(entity("Jonas", summary="A friend who plays the cello.", mentions=[said])),
        row_of(edge("Jonas", "lives_in", "Bergen", said, date=START, validity=Validity(valid_to=START))),
        row_of(edge("Jonas", "lives_in", "Porto", said, date=START)),
        row_of(edge("Ines", "lives_in", "Porto", said, date=START)),
    ]


def skill() -> Row:
    record = AgentSkill(
        id="skill",
        owner=PLANNER,
        created_at=START,
        version=1,
        agent_id="planner",
        name="booking trains",
        description="How to book trains",
        content="Compare the night train first.",
        confidence=0.8,
        source_case_ids=("case",),
    )
    return row_of(record, Embedding(vector_of("booking trains. How to book trains")))


HARBOUR = [
    ("Maya", "the rowing club meets at the harbour on Tuesdays"),
    ("Jonas", "my new boat is painted green"),
    ("Maya", "we paid four hundred euros for the boat shed"),
]
KITCHEN = [
    ("Maya", "the oven is broken again"),
    ("Jonas", "the electrician comes on Monday morning"),
    ("Maya", "then bread has to wait until next week"),
]
ORCHARD = [("小雨", "我们周末去果园摘苹果"), ("小雨", "我表姐在杭州开了一家茶馆")]


def with_validity(row: Row, **validity: object) -> Row:
    """The row of the same statement after something happened to it."""
    record = row.record()
    assert isinstance(record, AtomicFact | Foresight)
    return revised(row, record.model_copy(update={"validity": record.validity.model_copy(update=validity)}))


def foresight(statement: str, day: int = 0, **fields: Any) -> Row:
    """Something expected, said on a day, from an episode of its own."""
    episode = f"default/plans/{day}-{ids.short_hash(statement)}"
    given = {
        "id": ids.foresight_id(episode, 0),
        "conversation_id": "plans",
        "parent_episode_id": episode,
        "evidence": statement,
        "message_ids": ("p1",),
        "said_at": START + timedelta(days=day),
    }
    return row_of(Foresight(statement=statement, **OF_MAYA | given | fields), Embedding(vector_of(statement)))


SHIPYARD, WEEK, OBSERVATORY = 10, 20, 40  # the days on which Jonas told of his work


def career() -> list[Row]:
    """Jonas works at a shipyard, says so again, and goes to an observatory: which supersedes the one and not the other."""
    told = {
        SHIPYARD: ("pier", "Summer work", "I work at the shipyard now"),
        WEEK: ("pub", "Long days", "as ever I work at the shipyard"),
        OBSERVATORY: ("call", "News", "I have signed at the observatory"),
    }
    rows: list[Row] = []
    facts = []
    for day, (name, subject, text) in told.items():
        *others, fact = conversation(MAYA, name, subject, [("Jonas", text)], day, first=100 + day)
        rows += others
        facts.append(fact)
    first, again, now = facts
    return [
        *rows,
        with_validity(
            first,
            valid_from=first.at,
            valid_to=now.at,
            superseded_by=now.id,
            repeated_by=(again.id,),
            also_said_in=again.message_ids,
        ),
        with_validity(again, valid_from=again.at, merged_into=first.id),
        with_validity(now, valid_from=now.at),
    ]


def filled(*more: Row) -> ReferenceIndex:
    """The index of this world."""
    index = ReferenceIndex()
    index.prepare(WordEmbedder().identity)
    rows = [
        *conversation(MAYA, "harbour", "Rowing club", HARBOUR),
        *conversation(MAYA, "kitchen", "Kitchen repair", KITCHEN, day=3),
        *conversation(MAYA, "orchard", "果园", ORCHARD, day=5),
        *conversation(TEAM, "standup", "Release", [("Ines", "the release moves to the harbour office")]),
        *section("handbook", "Expenses", "Train tickets are paid back within ten days"),
        *others(),
        skill(),
        *more,
    ]
    results = index.write([Put(row) for row in rows])
    assert all(result.outcome == "done" for result in results)
    return index


def settings(**retrieval: object) -> Settings:
    return load_settings({}).replace(retrieval=retrieval)


def memories(index: ReferenceIndex | None = None, embedder: WordEmbedder | None = None, **retrieval: object) -> Memories:
    """Memories that are asked at ``NOW``."""
    return Memories(index or filled(), embedder or WordEmbedder(), settings(**retrieval), clock=lambda: NOW)
