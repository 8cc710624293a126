"""The entity graph around a name, or around what is spoken of most: ``Memories.graph``."""

from itertools import islice

from mneme.errors import InputError
from mneme.ports import Filter, MemoryIndex
from mneme.rows import Collection
from queries.browsing.history import LEFT_OUT, MOST_NODES
from queries.browsing.lists import all_rows
from queries.entities.graph import Nodes, Reached, graph_response, parts_of
from queries.entities.naming import folded, naming
from queries.filtering.scope import Scope
from queries.responses import Graph

MOST_SHOWN = 200  # entities
MOST_HOPS = 3
_EDGES = 4  # relationships that are shown, for each entity


def read_graph(index: MemoryIndex, scope: Scope, entity: str | None, hops: int, limit: int) -> Graph:
    """The graph around a name.

    1. Where it begins: at the entity that is meant, or at those that are spoken of most, with no hop from there.
    2. Hop by hop along relationships, to what is spoken of most first, until there are ``limit`` entities.
    3. The relationships between what was reached, those that hold first.

    Raises:
        InputError: no word in the name, a wrong number of hops or entities, or filters that are for a search.
        StoreError: the index cannot answer.
    """
    if entity is not None and not any(character.isalnum() for character in entity):
        raise InputError("entity: there is no word in it; give a name, or leave it out")
    for name, value, least, most in (("hops", hops, 0, MOST_HOPS), ("limit", limit, 1, MOST_SHOWN)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InputError(f"{name}: {value!r} is not possible; give {least} to {most}")
    own = all_rows(scope, "the graph")
    rows = list(islice(index.scan(Collection.GRAPH, Filter(own.tenant_id, own.owner_keys, own.owner_ids)), MOST_NODES))
    nodes = Nodes(parts_of(rows))
    # 1.
    begin = list(nodes.entities)[:limit] if entity is None else _meant_by(entity, nodes)
    # 2.
    reached = dict.fromkeys(begin, 0)
    for hop in range(1, hops + 1 if entity is not None else 1):
        ahead = [node for node in reached if reached[node] == hop - 1]
        ends = {end for node in ahead for edge in nodes.edges.get(node, ()) for end in nodes.ends[edge.id]}
        reached |= dict.fromkeys(sorted(ends - reached.keys(), key=nodes.rank)[: limit - len(reached)], hop)
    # 3.
    entities = [Reached(each, hop, 1.0) for node, hop in reached.items() if (each := nodes.entities.get(node)) is not None]
    edges = {edge.id: edge for node in reached for edge in nodes.edges.get(node, ()) if nodes.ends[edge.id] <= reached.keys()}
    between = [Reached(edge, max(reached[end] for end in nodes.ends[edge.id]) or 1, 1.0) for edge in edges.values()]
    between.sort(key=lambda each: (each.part.validity.valid_to is not None, each.hop, -len(each.part.mentions), each.part.id))
    notes = (LEFT_OUT.format(MOST_NODES, "entities and relationships"),) if len(rows) == MOST_NODES else ()
    return graph_response(entities, between[: _EDGES * limit]).model_copy(update={"notes": notes})


def _meant_by(asked: str, nodes: Nodes) -> list[str]:
    """The node that goes by a name, if there is one."""
    who = naming(asked, list(nodes.entities.values()))
    if who.entity:
        return [who.entity.id]
    return [folded(who.asked)] if folded(who.asked) in nodes.edges else []
