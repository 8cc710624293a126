"""The door of the query module: ``Memories.connect().search(...)``. What else can be asked is imported when it is."""

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
from queries.agents.query import Order, QueryParam, QueryPolicy, check_context
from queries.deferred import DeferredEmbedder
from queries.filtering.filters import Filters
from queries.filtering.scope import Scope
from queries.gather import Gathered
from queries.query_models import QueryModels
from queries.questions.types import question_type, top_k_of
from queries.questions.understand import Question, both_ends
from queries.remembered import RememberingEmbedder
from queries.reranking.rerank import open_reranker
from queries.responses import Graph, SearchResponse
from queries.search import Searcher, method_of

if TYPE_CHECKING:
    from queries.agents.search import AgenticSearch
    from queries.answers.answer import AnswerResponse, AnswerStream
    from queries.answers.answerer import Answerer
    from queries.answers.followup import Turns
    from queries.browsing.documents import DocumentList
    from queries.browsing.inspected import Inspection
    from queries.browsing.listed import ConversationPage, Memory, MemoryPage, OwnerSummary, Portrait, Receipt
    from queries.browsing.told import History

_TENANT = "default"
_SIDE_BY_SIDE = 16  # searches and decisions of agents at a time, over all threads that search


class Memories:
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
        self._index = index
        self._clock = clock
        self._embedder = embedder
        self._settings = settings
        self._reranker = reranker
        self._searcher = Searcher(index, RememberingEmbedder(embedder), settings, reranker)
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
        return Memories(index, DeferredEmbedder(lambda: open_embedder(settings), index.prepare), settings, clock, reranker)

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
        order: str = "score",
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
            order: ``score``, or agentic: ``chronological``.

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
            _only_agentic(agent=agent, agent_mode=agent_mode or None, policy=policy, order=None if order == "score" else order)
            found = self._searcher.search(query, chosen, asked, moment, top_k, explain)
        else:
            if agent_mode and agent not in (None, "router"):
                raise InputError("agent: agent_mode is the router; leave one of the two out")
            default = self._settings.retrieval.top_k
            limit = top_k_of(question_type(both_ends(query)), default) if top_k is None else top_k
            param = QueryParam(query, limit, expand_context, asked.applied(), _order(order), agent_mode)
            chosen_agent = "router" if agent_mode else agent
            search = partial(self._one_of_several, asked, moment, explain)
            with measured_search("agentic", asked.tenant_id) as told:
                found = self._agentic.search(param, policy or QueryPolicy(), search, chosen_agent, agent_mode, explain)
                told.tell(len(found.ranked()), sum(found.metrics.candidates.values()))
        if not expand_context:
            return found
        from queries.agents.neighbours import neighbours

        context = neighbours(self._index, self._searcher.scope(asked, moment), found, expand_context)
        return found.model_copy(update={"raw_messages": (*found.raw_messages, *context)})

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
        asked_at = self._searcher.scope(Filters.parse(filters or {}), self._clock()).moment

        def search(complete: str) -> SearchResponse:
            return self.search(complete, method, filters, top_k, explain, agent=agent)

        return self._answerer.stream(question, search, asked_at, history, explain)

    def gather(
        self, query: str, filters: Mapping[str, Any] | None = None, top_k: int | None = None
    ) -> tuple[Question, Gathered]:
        """The unscored candidates of a hybrid search, for `mneme bench fit fusion`. Raises what ``search`` does."""
        return self._searcher.gather(query, Filters.parse(filters or {}), self._clock(), top_k)

    def history(self, entity: str, filters: Mapping[str, Any] | None = None) -> "History":
        """Everything that is remembered about a person or a thing, in the order in which it happened, and what became of it.

        Args:
            entity: its name, or a part of it that means nobody else.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: a name without a word, an unknown filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> anton = memories.history("Anton", {"user_id": "nadia"})
        >>> sorted({(each.target, each.valid_to is None) for each in anton.relationships if each.relation == "works_at"})
        [('Brightwater', False), ('Lumen Robotics', True)]
        """
        from queries.browsing.history import read_history

        return read_history(self._index, self._scope(filters), entity)

    def inspect(self, conversation_id: str, filters: Mapping[str, Any] | None = None) -> "Inspection | None":
        """A conversation or a document episode by episode, with everything that was made from it; None if there is none.

        Args:
            conversation_id: its id, or the id or the file name of a document.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.

        Raises:
            InputError: an unknown filter, not exactly one owner, or ``as_of``.
            StoreError: the index cannot answer.

        >>> [len(episode.messages) for episode in memories.inspect("nadia-and-isla", {"user_id": "nadia"}).episodes]
        [14]
        """
        from queries.browsing.inspection import read_inspection

        return read_inspection(self._index, self._scope(filters), conversation_id)

    def documents(self, filters: Mapping[str, Any] | None = None) -> "DocumentList":
        """The documents and attachments of an owner, and the tenant's: what each is, and what of it was read.

        Args:
            filters: see ``queries.filtering.filters.Filters``; ``since`` and ``before`` are about the dates of documents.

        Raises:
            InputError: an unknown filter, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> memories.documents({"user_id": "nadia"}).documents
        ()
        """
        from queries.browsing.documents import read_documents

        return read_documents(self._index, self._scope(filters))

    def conversations(
        self, filters: Mapping[str, Any] | None = None, limit: int = 50, after: str | None = None
    ) -> "ConversationPage":
        """The conversations of an owner, the one with the latest message first.

        Args:
            filters: whose, and which part of them; with ``since``, ``before``, ``participants`` or ``metadata`` those that have
                such messages.
            limit: how many at most, from 1 to 200.
            after: the ``next`` of the page before.

        Raises:
            InputError: an unknown filter or cursor, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> page = memories.conversations({"user_id": "nadia"}, limit=2)
        >>> [(each.conversation_id, each.messages, each.participants) for each in page.items]
        [('nadia-and-marek', 12, ('Marek', 'Nadia')), ('nadia-and-isla', 14, ('Isla', 'Nadia'))]
        >>> [each.conversation_id for each in memories.conversations({"user_id": "nadia"}, limit=2, after=page.next).items]
        ['nadia-and-ruben']
        """
        from queries.browsing.conversations import read_conversations

        return read_conversations(self._index, self._scope(filters), limit, after)

    def browse(
        self,
        kind: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> "MemoryPage":
        """The memories of an owner, the newest first.

        Args:
            kind: ``message``, ``episode``, ``fact``, ``foresight``, ``profile``, ``case``, ``skill``, ``entity``,
                ``relationship``, or ``knowledge``, which is the tenant's; None: everything that is the owner's own.
            filters: whose memory, and which part of it: see ``queries.filtering.filters.Filters``.
            limit: how many at most, from 1 to 200.
            after: the ``next`` of the page before.

        Raises:
            InputError: an unknown kind, filter or cursor, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> memories.browse("message", {"user_id": "nadia"}, limit=1).items[0].text
        'Everybody does, Marek. See you on Thursday.'
        """
        from queries.browsing.listing import read_memories

        return read_memories(self._index, self._scope(filters), kind, limit, after)

    def get(self, id: str, filters: Mapping[str, Any] | None = None) -> "Memory | None":
        """The memory with an id, as it was found, listed or cited; None if there is none in this owner's memory.

        Args:
            id: of a memory of any kind.
            filters: whose memory it is in.

        Raises:
            InputError: an unknown filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> memories.get("default/nadia-and-ruben/acme-004", {"user_id": "nadia"}).text
        'No, I was on the train from Leipzig all morning. What happened?'
        """
        from queries.browsing.listing import read_memory

        return read_memory(self._index, self._scope(filters), id)

    def graph(
        self,
        entity: str | None = None,
        filters: Mapping[str, Any] | None = None,
        hops: int = 1,
        limit: int = 50,
    ) -> Graph:
        """People, things and what is between them: around a name, or those that are spoken of most.

        Args:
            entity: its name, or a part of it that means nobody else; None: those that are spoken of most.
            filters: whose memory.
            hops: how many relationships away from the name, from 0 to 3.
            limit: how many entities at most, from 1 to 200.

        Raises:
            InputError: a wrong name, number or filter, or not exactly one owner.
            StoreError: the index cannot answer.

        >>> [(each.source, each.relation, each.target) for each in memories.graph("Clara", {"user_id": "nadia"}).relationships]
        [('Anton Reyes', 'married_to', 'Clara Novak'), ('Clara Novak', 'ceo_of', 'Acme')]
        """
        from queries.browsing.graph import read_graph

        return read_graph(self._index, self._scope(filters), entity, hops, limit)

    def portrait(self, filters: Mapping[str, Any] | None = None) -> "Portrait":
        """What is known of an owner: each line of the profile with what shows it, and which facts changed.

        Args:
            filters: whose memory.

        Raises:
            InputError: an unknown filter, not exactly one owner, or a filter that is for a search.
            StoreError: the index cannot answer.

        >>> memories.portrait({"user_id": "nadia"}).lines  # nobody there said what they are like
        ()
        """
        from queries.browsing.portrait import read_portrait

        return read_portrait(self._index, self._scope(filters))

    def owners(self, tenant_id: str | None = None) -> "tuple[OwnerSummary, ...]":
        """Whose memory a tenant has, the owner of the latest message first; at most 1,000.

        Args:
            tenant_id: None is ``default``, of a service that of the key.

        Raises:
            StoreError: the index cannot answer.

        >>> [(each.type, each.id, each.messages) for each in memories.owners()]
        [('user', 'nadia', 38)]
        """
        from queries.browsing.owners import read_owners

        return read_owners(self._index, tenant_id or _TENANT)

    def wait_for_flush(self, flush_id: str, tenant_id: str | None = None, timeout: float = 60.0) -> bool:
        """Wait until everything that was sent before a flush can be searched; whether it can.

        Args:
            flush_id: of the ``mneme.Flush`` that was sent.
            tenant_id: None is ``default``, of a service that of the key.
            timeout: seconds.

        Raises:
            StoreError: the index cannot answer.
        """
        from queries.browsing.waiting import is_flushed

        return is_flushed(self._index, tenant_id or _TENANT, flush_id, timeout)

    def receipt(self, erasure_id: str, tenant_id: str | None = None, timeout: float = 0.0) -> "Receipt | None":
        """What an erasure removed, once nothing is left of it; None if that is not so in time.

        Args:
            erasure_id: of the event that was sent.
            tenant_id: None is ``default``, of a service that of the key.
            timeout: seconds.

        Raises:
            StoreError: the index cannot answer.
        """
        from queries.browsing.waiting import read_receipt

        return read_receipt(self._index, tenant_id or _TENANT, erasure_id, timeout)

    def close(self) -> None:
        """Release the index, the models and the threads."""
        self._pool.shutdown(cancel_futures=True)
        self._searcher.close()
        self._models.close()
        self._embedder.close()
        if self._reranker is not None:
            self._reranker.close()
        self._index.close()

    def _scope(self, filters: Mapping[str, Any] | None) -> Scope:
        """
        Raises:
            InputError: an unknown filter, or not exactly one owner.
        """
        return self._searcher.scope(Filters.parse(filters or {}), self._clock())

    @cached_property
    def _agentic(self) -> "AgenticSearch":
        from queries.agents.joint.learned import JointScorer, joint_coefficients_for
        from queries.agents.rerank import rerank_places
        from queries.agents.search import AgenticSearch

        rerank = None if self._reranker is None else partial(rerank_places, self._reranker, self._settings.rerank.top_n)
        joint = JointScorer(lambda: joint_coefficients_for(self._settings, self._embedder.identity), self._embedder)
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


def _order(name: str) -> Order:
    if name not in set(Order):
        raise InputError(f"order: {name!r} is not known; accepted are {', '.join(Order)}")
    return Order(name)
