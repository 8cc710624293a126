"""Queries: search, agentic search and answers."""

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from mneme.settings.base import Group


class Retrieval(Group):
    """Ranking of a search. A request chooses only method, agent, filters, top_k and explain."""

    coefficients: Path | None = Field(default=None, description="file of `mneme bench fit fusion`; default: those shipped")

    # These values are measured or fitted; `mneme bench locomo --set NAME=VALUE` measures another.
    top_k: ClassVar[int] = 20  # results, where neither the request nor the type of the question says it
    # Share of the fact in a score; the rest is its episode's. None: the fitted share, 0.5 without coefficients.
    alpha: ClassVar[float | None] = None
    facts_per_episode: ClassVar[int] = 5  # nested under an episode
    competition: ClassVar[bool] = True  # facts compete with their episodes; else only episodes hold places
    # Of the way to the best score for what relationships lead to, where a question asks for more than one step; 0: no such leg.
    graph_weight: ClassVar[float] = 0.9
    open_foresight_days: ClassVar[int] = 180  # something expected without a date lasts so long from when it was said


class Agents(Group):
    """Agentic search: several searches for one question. A request may lower a budget, never raise it."""

    planner: Literal["auto", "rules", "model"] = Field(
        default="auto",
        description="auto: the chat model of the role agents, rules without one",
    )
    agent: Literal["router", "direct", "split", "chain", "reflect"] | None = Field(
        default=None,
        description="the strategy; default: reflect with a model, else router",
    )
    calls: int = Field(default=5, ge=0, description="calls of the chat model for one question")
    prompts: dict[Literal["tool_select", "split", "combined", "reflect"], str] = Field(
        default_factory=dict,
        description="rules in place of those shipped; combined is that of chain",
    )

    seconds: ClassVar[float] = 30.0  # for one question; then what was found so far is returned
    tokens: ClassVar[int] = 40_000  # asked and answered, for one question: what five calls take at most
    searches: ClassVar[int] = 8  # of one question, whatever the strategy
    max_attempts: ClassVar[int] = 3  # chain: searches, each for what the one before did not find
    confidence_score: ClassVar[float] = 0.8  # chain: confidence from which what was found is sufficient
    supplementary: ClassVar[int] = 3  # reflect: further searches, side by side


class Answers(Group):
    """Answers to questions from what is remembered."""

    writer: Literal["auto", "extractive", "model"] = Field(
        default="auto", description="auto: the chat model of the role answer, quotes without one"
    )
    prompt: str = Field(default="", description="rules in place of those shipped")

    # Of memories and relationships that an answer is made from: on LoCoMo's development half 1,500 show .90 of the evidence,
    # where 1,420 of whole episodes showed .85 and 5,560 .92.
    context_tokens: ClassVar[int] = 1500
    seconds: ClassVar[float] = 60.0  # for one answer, beside the search
