"""The records of a run: gold, answers and verdicts."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from evaluation.metrics import distinct_messages, ranked_results
from evaluation.retrieval.question_set import Question, QuestionSet
from mneme.errors import InputError
from mneme.ids import short_hash
from mneme.ports import Role, Usage

if TYPE_CHECKING:
    from queries.answers.answer import AnswerResponse
    from queries.answers.context import Context


ABSTENTION = "abstention"
"""The category of questions that have no answer, in every set."""


class JudgeKind(StrEnum):
    """The rules by which an answer is judged."""

    DEFAULT = "default"
    ABSTENTION = "abstention"
    TEMPORAL = "temporal"
    KNOWLEDGE_UPDATE = "knowledge-update"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answer.

    ``answer`` is the set's; of abstention it says why there is none, and may be empty. ``rubric`` are the points that a right
    answer makes, where the set lists them. ``trap`` is what is answered by who does not notice that there is no answer.
    """

    kind: JudgeKind
    answer: str = ""
    rubric: tuple[str, ...] = ()
    trap: str = ""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Questions, and the gold of each by its id. Those about abstention have no evidence."""

    questions: QuestionSet
    gold: Mapping[str, Gold]

    @property
    def fingerprint(self) -> str:
        """Equal for the same questions with the same evidence and gold."""
        golds = json.dumps([(each.id, asdict(self.gold[each.id])) for each in self.questions.questions])
        return short_hash(f"{self.questions.fingerprint} {golds}")


def sampled(given: GoldSet, limit: int | None, categories: Collection[str] = ()) -> GoldSet:
    """At most ``limit`` questions, evenly spread over the set, and the events of those whose memory is asked.

    The order stays; None keeps all. Only questions of ``categories``, of all where none is given.

    Raises:
        InputError: the set has no such category.
    """
    known = {each.category for each in given.questions.questions}
    if unknown := sorted(set(categories) - known):
        raise InputError(f"--category: the set has no {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    asked = [each for each in given.questions.questions if not categories or each.category in categories]
    chosen = asked if limit is None else [asked[at * len(asked) // limit] for at in range(min(limit, len(asked)))]
    if len(chosen) == len(given.questions.questions):
        return given
    left = given.questions.with_only(chosen)
    return GoldSet(left, {each.id: given.gold[each.id] for each in chosen})


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The answer to one question.

    ``evidence`` is the share of the gold evidence among the messages that were found, ``shown`` among those in the context of
    ``context_tokens`` that the writer got; None where the set names none.
    """

    answer: str
    abstained: bool
    extractive: bool
    evidence: float | None = None
    shown: float | None = None
    context_tokens: int = 0
    costs: Mapping[Role, Usage] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """The verdict on an answer."""

    correct: bool
    reason: str
    cost: Usage


def given_answer(question: Question, response: "AnswerResponse", context: "Context") -> GivenAnswer:
    """Return the record of a response, and of the context that its writer got."""

    def share(messages: Iterable[str]) -> float | None:
        return len(question.evidence.intersection(messages)) / len(question.evidence) if question.evidence else None

    writing, agent = response.metrics, response.found.metrics.agent
    costs = {
        role: Usage(used.llm_called, used.input_token, used.output_token)
        for role, used in ((Role.ANSWER, writing), (Role.AGENTS, agent))
        if used is not None and used.llm_called
    }
    return GivenAnswer(
        answer=response.answer,
        abstained=response.abstained,
        extractive=response.extractive,
        evidence=share(distinct_messages(ranked_results(response.found, len))),
        shown=share(message for memory in context.memories for message in memory.message_ids),
        context_tokens=context.tokens,
        costs=costs,
        notes=(*response.found.query.notes, *response.notes),
    )
