"""The search methods: which legs each uses, and how its results come into one order."""

from collections.abc import Sequence

from connectors.telemetry.searches import stage
from mneme.ports import MemoryIndex
from mneme.rows import Collection
from mneme.settings import Retrieval
from queries.compete import Standing, compete
from queries.complete import Completer
from queries.entities.graph import lifted
from queries.filtering.scope import Scope
from queries.gather import STANDALONE, Focus, Gathered, depth
from queries.granularity.foresights import duplicate_results
from queries.granularity.forms import Form
from queries.granularity.preference import Preference, preference, weigh
from queries.questions.understand import Question
from queries.ranking import Ranking, everyone, places, successors_first, superseding
from queries.recall import Candidate, Legs, recall
from queries.scoring.present import present_first, shipped
from queries.scoring.scorer import Scorer
from queries.succession import inherit


def keyword(index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval) -> Ranking:
    """BM25: episodes, raw messages and other memories by their own score; no vector anywhere."""
    collections = (Collection.EPISODES, *STANDALONE, Collection.GRAPH)
    legs = Legs(text=collections, vector=(), depth=depth(question))
    recalled = recall(index, question, scope, legs)
    episode_ids = list(recalled.of(Collection.EPISODES))[: question.top_k]
    evidence = completer.complete(question, scope, legs, recalled, episode_ids)
    scores = {each.row.id: each.bm25 or 0.0 for each in everyone(evidence)}
    successor = superseding(question, scope, evidence)
    scores = inherit(scores, successor)
    held = successors_first(places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "bm25", _notes(scope))


def vector(
    index: MemoryIndex, completer: Completer, question: Question, scope: Scope, settings: Retrieval, focus: Focus
) -> Ranking:
    """MaxSim: an episode by the cosine of its best fact, or its own where that is higher; never by a mean."""
    collections = (Collection.EPISODES, Collection.FACTS, *STANDALONE)
    legs = Legs(text=(Collection.GRAPH,), vector=collections, depth=depth(question))
    recalled = recall(index, question, scope, legs)
    best: dict[str, float] = {}
    for each in recalled.of(Collection.EPISODES).values():
        best[each.row.id] = each.cosine or 0.0
    for each in recalled.of(Collection.FACTS).values():
        for episode in recalled.episodes_of([each.row.id]):
            best[episode] = max(best.get(episode, -1.0), each.cosine or 0.0)
    episode_ids = sorted(best, key=lambda identity: (-best[identity], identity))[: question.top_k]
    focused = focus(question, recalled.people())
    evidence = completer.complete(question, scope, legs, recalled, episode_ids, focused=focused)
    successor = superseding(question, scope, evidence)
    scores = inherit({each.row.id: each.cosine for each in everyone(evidence) if each.cosine is not None}, successor)
    for episode, facts in evidence.facts.items():
        similar = [scores[each.row.id] for each in facts if each.row.id in scores]
        scores[episode] = max([*similar, scores.get(episode, -1.0)])
    held = successors_first(places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, "maxsim", _notes(scope))


@stage("compete")
def hybrid(question: Question, scope: Scope, gathered: Gathered, settings: Retrieval, scorer: Scorer) -> Ranking:
    """mRAG: both legs over episodes and facts (``gather``), then facts compete with episodes for the places.

    3. Score facts with their neighbours, episodes with their facts, everything on one scale, and a fact together with its
       episode. A statement fits at least as well as what it superseded (queries/succession.py). The type of memory that the
       question asks for is favoured (queries/granularity/preference.py). Where a state is asked for, what is so now is raised
       (queries/scoring/present.py).
    4. Compete (queries/compete.py); what is no episode competes as an episode without facts, and so does an episode that is
       to be told as a whole. Of a foresight and a fact that say the same one leaves, and its place is competed for again.
    5. What superseded another stands before it.
    """
    evidence, facts, others, ahead = gathered.evidence, gathered.facts, gathered.others, gathered.ahead
    # 3.
    scores = scorer.score(question, gathered.field, gathered.messages)
    reached = {each.row.id: each.graph for inside in facts.values() for each in inside if each.graph}
    scores = lifted(scores, reached, settings.graph_weight)
    successor = superseding(question, scope, evidence)
    preferred = Preference()
    if settings.granularity:
        preferred = preference(question, _holders(everyone(evidence), scope), scores, ahead)
    scores = weigh(inherit(scores, successor), preferred.favoured, preferred.in_order)
    if preferred.form in (None, Form.POINT, Form.PLAIN):
        scores = present_first(question, gathered.field, scores, shipped())
    # 4.
    episodes = [Standing(each, scores[each]) for each, found in evidence.episodes.items() if scope.may_hold(found.row)]
    whole = frozenset(preferred.whole if settings.competition else (each.id for each in episodes))
    candidates = [
        *episodes,
        *(Standing(each.row.id, scores[each.row.id]) for each in others),
        *(
            Standing(each.row.id, scores[each.row.id], episode)
            for episode, inside in facts.items()
            if episode not in whole
            for each in _holders(inside, scope)
        ),
    ]
    competition = compete(candidates, question.top_k)
    while leaving := duplicate_results(competition.standings, others, facts, preferred.favoured):
        candidates = [each for each in candidates if each.id not in leaving]
        competition = compete(candidates, question.top_k)
    # 5.
    standings = successors_first(competition.standings, scores, evidence, successor)
    return Ranking(standings, scores, gathered.recalled, evidence, scorer.name, (), gathered.fused, competition, preferred)


def _holders(candidates: Sequence[Candidate], scope: Scope) -> Sequence[Candidate]:
    """Those that may hold a place."""
    return candidates if scope.any_may_hold else [each for each in candidates if scope.may_hold(each.row)]


def _notes(scope: Scope) -> tuple[str, ...]:
    """What a method without facts of their own cannot give."""
    note = "kinds: with this method facts are found within their episodes; hybrid gives them places"
    return (note,) if "fact" in scope.kinds else ()
