"""search: one question, asked once by keyword, vector or hybrid: understand -> recall -> fuse -> compete -> rerank -> shape."""

import time
from datetime import datetime
from functools import cached_property, partial
from typing import get_args

from connectors.telemetry.meters import PART_OF_AGENTIC, measured_search, stage
from mneme.errors import InputError
from mneme.ports import Embedder, MemoryIndex, Reranker
from mneme.rows import Collection
from mneme.settings import Retrieval, Settings
from queries.compete import Standing, compete_beside_documents
from queries.entities.graph import lifted
from queries.filtering.filters import Filters
from queries.filtering.scope import Scope
from queries.fuse import STANDALONE, Focus, Gathered, depth, gather
from queries.granularity.foresights import duplicate_results
from queries.granularity.forms import Form
from queries.granularity.preference import preference, weigh
from queries.questions.understand import Question, focus, understand
from queries.ranking import Ranking, places, reordered, successors_first, trace_of
from queries.recall import Legs, complete, recall
from queries.records import passage, record_of
from queries.rerank import Reranked, rerank
from queries.responses import Method, Metrics, QueryEcho, SearchResponse, TimeSpan
from queries.scoring.change import ChangeScorer
from queries.scoring.field import Scorer
from queries.scoring.late_interaction import Embeddings
from queries.scoring.learned import LearnedScorer, coefficients_for
from queries.scoring.min_max import MinMaxScorer
from queries.scoring.present import ChangesOf, present_first, shipped
from queries.shape import shape
from queries.supersession import behind, inherit, successors

_METHODS: tuple[Method, ...] = get_args(Method)
_BEYOND = 5  # episodes behind the last place that are looked into: one may tell what superseded a statement before it


def keyword(index: MemoryIndex, question: Question, scope: Scope) -> Ranking:
    """BM25: episodes, raw messages and other memories by their own score; no vector anywhere."""
    collections = (Collection.EPISODES, *STANDALONE, Collection.GRAPH)
    legs = Legs(text=collections, vector=(), depth=depth(question))
    recalled = recall(index, question, scope, legs)
    episode_ids = list(recalled.of(Collection.EPISODES))[: question.top_k + _BEYOND]
    evidence = complete(index, question, scope, legs, recalled, episode_ids)
    scores = {each.row.id: each.bm25 or 0.0 for each in evidence.all()}
    successor = successors(evidence.rows(), scope, question, recalled.asker)
    scores = inherit(scores, successor)
    held = successors_first(places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, successor, "bm25", _note_of_kinds(scope))


def vector(index: MemoryIndex, question: Question, scope: Scope, focus: Focus) -> Ranking:
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
    episode_ids = sorted(best, key=lambda identity: (-best[identity], identity))[: question.top_k + _BEYOND]
    focused = focus(question, recalled.people())
    evidence = complete(index, question, scope, legs, recalled, episode_ids, focused=focused)
    successor = successors(evidence.rows(), scope, question, recalled.asker)
    scores = inherit({each.row.id: each.cosine for each in evidence.all() if each.cosine is not None}, successor)
    for episode, facts in evidence.facts.items():
        similar = [scores[each.row.id] for each in facts if each.row.id in scores]
        scores[episode] = max([*similar, scores.get(episode, -1.0)])
    held = successors_first(places(evidence, scores, scope), scores, evidence, successor)[: question.top_k]
    return Ranking(held, scores, recalled, evidence, successor, "maxsim", _note_of_kinds(scope))


@stage("compete")
def hybrid(
    question: Question, scope: Scope, gathered: Gathered, settings: Retrieval, scorer: Scorer, changes: ChangesOf
) -> Ranking:
    """mRAG: both legs over episodes and facts (``gather``), then facts compete with episodes for the places.

    3. Score facts with their neighbours, episodes with their facts, everything on one scale, and a fact together with its
       episode. A statement fits at least as well as what it superseded (queries/supersession.py). The type of memory that the
       question asks for is favoured (queries/granularity/preference.py). Where a state is asked for, what is so now is raised
       (queries/scoring/present.py).
    4. Compete (queries/compete.py); what is no episode competes as an episode without facts, and so does an episode that is
       to be told as a whole. Of a foresight and a fact that say the same one leaves, and its place is competed for again.
    5. What superseded another stands before it.
    """
    evidence, facts, others, ahead = gathered.evidence, gathered.facts, gathered.others, gathered.ahead
    # 3.
    scored = scorer.score(question, gathered.field, gathered.messages)
    scores = scored.scores
    if evidence.walk.evidence:
        reached = [each.row.id for inside in facts.values() for each in inside if evidence.walk.is_told_by(each.row)]
        scores = lifted(scores, reached, settings.graph_weight)
    successor = successors(evidence.rows(), scope, question, gathered.recalled.asker)
    holders = [each for each in evidence.all() if scope.may_hold(each.row)]
    preferred = preference(question, holders, scores, ahead)
    scores = weigh(inherit(scores, successor), preferred.favoured, preferred.in_order)
    if preferred.form in (None, Form.POINT, Form.PLAIN):
        scores = present_first(question, gathered.field, scores, shipped(), changes)
    scores = behind(scores, successor)
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
            for each in inside
            if scope.may_hold(each.row)
        ),
    ]
    documents = {each.row.id for each in evidence.all() if each.row.owner_type == "tenant"}
    competition = compete_beside_documents(candidates, question.top_k, documents)
    while leaving := duplicate_results(competition.standings, others, facts, preferred.favoured):
        candidates = [each for each in candidates if each.id not in leaving]
        competition = compete_beside_documents(candidates, question.top_k, documents)
    # 5.
    standings = successors_first(competition.standings, scores, evidence, successor)
    return Ranking(
        standings,
        scores,
        gathered.recalled,
        evidence,
        successor,
        scorer.name,
        readings=scored.readings,
        fused=gathered.fused,
        competition=competition,
        preferred=preferred,
    )


def _note_of_kinds(scope: Scope) -> tuple[str, ...]:
    """The note on what a method without facts of their own cannot give."""
    note = "kinds: with this method facts are found within their episodes; hybrid gives them places"
    return (note,) if "fact" in scope.kinds else ()


class Searcher:
    """Finds memories in an index. May be used from several threads."""

    def __init__(self, index: MemoryIndex, embedder: Embedder, settings: Settings, reranker: Reranker | None = None) -> None:
        """Prepare, without asking.

        Args:
            index: holds the memories.
            embedder: that of the index.
            settings: of the program.
            reranker: judges the places of a search; None where there is none.
        """
        self._index = index
        self._embedder = embedder
        self._settings = settings
        self._reranker = reranker
        self._focus = partial(focus, embedder=embedder)
        self._min_max = MinMaxScorer(settings.retrieval.alpha)
        self._embeddings = Embeddings(index)

    def search(
        self,
        query: str,
        method: Method,
        asked: Filters,
        moment: datetime,
        top_k: int | None,
        explain: bool = False,
        reranking: bool = True,
    ) -> SearchResponse:
        """The memories that answer a question.

        Args:
            query: the question.
            method: any but ``agentic``.
            asked: whose memory, and which part of it.
            moment: when it is asked.
            top_k: see ``Memories.search``.
            explain: see ``Memories.search``.
            reranking: whether the reranker judges the places, where there is one.

        Raises:
            InputError: an empty question, or ``top_k`` out of range.
            StoreError: the index cannot answer.
        """
        with measured_search(method if reranking else PART_OF_AGENTIC, asked.tenant_id) as measured:
            started = time.perf_counter()
            settings = self._settings.retrieval
            scope = asked.scope(moment, settings.open_foresight_days)
            question = self._understand(query, top_k, scope, asked, with_vector=method != "keyword")
            arguments = (self._index, question, scope)
            match method:
                case "keyword":
                    ranking = keyword(*arguments)
                case "vector":
                    ranking = vector(*arguments, self._focus)
                case _:
                    gathered = gather(*arguments, settings, self._focus, self._embeddings)
                    ranking = hybrid(question, scope, gathered, settings, self._scorer(question), self._changes.chances)
            reranked = self._rerank(question, ranking) if reranking else Reranked(ranking.standings, 0, 0.0)
            placed = reordered(ranking, reranked.standings) if reranked.judged else ranking
            response = SearchResponse(
                **shape(question, placed, scope, settings.facts_per_episode, with_facts=method == "hybrid"),
                query=QueryEcho(
                    text=question.text,
                    method=method,
                    filters_applied=asked.applied(),
                    type=question.type,
                    top_k=question.top_k,
                    period=TimeSpan(since=question.period.since, before=question.period.before) if question.period else None,
                    asker=ranking.recalled.asker,
                    notes=(*question.notes, *self._notes(question, ranking), *ranking.notes, *reranked.notes),
                ),
                metrics=Metrics(
                    milliseconds=round(1000 * (time.perf_counter() - started), 3),
                    round_trips=ranking.round_trips,
                    candidates=ranking.counts(),
                    scoring=ranking.scoring,
                    reranked=reranked.judged,
                    rerank_milliseconds=reranked.milliseconds,
                ),
                trace=(*trace_of(ranking), *reranked.trace) if explain else None,
            )
            measured.tell(places=len(placed.standings), candidates=sum(response.metrics.candidates.values()))
            return response

    def gather(self, query: str, asked: Filters, moment: datetime, top_k: int | None) -> tuple[Question, Gathered]:
        """The candidates of a hybrid search, unscored. Raises what ``search`` does."""
        settings = self._settings.retrieval
        scope = asked.scope(moment, settings.open_foresight_days)
        question = self._understand(query, top_k, scope, asked)
        return question, gather(self._index, question, scope, settings, self._focus, self._embeddings)

    @stage("understand")
    def _understand(self, query: str, top_k: int | None, scope: Scope, asked: Filters, with_vector: bool = True) -> Question:
        settings, embedder = self._settings.retrieval, self._embedder if with_vector else None
        return understand(query, embedder, top_k, settings.top_k, scope.moment, asked.user_id)

    def _scorer(self, question: Question) -> Scorer:
        """The learned scorer, where it was fitted for this index and embedder and both legs are on."""
        return self._min_max if question.vector is None else self._fitted

    @cached_property
    def _fitted(self) -> Scorer:
        learned = coefficients_for(self._settings, self._embedder.identity)
        return LearnedScorer(learned, self._settings.retrieval.alpha) if learned else self._min_max

    @cached_property
    def _changes(self) -> ChangeScorer:
        return ChangeScorer(shipped().changes, self._embedder.identity)

    def _notes(self, question: Question, ranking: Ranking) -> tuple[str, ...]:
        """The notes on scoring in the response."""
        if ranking.scoring != MinMaxScorer.name or question.vector is None:
            return ()
        embedder, backend = self._embedder.identity.fitted_as, self._settings.index.backend
        return (f"scores are min-max: no coefficients for {embedder} on {backend} yet; `mneme bench fit fusion` makes them",)

    def _rerank(self, question: Question, ranking: Ranking) -> Reranked:
        if self._reranker is None:
            return Reranked(ranking.standings, 0, 0.0)
        top_n = self._settings.rerank.top_n
        with stage("rerank"):
            return rerank(
                question.text, ranking.standings, lambda each: passage(record_of(ranking.row(each.id))), self._reranker, top_n
            )


def method_of(name: str) -> Method:
    """The method of this name.

    Raises:
        InputError: there is none.
    """
    for method in _METHODS:
        if method == name:
            return method
    raise InputError(f"method: {name!r} is not known; accepted are {', '.join(_METHODS)}")
