"""Who answers a question of several hops: one hybrid search, the agents by each planner, and an oracle as the upper bound."""

from collections.abc import Callable, Sequence
from functools import partial

from evaluation.multihop.questions import WrittenQuestion
from queries import Memories
from queries.agents.evidence import EPISODIC_KINDS, Evidence
from queries.agents.planner import Judgement, Tool
from queries.agents.query import Budget, QueryParam, QueryPolicy
from queries.agents.search import AgenticSearch
from queries.responses import SearchResponse

AGENTS = ("router", "split", "chain", "reflect")
DEPTH = 20  # places that every system may fill; the first ten messages of them are measured

System = Callable[[WrittenQuestion], SearchResponse]


def hybrid(memories: Memories, question: WrittenQuestion) -> SearchResponse:
    """One search."""
    return memories.search(question.text, "hybrid", _filters(question), top_k=DEPTH)


def agentic(memories: Memories, agent: str, question: WrittenQuestion) -> SearchResponse:
    """What an agent finds; the settings of the memories say who decides."""
    return memories.search(question.text, "agentic", _filters(question), top_k=DEPTH, agent=agent)


def oracle(memories: Memories, searches: AgenticSearch, question: WrittenQuestion) -> SearchResponse:
    """What an agent finds that was told what to search for: the question and each of its hops."""
    filters = _filters(question)

    def search(query: str, top_k: int, everything: bool, people: tuple[str, ...] = ()) -> SearchResponse:
        return memories.search(query, "hybrid", filters if everything else {**filters, "kinds": EPISODIC_KINDS}, top_k)

    return searches.search(QueryParam(question.text, DEPTH, filters=filters), QueryPolicy(), search, Tool.SPLIT)


class Oracle:
    """A planner that knows the words in which each hop was asked for; it has not seen what answers them.

    What it finds is what perfect decisions could bring at most: the rest is lost by the searches, or by the places left.
    """

    name = "oracle"

    def __init__(self, questions: Sequence[WrittenQuestion]) -> None:
        """Prepare.

        Args:
            questions: those that it will be asked.
        """
        self._parts = {question.text: tuple(question.hop_questions) for question in questions}

    def route(self, question: str, budget: Budget) -> Tool:
        """Always split: it needs no answer of one hop to ask for the next."""
        return Tool.SPLIT

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        """What was written for each hop."""
        return self._parts[question]

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """The first hop that was not asked for."""
        left = [part for part in self._parts[question] if part not in found.queries]
        return Judgement(not left, 1.0, tuple(left[:1]))

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """The hops that were not asked for."""
        left = [part for part in self._parts[question] if part not in found.queries]
        return Judgement(not left, 1.0, tuple(left[:count]))


def systems_of(planner: str, memories: Memories, agents: Sequence[str] = AGENTS) -> dict[str, System]:
    """The agents of one planner, each by the name of both."""
    return {f"{planner}, {agent}": partial(agentic, memories, agent) for agent in agents}


def _filters(question: WrittenQuestion) -> dict[str, object]:
    return {**question.owner, "expired": True}  # what was expected then may lie behind
