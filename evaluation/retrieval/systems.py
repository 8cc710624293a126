"""Every question asked of the memories that hold its conversation, at its own time, by each method of search."""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import track

from connectors.tokens import token_counter
from evaluation.metrics import Answer, Result, distinct_messages, measure, ranked_results
from evaluation.retrieval.question_set import Question, QuestionSet, owner_name
from mneme.errors import InputError
from mneme.settings import Settings
from queries import Memories

SEARCHES = ("keyword", "vector", "hybrid")
AGENTS = ("agentic", "reflect")
"""Agentic search as it is, its router deciding, and reflection for every question."""
METHODS = (*SEARCHES, *AGENTS)
FOLDS_FILE = "folds.json"
DEPTH = 40  # places that are asked for


@dataclass(frozen=True, slots=True)
class Found:
    """The places of one answer, best first; ``notes`` say how it was scored, and what was left out and why."""

    results: Sequence[Result]
    notes: tuple[str, ...] = ()


MemoriesOf = Callable[[Question], Memories]
"""The memories of a question, at its time for this thread."""

_asked_at: ContextVar[datetime] = ContextVar("asked_at")  # the clock of the memories of ``open_memories``, for this thread


def open_memories(settings: Settings, questions: QuestionSet, folds: Path | None, stack: ExitStack) -> MemoriesOf:
    """Return the memories of each question: always the same, or fitted without its conversation.

    Args:
        settings: which index and models.
        questions: the set that the index holds.
        folds: of `mneme bench fit fusion --folds`: each question is scored by coefficients that were fitted without its
            conversation. None for the same memories.
        stack: closes them.
    """
    last = last_times(questions)
    if folds is None:
        same = stack.enter_context(Memories.open(settings, clock=_asked_at.get))

        def at(question: Question) -> Memories:
            _asked_at.set(moment_of(question, last))
            return same

        return at
    by_conversation = read_folds(folds)

    def without(coefficients: Path) -> Memories:
        own = settings.replace(retrieval={"coefficients": coefficients})
        return stack.enter_context(Memories.open(own, clock=_asked_at.get))

    opened = {path: without(path) for path in sorted(set(by_conversation.values()))}

    def of(question: Question) -> Memories:
        if question.conversation not in by_conversation:
            raise InputError(f"folds: {folds} knows nothing of {question.conversation}; fit on the same files")
        _asked_at.set(moment_of(question, last))
        return opened[by_conversation[question.conversation]]

    return of


def read_folds(folder: Path) -> dict[str, Path]:
    """For each conversation the coefficients that were fitted without it.

    Raises:
        InputError: the folder is none of `mneme bench fit fusion --folds`.
    """
    try:
        folds: dict[str, int] = json.loads((folder / FOLDS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"folds: {folder} holds no {FOLDS_FILE} ({error}); run `mneme bench fit fusion --folds`") from error
    return {conversation: folder / f"{fold}.json" for conversation, fold in folds.items()}


def found_by(method: str, memories: MemoriesOf) -> Callable[[Question], Found]:
    """The search of a method; it may be asked from several threads."""
    count = token_counter()

    def ask(question: Question) -> Found:
        by, agent = ("agentic", {"agentic": "router"}.get(method, method)) if method in AGENTS else (method, None)
        response = memories(question).search(question.text, by, question.filters, top_k=DEPTH, agent=agent)
        return Found(ranked_results(response, count), (*response.query.notes, f"scored by {response.metrics.scoring}"))

    return ask


def moment_of(question: Question, last: Mapping[str, datetime]) -> datetime:
    """Return the time of a question: without a time of its own when the last message was sent, and not today, years later."""
    return question.asked_at or last[owner_name(question.owner)]


def last_times(questions: QuestionSet) -> dict[str, datetime]:
    """Return the time of each owner's last message."""
    last: dict[str, datetime] = {}
    for event in questions.events:
        owner, sent_at = owner_name(event), datetime.fromisoformat(event["sent_at"])
        last[owner] = max(sent_at, last.get(owner, sent_at))
    return last


@dataclass(frozen=True, slots=True)
class Asked:
    """All answers, by method and then in the order of the questions; ``notes`` are counted, by method."""

    answers: Sequence[Answer]
    notes: Mapping[str, Mapping[str, int]]


def ask_all(systems: Mapping[str, Callable[[Question], Found]], questions: Sequence[Question], console: Console) -> Asked:
    """Ask every question by each method, in as many threads as there are processors, and measure the answers."""
    answers: list[Answer] = []
    notes: dict[str, Mapping[str, int]] = {}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, system in systems.items():
            asked = pool.map(system, questions)
            found = list(track(asked, f"asking, {name}", len(questions), console=console, transient=True))
            notes[name] = dict(Counter(note for each in found for note in each.notes))
            for question, each in zip(questions, found, strict=True):
                figures = measure(each.results, question.evidence)
                messages = tuple(islice(distinct_messages(each.results), DEPTH))
                answers.append(Answer(name, question.id, question.category, question.conversation, figures, messages))
    return Asked(answers, notes)
