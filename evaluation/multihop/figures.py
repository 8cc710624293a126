"""What one answer to a question of several hops measures, and the means of many. Pure.

``hops@10`` is the share of the hops of which some message is among the first ten that the places stand for, ``all hops@10``
whether none is missing, ``recall@10`` the share of all messages that are named for any hop.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.metrics import recall_at
from evaluation.multihop.questions import WrittenQuestion
from evaluation.report import Row
from evaluation.retrieval.figures import ALL, Answer, mean_row

K = 10
SHOWN = (f"hops@{K}", f"all hops@{K}", f"recall@{K}", "searches", "model calls", "tokens", "milliseconds", "milliseconds_p95")


@dataclass(frozen=True, slots=True)
class Answered:
    """One question to one system: the messages that its places stand for, best first, and what that took.

    ``queries`` are what was searched for, ``notes`` what was left out and why.
    """

    system: str
    question: WrittenQuestion
    messages: Sequence[str]
    queries: Sequence[str]
    model_calls: int
    tokens: int
    milliseconds: float
    notes: Sequence[str] = ()

    @property
    def found(self) -> list[bool]:
        """For each hop, whether a message that serves it is among the first ten."""
        first = set(self.messages[:K])
        return [not hop.isdisjoint(first) for hop in self.question.hops]

    @property
    def figures(self) -> dict[str, float]:
        """Of this answer alone."""
        return {
            f"hops@{K}": sum(self.found) / len(self.found),
            f"all hops@{K}": float(all(self.found)),
            f"recall@{K}": recall_at(self.messages, self.question.evidence, K),
            "searches": float(len(self.queries)),
            "model calls": float(self.model_calls),
            "tokens": float(self.tokens),
            "milliseconds": self.milliseconds,
        }

    def as_answer(self) -> Answer:
        """In the form in which runs are compared: its category is the shape of the question."""
        owner = "/".join(self.question.owner.values())
        return Answer(self.system, self.question.id, self.question.shape, owner, self.figures, self.messages)


def rows_of(answered: Sequence[Answered], groups: Mapping[str, Iterable[WrittenQuestion]]) -> list[Row]:
    """The means of each system over each group of questions; times are medians, and 95th percentiles."""
    rows: list[Row] = []
    systems = dict.fromkeys(each.system for each in answered)
    for group, questions in groups.items():
        inside = {question.id for question in questions}
        for system in systems:
            some = [each.as_answer() for each in answered if each.system == system and each.question.id in inside]
            if some:
                mean = mean_row(some)
                rows.append(
                    {"system": system, "of": group, "questions": mean["questions"], **{name: mean[name] for name in SHOWN}}
                )
    return rows


def groups_of(questions: Sequence[WrittenQuestion], *attributes: str) -> dict[str, list[WrittenQuestion]]:
    """All questions, or without attributes only those; then those of each value of an attribute."""
    groups = {} if attributes else {ALL: list(questions)}
    for attribute in attributes:
        for question in questions:
            groups.setdefault(getattr(question, attribute), []).append(question)
    return groups
