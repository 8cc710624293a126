"""What was answered and how it was judged, as it lies in a run's folder: one line for an answer, one for a vote."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from evaluation.metrics import distinct_messages
from evaluation.results import ranked_results
from evaluation.retrieval.question_set import Question
from mneme.ports import Role

if TYPE_CHECKING:
    from queries.answers.answer import AnswerResponse


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)


class Cost(_Line):
    """What calls of a chat model took: how many, their tokens, and their time in milliseconds."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: float = 0.0


class Cited(_Line):
    """A memory that an answer cites by ``number``."""

    number: int
    text: str
    day: str = ""


class GivenAnswer(_Line):
    """The answer to one question.

    ``question`` is its id. ``evidence`` is the share of the gold evidence among the messages that were found, null where the
    set names none. ``milliseconds`` is what the whole took, beside as many others as were asked at a time.
    """

    question: str
    answer: str
    reasoning: str = ""
    citations: tuple[Cited, ...] = ()
    abstained: bool
    extractive: bool
    evidence: float | None = None
    search_milliseconds: float
    milliseconds: float
    costs: Mapping[Role, Cost] = {}
    notes: tuple[str, ...] = ()


class Vote(_Line):
    """One vote on the answer to one question; ``number`` counts from 0, ``judge`` says whose it is (``judge_identity``)."""

    judge: str
    question: str
    number: int
    correct: bool
    reason: str
    cost: Cost


def given_answer(question: Question, response: "AnswerResponse", milliseconds: float) -> GivenAnswer:
    """What is kept of a response."""
    costs = {}
    writing, agent = response.metrics, response.found.metrics.agent
    if writing.llm_called:
        costs[Role.ANSWER] = Cost(
            calls=writing.llm_called,
            input_tokens=writing.input_token,
            output_tokens=writing.output_token,
            milliseconds=writing.llm_time,
        )
    if agent is not None and agent.llm_called:
        costs[Role.AGENTS] = Cost(
            calls=agent.llm_called,
            input_tokens=agent.input_token,
            output_tokens=agent.output_token,
            milliseconds=agent.llm_time,
        )
    messages = set(distinct_messages(ranked_results(response.found, len)))
    return GivenAnswer(
        question=question.id,
        answer=response.answer,
        reasoning=response.reasoning,
        citations=tuple(
            Cited(number=each.number, text=each.text, day=f"{each.said_at:%Y-%m-%d}" if each.said_at else "")
            for each in response.citations
        ),
        abstained=response.abstained,
        extractive=response.extractive,
        evidence=len(question.evidence & messages) / len(question.evidence) if question.evidence else None,
        search_milliseconds=writing.search_milliseconds,
        milliseconds=milliseconds,
        costs=costs,
        notes=(*response.found.query.notes, *response.notes),
    )
