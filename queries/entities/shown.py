"""Entities and relationships as a response shows them. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from connectors.aging_cache import Derived
from mneme.records import Entity, Relationship
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

    def facts(places: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(fact for place in places for fact in facts_of(*place)))

    # An edge is kept by the names that were said; here both ends go by the one name of their entity.
    called = {alias: each.part.name for each in reversed(entities) for alias in each.part.aliases}
    called |= {each.part.name: each.part.name for each in entities}

    shown_entities, shown_relationships = [], []
    for node in entities:
        entity, told, places = node.part, *_told(node.part)
        shown_entities.append(
            GraphEntity(
                id=entity.id,
                name=entity.name,
                type=entity.type,
                summary=entity.summary,
                aliases=entity.aliases,
                hop=node.hop,
                fact_ids=facts(places),
                **told,
            )
        )
    for link in relationships:
        edge, told, places = link.part, *_told(link.part)
        shown_relationships.append(
            GraphRelationship(
                id=edge.id,
                source=called.get(edge.source, edge.source),
                relation=edge.relation,
                target=called.get(edge.target, edge.target),
                date=edge.date,
                valid_to=edge.validity.valid_to,
                hop=link.hop,
                fact_ids=facts(places),
                **told,
            )
        )
    return Graph(entities=tuple(shown_entities), relationships=tuple(shown_relationships))


def _newest(part: Entity | Relationship) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """How often a part was spoken of and where the newest times, and by episode and message the places of these."""
    newest = part.mentions[-_MOST_MENTIONS:]
    told = {
        "mentions": len(part.mentions),
        "episode_ids": tuple(dict.fromkeys(each.episode_id for each in newest)),
        "message_ids": tuple(dict.fromkeys(message for each in newest for message in each.message_ids)),
    }
    return told, tuple(dict.fromkeys((each.episode_id, message) for each in newest for message in each.message_ids or ("",)))


_told = Derived(_newest)  # many searches show the same
