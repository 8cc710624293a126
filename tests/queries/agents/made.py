"""What the tests of agents are made of: found memories, a memory that is searched, and a planner that follows a script."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from typing import Any

from connectors.endpoints.answer_forms import parse_answer
from mneme.errors import MnemeError, ModelError
from mneme.ports import Answer, Prompt, Role, Spent, Usage
from mneme.settings import load_settings
from queries.agents.evidence import Evidence
from queries.agents.joint import JointScorer
from queries.agents.planner import Judgement, Planner, Tool
from queries.agents.query import Budget, BudgetSpent, QueryParam, QueryPolicy
from queries.agents.run import Rerank
from queries.agents.search import AgenticSearch
from queries.responses import (
    Found,
    FoundEpisode,
    FoundFact,
    FoundMessage,
    FoundProfile,
    Graph,
    GraphRelationship,
    Metrics,
    QueryEcho,
    SearchResponse,
)

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
CALL_TOKENS = 100  # what a call of the scripted planner asks, and is answered


def fact(name: str, text: str = "", episode: str = "", **fields: Any) -> FoundFact:
    """A fact, of an episode of its own unless one is given."""
    values = {
        "id": name,
        "score": 0.5,
        "parent_episode_id": episode or f"episode of {name}",
        "message_ids": (f"message of {name}",),
        "said_at": DAY,
        "atomic_fact": text or f"what {name} tells",
        "topic_name": "topic",
    }
    return FoundFact(**values | fields)


def message(name: str, text: str = "", **fields: Any) -> FoundMessage:
    """A raw message that no episode holds yet."""
    values = {
        "id": name,
        "score": 0.5,
        "message_id": name,
        "conversation_id": "talk",
        "sender_id": "maya",
        "sender_name": "Maya",
        "text": text or f"what {name} says",
        "sent_at": DAY,
    }
    return FoundMessage(**values | fields)


def episode(name: str, *facts: FoundFact, **fields: Any) -> FoundEpisode:
    """An episode with nested facts."""
    values = {
        "id": name,
        "score": 0.5,
        "subject": f"subject of {name}",
        "summary": f"summary of {name}",
        "episode": f"story of {name}",
        "conversation_id": "talk",
        "document_id": None,
        "section": None,
        "started_at": DAY,
        "ended_at": DAY + timedelta(hours=1),
        "participants": ("Maya",),
        "message_ids": (),
        "atomic_facts": facts,
    }
    return FoundEpisode(**values | fields)


def profile(name: str = "portrait") -> FoundProfile:
    return FoundProfile(id=name, score=0.5, explicit=(), implicit=())


def relationship(source: str, relation: str, target: str, **fields: Any) -> GraphRelationship:
    values = {"id": f"{source}/{relation}/{target}", "source": source, "relation": relation, "target": target}
    return GraphRelationship(**values | {"date": None, "valid_to": None} | fields)


def response(*items: Found, graph: Graph | None = None, query: str = "question", round_trips: int = 2) -> SearchResponse:
    """What a search found, best first. Episodes of its facts are shown as well, as a search does."""
    placed = [
        item.model_copy(update={"rank": place, "score": round(1.0 - 0.01 * place, 4)})
        for place, item in enumerate(items, start=1)
    ]
    facts = [item for item in placed if isinstance(item, FoundFact)]
    episodes = {item.id: item for item in placed if isinstance(item, FoundEpisode)}
    for each in facts:
        parent = episodes.get(each.parent_episode_id) or episode(each.parent_episode_id)
        episodes[parent.id] = parent.model_copy(update={"atomic_facts": (*parent.atomic_facts, each)})
    return SearchResponse(
        episodes=tuple(episodes.values()),
        facts=tuple(facts),
        raw_messages=tuple(item for item in placed if isinstance(item, FoundMessage)),
        profiles=tuple(item for item in placed if isinstance(item, FoundProfile)),
        graph=graph or Graph(),
        query=QueryEcho(text=query, method="hybrid", filters_applied={}, type="general", top_k=20),
        metrics=Metrics(milliseconds=1.0, round_trips=round_trips, candidates={}, scoring="lr"),
        trace=(),
    )


def evidence(*searches: tuple[str, SearchResponse], **options: Any) -> Evidence:
    """What these searches found."""
    found = Evidence(**options)
    for query, each in searches:
        found.add(query, each)
    return found


class Clock:
    """Time that passes only when somebody lets it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def budget(
    clock: Clock | None = None, searches: int = 8, calls: int = 5, tokens: int = 40_000, seconds: float = 30.0
) -> Budget:
    return Budget(searches, calls, tokens, seconds, clock or Clock())


Step = Any  # what a method of the planner returns, or an error that it raises


class ScriptedPlanner:
    """Decides as it was told, in order; the last step again when they are used up.

    Each decision takes a call of the budget, as that of a model does. ``asked`` has the question of each, ``seen`` the ids that
    were found by then.
    """

    def __init__(
        self,
        route: Step = Tool.CHAIN,
        parts: Step = (),
        judgements: Sequence[Step] = (),
        supplements: Sequence[Step] = (),
        name: str = "scripted",
    ) -> None:
        self.name = name
        self._steps: dict[str, list[Step]] = {
            "route": [route],
            "split": [parts],
            "judge": list(judgements),
            "supplement": list(supplements),
        }
        self.asked: list[tuple[str, str]] = []
        self.seen: list[tuple[str, ...]] = []

    def route(self, question: str, budget: Budget) -> Tool:
        return self._next("route", question, budget)

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        return self._next("split", question, budget)

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        self.seen.append(found.ids)
        return self._next("judge", question, budget)

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        self.seen.append(tuple(each.item.id for each in found.places(100)))
        return self._next("supplement", question, budget)

    def _next(self, what: str, question: str, budget: Budget) -> Any:
        budget.take_call(2 * CALL_TOKENS)
        self.asked.append((what, question))
        budget.spent(CALL_TOKENS, CALL_TOKENS)
        steps = self._steps[what]
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, Exception):
            raise step
        return step() if callable(step) else step


def enough(confidence: float = 0.9) -> Judgement:
    return Judgement(True, confidence)


def more(*queries: str, confidence: float = 0.6, missing: str = "the rest") -> Judgement:
    return Judgement(False, confidence, queries, missing)


class ScriptedChat:
    """A chat model with these answers, in order; ``prompts`` and ``seconds`` has what it was asked, and within which time."""

    def __init__(self, *answers: dict[str, Any] | ModelError, tokens: tuple[int, int] = (400, 40)) -> None:
        self._answers = list(answers)
        self._tokens = tokens
        self.prompts: list[Prompt] = []
        self.seconds: list[float | None] = []

    def answer(self, prompt: Prompt, form: type[Answer], seconds: float | None = None, spent: Spent | None = None) -> Answer:
        self.prompts.append(prompt)
        self.seconds.append(seconds)
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        if spent is not None:
            spent(*self._tokens)
        return parse_answer(json.dumps(answer), form)

    def write(self, prompt: Prompt, seconds: float | None = None, spent: Spent | None = None) -> Iterator[str]:
        raise AssertionError("a planner writes nothing")

    def usage(self) -> dict[Role, Usage]:
        return {}

    def close(self) -> None:
        pass


class Remembered:
    """A memory that is searched: what each query finds, or the error that it raises; anything else finds nothing.

    Among the words of people, what the query and they find together.

    ``searched`` has every search with how many results it wanted and whether all types took part.
    """

    def __init__(self, answers: Mapping[Any, Any] | None = None, before: Callable[[str], None] = lambda query: None) -> None:
        self._answers = dict(answers or {})
        self._before = before
        self.searched: list[tuple[str, int, bool]] = []

    @property
    def queries(self) -> list[str]:
        return [query for query, _, _ in self.searched]

    def __call__(self, query: str, top_k: int, all_types: bool, people: tuple[str, ...] = ()) -> SearchResponse:
        self.searched.append((query, top_k, all_types))
        self._before(query)
        answer = self._answers.get((query, people) if people else query, response(query=query))
        if isinstance(answer, MnemeError):
            raise answer
        assert isinstance(answer, SearchResponse)
        return answer


class Immediately(Executor):
    """Runs everything at once where it is submitted, so that an order and a time can be foreseen."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except (MnemeError, BudgetSpent) as error:  # whoever asks for the result gets it
            future.set_exception(error)
        return future


def ask(
    memory: Remembered,
    planner: Planner,
    agent: str | None = "router",
    question: str = "question",
    limit: int = 10,
    policy: QueryPolicy | None = None,
    clock: Callable[[], float] | None = None,
    pool: Executor | None = None,
    rerank: Rerank | None = None,
    joint: JointScorer | None = None,
    explain: bool = True,
    **agents: Any,
) -> SearchResponse:
    """One question to an agent; ``agents`` are settings of theirs."""
    search = AgenticSearch(
        load_settings({}).replace(agents=agents), planner, rerank, pool or Immediately(), clock or Clock(), joint
    )
    return search.search(QueryParam(question, limit), policy or QueryPolicy(), memory, agent, explain=explain)


def ids(found: SearchResponse) -> list[str]:
    """What holds a place, by rank."""
    return [each.id for each in found.ranked()]
