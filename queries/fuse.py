"""fuse: everything that competes in a hybrid search, gathered and fused before it is scored (mRAG, phases 1 and 2)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from connectors.telemetry.meters import stage
from mneme.dates import DateMention
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Retrieval
from queries.entities.graph import leads
from queries.filtering.scope import Scope
from queries.granularity.foresights import fitting
from queries.granularity.preference import days_ahead
from queries.questions.understand import Question
from queries.recall import Candidate, Candidates, Legs, Recalled, complete, recall
from queries.scoring.field import Field
from queries.scoring.late_interaction import Embeddings, with_matches

Focus = Callable[[Question, Iterable[str]], Question | None]
"""``understand.focus`` with the embedder."""

STANDALONE = (Collection.MESSAGES, Collection.MEMORIES)
HITS = 100  # of each leg at least: with 50 or 200 recall@10 moves by .003 or less (docs/internals/benchmarks.md)
_EPISODES = 30  # whose facts compete, at least: with 15 or 60 recall@10 is the same


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The candidates of a hybrid search, before anything is scored.

    ``fused`` are the episodes in the order in which they are looked into. ``facts`` are those of each episode, ``others`` what
    is no episode and no fact; all of them are in ``field``.
    """

    recalled: Recalled
    evidence: Candidates
    fused: dict[str, float]
    facts: Mapping[str, Sequence[Candidate]]
    others: Sequence[Candidate]
    field: Field
    ahead: Sequence[DateMention]

    @property
    def messages(self) -> Iterable[Candidate]:
        """The raw messages that were recalled, whether they are in an episode or not."""
        return self.recalled.of(Collection.MESSAGES).values()


def gather(
    index: MemoryIndex,
    question: Question,
    scope: Scope,
    settings: Retrieval,
    focus: Focus,
    embeddings: Embeddings,
) -> Gathered:
    """The first two phases of mRAG.

    1. Recall in one round trip, and fuse: which episodes are worth looking into, and in which order.
    2. Complete: their facts, and every leg that is missing.
    3. Compare the tokens of the best with those of the question, where the index has their vectors.
    """
    # 1.
    collections = (Collection.EPISODES, Collection.FACTS, *STANDALONE)
    looked_into = max(_EPISODES, question.top_k)
    # An episode behind twice as many in a leg is hardly among those that are looked into, and episodes are long.
    legs = Legs((*collections, Collection.GRAPH), collections, depth(question), 2 * looked_into)
    recalled = recall(index, question, scope, legs)
    rankings = recalled.episode_rankings()
    follow = settings.graph_weight > 0
    if follow and leads(recalled.walk):
        rankings["graph"] = recalled.walk.episodes()
    with stage("fuse"):
        fused = reciprocal_rank_fusion(list(rankings.values()))
    episode_ids = list(fused)[:looked_into]
    # 2.
    focused = focus(question, recalled.people())
    evidence = complete(index, question, scope, legs, recalled, episode_ids, follow, focused)
    facts = {episode: inside for episode, inside in evidence.facts.items() if episode in evidence.episodes}
    ahead = days_ahead(question.text, scope.moment)
    standalone = [each for each in (*evidence.messages.values(), *evidence.memories.values()) if scope.may_hold(each.row)]
    others = fitting(standalone, [fact for inside in facts.values() for fact in inside], ahead)
    field = Field.of(list(evidence.episodes.values()), facts, others)
    # 3.
    spoken = question.spoken.embedding if question.spoken else question
    if (known := with_matches(embeddings, (focused or spoken).token_vectors, field)) is not None:
        field, evidence = known, replace(evidence, round_trips=evidence.round_trips + 1)
    return Gathered(recalled, evidence, fused, facts, others, field, ahead)


def depth(question: Question) -> int:
    """Number of hits of each leg of the recall."""
    return max(HITS, 2 * question.top_k)


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], k: int = 60, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """The fused score of every id of any ranking, best first: the sum of ``weight / (k + place)``, places from 1.

    An id that stands in a ranking more than once counts with its best place. Source: Cormack, Clarke and Buettcher,
    "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009; there all weights are 1,
    as they are here where none are given.
    """
    fused: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for place, identity in enumerate(dict.fromkeys(ranking), start=1):
            fused[identity] = fused.get(identity, 0.0) + weight / (k + place)
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))
