"""The figures of a run: how many answers are right, by category, with intervals; what they cost.

How far an answer agrees with the gold in its words takes no judge. Words are the tokens of keyword search (mneme/text.py):
without stop words, stemmed, so that "ran" and "the run" are near.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.answers.records import ABSTENTION, GivenAnswer, Gold
from evaluation.metrics import interval
from evaluation.report import Row
from evaluation.retrieval.question_set import Question
from mneme.ports import Role, Usage
from mneme.text import tokenise


def has_all_words(answer: str, gold: str) -> bool | None:
    """Tell whether an answer has every word of the gold, as often; None for a gold without a word.

    >>> has_all_words("She bought a red kayak in May", "a kayak, red")
    True
    """
    wanted = Counter(tokenise(gold))
    return wanted <= Counter(tokenise(answer)) if wanted else None


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share; it never leaves 0 to 1, and few questions make it wide.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927.

    >>> [round(bound, 3) for bound in wilson(10, 10)]
    [0.722, 1.0]
    """
    z = 1.959964
    share = right / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    # Of a share of 0 or 1 rounding would leave the share itself outside.
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))


_CITED = re.compile(r"\[\d+\]")

ALL, ANSWERABLE = "all", "answerable"
"""Two rows above those of the categories: every question, and those that have an answer."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its gold and its answer. ``right`` is the verdict; None where nobody judged."""

    question: Question
    gold: Gold
    answer: GivenAnswer
    right: bool | None = None

    @property
    def has_answer(self) -> bool:
        """True if the gold is an answer, and not that there is none."""
        return self.question.category != ABSTENTION

    @property
    def text(self) -> str:
        """The answer without the numbers of what it cites, which are no words of it; nothing where it abstains."""
        return "" if self.answer.abstained else _CITED.sub("", self.answer.answer)


def rows_of(judged: Sequence[Judged], asked: Sequence[Question]) -> list[Row]:
    """A row for all questions, one for those with an answer, and one for each category, in that order.

    ``answered`` of ``questions`` are measured. ``accuracy`` is the share that the judge found right, with the 95 % interval of
    Wilson, and by bootstrap over whole conversations as ``cluster_low`` and ``cluster_high``. ``contained`` takes no judge: of
    questions with an answer the share whose answer has all words of the gold. ``abstained`` is the share that said that it is
    not known: right where there is no answer, else false. ``evidence`` is the mean share of the gold evidence among what was
    found, ``shown`` among what the writer got, with its interval by bootstrap, in a context of ``context_tokens`` on average.
    """
    categories = sorted({question.category for question in asked})
    groups = {ALL: categories}
    if ABSTENTION in categories and len(categories) > 1:
        groups[ANSWERABLE] = [each for each in categories if each != ABSTENTION]
    groups |= {each: [each] for each in categories}
    return [
        _row(
            name,
            [each for each in judged if each.question.category in within],
            sum(question.category in within for question in asked),
        )
        for name, within in groups.items()
    ]


def _row(category: str, judged: Sequence[Judged], questions: int) -> Row:
    row: dict[str, str | float | int] = {"category": category, "questions": questions, "answered": len(judged)}
    if not judged:
        return row
    asked_in = [each.question.conversation for each in judged]
    rights = [each.right for each in judged]
    if any(right is not None for right in rights):
        row["judged"] = sum(right is not None for right in rights)
    row |= _share("accuracy", rights, asked_in, clustered="")
    contained = [has_all_words(each.text, wanted(each.gold)) if each.has_answer else None for each in judged]
    row |= _share("contained", contained, asked_in)
    abstained = sum(each.answer.abstained for each in judged)
    row["abstained"] = abstained / len(judged)
    row["abstained_low"], row["abstained_high"] = wilson(abstained, len(judged))
    row |= _share("evidence", [each.answer.evidence for each in judged], asked_in)
    row |= _share("shown", [each.answer.shown for each in judged], asked_in)
    if "shown" in row:
        row["context_tokens"] = round(float(np.mean([each.answer.context_tokens for each in judged])))
    return row


def _share(
    name: str, shares: Sequence[float | None], conversations: Sequence[str], clustered: str | None = None
) -> dict[str, float]:
    """The mean of the shares that are known, with its intervals: of verdicts also Wilson's. Nothing where none is known.

    The names of the interval over conversations begin with ``clustered``, by default with the name.
    """
    known = [(share, conversation) for share, conversation in zip(shares, conversations, strict=True) if share is not None]
    if not known:
        return {}
    values = np.array([share for share, _ in known], dtype=np.float64)
    row = {name: float(values.mean())}
    if all(isinstance(share, bool) for share, _ in known):
        row[f"{name}_low"], row[f"{name}_high"] = wilson(int(values.sum()), len(known))
    bounds = interval(values[:, None], [conversation for _, conversation in known])
    prefix = f"{name}_" if clustered is None else clustered
    ends = () if bounds is None else (("low", bounds.low), ("high", bounds.high))
    return row | {f"{prefix}cluster_{end}": float(bound[0]) for end, bound in ends}


def wanted(gold: Gold) -> str:
    """The words that a right answer has: those of the gold, else of its rubric."""
    return gold.answer or " ".join(gold.rubric)


def cost_rows(answers: Iterable[GivenAnswer], judging: Iterable[Usage], ingestion: Mapping[Role, Usage]) -> list[Row]:
    """Calls and tokens by role, in the order of a run."""
    by_role = {role: [cost] for role, cost in ingestion.items()}
    for role, cost in chain.from_iterable(each.costs.items() for each in answers):
        by_role.setdefault(role, []).append(cost)
    by_role[Role.JUDGE] = list(judging)
    rows: list[Row] = []
    for name, costs in by_role.items():
        if calls := sum(cost.calls for cost in costs):
            asked, answered = sum(cost.input_tokens for cost in costs), sum(cost.output_tokens for cost in costs)
            rows.append({"role": str(name), "calls": calls, "input_tokens": asked, "output_tokens": answered})
    return rows
