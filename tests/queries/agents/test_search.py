"""An agentic search as a whole: hard budgets, deadlines, metrics over all searches, and one reranking at the end."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import ModelMalformed, ModelTimeout, StoreUnavailable
from queries.agents.evidence import Place
from queries.agents.planner import Judgement, Tool
from queries.agents.query import QueryPolicy
from queries.responses import AgentMetrics, SearchResponse
from tests.queries.agents.made import CALL_TOKENS, Clock, Remembered, ScriptedPlanner, ask, enough, ids, message, more, response

QUERIES = [f"query {number}" for number in range(6)]
MEMORY = {query: response(message(query), message("everywhere")) for query in ("question", *QUERIES)}
GENEROUS = 20.0  # seconds: of a run that may take a fraction of one; what is tested is that it ends


def agent_of(found: SearchResponse) -> AgentMetrics:
    assert found.metrics.agent is not None
    return found.metrics.agent


errors = st.sampled_from([ModelMalformed("prose"), ModelTimeout("late")])
several = st.lists(st.sampled_from([*QUERIES, "question", "QUERY 1", ""]), max_size=8).map(tuple)
judgements = st.builds(Judgement, st.booleans(), st.floats(0, 1), several) | errors


@given(
    agent=st.sampled_from(["router", *Tool]),
    route=st.sampled_from([*Tool, None]) | errors,
    parts=several | errors,
    judged=st.lists(judgements, min_size=1, max_size=6),
    failing=st.sets(st.sampled_from(["question", *QUERIES])),
    searches=st.integers(1, 9),
    calls=st.integers(0, 6),
    tokens=st.integers(0, 2000),
    attempts=st.integers(1, 10),
)
def test_budgets_are_hard_whatever_is_decided(
    agent: str,
    route: object,
    parts: object,
    judged: list[object],
    failing: set[str],
    searches: int,
    calls: int,
    tokens: int,
    attempts: int,
) -> None:
    memory = Remembered(MEMORY | dict.fromkeys(failing, StoreUnavailable("no index today")))
    planner = ScriptedPlanner(route, parts, judged, judged)
    policy = QueryPolicy(searches=searches, calls=calls, tokens=tokens)
    try:
        found = ask(memory, planner, agent, policy=policy, max_attempts=attempts, supplementary=6)
    except StoreUnavailable:
        assert set(memory.queries) <= failing
    else:
        metrics = agent_of(found)
        assert metrics.memory_search_called == len(memory.queries)
        assert metrics.llm_called == len(planner.asked)
        assert metrics.input_token + metrics.output_token == 2 * CALL_TOKENS * metrics.llm_called
        assert len(ids(found)) == len(set(ids(found)))
        assert failing.isdisjoint(metrics.queries)
        assert [note for note in found.query.notes if "search failed" in note] or failing.isdisjoint(memory.queries)
    assert len(memory.queries) <= searches
    assert len(planner.asked) <= calls
    assert 2 * CALL_TOKENS * len(planner.asked) <= tokens
    assert len({query.casefold() for query in memory.queries}) == len(memory.queries)
    most = {"direct": 0, "split": 1, "chain": attempts, "reflect": 2}
    assert len(planner.asked) <= most.get(agent, 1 + max(most.values()))


class TestMetrics:
    def test_are_merged_over_all_searches(self) -> None:
        planner = ScriptedPlanner(judgements=[more(QUERIES[0], confidence=0.3), more(QUERIES[1], confidence=0.5), enough(0.9)])
        found = ask(Remembered(MEMORY), planner, "chain", max_attempts=5)
        metrics = agent_of(found)
        assert metrics.model_dump(exclude={"memory_retrieval_time", "llm_time"}) == {
            "selected_tool": "chain",
            "planner": "scripted",
            "queries": ("question", "query 0", "query 1"),
            "memory_search_called": 3,
            "llm_called": 3,
            "input_token": 3 * CALL_TOKENS,
            "output_token": 3 * CALL_TOKENS,
            "confidence_scores": (0.3, 0.5, 0.9),
            "evidence": ("question", "everywhere", "query 0", "query 1"),
        }
        assert metrics.memory_retrieval_time >= 0
        assert metrics.llm_time >= 0
        assert found.metrics.round_trips == 3 * 2
        assert found.query.method == "agentic"

    def test_without_a_call_no_time_is_the_models(self) -> None:
        metrics = agent_of(ask(Remembered(MEMORY), ScriptedPlanner(), "direct"))
        assert (metrics.llm_called, metrics.llm_time, metrics.input_token, metrics.output_token) == (0, 0.0, 0, 0)

    def test_what_failed_was_a_search_too_and_found_nothing(self) -> None:
        memory = Remembered(MEMORY | {QUERIES[0]: StoreUnavailable("no index today")})
        metrics = agent_of(ask(memory, ScriptedPlanner(parts=QUERIES[:2]), "split"))
        assert metrics.memory_search_called == 3
        assert metrics.queries == ("question", "query 1")

    def test_a_call_that_failed_was_one(self) -> None:
        metrics = agent_of(ask(Remembered(MEMORY), ScriptedPlanner(judgements=[ModelMalformed("prose")]), "chain"))
        assert metrics.llm_called == 1
        assert metrics.confidence_scores == ()

    def test_the_trace_tells_what_was_searched_for_and_judged(self) -> None:
        found = ask(
            Remembered(MEMORY), ScriptedPlanner(Tool.CHAIN, judgements=[more("query 0", missing="the rest"), enough(0.9)])
        )
        steps = [(step.move, step.id, step.score, step.reason, step.round) for step in found.trace or ()]
        assert steps == [
            ("route", "chain", 0.0, "chosen by scripted", 0),
            ("search", "question", 2.0, "2 new of 2 found", 1),
            ("judge", "query 0", 0.6, "not sufficient: the rest", 1),
            ("search", "query 0", 1.0, "1 new of 2 found", 2),
            ("judge", "", 0.9, "sufficient", 2),
        ]

    def test_without_explain_there_is_no_trace(self) -> None:
        assert ask(Remembered(MEMORY), ScriptedPlanner(), "direct", explain=False).trace is None


class TestReranking:
    def test_all_is_judged_once_more_for_the_question_and_all_that_was_asked(self) -> None:
        judged: list[tuple[str, int]] = []

        def backwards(question: str, places: Sequence[Place]) -> tuple[Sequence[Place], Sequence[str]]:
            judged.append((question, len(places)))
            return places[::-1], ("rerank: as told",)

        planner = ScriptedPlanner(judgements=[more("query 0"), enough()])
        plain = ask(Remembered(MEMORY), ScriptedPlanner(judgements=[more("query 0"), enough()]), "chain")
        found = ask(Remembered(MEMORY), planner, "chain", rerank=backwards)
        assert judged == [("question\nquery 0", 3)]
        assert ids(found) == ids(plain)[::-1]
        assert found.query.notes == ("agent: rerank: as told",)

    def test_after_the_deadline_nothing_is_reranked_and_it_says_so(self) -> None:
        clock, judged = Clock(), []

        def slow(_: str) -> None:
            clock.now += 31

        def rerank(question: str, places: Sequence[Place]) -> tuple[Sequence[Place], Sequence[str]]:
            judged.append(question)
            return places, ()

        found = ask(Remembered(MEMORY, slow), ScriptedPlanner(), "direct", clock=clock, rerank=rerank)
        assert judged == []
        assert ids(found) == ["question", "everywhere"]
        assert found.query.notes == ("agent: rerank off: the 30 s have passed",)


class TestDeadlines:
    @pytest.fixture
    def released(self) -> Iterator[Event]:
        """What hangs, hangs until the test is over."""
        event = Event()
        yield event
        event.set()

    @pytest.fixture
    def pool(self, released: Event) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(8) as pool:
            yield pool
            released.set()

    def ends(self, memory: Remembered, planner: ScriptedPlanner, agent: str, pool: ThreadPoolExecutor) -> SearchResponse:
        started = time.monotonic()
        found = ask(memory, planner, agent, policy=QueryPolicy(seconds=0.3), clock=time.monotonic, pool=pool)
        assert time.monotonic() - started < GENEROUS
        return found

    @pytest.mark.parametrize("agent", ["router", *Tool])
    def test_a_search_that_hangs_is_left_behind(self, agent: str, released: Event, pool: ThreadPoolExecutor) -> None:
        memory = Remembered(MEMORY, lambda query: assert_released(released))
        planner = ScriptedPlanner(parts=("one", "two"), judgements=[enough()], supplements=[enough()])
        found = self.ends(memory, planner, agent, pool)
        assert ids(found) == []
        assert any("search left behind (question): it was not done by the deadline" in note for note in found.query.notes)

    def test_what_was_found_beside_it_is_the_result(self, released: Event, pool: ThreadPoolExecutor) -> None:
        memory = Remembered(MEMORY, lambda query: query == "query 0" and assert_released(released))
        found = self.ends(memory, ScriptedPlanner(parts=tuple(QUERIES[:3])), "split", pool)
        assert sorted(ids(found)) == ["everywhere", "query 1", "query 2", "question"]
        assert found.query.notes == ("agent: search left behind (query 0): it was not done by the deadline",)

    @pytest.mark.parametrize(("agent", "what"), [("chain", "judgement"), ("reflect", "reflection")])
    def test_a_model_that_hangs_is_left_behind(self, agent: str, what: str, released: Event, pool: ThreadPoolExecutor) -> None:
        def never() -> Judgement:
            assert_released(released)
            return enough()

        found = self.ends(Remembered(MEMORY), ScriptedPlanner(judgements=[never], supplements=[never]), agent, pool)
        assert ids(found) == ["question", "everywhere"]
        assert found.query.notes == (f"agent: {what} left out: it was not done by the deadline",)


def assert_released(event: Event) -> None:
    assert event.wait(60), "the test has not ended"
