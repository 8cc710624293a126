"""The door of the query module: ``Memories.connect().search(...)``."""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cached_property
from types import TracebackType
from typing import Any, Self, get_args

from connectors.indices import open_index
from connectors.models import open_embedder
from mneme.errors import InputError
from mneme.ports import Embedder, MemoryIndex, Reranker
from mneme.settings import Settings, load_settings
from mneme.times import utc_now
from queries import methods
from queries.browsing.history import read_history
from queries.browsing.inspected import Inspection
from queries.browsing.inspection import read_inspection
from queries.browsing.told import History
from queries.complete import Completer
from queries.deferred import DeferredEmbedder
from queries.filtering.filters import Filters
from queries.filtering.scope import Scope
from queries.gather import Gathered, gather
from queries.questions.understand import Question, focus, understand
from queries.ranking import Ranking, rearranged, trace_of
from queries.reranking.passages import passage
from queries.reranking.rerank import Reranked, open_reranker, rerank
from queries.responses import Method, Metrics, QueryEcho, SearchResponse, TimeSpan
from queries.scoring.learned import LearnedScorer, coefficients_for
from queries.scoring.min_max import MinMaxScorer
from queries.shape import shape

_METHODS: tuple[Method, ...] = get_args(Method)
_SIDE_BY_SIDE = 8  # calls to the index at a time, over all threads that search


class Memories:
    """Finds memories in an index. May be used from several threads; a context manager that closes the index.

    >>> with Memories.connect() as memories:  # doctest: +SKIP
    ...     memories.search("what did we decide?", filters={"user_id": "user_123"}).facts
    """

    def __init__(
        self,
        index: MemoryIndex,
        embedder: Embedder,
        settings: Settings,
        clock: Callable[[], datetime] = utc_now,
        reranker: Reranker | None = None,
    ) -> None:
        self._index = index
        self._clock = clock
        self._embedder = embedder
        self._settings = settings
        self._reranker = reranker
        self._pool = ThreadPoolExecutor(_SIDE_BY_SIDE, "mneme-query")
        self._completer = Completer(index, self._pool)
        self._min_max = MinMaxScorer(settings.retrieval)

    @classmethod
    def connect(cls, settings: Settings | None = None, clock: Callable[[], datetime] = utc_now) -> Self:
        """The memories of the index that the settings name; by default those of the environment.

        The embedder is opened, and compared with the index, by the first search that needs it.

        Args:
            settings: None reads them from the environment.
            clock: when a question is asked, where it does not say so itself.

        Raises:
            SettingsError: a setting is wrong.
            StoreError: the index cannot be opened.
        """
        settings = settings or load_settings()
        reranker = open_reranker(settings)
        index = open_index(settings, read_only=True)
        return cls(index, DeferredEmbedder(lambda: open_embedder(settings), index.prepare), settings, clock, reranker)

    def search(
        self,
        query: str,
        method: str = "hybrid",
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        explain: bool = False,
    ) -> SearchResponse:
        """The memories that answer a question.

        Args:
            query: the question, in any language.
            method: ``keyword`` (BM25, no model), ``vector`` (MaxSim) or ``hybrid`` (mRAG).
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.
            top_k: how many places the one ranked list over all types has; None leaves it to the question's type.
            explain: whether the response holds the trace of every stage.

        Raises:
            InputError: an empty question, an unknown method or filter, or not exactly one owner.
            StoreError: the index cannot answer.
        """
        started = time.perf_counter()
        chosen = _method(method)
        asked = Filters.parse(filters or {})
        scope = self._scope(asked)
        settings = self._settings.retrieval
        question = self._understand(query, top_k, scope, asked, with_vector=chosen != "keyword")
        arguments = (self._index, self._completer, question, scope, settings)
        match chosen:
            case "keyword":
                ranking = methods.keyword(*arguments)
            case "vector":
                ranking = methods.vector(*arguments, self._focus)
            case "hybrid":
                learned = self._learned(question)
                gathered = gather(*arguments, self._focus, self._leg_weights(learned))
                ranking = methods.hybrid(question, scope, gathered, settings, learned or self._min_max)
        competition = ranking.competition
        reranked = self._rerank(question, ranking)
        placed = rearranged(ranking, reranked.standings, question, scope) if reranked.judged else ranking
        return SearchResponse(
            **shape(question, placed, scope, settings.facts_per_episode, with_facts=chosen == "hybrid"),
            query=QueryEcho(
                text=question.text,
                method=chosen,
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
                rounds=competition.rounds if competition else 0,
                converged_early=competition.converged_early if competition else False,
                reranked=reranked.judged,
                rerank_milliseconds=reranked.milliseconds,
            ),
            trace=(*trace_of(ranking), *reranked.trace) if explain else None,
        )

    def gather(
        self, query: str, filters: Mapping[str, Any] | None = None, top_k: int | None = None
    ) -> tuple[Question, Gathered]:
        """What would compete in a hybrid search, unscored: what `mneme fit fusion` learns from. Raises what ``search`` does."""
        asked = Filters.parse(filters or {})
        scope, settings = self._scope(asked), self._settings.retrieval
        question = self._understand(query, top_k, scope, asked)
        return question, gather(self._index, self._completer, question, scope, settings, self._focus, {})

    def history(self, entity: str, filters: Mapping[str, Any] | None = None) -> History:
        """Everything that is remembered about a person or a thing, in the order in which it happened, and what became of it.

        Args:
            entity: its name, or a part of it that means nobody else.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: a name without a word, an unknown filter, or not exactly one owner.
            StoreError: the index cannot answer.
        """
        return read_history(self._index, self._scope(Filters.parse(filters or {})), entity)

    def inspect(self, conversation_id: str, filters: Mapping[str, Any] | None = None) -> Inspection | None:
        """A conversation or a document episode by episode, with everything that was made from it; None if there is none.

        Args:
            conversation_id: its id, or the id of a document.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: an unknown filter, not exactly one owner, or ``as_of``.
            StoreError: the index cannot answer.
        """
        return read_inspection(self._index, self._scope(Filters.parse(filters or {})), conversation_id)

    def close(self) -> None:
        """Release the index, the models and the threads."""
        self._pool.shutdown()
        self._embedder.close()
        if self._reranker is not None:
            self._reranker.close()
        self._index.close()

    def _understand(self, query: str, top_k: int | None, scope: Scope, asked: Filters, with_vector: bool = True) -> Question:
        settings, embedder = self._settings.retrieval, self._embedder if with_vector else None
        return understand(query, embedder, top_k, settings.top_k, scope.moment, asked.user_id, settings.viewpoint)

    def _focus(self, question: Question, people: Iterable[str]) -> Question | None:
        return focus(question, people, self._embedder) if self._settings.retrieval.viewpoint else None

    def _learned(self, question: Question) -> LearnedScorer | None:
        """The learned scorer, where it was fitted for this index and embedder and both legs are on."""
        return None if question.vector is None else self._fitted

    def _leg_weights(self, learned: LearnedScorer | None) -> Mapping[str, float]:
        return learned.leg_weights if learned and self._settings.retrieval.fusion == "lr" else {}

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
        embedder, backend = self._embedder.identity.fingerprint, self._settings.index.backend
        return (f"scores are min-max: no coefficients for {embedder} on {backend} yet; `mneme fit fusion` makes them",)

    def _rerank(self, question: Question, ranking: Ranking) -> Reranked:
        if self._reranker is None:
            return Reranked(ranking.standings, 0, 0.0)
        top_n = self._settings.rerank.top_n
        return rerank(question.text, ranking.standings, lambda each: passage(ranking.row(each.id)), self._reranker, top_n)

    def _scope(self, asked: Filters) -> Scope:
        return asked.scope(self._clock(), self._settings.retrieval.open_foresight_days)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def _method(name: str) -> Method:
    for method in _METHODS:
        if method == name:
            return method
    if name == "agentic":
        raise InputError(f"method: 'agentic' is not there yet; use one of {', '.join(_METHODS)}")
    raise InputError(f"method: {name!r} is not known; accepted are {', '.join(_METHODS)}")
