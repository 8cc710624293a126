"""The entity graph around a name, or around what is spoken of most: ``Memories.graph``."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mneme.errors import InputError
from mneme.ports import Filter, MemoryIndex, TextLeg
from mneme.records import Entity, Relationship
from mneme.rows import Collection
from mneme.text import tokenise
from queries.browsing.lists import all_rows
from queries.entities.graph import Nodes, Reached, graph_response, parts_of
from queries.entities.naming import folded, naming
from queries.filtering.scope import Scope
from queries.responses import Graph

MOST_SHOWN = 200  # entities
MOST_HOPS = 3
_LATEST = 2_000  # entities among which those that are spoken of most are looked for: those that changed last
_HITS = 1_000  # entities, and as many relationships, that share a word with the names of one hop
_ENDS = 4  # entities that are asked for, for each that may be shown
_EDGES = 4  # relationships that are shown, for each entity

Part = Entity | Relationship


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
    known = _Known(index, Filter(own.tenant_id, own.owner_keys, own.owner_ids))
    # 1.
    if entity is None:
        begin = known.most_mentioned(limit)
        hops = 0
    else:
        begin = known.meant_by(entity)
    # 2.
    reached = dict.fromkeys(begin, 0)
    for hop in range(1, hops + 1):
        nodes = known.nodes()
        ahead = [node for node in reached if reached[node] == hop - 1]
        spoken = Counter[str]()
        for edge in {edge.id: edge for node in ahead for edge in nodes.edges.get(node, ())}.values():
            spoken.update(dict.fromkeys(nodes.ends[edge.id] - reached.keys(), len(edge.mentions)))
        ends = [end for end, _ in spoken.most_common(_ENDS * limit)]
        known.add([name for end in ends for name in nodes.names[end]])
        nodes = known.nodes()  # what had only a name may be an entity by now
        reached = {nodes.known_as(node): at for node, at in reached.items()}
        new = dict.fromkeys(nodes.known_as(end) for end in ends)
        reached |= dict.fromkeys(sorted(new.keys() - reached.keys(), key=nodes.rank)[: limit - len(reached)], hop)
    # 3.
    nodes = known.nodes()
    entities = [Reached(each, hop, 1.0) for node, hop in reached.items() if (each := nodes.entities.get(node)) is not None]
    edges = {edge.id: edge for node in reached for edge in nodes.edges.get(node, ()) if nodes.ends[edge.id] <= reached.keys()}
    between = [Reached(edge, max(reached[end] for end in nodes.ends[edge.id]) or 1, 1.0) for edge in edges.values()]
    between.sort(key=lambda each: (each.part.validity.valid_to is not None, each.hop, -len(each.part.mentions), each.part.id))
    return graph_response(entities, between[: _EDGES * limit])


class _Known:
    """The part of the graph that is known so far."""

    def __init__(self, index: MemoryIndex, rows: Filter) -> None:
        self._index = index
        self._rows = rows
        self._parts: dict[str, Part] = {}
        self._asked: set[str] = set()

    def nodes(self) -> Nodes:
        """All of it, by its nodes."""
        return Nodes(self._parts.values())

    def most_mentioned(self, limit: int) -> list[str]:
        """The nodes that are spoken of most, those first."""
        rows = self._index.page(Collection.GRAPH, replace(self._rows, kinds=("entity",)), _LATEST)
        entities = [each for each in parts_of(rows) if isinstance(each, Entity)]
        best = sorted(entities, key=lambda each: (-len(each.mentions), each.id))[:limit]
        self._take(best)
        self.add((name for each in best for name in (each.name, *each.aliases)), ("relationship",))
        return [each.id for each in best]

    def meant_by(self, asked: str) -> list[str]:
        """The node that goes by a name, if there is one."""
        self.add([asked])
        who = naming(asked, [each for each in self._parts.values() if isinstance(each, Entity)])
        self.add(who.names)
        if who.entity:
            return [who.entity.id]
        edges = [each for each in self._parts.values() if isinstance(each, Relationship)]
        is_named = any(who.is_called(name) for edge in edges for name in (edge.source, edge.target))
        return [folded(who.asked)] if is_named else []

    def add(self, names: Iterable[str], kinds: Sequence[str] = ("entity", "relationship")) -> None:
        """Read what shares a word with these names."""
        tokens = tuple(dict.fromkeys(token for name in names for token in tokenise(name) if token not in self._asked))
        if not tokens:
            return
        self._asked |= set(tokens)
        legs = [TextLeg(Collection.GRAPH, replace(self._rows, kinds=(kind,)), tokens, _HITS) for kind in kinds]
        for hits in self._index.recall(legs):
            self._take(parts_of(hit.row for hit in hits))

    def _take(self, parts: Iterable[Part]) -> None:
        self._parts |= {each.id: each for each in parts}
