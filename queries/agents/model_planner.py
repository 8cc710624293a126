"""A planner that asks a chat model: one structured call for each decision, rules in the system part and data in the user part.

Each decision passes these steps:

1. The call, with its tokens, is taken from the budget, or refused.
2. The model answers in a small form, within the time that is left; any other answer is ModelMalformed, and not asked again.
3. The queries that it proposes are checked by code (``new_queries``): the form says what a query is, not whether it is new.
"""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mneme.ports import Answer, Prompt, QueryChat, Role
from mneme.settings import Agents
from mneme.text import estimate_tokens
from queries.agents.evidence import Evidence
from queries.agents.joint import named
from queries.agents.planner import BY_MODEL, MOST_SUB_QUERIES, Judgement, Tool
from queries.agents.prompts import (
    COMBINED_RULES,
    REFLECT_RULES,
    SPLIT_RULES,
    TOOL_SELECT_RULES,
    render_evidence,
    render_question,
    system_of,
)
from queries.agents.query import Budget, distinct

LONGEST_QUERY = 300  # characters; what is longer is no query but a text
ANSWER_TOKENS = 500  # of an answer and its schema, at most: six queries and two phrases are some 200

Confidence = Annotated[float, Field(ge=0, le=1)]


class Choice(BaseModel):
    """The router's answer."""

    tool: Tool


class Parts(BaseModel):
    """Sub-queries of a split question."""

    queries: list[str]


class Verdict(BaseModel):
    """The answer of a judgement. What is known comes before whether it suffices, for a model writes in this order."""

    established: str
    missing: str
    sufficient: bool
    confidence: Confidence
    next_query: str


class Supplement(BaseModel):
    """One query of a second round."""

    style: Literal["key words", "statement"]
    query: str


class Reflection(BaseModel):
    """The answer of a reflection; see ``Verdict``."""

    established: str
    missing: str
    sufficient: bool
    confidence: Confidence
    queries: list[Supplement]


class ModelPlanner:
    """A ``Planner`` that asks the chat model of the role ``agents``."""

    name = BY_MODEL

    def __init__(self, chat: QueryChat, settings: Agents) -> None:
        """Prepare, without calling.

        Args:
            chat: is asked; closed by whoever opened it.
            settings: rules that replace those shipped.
        """
        self._chat = chat
        self._route_rules = system_of(TOOL_SELECT_RULES, settings.prompts.get("tool_select", ""))
        self._split_rules = system_of(SPLIT_RULES, settings.prompts.get("split", ""))
        self._judge_rules = system_of(COMBINED_RULES, settings.prompts.get("combined", ""))
        self._reflect_rules = system_of(REFLECT_RULES, settings.prompts.get("reflect", ""))

    def route(self, question: str, budget: Budget) -> Tool:
        """See ``Planner``."""
        return self._answer(self._route_rules, render_question(question), Choice, budget).tool

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        """See ``Planner``."""
        proposed = self._answer(self._split_rules, render_question(question), Parts, budget).queries
        parts = new_queries(proposed, [question], MOST_SUB_QUERIES)
        return parts if len(parts) > 1 else ()

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """See ``Planner``."""
        verdict = self._answer(self._judge_rules, render_evidence(question, found), Verdict, budget)
        queries = new_queries([verdict.next_query], [question, *found.queries], 1)
        return Judgement(verdict.sufficient, verdict.confidence, queries, _line(verdict.missing))

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """See ``Planner``."""
        rendered = f"Queries wanted: {count}\n{render_evidence(question, found)}"
        verdict = self._answer(self._reflect_rules, rendered, Reflection, budget)
        queries = new_queries([each.query for each in verdict.queries], [question, *found.queries], count)
        people = named(question, found)
        return Judgement(verdict.sufficient, verdict.confidence, queries, _line(verdict.missing), people)

    def _answer(self, system: str, user: str, form: type[Answer], budget: Budget) -> Answer:
        """Take a call out of the budget, and ask the model."""
        budget.take_call(estimate_tokens(system) + estimate_tokens(user) + ANSWER_TOKENS)
        prompt = Prompt(role=Role.AGENTS, system=system, user=user)
        return self._chat.answer(prompt, form, seconds=budget.seconds_left, spent=budget.spent)


def new_queries(proposed: Iterable[str], asked: Iterable[str], most: int) -> tuple[str, ...]:
    """The first ``most`` proposed queries, without empty ones, repetitions and what was asked; each one line, cut if too long.

    >>> new_queries(["Where does Lee work?", " ", "where does lee  work", "Lee's job"], ["Lee's JOB?"], 3)
    ('Where does Lee work?',)
    """
    return distinct(map(_line, proposed), (*asked, ""))[:most]


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_QUERY].rstrip()
