"""gather: the first two phases of mRAG, everything that competes for the places of a hybrid search, before it is scored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from connectors.telemetry.meters import stage
from mneme.dates import DateMention
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Retrieval
from queries.complete import Completer, Evidence
from queries.entities.graph import leads
from queries.filtering.scope import Scope
from queries.fuse import reciprocal_rank_fusion
from queries.granularity.foresights import fitting
from queries.granularity.preference import days_ahead
from queries.questions.understand import Question
from queries.recall import Candidate, Legs, Recalled, recall
from queries.scoring.field import Field
from queries.scoring.late_interaction import compared

Focus = Callable[[Question, Iterable[str]], Question | None]
"""``understand.focus`` with the embedder."""

STANDALONE = (Collection.MESSAGES, Collection.MEMORIES)
_GRAPH = "graph"  # the name of its leg


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What competes for the places of a hybrid search, before anything is scored.

    ``fused`` are the episodes in the order in which they are looked into. ``facts`` are those of each episode, ``others`` what
    is no episode and no fact; all of them are in ``field``.
    """

    recalled: Recalled
    evidence: Evidence
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
    completer: Completer,
    question: Question,
    scope: Scope,
    settings: Retrieval,
    focus: Focus,
    leg_weights: Mapping[str, float],
) -> Gathered:
    """The first two phases of mRAG.

    1. Recall in one round trip, and fuse: which episodes are worth looking into, and in which order.
    2. Complete: their facts, and every leg that is missing.
    3. Compare the tokens of the best with those of the question, where the index has their vectors.
    """
    # 1.
    collections = (Collection.EPISODES, Collection.FACTS, *STANDALONE)
    looked_into = max(settings.candidates, question.top_k)
    # An episode behind twice as many in a leg is hardly among those that are looked into, and episodes are long.
    legs = Legs((*collections, Collection.GRAPH), collections, depth(question, settings), 2 * looked_into)
    recalled = recall(index, question, scope, legs)
    rankings = recalled.episode_rankings()
    follow = settings.graph_weight > 0
    if follow and leads(question, recalled.walk):
        rankings[_GRAPH] = recalled.walk.episodes()
    fused = _fused(rankings, settings.rrf_k, leg_weights)
    episode_ids = list(fused)[:looked_into]
    # 2.
    focused = focus(question, recalled.people())
    evidence = completer.complete(question, scope, legs, recalled, episode_ids, follow, focused)
    if beyond := [each for each in evidence.episodes if each not in fused]:
        # The graph led to more. The way there need not be the best any more, nor pass those to which it led at first.
        led = dict.fromkeys((*evidence.walk.episodes(), *rankings.get(_GRAPH, ()), *beyond))
        fused = _fused(rankings | {_GRAPH: list(led)}, settings.rrf_k, leg_weights)
    facts = {episode: inside for episode, inside in evidence.facts.items() if episode in evidence.episodes}
    ahead = days_ahead(question.text, scope.moment)
    standalone = [each for each in (*evidence.messages.values(), *evidence.memories.values()) if scope.may_hold(each.row)]
    others = fitting(standalone, [fact for inside in facts.values() for fact in inside], ahead)
    field = Field.of(_told_by(evidence, recalled.of(Collection.MESSAGES), settings), facts, others)
    # 3.
    spoken = question.spoken.embedding if question.spoken else question
    if (known := compared(index, (focused or spoken).token_vectors, field)) is not None:
        field, evidence = known, replace(evidence, round_trips=evidence.round_trips + 1)
    return Gathered(recalled, evidence, fused, facts, others, field, ahead)


def depth(question: Question, settings: Retrieval) -> int:
    """How many hits each leg of the recall brings."""
    return max(settings.recall, 2 * question.top_k)


@stage("fuse")
def _fused(rankings: Mapping[str, Sequence[str]], rrf_k: int, leg_weights: Mapping[str, float]) -> dict[str, float]:
    """The episodes in the order in which they are looked into; a leg without a weight of its own counts as the mean leg."""
    mean = sum(leg_weights.values()) / len(leg_weights) if leg_weights else 1.0
    weights = [leg_weights.get(leg, mean) for leg in rankings]
    return reciprocal_rank_fusion(list(rankings.values()), rrf_k, weights)


def _told_by(evidence: Evidence, messages: Mapping[str, Candidate], settings: Retrieval) -> list[Candidate]:
    """The episodes as they are scored: by their own text, or by the best of their messages that were found."""
    episodes = list(evidence.episodes.values())
    if settings.episodes_by == "narrative":
        return episodes
    found = {(each.row.conversation_id, each.row.message_ids[0]): each for each in messages.values()}

    def by_messages(episode: Candidate) -> Candidate:
        row = episode.row
        inside = [found[key] for message in row.message_ids if (key := (row.conversation_id, message)) in found]
        bm25 = max((each.bm25 for each in inside if each.bm25 is not None), default=0.0)
        return replace(
            episode, bm25=bm25, cosine=max((each.cosine for each in inside if each.cosine is not None), default=None)
        )

    return [by_messages(each) for each in episodes]
