"""One question under way, and what every agent is: a strategy for the searches that it takes.

An agent never loses what was found: a search or a decision that fails is noted, and the question ends with what is there.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Protocol, TypeVar

from mneme.errors import MnemeError, ModelError
from queries.agents.evidence import Evidence, Place
from queries.agents.joint import JointScorer
from queries.agents.planner import BY_MODEL, Judgement, Planner, Tool
from queries.agents.query import Budget, BudgetSpent, QueryParam, distinct
from queries.responses import AgentMetrics, SearchResponse, TraceStep


class Search(Protocol):
    """One hybrid search."""

    def __call__(self, query: str, top_k: int, everything: bool, people: tuple[str, ...] = ()) -> SearchResponse:
        """Search.

        Args:
            query: its text.
            top_k: how many results.
            everything: whether all types of memory take part, or only what lies in episodes.
            people: among whose words; none for everybody's.
        """


Rerank = Callable[[str, Sequence[Place]], tuple[Sequence[Place], Sequence[str]]]
"""Places in the order in which a reranker sees them for a query, and notes."""

DEPTH = 20  # results of a search that is fused with others: what is low in one may be high in several

Decision = TypeVar("Decision")
Result = TypeVar("Result")


class Run:
    """A question under way: what was found, what is left of the budget, and what happened. Used by one thread."""

    def __init__(
        self,
        param: QueryParam,
        planner: Planner,
        budget: Budget,
        search: Search,
        rerank: Rerank | None,
        pool: Executor,
        joint: JointScorer | None = None,
    ) -> None:
        """Nothing is searched yet.

        Args:
            param: the question.
            planner: decides.
            budget: its time runs already.
            search: finds; may raise a MnemeError.
            rerank: judges places; None where there is no reranker.
            pool: runs searches and decisions, so that they can be left behind at the deadline.
            joint: scores together what is found; None where nothing was fitted for the index and the embedder.
        """
        self.param, self.planner, self.budget = param, planner, budget
        self.evidence = Evidence(param.long_term)
        self.tool = ""
        self.notes: list[str] = []
        self.trace: list[TraceStep] = []
        self.confidences: list[float] = []
        self.failure: MnemeError | None = None
        self.joint = joint
        self._search, self._rerank, self._pool = search, rerank, pool
        self._retrieval = self._deciding = 0.0

    def search(self, *queries: str, depth: int = 0, people: tuple[str, ...] = ()) -> int:
        """Search for these, side by side, what was searched for before left out; how many new things that found.

        1. As many go out as are left of the budget.
        2. What has not come by the deadline is left behind, what fails is noted.
        3. What came is taken in, in the order of the queries.

        Args:
            queries: what to search for.
            depth: results of each, where that is more than the question's limit.
            people: among whose words; none for everybody's. What was searched for in all is something else among theirs.
        """
        started = time.perf_counter()
        # 1.
        text_of = {f"{query} ({', '.join(people)})" if people else query: query for query in queries}
        new = distinct(text_of, self.evidence.queries)
        try:
            taken = self.budget.take_searches(len(new))
        except BudgetSpent as spent:
            self.note(f"{len(new)} searches left out: {spent}")
            return 0
        if taken < len(new):
            self.note(f"{len(new) - taken} searches left out: no more are allowed for one question")
        top_k = max(self.param.limit, depth)
        under_way = [
            (query, self._pool.submit(self._search, text_of[query], top_k, not self.evidence.searches and not number, people))
            for number, query in enumerate(new[:taken])
        ]
        # 2. and 3.
        found = 0
        for query, future in under_way:
            try:
                response = self._by_deadline(future)
            except BudgetSpent as spent:
                self.note(f"search left behind ({query}): {spent}")
            except MnemeError as error:
                self.failure = error
                self.note(f"search failed ({query}): {error}")
            else:
                more = self.evidence.add(query, response, people)
                self._step("search", query, more, f"{more} new of {len(self.evidence.episodic(response))} found")
                found += more
        self._retrieval += time.perf_counter() - started
        return found

    def decide(self, what: str, ask: Callable[[Planner], Decision]) -> Decision | None:
        """A decision of the planner; None where it cannot be had, which is noted."""
        started = time.perf_counter()
        try:
            return self._by_deadline(self._pool.submit(ask, self.planner))
        except BudgetSpent as spent:
            self.note(f"{what} left out: {spent}")
        except ModelError as error:
            self.note(f"{what} failed: {error}")
        finally:
            self._deciding += time.perf_counter() - started
        return None

    def judged(self, what: str, ask: Callable[[Planner], Judgement]) -> Judgement | None:
        """A decision about what was found, kept with its confidence."""
        judgement = self.decide(what, ask)
        if judgement is not None:
            self.confidences.append(judgement.confidence)
            said = "sufficient" if judgement.sufficient else f"not sufficient: {judgement.missing or 'something is missing'}"
            self._step("judge", "; ".join(judgement.queries), judgement.confidence, said)
        return judgement

    def chose(self, tool: str, why: str) -> None:
        """This strategy answers the question."""
        self.tool = tool
        self._step("route", tool, 0.0, why)

    def reranked(self, places: Sequence[Place], *queries: str) -> list[Place]:
        """The places as a reranker sees them for these queries together; as they are where there is none, or no time."""
        if self._rerank is None:
            return list(places)
        try:
            self.budget.check_time()
            judged, notes = self._by_deadline(self._pool.submit(self._rerank, "\n".join(queries), places))
        except BudgetSpent as spent:
            judged, notes = places, (f"rerank off: {spent}",)
        for note in notes:
            self.note(note)
        return list(judged)

    def places(self, limit: int) -> list[Place]:
        """The results of all searches, best first: by joint scores where there are any, else by rank.

        The queries of a model are good guesses: what they bring is fused with the joint order, a list for each. Behind those
        of rules, which repeat the question in other words, what only they bring comes last.
        """
        if self.joint is None or self.tool != Tool.REFLECT:
            return self.evidence.places(limit)
        try:
            self.budget.check_time()
            scored = self._by_deadline(self._pool.submit(self.joint.places, self.param.text, self.evidence))
        except BudgetSpent as spent:
            self.note(f"joint scores off: {spent}")
            scored = None
        if scored is None:
            return self.evidence.places(limit)
        return self.evidence.fused(scored, limit) if self.by_model else self.evidence.scored(scored, limit)

    @property
    def by_model(self) -> bool:
        """True if a model decides."""
        return self.planner.name == BY_MODEL

    def note(self, text: str) -> None:
        """Something that who asked must know."""
        self.notes.append(f"agent: {text}")

    def metrics(self) -> AgentMetrics:
        """The cost of all searches and decisions together."""
        of_model = self.budget.calls > 0
        return AgentMetrics(
            selected_tool=self.tool,
            planner=self.planner.name,
            queries=self.evidence.queries,
            memory_search_called=self.budget.searches,
            memory_retrieval_time=round(1000 * self._retrieval, 3),
            llm_called=self.budget.calls,
            llm_time=round(1000 * self._deciding, 3) if of_model else 0.0,
            input_token=self.budget.input_tokens,
            output_token=self.budget.output_tokens,
            confidence_scores=tuple(self.confidences),
            evidence=self.evidence.ids,
        )

    def _by_deadline(self, future: "Future[Result]") -> Result:
        left = self.budget.seconds_left
        try:
            return future.result(left)
        except FutureTimeoutError:
            future.cancel()
            raise BudgetSpent("it was not done by the deadline") from None

    def _step(self, move: str, what: str, score: float, reason: str) -> None:
        self.trace.append(
            TraceStep(stage="agent", move=move, id=what, score=score, reason=reason, round=len(self.evidence.searches))
        )


Strategy = Callable[[Run], None]
"""Searches, and decides, until the results suffice or nothing better can be asked. It has no state of its own."""
