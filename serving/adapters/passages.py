"""What a search found, as the passages that a retriever of any framework gives: a text, and where it comes from."""

from dataclasses import dataclass
from typing import Any

from queries.responses import Found, FoundEpisode, FoundFact, FoundForesight, FoundMessage, SearchResponse


@dataclass(frozen=True, slots=True)
class Passage:
    """One memory. ``metadata`` is JSON: ``kind``, ``rank``, ``score``, and as far as known ``date``, ``valid_to``,
    ``conversation_id``, ``message_ids``, ``document_id`` and ``citation`` (file and page).
    """

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def passages(found: SearchResponse) -> list[Passage]:
    """What was found, best first."""
    episodes = {each.id: each for each in (*found.episodes, *found.knowledge)}
    return [_passage(each, episodes) for each in found.ranked()]


def _passage(found: Found, episodes: dict[str, FoundEpisode]) -> Passage:
    metadata: dict[str, Any] = {
        "kind": found.__class__.__name__.removeprefix("Found").lower(),
        "rank": found.rank,
        "score": found.score,
    }
    text = found.text
    match found:
        case FoundFact() | FoundForesight():
            parent = episodes.get(found.parent_episode_id)
            metadata |= {"date": found.said_at, "valid_to": found.valid_to, "message_ids": found.said_in}
            metadata |= {"conversation_id": parent.conversation_id if parent else None}
        case FoundMessage():
            metadata |= {"date": found.sent_at, "message_ids": (found.message_id,), "conversation_id": found.conversation_id}
            text = f"{found.sender_name}: {found.text}"
        case FoundEpisode():
            metadata |= {"date": found.started_at, "message_ids": found.message_ids, "conversation_id": found.conversation_id}
        case _:
            pass
    if isinstance(found, FoundFact | FoundForesight | FoundMessage | FoundEpisode) and found.citation is not None:
        metadata |= {"document_id": found.citation.document_id, "citation": str(found.citation)}
    return Passage(found.id, text, found.score, {key: _plain(value) for key, value in metadata.items() if value is not None})


def _plain(value: Any) -> Any:
    match value:
        case tuple():
            return list(value)
        case _ if hasattr(value, "isoformat"):
            return value.isoformat()
        case _:
            return value
