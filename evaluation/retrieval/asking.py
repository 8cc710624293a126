"""Every question to every system: quickly for what is found, and one after the other for how long it takes."""

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from rich.console import Console
from rich.progress import track

from evaluation.metrics import distinct_messages, tokens_for_messages
from evaluation.retrieval.figures import Answer, measure
from evaluation.retrieval.question_set import Question
from evaluation.retrieval.systems import DEPTH, Found, System

WARM_UP, SAMPLE = 5, 60  # questions whose time is taken, after a few that only warm up


@dataclass(frozen=True, slots=True)
class Asked:
    """All answers, by method and then in the order of the questions; ``notes`` are counted, by method."""

    answers: Sequence[Answer]
    notes: Mapping[str, Mapping[str, int]]


def ask_all(systems: Mapping[str, System], questions: Sequence[Question], console: Console, time_sample: int = SAMPLE) -> Asked:
    """Ask and measure.

    1. The time of ``time_sample`` questions, evenly spread, one at a time: nothing else runs then.
    2. All questions in as many threads as there are processors.
    """
    taken = {name: _times(system, questions, time_sample, console, name) for name, system in systems.items()}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found: dict[str, list[Found]] = {}
        for name, system in systems.items():
            asked = pool.map(system, questions)
            found[name] = list(track(asked, f"asking, {name}", len(questions), console=console, transient=True))
    first_ten = [tokens_for_messages(each.results, 10) for each in found.get("hybrid", ())]
    answers = []
    for name, by_question in found.items():
        for at, (question, each) in enumerate(zip(questions, by_question, strict=True)):
            figures = measure(each.results, question.evidence, first_ten[at] if first_ten else None)
            if question.id in taken[name]:
                figures["milliseconds"] = taken[name][question.id]
            messages = tuple(islice(distinct_messages(each.results), DEPTH))
            answers.append(Answer(name, question.id, question.category, question.conversation, figures, messages))
    notes = {name: dict(Counter(note for each in by_question for note in each.notes)) for name, by_question in found.items()}
    return Asked(answers, notes)


def _times(system: System, questions: Sequence[Question], size: int, console: Console, name: str) -> dict[str, float]:
    """Milliseconds by question."""
    if not size:
        return {}
    every = max(1, len(questions) // size)
    sample = questions[::every][:size]
    for question in sample[:WARM_UP]:
        system(question)
    times = {}
    for question in track(sample, f"timing, {name}", console=console, transient=True):
        started = time.perf_counter()
        system(question)
        times[question.id] = 1000 * (time.perf_counter() - started)
    return times
