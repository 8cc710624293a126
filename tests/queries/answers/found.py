"""What a search may have found: written responses, without an index."""

from datetime import UTC, datetime
from typing import Any

from mneme.records import Mention, ProfileItem
from queries.questions.types import question_type
from queries.responses import (
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    FoundProfile,
    Graph,
    GraphRelationship,
    Metrics,
    QueryEcho,
    SearchResponse,
)

ASKED_AT = datetime(2026, 6, 22, 9, tzinfo=UTC)


def at(day: str) -> datetime:
    """An aware moment: the noon of a day, or an ISO moment."""
    moment = datetime.fromisoformat(day if "T" in day else f"{day}T12:00:00+00:00")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def day(date: str) -> datetime:
    """The midnight in UTC before a day."""
    return datetime.fromisoformat(date).replace(tzinfo=UTC)


def fact(identity: str, text: str, said: str = "2026-03-02", rank: int | None = 1, **more: Any) -> FoundFact:
    fields: dict[str, Any] = {
        "parent_episode_id": f"of-{identity}",
        "message_ids": (f"m-{identity}",),
        "topic_name": "a talk",
        "score": 1.0 / (rank or 50),
    }
    return FoundFact(id=identity, atomic_fact=text, said_at=at(said), rank=rank, **(fields | more))


def message(identity: str, sender: str, text: str, said: str = "2026-03-02", rank: int = 1, **more: Any) -> FoundMessage:
    fields: dict[str, Any] = {"conversation_id": "talk", "sender_id": sender.lower(), "score": 1.0 / rank}
    return FoundMessage(
        id=identity, message_id=f"m-{identity}", sender_name=sender, text=text, sent_at=at(said), rank=rank, **(fields | more)
    )


def episode(identity: str, story: str, said: str = "2026-03-02", rank: int | None = 1, **more: Any) -> FoundEpisode:
    fields: dict[str, Any] = {
        "subject": "A talk",
        "summary": "A talk.",
        "conversation_id": "talk",
        "document_id": None,
        "section": None,
        "participants": ("Maya", "Jonas"),
        "message_ids": (f"m-{identity}",),
        "score": 1.0 / (rank or 50),
    }
    moment = at(said)
    return FoundEpisode(id=identity, episode=story, started_at=moment, ended_at=moment, rank=rank, **(fields | more))


def foresight(
    identity: str, text: str, start: str | None, end: str | None = None, said: str = "2026-03-02", rank: int = 1
) -> FoundForesight:
    return FoundForesight(
        id=identity,
        statement=text,
        evidence=text,
        start=day(start) if start else None,
        end=day(end) if end else None,
        said_at=at(said),
        parent_episode_id="e",
        message_ids=(f"m-{identity}",),
        rank=rank,
        score=1.0 / rank,
    )


def profile(*statements: tuple[str, str], rank: int = 1) -> FoundProfile:
    def item(about: str, statement: str) -> ProfileItem:
        shown = (Mention(episode_id="e", text=statement, at=at("2026-03-02"), message_ids=("m-p",)),)
        return ProfileItem(about=about, statement=statement, category="likes", evidence=shown)

    return FoundProfile(
        id="portrait", explicit=tuple(item(*each) for each in statements), implicit=(), rank=rank, score=1.0 / rank
    )


def edge(
    source: str, relation: str, target: str, date: str | None = None, valid_to: str | None = None, hop: int = 1
) -> GraphRelationship:
    return GraphRelationship(
        id=f"{source}-{relation}-{target}",
        source=source,
        relation=relation,
        target=target,
        date=day(date) if date else None,
        valid_to=(at(valid_to) if "T" in valid_to else day(valid_to)) if valid_to else None,
        hop=hop,
        message_ids=("m-edge",),
    )


def found(question: str, *items: Any, edges: tuple[GraphRelationship, ...] = (), asker: str = "Maya") -> SearchResponse:
    """The response of a search for a question that found these, placed as their ranks say."""
    return SearchResponse(
        facts=tuple(each for each in items if isinstance(each, FoundFact)),
        episodes=tuple(each for each in items if isinstance(each, FoundEpisode) and each.document_id is None),
        knowledge=tuple(each for each in items if isinstance(each, FoundEpisode) and each.document_id is not None),
        raw_messages=tuple(each for each in items if isinstance(each, FoundMessage)),
        foresights=tuple(each for each in items if isinstance(each, FoundForesight)),
        profiles=tuple(each for each in items if isinstance(each, FoundProfile)),
        graph=Graph(relationships=edges),
        query=QueryEcho(
            text=question,
            method="hybrid",
            filters_applied={"user_id": "maya"},
            type=question_type(question),
            top_k=20,
            asker=asker,
        ),
        metrics=Metrics(milliseconds=1.0, round_trips=1, candidates={}, scoring="lr"),
    )
