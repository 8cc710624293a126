"""search: one question, asked once by keyword, vector or hybrid: understand -> recall -> fuse -> compete -> rerank -> shape."""

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cached_property
from typing import get_args

from connectors.telemetry.searches import PART_OF_AGENTIC, measured_search, stage
from mneme.errors import InputError
from mneme.ports import Embedder, MemoryIndex, Reranker
from mneme.settings import Settings
from queries import methods
from queries.complete import Completer
from queries.filtering.filters import Filters
from queries.filtering.scope import Scope
from queries.gather import Gathered, gather
from queries.questions.understand import Question, focus, understand
from queries.ranking import Ranking, rearranged, trace_of
from queries.reranking.passages import passage
from queries.reranking.rerank import Reranked, rerank
from queries.responses import Method, Metrics, QueryEcho, SearchResponse, TimeSpan
from queries.scoring.late_interaction import TokenVectors
from queries.scoring.learned import LearnedScorer, coefficients_for
from queries.scoring.min_max import MinMaxScorer
from queries.shape import shape

_METHODS: tuple[Method, ...] = get_args(Method)
_SIDE_BY_SIDE = 8  # calls to the index at a time, over all threads that search


class Searcher:
    """Finds memories in an index. May be used from several threads."""

    def __init__(
        self,
        index: MemoryIndex,
        embedder: Embedder,
        settings: Settings,
        reranker: Reranker | None = None,
    ) -> None:
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
        self._pool = ThreadPoolExecutor(_SIDE_BY_SIDE, "mneme-query")
        self._completer = Completer(index, self._pool)
        self._min_max = MinMaxScorer(settings.retrieval.alpha)
        self._token_vectors = TokenVectors(index)

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
        told = method if reranking else PART_OF_AGENTIC
        with measured_search(told, asked.tenant_id) as found:
            ranking, response = self._search(query, method, asked, moment, top_k, explain, reranking)
            found.tell(len(ranking.standings), sum(response.metrics.candidates.values()))
            return response

    def _search(
        self,
        query: str,
        method: Method,
        asked: Filters,
        moment: datetime,
        top_k: int | None,
        explain: bool,
        reranking: bool,
    ) -> tuple[Ranking, SearchResponse]:
        started = time.perf_counter()
        scope = self.scope(asked, moment)
        settings = self._settings.retrieval
        question = self._understand(query, top_k, scope, asked, with_vector=method != "keyword")
        arguments = (self._index, self._completer, question, scope, settings)
        match method:
            case "keyword":
                ranking = methods.keyword(*arguments)
            case "vector":
                ranking = methods.vector(*arguments, self._focus)
            case _:
                learned = self._learned(question)
                gathered = gather(*arguments, self._focus, self._token_vectors)
                ranking = methods.hybrid(question, scope, gathered, settings, learned or self._min_max)
        reranked = self._rerank(question, ranking) if reranking else Reranked(ranking.standings, 0, 0.0)
        placed = rearranged(ranking, reranked.standings, question, scope) if reranked.judged else ranking
        return placed, SearchResponse(
            **shape(question, placed, scope, settings.facts_per_episode, with_facts=method == "hybrid"),
            query=QueryEcho(
                text=question.text,
                method=method,
                filters_applied=asked.applied(),
                type=question.type,
                top_k=question.top_k,
                period=TimeSpan(since=question.period.since, before=question.period.before) if question.period else None,
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

    def gather(self, query: str, asked: Filters, moment: datetime, top_k: int | None) -> tuple[Question, Gathered]:
        """What would compete in a hybrid search, unscored. Raises what ``search`` does."""
        scope, settings = self.scope(asked, moment), self._settings.retrieval
        question = self._understand(query, top_k, scope, asked)
        return question, gather(self._index, self._completer, question, scope, settings, self._focus, self._token_vectors)

    def close(self) -> None:
        """Release the threads; the index and the models are the caller's."""
        self._pool.shutdown()

    @stage("understand")
    def _understand(self, query: str, top_k: int | None, scope: Scope, asked: Filters, with_vector: bool = True) -> Question:
        settings, embedder = self._settings.retrieval, self._embedder if with_vector else None
        return understand(query, embedder, top_k, settings.top_k, scope.moment, asked.user_id, settings.viewpoint)

    def _focus(self, question: Question, people: Iterable[str]) -> Question | None:
        return focus(question, people, self._embedder) if self._settings.retrieval.viewpoint else None

    def _learned(self, question: Question) -> LearnedScorer | None:
        """The learned scorer, where it was fitted for this index and embedder and both legs are on."""
        return None if question.vector is None else self._fitted

    @cached_property
    def _fitted(self) -> LearnedScorer | None:
        retrieval = self._settings.retrieval
        if retrieval.scoring == "min-max":
            return None
        coefficients = coefficients_for(self._settings, self._embedder.identity)
        return LearnedScorer(coefficients, retrieval.alpha) if coefficients else None

    def _notes(self, question: Question, ranking: Ranking) -> tuple[str, ...]:
        """What the response must say of how it was scored."""
        retrieval = self._settings.retrieval
        if ranking.scoring != MinMaxScorer.name or retrieval.scoring == "min-max" or question.vector is None:
            return ()
        embedder, backend = self._embedder.identity.fitted_as, self._settings.index.backend
        return (f"scores are min-max: no coefficients for {embedder} on {backend} yet; `mneme fit fusion` makes them",)

    def _rerank(self, question: Question, ranking: Ranking) -> Reranked:
        if self._reranker is None:
            return Reranked(ranking.standings, 0, 0.0)
        top_n = self._settings.rerank.top_n
        with stage("rerank"):
            return rerank(question.text, ranking.standings, lambda each: passage(ranking.row(each.id)), self._reranker, top_n)

    def scope(self, asked: Filters, moment: datetime) -> Scope:
        """Which rows may take part in a question that is asked at a moment."""
        return asked.scope(moment, self._settings.retrieval.open_foresight_days)


def method_of(name: str) -> Method:
    """The method of this name.

    Raises:
        InputError: there is none.
    """
    for method in _METHODS:
        if method == name:
            return method
    raise InputError(f"method: {name!r} is not known; accepted are {', '.join(_METHODS)}")
