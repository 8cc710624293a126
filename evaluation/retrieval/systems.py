"""The systems that are asked: Mneme's methods of search, and a baseline that shares its tokens and vectors.

``chunks`` is the flat baseline of evaluation/retrieval/chunks.py. Every system returns places as evaluation/metrics.py measures
them.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.progress import track

from connectors.files.chat_events import text_of
from connectors.models import open_embedder
from connectors.tokens import token_counter
from evaluation.metrics import Result, distinct_messages, ranked_results
from evaluation.retrieval.chunks import Chunk, Chunks, Said, chunked
from evaluation.retrieval.figures import Answer, measure
from evaluation.retrieval.question_set import Question, QuestionSet, owner_name
from mneme.errors import InputError
from mneme.ports import Embedder
from mneme.settings import Settings
from queries import Memories
from queries.questions.understand import understand

SEARCHES = ("keyword", "vector", "hybrid")
CHUNKS = "chunks"
AGENTS = ("agentic", "reflect")
"""Agentic search as it is, its router deciding, and reflection for every question."""
METHODS = (*SEARCHES, *AGENTS, CHUNKS)
FOLDS_FILE = "folds.json"
DEPTH = 40  # places that are asked for


@dataclass(frozen=True, slots=True)
class Found:
    """The places of one answer, best first; ``notes`` say how it was scored, and what was left out and why."""

    results: Sequence[Result]
    notes: tuple[str, ...] = ()


System = Callable[[Question], Found]

_asked_at: ContextVar[datetime] = ContextVar("asked_at")  # the clock of the memories of ``open_memories``, for this thread


@contextmanager
def open_systems(
    settings: Settings,
    questions: QuestionSet,
    methods: Sequence[str],
    folds: Path | None = None,
) -> Iterator[dict[str, System]]:
    """The systems by name, over an index that holds the set's events; each may be asked from several threads.

    Args:
        settings: which index and embedder.
        questions: the set.
        methods: which of ``METHODS``.
        folds: of `mneme bench fit fusion --folds`: each question is scored by coefficients that were fitted without its
            conversation.
    """
    with ExitStack() as stack:
        systems: dict[str, System] = {}
        memories = open_memories(settings, questions, folds, stack)
        for method in methods:
            if method == CHUNKS:
                embedder = stack.enter_context(closing(open_embedder(settings)))
                systems[method] = _flat(embedder, questions)
            else:
                systems[method] = _search(memories, method)
        yield systems


def open_memories(
    settings: Settings, questions: QuestionSet, folds: Path | None, stack: ExitStack
) -> Callable[[Question], Memories]:
    """Return the memories of each question, at its time for this thread: always the same, or fitted without its conversation.

    Args:
        settings: which index and models.
        questions: the set that the index holds.
        folds: see ``open_systems``; None for the same memories.
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
        joint = coefficients.with_name(f"agents-{coefficients.name}")  # those of `mneme bench fit agents`, if it was done
        agents = {"coefficients": joint} if joint.exists() else {}
        own = settings.replace(retrieval={"coefficients": coefficients}, agents=agents)
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


def _search(memories: Callable[[Question], Memories], method: str) -> System:
    count = token_counter()

    def ask(question: Question) -> Found:
        by, agent = ("agentic", {"agentic": "router"}.get(method, method)) if method in AGENTS else (method, None)
        response = memories(question).search(question.text, by, question.filters, top_k=DEPTH, agent=agent)
        return Found(ranked_results(response, count), (*response.query.notes, f"scored by {response.metrics.scoring}"))

    return ask


def _flat(embedder: Embedder, questions: QuestionSet) -> System:
    count = token_counter()
    by_owner: dict[str, list[Chunk]] = {owner: chunked(said) for owner, said in transcripts(questions).items()}
    stores = {owner: Chunks(chunks, embedder.embed([each.text for each in chunks])) for owner, chunks in by_owner.items()}

    def ask(question: Question) -> Found:
        asked = understand(question.text, embedder)
        found = stores[owner_name(question.owner)].search(asked.tokens, asked.vector, DEPTH)
        return Found([Result(each.messages, frozenset(each.messages), count(each.text)) for each in found], asked.notes)

    return ask


def transcripts(questions: QuestionSet) -> dict[str, list[Said]]:
    """Everything that was said, by owner, in order."""
    said = defaultdict(list)
    for event in questions.events:
        text = text_of(event["content"])
        said[owner_name(event)].append(Said(event["message_id"], event["sender_name"], text, event["sent_at"][:10]))
    return said


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


def ask_all(systems: Mapping[str, System], questions: Sequence[Question], console: Console) -> Asked:
    """Ask every question by each system, in as many threads as there are processors, and measure the answers."""
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
