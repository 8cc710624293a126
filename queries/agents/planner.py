"""The contract of a planner, which decides the queries. Rules (queries/agents/rule_planner.py) and a model implement it.

A planner sees the question and what was found so far, and nothing else; agents do the searching. What was found is what others
said: a planner takes no orders from it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from queries.agents.evidence import Evidence
from queries.agents.query import Budget

MOST_SUB_QUERIES = 6
BY_MODEL = "model"  # the name of a planner that asks a chat model


class Tool(StrEnum):
    """The strategies that a router chooses from."""

    DIRECT = "direct"
    SPLIT = "split"
    CHAIN = "chain"
    REFLECT = "reflect"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement if the results answer the question, its confidence (0 to 1), and the next queries if they do not.

    ``queries`` is one for a chain, several for ``supplement``; none where nothing better can be asked. ``missing`` says in
    words what is not there. Among the words of ``people`` the question itself is searched for once more, for ``supplement``.
    """

    sufficient: bool
    confidence: float
    queries: tuple[str, ...] = ()
    missing: str = ""
    people: tuple[str, ...] = ()


class Planner(Protocol):
    """Decides. Each method makes at most one call of a model, taken from the budget before it is made.

    All of them raise:
        BudgetSpent: no call, no tokens or no time is left for the decision.
        ModelError: the model did not answer, or with something else than a decision.
    """

    @property
    def name(self) -> str:
        """``rules`` or ``model``."""

    def route(self, question: str, budget: Budget) -> Tool:
        """The one strategy for a question."""

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        """Two to ``MOST_SUB_QUERIES`` questions that do not depend on each other; none where it is one question."""

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """After a search of a chain: is it sufficient, and what is the next thing to ask?"""

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """After the first round of a reflection: is it sufficient, and which ``count`` queries would bring what is missing?

        The queries are key words and statements as the memory might say it, of rules also a question (HyDE; Gao et al.,
        "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023).
        """
