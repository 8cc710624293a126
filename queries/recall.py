"""recall: what the index finds for a question, in one round trip.

BM25 and k-NN over episodes and over facts, over raw messages (what was said a moment ago is in no episode yet), over
the few other memories, and BM25 over the graph. ``complete`` fills in what this leaves open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from connectors.telemetry.searches import stage
from mneme.ids import episode_of
from mneme.ports import Hit, MemoryIndex, TextLeg, VectorLeg
from mneme.records import Entity, Relationship
from mneme.rows import Collection, Row
from queries.entities.graph import Walk, parts_of, walk
from queries.filtering.scope import Scope
from queries.questions.understand import Question
from queries.supersession import successors

_SAID = (Collection.FACTS, Collection.MESSAGES)
_GRAPH_HITS = 60  # entities and relationships that share a word with the question


@dataclass(slots=True, eq=False)
class Candidate:
    """A row with what is known of its fit. ``bm25`` and ``cosine`` are None until they are known, or where off.

    ``graph`` is how well it fits by what it tells of the graph (queries/entities/graph.py), from 0 to 1; 0 where that leg is
    off.
    """

    row: Row
    bm25: float | None = None
    cosine: float | None = None
    graph: float = 0.0


@dataclass(frozen=True, slots=True)
class Legs:
    """The legs that a method uses, and their depth; ``episodes`` is that of episodes, which are long, where it differs."""

    text: tuple[Collection, ...]
    vector: tuple[Collection, ...]
    depth: int
    episodes: int | None = None

    def depth_of(self, collection: Collection) -> int:
        """Number of hits of a leg."""
        if collection is Collection.GRAPH:
            return _GRAPH_HITS
        return self.episodes if self.episodes and collection is Collection.EPISODES else self.depth


@dataclass(slots=True, eq=False)
class Recalled:
    """The results of the first round trip: candidates by collection and id, and each leg's ranking of ids.

    ``successor`` names for each superseded fact what superseded it; empty for a question about the past. ``graph`` are the
    entities and relationships among them, ``walk`` is the way through it as far as they lead.
    """

    candidates: dict[Collection, dict[str, Candidate]] = field(default_factory=dict)
    rankings: dict[tuple[Collection, str], list[str]] = field(default_factory=dict)
    successor: dict[str, str] = field(default_factory=dict)
    graph: list[Entity | Relationship] = field(default_factory=list)
    walk: Walk = field(default_factory=Walk)

    def of(self, collection: Collection) -> dict[str, Candidate]:
        """The candidates of a collection."""
        return self.candidates.get(collection, {})

    def episodes_of(self, facts: Iterable[str]) -> dict[str, None]:
        """The episodes that facts lead to, in their order: of each its own, and first that of what superseded it."""
        known, successor = self.of(Collection.FACTS), self.successor
        episodes: dict[str, None] = {}
        for fact in facts:
            if newer := successor.get(fact):
                episodes[episode_of(newer)] = None
            episodes[known[fact].row.parent_id or ""] = None
        return episodes

    def people(self) -> tuple[str, ...]:
        """The people in what was found."""
        together = dict.fromkeys(each.row.people for collection in _SAID for each in self.of(collection).values())
        return tuple(dict.fromkeys(person for people in together for person in people))

    def episode_rankings(self) -> dict[str, list[str]]:
        """The rankings of episodes by leg: by themselves, and by their best fact (a fact's parent joins the candidates)."""
        rankings = {}
        for (collection, leg), ranking in self.rankings.items():
            if collection is Collection.EPISODES:
                rankings[f"{collection}_{leg}"] = ranking
            elif collection is Collection.FACTS:
                rankings[f"{collection}_{leg}"] = list(self.episodes_of(ranking))
        return rankings


@stage("recall")
def recall(index: MemoryIndex, question: Question, scope: Scope, legs: Legs) -> Recalled:
    """The first round trip. Legs without tokens or without a vector are left out."""
    searches: list[TextLeg | VectorLeg] = []
    if question.tokens:
        for collection in legs.text:
            searches.append(TextLeg(collection, scope.filter(collection), question.tokens, legs.depth_of(collection)))
    if question.vector is not None:
        for collection in legs.vector:
            # Episodes and portraits are told in the third person, facts and messages by who speaks.
            vector = question.spoken.embedding.vector if question.spoken and collection in _SAID else question.vector
            searches.append(VectorLeg(collection, scope.filter(collection), vector, legs.depth_of(collection)))
    recalled = Recalled()
    if not searches:
        return recalled
    for search, hits in zip(searches, index.recall(searches), strict=True):
        if not scope.knows_all(search.collection):
            hits = [Hit(row, hit.score) for hit in hits if (row := scope.known(hit.row)) is not None]
        leg = "bm25" if isinstance(search, TextLeg) else "cosine"
        candidates = recalled.candidates.setdefault(search.collection, {})
        recalled.rankings[search.collection, leg] = _join(candidates, hits, leg == "bm25")
    recalled.successor = successors((each.row for each in recalled.of(Collection.FACTS).values()), scope, question)
    recalled.graph = parts_of(each.row for each in recalled.of(Collection.GRAPH).values())
    recalled.walk = walk(question, recalled.graph, scope.moment)
    return recalled


def _join(candidates: dict[str, Candidate], hits: Sequence[Hit], by_words: bool) -> list[str]:
    """Add the hits of a leg to the candidates of its collection, by id; their ids in order."""
    ranking = []
    for hit in hits:
        identity = hit.row.id
        ranking.append(identity)
        candidate = candidates.get(identity)
        if candidate is None:
            candidate = candidates[identity] = Candidate(hit.row)
        if by_words:
            candidate.bm25 = hit.score
        else:
            candidate.cosine = hit.score
    return ranking
