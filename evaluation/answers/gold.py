"""What would be right: the gold of a question set, and what kind of judgement each question wants."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.systems import owner_name
from mneme.ids import short_hash

ABSTENTION = "abstention"
"""The category of questions that have no answer, in every set."""


class JudgeKind(StrEnum):
    """By which rules an answer is judged."""

    DEFAULT = "default"
    ABSTENTION = "abstention"
    TEMPORAL = "temporal"
    KNOWLEDGE_UPDATE = "knowledge-update"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True)
class Gold:
    """What would be right.

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


def sampled(given: GoldSet, limit: int | None) -> GoldSet:
    """At most ``limit`` questions, evenly spread over the set, and the events of those whose memory is asked.

    The order stays; None keeps all.
    """
    asked = given.questions.questions
    if limit is None or limit >= len(asked):
        return given
    chosen = [asked[at * len(asked) // limit] for at in range(limit)]
    owners = {owner_name(each.owner) for each in chosen}
    events = tuple(event for event in given.questions.events if owner_name(event) in owners)
    left = replace(given.questions, events=events, questions=tuple(chosen))
    return GoldSet(left, {each.id: given.gold[each.id] for each in chosen})
