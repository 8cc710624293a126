"""``mneme bench load``: many who search at once, while messages keep coming in.

Everything goes through `mneme serve`, on an index that is filled with made-up memories. With OpenSearch `mneme run` reads
Kafka beside it; with the embedded index the flow is the service's own.

1. Messages alone: a few talks at a time, each sent and flushed, the next when its episodes are searchable.
2. Searches alone: so many searchers, each of whom asks the next question when the last is answered.
3. Both at once. The talks belong to the owners whose memories are searched.

Searchers and writers take time of the processor as well, as clients on the same machine do.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import count
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console

from evaluation.own_index import fill
from evaluation.report import Report, Row, embedder_of, percentiles, plot_answered, print_table
from evaluation.running import Running, running
from evaluation.synthetic_memories import TENANT, Asked, SyntheticMemories
from evaluation.synthetic_talks import talk
from mneme.errors import StoreError
from mneme.settings import Settings
from mneme.times import utc_now

_WRITERS = 4  # talks at a time
_MESSAGES_OF_A_TALK = 40
_LONGEST_SECONDS = 300.0  # that a search or a flush may take
_OWNERS = 20  # a few of them have most of it
_QUESTIONS = 2000  # that are different
_COLUMNS = ["method", "seconds", "searches", "errors", "searches/s", "p50_ms", "p95_ms", "p99_ms", "messages/s"]
_MESSAGES, _SEARCHES, _BOTH = "messages", "searches", "both"


@dataclass(slots=True)
class Phase:
    """The events of some seconds: milliseconds of each search that was begun, failures by their kind.

    ``answered`` searches and searchable ``messages`` are those within the time.
    """

    seconds: float
    delays: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    messages: int = 0


def run_load(
    settings: Settings,
    console: Console,
    searchers: Annotated[int, typer.Option("--searchers", min=1, help="Who search at a time.")] = 50,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Of each of the three parts.")] = 60.0,
    facts: Annotated[int, typer.Option("--facts", min=100, help="In the index from the start.")] = 10_000,
) -> Report:
    """Many who search at once, alone and while messages keep coming in: p50, p95 and p99, errors, and what is taken in.

    Raises:
        StoreError: a server does not answer, a process ended, or a flush is not answered within five minutes.
    """
    unlimited = settings.replace(service={"requests_per_minute": 0})
    made: list[SyntheticMemories] = []
    with (
        console.status("filling the index") as status,
        running(unlimited, "load", True, lambda own: made.append(fill(facts, _OWNERS, own)[0])) as mneme,
    ):
        questions = made[0].questions(_QUESTIONS)
        load = _Load(mneme, questions)
        status.update("the first of all")
        load.phase(2.0, searchers=4, writers=1)
        phases = {}
        for name, asking, telling in ((_MESSAGES, 0, _WRITERS), (_SEARCHES, searchers, 0), (_BOTH, searchers, _WRITERS)):
            status.update(name)
            phases[name] = load.phase(seconds, asking, telling)
    report = report_of(settings, searchers, facts, phases)
    print_table(console, f"{searchers} searchers, {facts} facts, {settings.index.backend} index", report.rows, _COLUMNS)
    for kind, times in (phases[_SEARCHES].errors + phases[_BOTH].errors).items():
        console.print(f"{times} times: {kind}", highlight=False)
    delays = {"alone": phases[_SEARCHES].delays, "with messages beside them": phases[_BOTH].delays}
    return replace(report, plot=partial(plot_answered, delays, title=settings.index.backend))


class _Load:
    """Searchers and writers of a running Mneme."""

    def __init__(self, mneme: Running, questions: Sequence[Asked]) -> None:
        self._mneme = mneme
        self._questions = questions
        self._talks = count()
        self._asked = count()

    def phase(self, seconds: float, searchers: int, writers: int) -> Phase:
        """So many of both for so long. What was begun is ended afterwards."""
        phase = Phase(seconds)
        ends = time.monotonic() + seconds
        lock = threading.Lock()
        with ThreadPoolExecutor(searchers + writers, "load") as pool:
            jobs = [pool.submit(self._write, phase, lock, ends) for _ in range(writers)]
            jobs += [pool.submit(self._search, phase, lock, ends) for _ in range(searchers)]
            for job in jobs:
                job.result()
        return phase

    def _search(self, phase: Phase, lock: threading.Lock, ends: float) -> None:
        place = urlsplit(str(self._mneme.settings.service.url)).netloc
        with closing(HTTPConnection(place, timeout=_LONGEST_SECONDS)) as connection:
            while time.monotonic() < ends:
                question = self._questions[next(self._asked) % len(self._questions)]
                began = time.perf_counter()
                error = _ask(connection, question)
                taken = 1000 * (time.perf_counter() - began)
                with lock:
                    if error:
                        phase.errors[error] += 1
                    else:
                        phase.delays.append(taken)
                        phase.answered += time.monotonic() < ends
                if error:  # nobody asks again at once where nothing is answered
                    time.sleep(0.1)

    def _write(self, phase: Phase, lock: threading.Lock, ends: float) -> None:
        with self._mneme.publisher() as publisher, self._mneme.memories() as memories:
            while time.monotonic() < ends:
                number = next(self._talks)
                user = self._questions[number % len(self._questions)].user_id
                conversation = f"load-{number}"
                publisher.send_many(talk(conversation, user, _MESSAGES_OF_A_TALK, utc_now(), TENANT))
                flush_id = publisher.flush_conversation(TENANT, conversation)
                if not memories.wait_for_flush(flush_id, TENANT, _LONGEST_SECONDS):
                    raise StoreError(f"a flush was not answered in {_LONGEST_SECONDS:.0f} s:\n{self._mneme.log()}")
                if time.monotonic() < ends:
                    with lock:
                        phase.messages += _MESSAGES_OF_A_TALK


def _ask(connection: HTTPConnection, asked: Asked) -> str:
    """Ask, and return the error; empty without one. It is a request and no more, so that a searcher costs little."""
    body = json.dumps({"query": asked.question, "filters": asked.filters})
    try:
        connection.request("POST", "/api/v1/memories/search", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = response.read()
    except (OSError, HTTPException) as error:
        connection.close()
        return f"{type(error).__name__}: {error}"
    return "" if response.status == 200 else f"{response.status}: {content[:200].decode(errors='replace')}"


def report_of(settings: Settings, searchers: int, facts: int, phases: Mapping[str, Phase]) -> Report:
    """The report of what was measured."""
    table = {name: _row(name, phase) for name, phase in phases.items()}
    alone, both = table[_SEARCHES], table[_BOTH]
    return Report(
        bench="load",
        settings={
            "index": settings.index.backend,
            "searchers": searchers,
            "searches_at_a_time": settings.service.searches,
            "facts": facts,
            "embedder": embedder_of(settings),
        },
        rows=list(table.values()),
        headline={
            "index": settings.index.backend,
            "searchers": searchers,
            "errors": sum(phase.errors.total() for phase in phases.values()),
            "alone_p95_ms": alone["p95_ms"],
            "both_p95_ms": both["p95_ms"],
            "p95_times": float(both["p95_ms"]) / max(float(alone["p95_ms"]), 1e-9),
            "alone_searches/s": alone["searches/s"],
            "both_searches/s": both["searches/s"],
            "alone_messages/s": table[_MESSAGES]["messages/s"],
            "both_messages/s": both["messages/s"],
        },
    )


def _row(name: str, phase: Phase) -> Row:
    return {
        "method": name,
        "seconds": phase.seconds,
        "searches": len(phase.delays),
        "errors": phase.errors.total(),
        "searches/s": phase.answered / phase.seconds,
        **percentiles(phase.delays),
        "messages/s": phase.messages / phase.seconds,
    }
