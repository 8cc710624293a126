"""Entities and relationships as a response shows them. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from mneme.records import Entity, Mention, Relationship
from queries.entities.graph import Reached
from queries.responses import Graph, GraphEntity, GraphRelationship

_MOST_MENTIONS = 10  # of an entity or a relationship that are shown, the newest


def shown_graph(
    entities: Sequence[Reached[Entity]],
    relationships: Sequence[Reached[Relationship]],
    facts_of: Callable[[str, str], Sequence[str]] = lambda episode, message: (),
) -> Graph:
    """What was reached, with where it is told.

    Args:
        entities: in the order to be shown.
        relationships: likewise.
        facts_of: the ids of the facts that an episode made of a message, as far as they are known.
    """

    def told(mentions: Sequence[Mention]) -> dict[str, Any]:
        newest = mentions[-_MOST_MENTIONS:]
        places = [(each.episode_id, message) for each in newest for message in each.message_ids or ("",)]
        return {
            "mentions": len(mentions),
            "episode_ids": tuple(dict.fromkeys(each.episode_id for each in newest)),
            "message_ids": tuple(dict.fromkeys(message for each in newest for message in each.message_ids)),
            "fact_ids": tuple(dict.fromkeys(fact for place in places for fact in facts_of(*place))),
        }

    # An edge is kept by the names that were said; here both ends go by the one name of their entity.
    called = {alias: each.part.name for each in reversed(entities) for alias in each.part.aliases}
    called |= {each.part.name: each.part.name for each in entities}

    return Graph(
        entities=tuple(
            GraphEntity(
                id=entity.id,
                name=entity.name,
                type=entity.type,
                summary=entity.summary,
                aliases=entity.aliases,
                hop=reached.hop,
                **told(entity.mentions),
            )
            for reached in entities
            if (entity := reached.part)
        ),
        relationships=tuple(
            GraphRelationship(
                id=edge.id,
                source=called.get(edge.source, edge.source),
                relation=edge.relation,
                target=called.get(edge.target, edge.target),
                date=edge.date,
                valid_to=edge.validity.valid_to,
                hop=reached.hop,
                **told(edge.mentions),
            )
            for reached in relationships
            if (edge := reached.part)
        ),
    )
