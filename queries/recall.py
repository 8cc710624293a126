"""recall: what the index finds for a question, in one round trip.

BM25 and k-NN over episodes and over facts, over raw messages (what was said a moment ago is in no episode yet), over
the few other memories, and BM25 over the graph. ``complete`` fills in what this leaves open.
"""

from dataclasses import dataclass, field

from mneme.ids import episode_of
from mneme.ports import MemoryIndex, TextLeg, VectorLeg
from mneme.rows import Collection, Row
from queries.scope import Scope
from queries.succession import successors
from queries.understand import Question

_GRAPH_HITS = 60  # entities and relationships that share a word with the question


@dataclass(slots=True, eq=False)
class Candidate:
    """A row with what is known of its fit. ``bm25`` and ``cosine`` are None until they are known, or where off."""

    row: Row
    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Legs:
    """Which legs a method uses, and how deep."""

    text: tuple[Collection, ...]
    vector: tuple[Collection, ...]
    depth: int


@dataclass(slots=True, eq=False)
class Recalled:
    """What the first round trip found: candidates by collection and id, and each leg's ranking of ids.

    ``successor`` names for each superseded fact what superseded it; empty for a question about the past.
    """

    candidates: dict[Collection, dict[str, Candidate]] = field(default_factory=dict)
    rankings: dict[tuple[Collection, str], list[str]] = field(default_factory=dict)
    successor: dict[str, str] = field(default_factory=dict)

    def of(self, collection: Collection) -> dict[str, Candidate]:
        """The candidates of a collection."""
        return self.candidates.get(collection, {})

    def episodes_of(self, fact: str) -> tuple[str, ...]:
        """The episodes that a fact leads to: its own, and first that of what superseded it."""
        own = self.of(Collection.FACTS)[fact].row.parent_id or ""
        newer = self.successor.get(fact)
        return (episode_of(newer), own) if newer else (own,)

    def episode_rankings(self) -> list[list[str]]:
        """The rankings of episodes: by themselves, and by their best fact (a fact's parent joins the candidates)."""
        rankings = []
        for (collection, _), ranking in self.rankings.items():
            if collection is Collection.EPISODES:
                rankings.append(ranking)
            elif collection is Collection.FACTS:
                parents = (parent for identity in ranking for parent in self.episodes_of(identity))
                rankings.append(list(dict.fromkeys(parents)))
        return rankings


def recall(index: MemoryIndex, question: Question, scope: Scope, legs: Legs) -> Recalled:
    """The first round trip. Legs without tokens or without a vector are left out."""
    searches: list[TextLeg | VectorLeg] = []
    if question.tokens:
        for collection in legs.text:
            depth = _GRAPH_HITS if collection is Collection.GRAPH else legs.depth
            searches.append(TextLeg(collection, scope.filter(collection), question.tokens, depth))
    if question.vector is not None:
        searches += [VectorLeg(collection, scope.filter(collection), question.vector, legs.depth) for collection in legs.vector]
    recalled = Recalled()
    if not searches:
        return recalled
    for search, hits in zip(searches, index.recall(searches), strict=True):
        candidates = recalled.candidates.setdefault(search.collection, {})
        leg = "bm25" if isinstance(search, TextLeg) else "cosine"
        ranking = recalled.rankings[search.collection, leg] = []
        for hit in hits:
            row = scope.known(hit.row)
            if row is not None:
                ranking.append(row.id)
                setattr(candidates.setdefault(row.id, Candidate(row)), leg, hit.score)
    if not question.about_past:
        recalled.successor = successors((each.row for each in recalled.of(Collection.FACTS).values()), scope)
    return recalled
