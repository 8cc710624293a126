"""Graphiti and Zep: the edges of a knowledge graph, each a fact in words (``EntityEdge``).

    [{uuid, group_id, name, fact, source_node_uuid, target_node_uuid, created_at, valid_at, invalid_at, episodes}]
    or {"edges": [...]}, as Zep's search of a graph gives them

A fact becomes a message that says it, dated by when it became true, else by when it was written down.
"""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message, metadata_of
from connectors.files.exports.shape import Shape, first, listed

_SAID = {"uuid", "fact", "group_id", "graph_uuid", "valid_at", "fact_embedding", "score", "relevance", "attributes"}


def _edges(data: Any) -> list[Any]:
    return [edge for page in listed(data) for edge in page.get("edges", [page])]


def _fits(data: Any) -> bool:
    page = first(data)
    one = first(page.get("edges", page)) if isinstance(page, dict) else None
    return isinstance(one, dict) and {"uuid", "fact", "source_node_uuid"} <= one.keys()


def _read(data: Any, given: Given) -> Iterator[Event]:
    dated = [(_graph(edge), _true_since(edge, given), str(edge["uuid"]), edge) for edge in _edges(data)]
    for graph, true_since, uuid, edge in sorted(dated, key=lambda one: one[:3]):
        owner = given.owner or ({"group_id": graph} if graph else given.owner_or_refuse())
        yield from message(
            given,
            conversation_id=given.conversation_id or "/".join(["graphiti", *([graph] if graph else given.owner.values())]),
            owner=owner,
            message_id=uuid,
            sent_at=true_since,
            content=str(edge.get("fact") or ""),
            metadata=metadata_of(edge.get("attributes"), {name: edge[name] for name in edge if name not in _SAID}),
        )


def _graph(edge: Event) -> str:
    return str(edge.get("group_id") or edge.get("graph_uuid") or "")


def _true_since(edge: Event, given: Given) -> str:
    return Clock(None, given.modified_at).time(edge.get("valid_at") or edge.get("created_at"))


GRAPHITI = Shape("Graphiti, Zep (edges)", _fits, _read)
