"""The door of the query module: ``Memories.connect().search(...)``. What makes answers is imported when one is asked for."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from connectors.indices import open_index
from connectors.models import open_embedder
from connectors.telemetry.meters import measured_search
from connectors.telemetry.tracing import ContextPool
from mneme.errors import InputError
from mneme.ports import Embedder, MemoryIndex, QueryChat, Reranker
from mneme.settings import Settings, load_settings
from mneme.times import utc_now
from queries.agents.evidence import EPISODIC_KINDS
from queries.agents.joint import JointScorer, joint_coefficients_for
from queries.agents.query import QueryParam, QueryPolicy, check_context
from queries.agents.search import AgenticSearch, rerank_places
from queries.browsing.reader import MemoryReader
from queries.filtering.filters import Filters
from queries.fuse import Gathered
from queries.models import CachingEmbedder, LazyEmbedder, QueryModels
from queries.questions.types import top_k_of
from queries.questions.understand import Question, both_ends
from queries.rerank import open_reranker
from queries.responses import SearchResponse
from queries.search import Searcher, method_of
from queries.surroundings import neighbours, with_portrait

if TYPE_CHECKING:
    from queries.answers.answer import AnswerResponse, AnswerStream, ContextResponse
    from queries.answers.answerer import Answerer
    from queries.answers.followup import Turns

_FEWEST_TOKENS = 50  # the head of a context, and one memory
_CONTEXT_TOP_K = 60
_SIDE_BY_SIDE = 16  # searches and decisions of agents at a time, over all threads that search


class Memories(MemoryReader):
    """Finds memories in an index. May be used from several threads; a context manager that closes the index.

    >>> with Memories.connect() as memories:
    ...     found = memories.search("who is the CEO of Acme?", filters={"user_id": "nadia"}, top_k=3)
    >>> any("Clara Novak is the new CEO of Acme" in item.text for item in found.ranked())
    True
    """

    def __init__(
        self,
        index: MemoryIndex,
        embedder: Embedder,
        settings: Settings,
        clock: Callable[[], datetime] = utc_now,
        reranker: Reranker | None = None,
        chat: QueryChat | None = None,
    ) -> None:
        super().__init__(index, clock, settings.retrieval.open_foresight_days)
        self._embedder = embedder
        self._settings = settings
        self._reranker = reranker
        self._searcher = Searcher(index, CachingEmbedder(embedder), settings, reranker)
        self._models = QueryModels(settings, chat)
        self._pool = ContextPool(_SIDE_BY_SIDE, "mneme-agent")

    @classmethod
    def connect(
        cls,
        settings: Settings | None = None,
        clock: Callable[[], datetime] = utc_now,
        *,
        url: str | None = None,
        api_key: str | None = None,
    ) -> "Memories":
        """The memories of a running service, where one is named, else those of the index that the settings name.

        Args:
            settings: None reads them from the environment.
            clock: when a question is asked, where it does not say so itself; a service has its own.
            url: of the service; None: ``MNEME_SERVICE__URL``, and without that there is none.
            api_key: for the service; None: ``MNEME_SERVICE__API_KEY``.

        Raises:
            SettingsError: a setting is wrong.
            StoreError: the index cannot be opened.
        """
        settings = settings or load_settings()
        if url or settings.service.url:
            from connectors.service import ServiceClient
            from queries.remote import RemoteMemories

            client = ServiceClient.of(settings, url, api_key)
            assert client is not None, "there is a URL"
            return RemoteMemories(client)
        return cls.open(settings, clock)

    @classmethod
    def open(cls, settings: Settings | None = None, clock: Callable[[], datetime] = utc_now) -> "Memories":
        """The memories of the index that the settings name, in this process, whatever service is named.

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
        return Memories(index, LazyEmbedder(lambda: open_embedder(settings), index.prepare), settings, clock, reranker)

    def search(
        self,
        query: str,
        method: str = "hybrid",
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        explain: bool = False,
        *,
        agent: str | None = None,
        agent_mode: bool = False,
        policy: QueryPolicy | None = None,
        expand_context: int = 0,
    ) -> SearchResponse:
        """The memories that answer a question.

        Args:
            query: the question, in any language.
            method: ``keyword`` (BM25, no model), ``vector`` (MaxSim), ``hybrid`` (mRAG), ``agentic`` (several hybrid searches).
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.
            top_k: how many places the one ranked list over all types has; None leaves it to the question's type.
            explain: whether the response holds the trace of every stage.
            agent: agentic: ``direct``, ``split``, ``chain``, ``reflect``, or ``router`` (chooses); None: of the settings.
            agent_mode: agentic with the router, over what lies in episodes, merged with what is in none yet; all scores are 1.
            policy: agentic: what the question may cost, within the settings.
            expand_context: messages before and after each found one that are shown as well, without a rank.

        Raises:
            InputError: an empty question, an unknown method, agent or filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> found = memories.search("where does Anton work now?", filters={"user_id": "nadia"}, top_k=5)
        >>> [item.rank for item in found.ranked()]
        [1, 2, 3, 4, 5]
        >>> any("Anton works at Lumen Robotics now" in fact.atomic_fact for fact in found.facts)
        True
        """
        check_context(expand_context)
        chosen = method_of("agentic" if agent_mode and method == "hybrid" else method)
        asked = Filters.parse(filters or {})
        moment = self._clock()
        if chosen != "agentic":
            _only_agentic(agent=agent, agent_mode=agent_mode or None, policy=policy)
            found = self._searcher.search(query, chosen, asked, moment, top_k, explain)
        else:
            if agent_mode and agent not in (None, "router"):
                raise InputError("agent: agent_mode is the router; leave one of the two out")
            default = self._settings.retrieval.top_k
            limit = top_k_of(both_ends(query), default) if top_k is None else top_k
            param = QueryParam(query, limit, asked.applied(), agent_mode)
            chosen_agent = "router" if agent_mode else agent
            search = partial(self._one_of_several, asked, moment, explain)
            with measured_search("agentic", asked.tenant_id) as measured:
                found = self._agentic.search(param, policy or QueryPolicy(), search, chosen_agent, explain)
                measured.tell(places=len(found.ranked()), candidates=sum(found.metrics.candidates.values()))
        if not expand_context:
            return found
        context = neighbours(self._index, asked.scope(moment, self._open_foresight_days), found, expand_context)
        return found.model_copy(update={"raw_messages": (*found.raw_messages, *context)})

    def context(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        max_tokens: int = 1500,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
    ) -> "ContextResponse":
        """Return the memories for a question as one text to paste into the prompt of a model of your own. Calls no model.

        Args:
            question: in any language.
            filters: see ``search``.
            max_tokens: the most that the text may have, from 50.
            method: see ``search``; ``agentic`` with a model planner does call one.
            agent: see ``search``.
            top_k: see ``search``; None: 60, as many short facts as the text holds.

        Raises:
            InputError: what ``search`` raises, or too few tokens.
            StoreError: the index cannot answer.

        >>> context = memories.context("where does Anton work now?", {"user_id": "nadia"}, max_tokens=400)
        >>> "Lumen Robotics" in context.text, context.tokens <= 400
        (True, True)
        """
        if max_tokens < _FEWEST_TOKENS:
            raise InputError(f"max_tokens: {max_tokens} is too few for a memory; give at least {_FEWEST_TOKENS}")
        scope = self._scope(filters)
        found = self.search(question, method, filters, _CONTEXT_TOP_K if top_k is None else top_k, agent=agent)
        return self._answerer.context(question, with_portrait(self._index, scope, found), scope.moment, max_tokens)

    def ask(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
        history: "Turns" = (),
        explain: bool = False,
    ) -> "AnswerResponse":
        """An answer from what is remembered, with the memories that it cites; ``MNEME_ANSWERS__WRITER`` says who writes it.

        Without a model it quotes what fits best, and says so. What the memories do not tell is said, and not guessed.

        Args:
            question: in any language; the answer is in the same.
            filters: whose memory, and which part of it; with ``as_of`` it is asked then, else when the clock says.
            method: see ``search``.
            agent: see ``search``.
            top_k: see ``search``.
            history: the conversation before it, oldest first, as (role, text): what "she" or "and in May?" leans on.
            explain: whether the response holds the context, and its search the trace.

        Raises:
            InputError: what ``search`` raises, or a history that is none.
            StoreError: the index cannot answer.
            SettingsError: a model is to write, and there is none.

        >>> answer = memories.ask("Where does Anton work now?", {"user_id": "nadia"})
        >>> "Lumen Robotics" in answer.answer, answer.abstained
        (True, False)
        """
        stream = self.ask_stream(question, filters, method=method, agent=agent, top_k=top_k, history=history, explain=explain)
        return stream.response

    def ask_stream(
        self,
        question: str,
        filters: Mapping[str, Any] | None = None,
        *,
        method: str = "hybrid",
        agent: str | None = None,
        top_k: int | None = None,
        history: "Turns" = (),
        explain: bool = False,
    ) -> "AnswerStream":
        """The same, piece by piece as it is written; ``response`` is the whole, at the end. The search is done on return.

        >>> stream = memories.ask_stream("Where does Anton work now?", {"user_id": "nadia"})
        >>> "".join(stream) == stream.response.answer
        True
        """
        scope = self._scope(filters)

        def search(complete: str) -> SearchResponse:
            return with_portrait(self._index, scope, self.search(complete, method, filters, top_k, explain, agent=agent))

        return self._answerer.stream(question, search, scope.moment, history, explain)

    def gather(
        self, query: str, filters: Mapping[str, Any] | None = None, top_k: int | None = None
    ) -> tuple[Question, Gathered]:
        """The unscored candidates of a hybrid search, for `mneme bench fit fusion`. Raises what ``search`` does."""
        return self._searcher.gather(query, Filters.parse(filters or {}), self._clock(), top_k)

    def close(self) -> None:
        """Release the index, the models and the threads."""
        self._pool.shutdown(cancel_futures=True)
        self._models.close()
        self._embedder.close()
        if self._reranker is not None:
            self._reranker.close()
        self._index.close()

    @cached_property
    def _agentic(self) -> AgenticSearch:
        rerank = None if self._reranker is None else partial(rerank_places, self._reranker, self._settings.rerank.top_n)
        coefficients = joint_coefficients_for(self._settings, self._embedder.identity)
        joint = JointScorer(coefficients, self._embedder) if coefficients else None
        return AgenticSearch(self._settings, self._models.planner(), rerank, self._pool, joint=joint)

    @cached_property
    def _answerer(self) -> "Answerer":
        from queries.answers.answerer import Answerer

        models = self._models
        return Answerer(self._settings, (lambda: models.chat) if models.has_chat else None)

    def _one_of_several(
        self,
        asked: Filters,
        moment: datetime,
        explain: bool,
        query: str,
        top_k: int,
        everything: bool,
        people: tuple[str, ...] = (),
    ) -> SearchResponse:
        """One of the searches of an agent; what all of them found is reranked together, later."""
        if people and not asked.participants:
            asked = asked.model_copy(update={"participants": people})
        if not everything:
            kinds = tuple(kind for kind in EPISODIC_KINDS if not asked.kinds or kind in asked.kinds)
            if not kinds:
                raise InputError("filters: kinds leaves nothing of which an agent could search for more")
            asked = asked.model_copy(update={"kinds": kinds})
        return self._searcher.search(query, "hybrid", asked, moment, top_k, explain, reranking=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


_OPTION = {"agent": " (on the command line: --strategy, with --method agentic)"}


def _only_agentic(**given: object) -> None:
    """
    Raises:
        InputError: something that only agents know.
    """
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"{name}: only the method agentic has it; leave it out, or ask with method='agentic'{_OPTION.get(name, '')}"
            )
