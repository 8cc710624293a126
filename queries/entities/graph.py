"""graph: from the names in a question along relationships to what it does not name. Pure; rows come in, hop by hop.

"Who employs the husband of Acme's head?" shares no word with "Lee works at Initech". The way there is Acme, who heads it,
whom she is married to, where he works: two entities between, and the relationships of the second. ``walk`` is done again
from all that is known whenever more has come; ``legs_beyond`` says what to ask the index for next.

How well something reached fits the question is one number, as in spreading activation (Collins and Loftus, "A
spreading-activation theory of semantic processing", Psychological Review 1975): 1 at what is named, kept along a
relationship that the question asks for ("husband": married_to), and halved along any other. Each word asks once.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from mneme.ports import Filter, TextLeg
from mneme.records import Entity, Relationship
from mneme.rows import Collection as Rows
from mneme.rows import Row
from mneme.text import has_cjk, tokenise
from queries.entities.naming import asked_by, folded, named_in
from queries.questions.understand import Question
from queries.records import record_of, shared_fields
from queries.responses import Graph, GraphEntity, GraphRelationship

MOST_ENTITIES = 10
MOST_RELATIONSHIPS = 20
_HOPS = 2  # entities at most so many relationships away; what these have relationships to is not walked to
_UNASKED = 0.5  # what is left of the fit along a relationship that the question does not ask for
_EDGES, _NODES = 100, 40  # rows that the index is asked for beyond


Part = TypeVar("Part", Entity, Relationship)

_MOST_MENTIONS = 10  # of an entity or a relationship that are shown, the newest


class Reached(NamedTuple, Generic[Part]):
    """A part of the graph; ``hop`` is how many relationships away it is, a relationship itself counted."""

    part: Part
    hop: int
    fit: float


@dataclass(frozen=True)
class Walk:
    """The part of the graph that was reached: entities, best first, and relationships, current ones first.

    ``names`` are those of everything that relationships are wanted of, nearest first. What the question asks for, step by step,
    leads to the ``led_to``; ``evidence`` are the relationships of these. What the question names its words find as well.
    """

    entities: tuple[Reached[Entity], ...] = ()
    relationships: tuple[Reached[Relationship], ...] = ()
    names: tuple[str, ...] = ()
    led_to: tuple[Entity, ...] = ()
    evidence: tuple[Relationship, ...] = ()

    @cached_property
    def _told_in(self) -> Counter[tuple[str, str]]:
        """The number of relationships of the evidence that each episode and message tells."""
        return Counter(place for part in self.evidence for place in _places(part))

    def episodes(self) -> list[str]:
        """The ids of the episodes that tell the evidence, those first that tell most of it, then of others about the same."""
        told = self._told_in
        about = Counter(place for part in self.led_to for place in _places(part))
        ordered = sorted(told.keys() | about.keys(), key=lambda place: (-told[place], -about[place], place))
        return [episode for episode, message in ordered if not message]

    def is_told_by(self, statement: Row) -> bool:
        """True if a statement comes from a message that tells some of the evidence."""
        return any((statement.parent_id, message) in self._told_in for message in statement.message_ids or ("",))


def walk(question: Question, parts: Iterable[Entity | Relationship], moment: datetime) -> Walk:
    """Walk from the names in a question along relationships.

    1. Each name is one node: an entity with its aliases, or what only relationships name.
    2. From the nodes that the question names, hop by hop, along the best first. What is over at ``moment`` is shown but not
       walked along, unless the question is about the past.
    3. What is reached is cut to the best.

    Args:
        question: its text names where to begin, its tokens ask for relations.
        parts: the entities and relationships that are known, in any order.
        moment: when the question is asked, or as of when.
    """
    # 1.
    nodes = Nodes(parts)
    # 2.
    fits = dict.fromkeys(nodes.named_in(question.text), 1.0)
    hops = dict.fromkeys(fits, 0)
    used = {node: frozenset(token for name in nodes.names[node] for token in tokenise(name)) for node in fits}
    edges: dict[str, Reached[Relationship]] = {}
    asked: dict[str, frozenset[str]] = {}  # by relation: there are few of them and many edges
    for hop in range(1, _HOPS + 2):
        ahead = sorted((node for node in hops if hops[node] == hop - 1), key=lambda node: (-fits[node], nodes.rank(node)))
        arrived: dict[str, float] = {}
        for node in ahead[:MOST_ENTITIES]:
            kept, spent = fits[node], used[node]
            for edge in nodes.edges.get(node, ()):
                if edge.relation not in asked:
                    asked[edge.relation] = asked_by(edge.relation, question.tokens)
                asking = asked[edge.relation] - spent
                fit = kept if asking else kept * _UNASKED
                if edge.id not in edges:
                    edges[edge.id] = Reached(edge, hop, fit)
                if question.about_past or not _is_over(edge, moment):
                    for end in nodes.ends[edge.id]:
                        if end not in hops and fit > arrived.get(end, 0.0):
                            arrived[end], used[end] = fit, spent | asking
        if hop <= _HOPS:
            fits |= arrived
            hops |= dict.fromkeys(arrived, hop)
    # 3.
    found = sorted(hops, key=lambda node: (-fits[node], hops[node], nodes.rank(node)))
    known = ((node, entity) for node in found if (entity := nodes.entities.get(node)) is not None)
    entities = [Reached(entity, hops[node], fits[node]) for node, entity in islice(known, MOST_ENTITIES)]
    relationships = sorted(
        edges.values(),
        key=lambda each: (_is_over(each.part, moment), -each.fit, each.hop, -len(each.part.mentions), each.part.id),
    )[:MOST_RELATIONSHIPS]
    near = sorted(found, key=hops.__getitem__)
    return Walk(
        tuple(entities),
        tuple(relationships),
        tuple(name for node in near[:MOST_ENTITIES] for name in nodes.names[node]),
        tuple(each.part for each in entities if each.hop > 0 and each.fit >= 1.0),
        tuple(
            each.part
            for each in relationships
            if each.hop > 1 and each.fit >= 1.0 and (question.about_past or not _is_over(each.part, moment))
        ),
    )


def parts_of(rows: Iterable[Row]) -> list[Entity | Relationship]:
    """The records of rows of the graph."""
    return [record for record in map(record_of, rows) if isinstance(record, Entity | Relationship)]


def leads(walk: Walk) -> bool:
    """True if a walk is worth following: along what the question asks for."""
    return any(each.fit >= 1.0 for each in walk.relationships)


def lifted(scores: Mapping[str, float], reached: Iterable[str], weight: float) -> dict[str, float]:
    """Scores of which those of what was reached are moved by ``weight`` of the way towards the best.

    What lies along relations that the question does not ask for is not lifted: that cost 1.6 points of recall@10 on LoCoMo
    (development conversations, learned scores).

    >>> lifted({"best": 0.75, "reached": 0.25, "near": 0.5}, ["reached"], 0.5)
    {'best': 0.75, 'reached': 0.5, 'near': 0.5}
    """
    best = max(scores.values(), default=0.0)
    return {**scores, **{each: scores[each] + weight * (best - scores[each]) for each in reached}}


def legs_beyond(walk: Walk, asked: Collection[str], filter: Filter) -> tuple[TextLeg, ...]:
    """The searches for what lies around what was reached; none where everything was ``asked`` for.

    Args:
        walk: as far as it came.
        asked: the tokens by which entities and relationships were searched for before.
        filter: which entities and relationships may be found.
    """
    new = [name for name in walk.names if not set(_tokens(name)) <= set(asked)]
    tokens = tuple(dict.fromkeys(token for name in new for token in _tokens(name)))
    if not tokens:
        return ()
    return (
        TextLeg(Rows.GRAPH, replace(filter, kinds=("relationship",)), tokens, _EDGES),
        TextLeg(Rows.GRAPH, replace(filter, kinds=("entity",)), tokens, _NODES),
    )


class Nodes:
    """Entities and relationships as a graph: what goes by several names is one node.

    ``entities`` are those that are known, ``names`` all names of each node, ``edges`` the relationships of each node that has
    some, and ``ends`` the nodes that each relationship is between.
    """

    def __init__(self, parts: Iterable[Entity | Relationship]) -> None:
        known = {each.id: each for each in parts}
        # Told apart by their kind: what is no instance of a model's class is found out in a Python function of pydantic.
        entities = {identity: each for identity, each in known.items() if each.kind == "entity"}
        by_id = {identity: each for identity, each in known.items() if each.kind == "relationship"}
        edges = [by_id[identity] for identity in sorted(by_id)]
        self.entities = dict(sorted(entities.items(), key=lambda known: (-len(known[1].mentions), known[0])))
        self._called: dict[str, str] = {}
        self.names: dict[str, dict[str, None]] = {}
        for identity, entity in self.entities.items():
            names = self.names[identity] = dict.fromkeys((entity.name, *entity.aliases))
            for name in names:
                self._called.setdefault(folded(name), identity)
        ends = {name: self._end(name) for name in dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))}
        alike: dict[tuple[str, str, str], list[Relationship]] = {}
        for edge in edges:
            alike.setdefault((ends[edge.source], edge.relation, ends[edge.target]), []).append(edge)
        self.edges: dict[str, list[Relationship]] = {}
        self.ends: dict[str, frozenset[str]] = {}
        for (source, _, target), same in alike.items():
            edge = joined(same)
            between = self.ends[edge.id] = frozenset((source, target))
            for node in between:
                self.edges.setdefault(node, []).append(edge)

    def _end(self, name: str) -> str:
        """The node of a name at an end of a relationship; a new one, if nothing goes by it."""
        node = folded(name)
        node = self._called.setdefault(node, node)
        self.names.setdefault(node, {})[name] = None
        return node

    def named_in(self, text: str) -> list[str]:
        """The nodes that a text names."""
        people = {node for node, entity in self.entities.items() if entity.type == "person"}
        return named_in(text, self.names, people)

    def rank(self, node: str) -> tuple[int, str]:
        """The order of nodes that fit alike: first the one that was spoken of more often."""
        entity = self.entities.get(node)
        return -len(entity.mentions) if entity else 0, node


def joined(edges: Sequence[Relationship]) -> Relationship:
    """Join the relationships that say the same by several names ("Ann works at Acme", "Ann Lee left Acme") into one.

    It is over where one of them ended, or was last spoken of, after the last time that any was said to hold.
    """
    if len(edges) == 1:
        return edges[0]
    mentions = sorted((mention for each in edges for mention in each.mentions), key=lambda each: (each.at, each.episode_id))
    held = max((mention.at for mention in mentions if not mention.ended), default=None)
    over = [
        (end, each.id, each)
        for each in edges
        if (end := each.validity.valid_to) is not None
        and (held is None or max(end, *(mention.at for mention in each.mentions)) > held)
    ]
    latest = max(edges, key=lambda each: (each.validity.valid_to is None, each.validity.valid_to or each.created_at, each.id))
    return latest.model_copy(
        update={
            "date": min((each.date for each in edges if each.date is not None), default=None),
            "mentions": tuple(mentions),
            "validity": (min(over)[2] if over else latest).validity,
        }
    )


def _places(part: Entity | Relationship) -> frozenset[tuple[str, str]]:
    """Every episode and message that mentions a part; an episode has the message ``""``."""
    return frozenset((each.episode_id, message) for each in part.mentions for message in ("", *each.message_ids))


def _is_over(edge: Relationship, moment: datetime) -> bool:
    ended = edge.validity.valid_to
    return ended is not None and ended <= moment


def _tokens(name: str) -> list[str]:
    """The tokens by which a name is searched: no single Chinese, Japanese or Korean characters, which are in everything."""
    return [token for token in tokenise(name) if len(token) > 1 or not has_cjk(token)]


def graph_response(entities: Sequence[Reached[Entity]], relationships: Sequence[Reached[Relationship]]) -> Graph:
    """The reached part of the graph as a response, with its sources, in this order."""
    # An edge is kept by the names that were said; here both ends go by the one name of their entity, in its case.
    called = {folded(alias): each.part.name for each in reversed(entities) for alias in each.part.aliases}
    called |= {folded(each.part.name): each.part.name for each in entities}

    def ends(edge: Relationship) -> dict[str, str]:
        return {end: called.get(folded(said), said) for end, said in (("source", edge.source), ("target", edge.target))}

    return Graph(
        entities=tuple(GraphEntity(**_shown(each.part), hop=each.hop) for each in entities),
        relationships=tuple(GraphRelationship(**_shown(each.part) | ends(each.part), hop=each.hop) for each in relationships),
    )


def _shown(part: Entity | Relationship) -> dict[str, Any]:
    """The fields of its response, with the sources of its newest mentions."""
    newest = part.mentions[-_MOST_MENTIONS:]
    return shared_fields(GraphEntity if part.kind == "entity" else GraphRelationship, part) | {
        "mentions": len(part.mentions),
        "episode_ids": tuple(dict.fromkeys(each.episode_id for each in newest)),
        "message_ids": tuple(dict.fromkeys(message for each in newest for message in each.message_ids)),
    }
