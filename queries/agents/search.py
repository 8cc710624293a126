"""The method ``agentic``: an agent searches several times for one question; all results become one response."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

from mneme.errors import InputError
from mneme.ports import Reranker
from mneme.settings import Settings
from queries.agents.evidence import Place, merged
from queries.agents.joint import JointScorer
from queries.agents.planner import BY_MODEL, Planner, Tool
from queries.agents.query import Budget, QueryParam, QueryPolicy
from queries.agents.run import Rerank, Run, Search, Strategy
from queries.agents.strategies import chain, direct, reflect, route, split
from queries.compete import Standing
from queries.questions.tense import asks_about_past
from queries.questions.types import question_type
from queries.questions.understand import both_ends
from queries.records import passage
from queries.rerank import rerank
from queries.responses import Metrics, QueryEcho, SearchResponse

_KEPT = 40  # places of several searches that are fused, and judged together; what is lower in all of them is not wanted


class AgenticSearch:
    """Answers a question with as many searches as it takes. Safe for several threads."""

    def __init__(
        self,
        settings: Settings,
        planner: Planner,
        rerank: Rerank | None,
        pool: Executor,
        clock: Callable[[], float] = time.monotonic,
        joint: JointScorer | None = None,
    ) -> None:
        """Prepare.

        Args:
            settings: of the program.
            planner: decides what is searched for.
            rerank: judges what all searches found, once; None where there is no reranker.
            pool: runs searches and decisions.
            clock: seconds, monotonic: of deadlines.
            joint: scores together what several searches found; None fuses it by rank.
        """
        self._settings, self._planner, self._rerank, self._pool, self._clock = settings, planner, rerank, pool, clock
        self._joint = joint
        agents = settings.agents
        strategies: dict[str, Strategy] = {
            Tool.DIRECT: direct,
            Tool.SPLIT: split,
            Tool.CHAIN: partial(chain, max_attempts=agents.max_attempts, confidence_score=agents.confidence_score),
            Tool.REFLECT: partial(reflect, supplementary=agents.supplementary),
        }
        self._strategies: dict[str, Strategy] = {"router": partial(route, strategies=strategies), **strategies}

    def search(
        self,
        param: QueryParam,
        policy: QueryPolicy,
        search: Search,
        agent: str | None = None,
        explain: bool = False,
    ) -> SearchResponse:
        """Let an agent answer a question.

        1. The agent searches and decides, within the budget.
        2. What all its searches found is fused, and judged once by the reranker, for the question and all that was asked.
        3. It is put into one response, with what happened.

        Args:
            param: the question.
            policy: what it may cost.
            search: one search.
            agent: which one; None for that of the settings, else reflect with a model and router with rules.
            explain: whether the response holds the trace.

        Raises:
            InputError: an unknown agent.
            MnemeError: whatever the searches raised, where all of them failed.
        """
        started = time.perf_counter()
        by_default = Tool.REFLECT if self._planner.name == BY_MODEL else "router"
        name = agent or self._settings.agents.agent or by_default
        if name not in self._strategies:
            raise InputError(f"agent: {name!r} is not known; accepted are {', '.join(self._strategies)}")
        run = Run(
            param,
            self._planner,
            Budget(**policy.within(self._settings.agents), clock=self._clock),
            search,
            self._rerank,
            self._pool,
            self._joint,
        )
        # 1.
        if name != "router":
            run.chose(name, "it was asked for")
        self._strategies[name](run)
        if not run.evidence.searches and run.failure is not None:
            raise run.failure
        # 2.
        places = run.places(max(_KEPT, param.limit))
        if places:
            places = run.reranked(places, *dict.fromkeys((param.text, *run.evidence.queries)))
        # 3.
        lists = merged(
            run.evidence,
            places,
            param.limit,
            self._settings.retrieval.facts_per_episode,
            newest_first=not asks_about_past(both_ends(param.text)),
            equal_scores=param.long_term,
        )
        return _response(run, lists, started, explain)


def _response(run: Run, lists: dict[str, Any], started: float, explain: bool) -> SearchResponse:
    """The lists with the echo, the metrics and the trace of the search for the question itself, and what the agent did."""
    first, limit = run.evidence.first, run.param.limit
    notes = tuple(dict.fromkeys((*(note for each in run.evidence.searches for note in each.response.query.notes), *run.notes)))
    cost: dict[str, Any] = {
        "milliseconds": round(1000 * (time.perf_counter() - started), 3),
        "round_trips": sum(each.response.metrics.round_trips for each in run.evidence.searches),
        "agent": run.metrics(),
    }
    if first is None:
        filters = dict(run.param.filters)
        kind = question_type(both_ends(run.param.text))
        query = QueryEcho(text=run.param.text, method="agentic", filters_applied=filters, type=kind, top_k=limit, notes=notes)
        return SearchResponse(**lists, query=query, metrics=Metrics(candidates={}, scoring="none", **cost), trace=None)
    return SearchResponse(
        **lists,
        query=first.query.model_copy(update={"text": run.param.text, "method": "agentic", "top_k": limit, "notes": notes}),
        metrics=first.metrics.model_copy(update=cost),
        trace=(*run.trace, *(first.trace or ())) if explain else None,
    )


def rerank_places(
    reranker: Reranker, top_n: int, question: str, places: Sequence[Place]
) -> tuple[Sequence[Place], Sequence[str]]:
    """The places as the reranker sees them, and notes; as they are, where it does not answer.

    Args:
        reranker: judges.
        top_n: how many places are shown to it.
        question: all that was asked, a line each.
        places: best first.
    """
    by_id = {each.item.id: each.item for each in places}
    standings = [Standing(each.item.id, each.score) for each in places]
    judged = rerank(question, standings, lambda each: passage(by_id[each.id]), reranker, top_n)
    return [Place(by_id[each.id], each.score) for each in judged.standings], judged.notes
