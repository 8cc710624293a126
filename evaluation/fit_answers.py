"""``mneme bench fit answers``: fits how likely a memory answers, for `ask` without a model (queries/answers/support.py).

1. Ingest the small talks (evaluation/retrieval/sets/answerable.py) and LoCoMo. Ask their questions, and those of LoCoMo once
   more of another conversation, with the names of the people there: nothing answers these.
2. Of each question take the best memories with their features, and which of them answer.
3. Fit a logistic regression, and one for searches that read nothing. The sets count as in ``WEIGHTS``.
4. Print what would be answered from each threshold on, cross-validated by conversation, and write. The threshold is chosen by
   hand (``--enough``): it trades answers for wrong ones.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from evaluation.answers.records import ABSTENTION
from evaluation.fitting import check_ready, fitted, folds_of
from evaluation.options import FittedOption, LocomoOption
from evaluation.report import Row, print_table
from evaluation.retrieval.bench import searched
from evaluation.retrieval.question_set import Question, QuestionSet, owner_name
from evaluation.retrieval.sets import GOLD_LOADERS, answerable
from evaluation.retrieval.systems import last_times, moment_of
from mneme.settings import Settings
from mneme.text import estimate_tokens
from queries.answers.context import context_of
from queries.answers.features import FEATURES
from queries.answers.support import Likeliness, Likelinesses, considered_of
from queries.scoring.field import Numbers

DEFAULT_OUT = Path(__file__).parent.parent / "queries" / "answers" / "likeliness.json"
WEIGHTS: Mapping[str, float] = {"answerable": 300, "locomo": 300, "asked of others": 120}  # of all questions of a set together
ENOUGH_UNREAD = -1.5  # log-odds from which a memory answers where nothing was read: they are lower there
THRESHOLDS = (-2.5, -2.0, -1.5, -1.0, -0.5, 0.0)
FOLDS = 4
STRENGTH = 0.3  # inverse of the L2 penalty
_TOKENS = 4_000  # of context


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A question with its best memories: their features, which may answer at all, and which do."""

    question_set: str
    conversation: str
    has_answer: bool
    features: Numbers
    fits: Sequence[bool]
    answers: Sequence[bool]


def run_fit_answers(
    settings: Settings,
    locomo: LocomoOption = None,
    enough: Annotated[float, typer.Option("--enough", help="Log-odds from which on a memory that was read answers.")] = -1.0,
    out: FittedOption = DEFAULT_OUT,
    console: Console | None = None,
) -> None:
    """Fit how likely a memory answers, for `ask` without a model: prints figures by threshold, then writes.

    Raises:
        InputError: a file cannot be read or written.
        SettingsError: the embedder cannot be opened.
    """
    console = console or Console()
    check_ready(out)
    # 1. and 2.
    examples = list(_examples(answerable.load(), {}, settings, console))
    if locomo:
        questions = GOLD_LOADERS["locomo"](locomo).questions
        examples += _examples(questions, {"asked of others": _of_others(questions)}, settings, console)
    # 3. and 4.
    print_table(console, "Answers, cross-validated by conversation", rows := list(_rows(examples)), list(rows[0]))
    read, unread = (
        Likeliness(weights=weights, bias=bias, enough=least)
        for (weights, bias), least in (
            (fit(examples), enough),
            (fit([_unread(each) for each in examples]), ENOUGH_UNREAD),
        )
    )
    out.write_text(Likelinesses(read=read, unread=unread).model_dump_json(indent=1) + "\n", encoding="utf-8")
    console.print(f"FIT answers questions={len(examples)} enough={enough}", soft_wrap=True, highlight=False)


def fit(examples: Sequence[Example]) -> tuple[dict[str, float], float]:
    """The weights of the features, and the bias."""
    sizes = {name: sum(each.question_set == name for each in examples) for name in WEIGHTS}
    counts = [np.full(len(each.answers), WEIGHTS[each.question_set] / sizes[each.question_set]) for each in examples]
    rows, answers = np.vstack([each.features for each in examples]), np.concatenate([each.answers for each in examples])
    return fitted(FEATURES, rows, answers, np.concatenate(counts), STRENGTH, max_iter=2_000)


def _examples(
    questions: QuestionSet, more: Mapping[str, Sequence[Question]], settings: Settings, console: Console
) -> Iterator[Example]:
    """The questions of a set, and ``more`` of the same memories under names of their own."""
    last = last_times(questions)
    with searched(questions, settings, console) as (_, memories, _):
        for name, asked in {questions.name: questions.questions, **more}.items():
            for each in asked:
                found = memories(each).search(each.text, filters=each.owner)
                considered = considered_of(context_of(found, moment_of(each, last), _TOKENS, estimate_tokens).ranked, found)
                if considered.rows:
                    yield Example(
                        name,
                        each.conversation,
                        each.category != ABSTENTION,
                        np.array(considered.rows),
                        considered.fits,
                        [bool(each.evidence & set(one.message_ids)) for one in considered.memories],
                    )


def _of_others(questions: QuestionSet) -> list[Question]:
    """The questions that name somebody, asked of another conversation with the names of the people there."""
    people: dict[str, list[str]] = {}
    for event in questions.events:
        names = people.setdefault(owner_name(event), [])
        if event["sender_name"] not in names:
            names.append(event["sender_name"])
    owners = {owner_name(each.owner): each.owner for each in questions.questions}
    chance = random.Random(2)
    asked = []
    for each in questions.questions:
        mine = owner_name(each.owner)
        other = chance.choice([name for name in owners if name != mine] or [mine])
        text = each.text
        for name, another in zip(people[mine], people[other], strict=False):
            text = re.sub(rf"\b{re.escape(name)}\b", another, text)
        if other != mine and text != each.text:
            nothing: frozenset[str] = frozenset()
            asked.append(replace(each, text=text, owner=owners[other], category=ABSTENTION, evidence=nothing))
    return asked


def _unread(example: Example) -> Example:
    """An example as a search would give it that reads nothing."""
    features = example.features.copy()
    features[:, [FEATURES.index(name) for name in ("is_read", "reading", "reading_lead")]] = 0.0
    return replace(example, features=features)


def _rows(examples: Sequence[Example]) -> Iterator[Row]:
    """For each set and threshold what is answered; of a conversation by weights that have not seen it."""
    folds = folds_of((each.conversation for each in examples), FOLDS)
    odds: dict[int, Numbers] = {}
    for fold in range(FOLDS):
        weights, bias = fit([each for each in examples if folds[each.conversation] != fold])
        for place, each in enumerate(examples):
            if folds[each.conversation] == fold:
                known = each.features @ np.array([weights[name] for name in FEATURES]) + bias
                odds[place] = np.where(each.fits, known, -np.inf)
    for name in dict.fromkeys(each.question_set for each in examples):
        for enough in THRESHOLDS:
            counts = dict.fromkeys(("right", "wrong", "abstained", "unanswerable", "answered anyway"), 0)
            for place, each in enumerate(examples):
                if each.question_set != name:
                    continue
                best = int(odds[place].argmax())
                answered = odds[place][best] >= enough
                if each.has_answer:
                    counts["right" if answered and each.answers[best] else "wrong" if answered else "abstained"] += 1
                else:
                    counts["unanswerable"] += 1
                    counts["answered anyway"] += bool(answered)
            yield {"set": name, "enough": enough, **counts}
