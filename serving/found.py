"""Results of a search for every view: kind and origin of each, and the trace sorted by what its steps tell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mneme.records import Citation
from queries.responses import (
    Found,
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    SearchResponse,
    TraceStep,
)


def kind_of(found: Found) -> str:
    """The type of a result in a word: ``fact``, ``episode``, ``message``, ``profile``, ``foresight``, ``case``, ``skill``.

    An episode of a document, too, is an ``episode`` here.
    """
    return type(found).__name__.removeprefix("Found").lower()


@dataclass(frozen=True, slots=True)
class Origin:
    """Moment and place of a result: said, sent or begun at ``date``, by these messages; it held until ``valid_to``."""

    date: datetime
    conversation_id: str | None
    message_ids: tuple[str, ...]
    citation: Citation | None
    valid_to: datetime | None = None


def episodes_of(found: SearchResponse) -> dict[str, FoundEpisode]:
    """Episodes and sections of documents by their ids: other results name theirs."""
    return {each.id: each for each in (*found.episodes, *found.knowledge)}


def origin_of(found: Found, episodes: Mapping[str, FoundEpisode]) -> Origin | None:
    """The origin of a result; None of a profile, a case and a skill, which are made from many."""
    match found:
        case FoundFact() | FoundForesight():
            parent = episodes.get(found.parent_episode_id)
            conversation_id = parent.conversation_id if parent is not None else None
            return Origin(found.said_at, conversation_id, found.message_ids, found.citation, found.valid_to)
        case FoundMessage():
            return Origin(found.sent_at, found.conversation_id, (found.message_id,), found.citation)
        case FoundEpisode():
            return Origin(found.started_at, found.conversation_id, found.message_ids, found.citation)
        case _:
            return None


def words_of(found: Found) -> str:
    """The text of a result; of a message with who says it."""
    return f"{found.sender_name}: {found.text}" if isinstance(found, FoundMessage) else found.text


def ranked_lists(steps: Iterable[TraceStep]) -> dict[tuple[str, str, str], list[TraceStep]]:
    """The lists that were made, best first, by their stage, what they are by, and their collection.

    They are those of the legs of the recall, of the fusion, of the preference and of the reranker.
    """
    lists: dict[tuple[str, str, str], list[TraceStep]] = {}
    for step in steps:
        if step.stage not in ("agent", "compete"):
            # The reason is the collection and the place in its list.
            collection = "" if step.stage == "rerank" else step.reason.rpartition(" ")[0]
            lists.setdefault((step.stage, step.move, collection), []).append(step)
    return lists


def replacements(steps: Iterable[TraceStep]) -> list[tuple[TraceStep, str]]:
    """The episodes that gave their places up, each with the id of the fact that took it."""
    replaced = (step for step in steps if step.stage == "compete" and step.move == "replaced")
    return [(step, step.reason.removeprefix("by its fact ")) for step in replaced]


def texts_of(found: SearchResponse) -> dict[str, str]:
    """Texts of a response by id; of an episode its subject."""
    texts = {item.id: item.text for item in found.ranked()}
    for episode in episodes_of(found).values():
        texts |= {fact.id: fact.text for fact in episode.atomic_facts}
        texts[episode.id] = episode.subject
    return texts | {entity.id: entity.name for entity in found.graph.entities}
