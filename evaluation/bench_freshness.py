"""``mneme bench freshness``: how soon what is sent can be found, without a model's latency (local models).

`mneme run` runs on topics, indices and a folder of its own, between a real Kafka and OpenSearch.

1. Single messages of several owners at a steady rate, each with a word of its own. From sending it: until it is acknowledged,
   until it is in the index, and until a keyword search finds the word.
2. Talks of ten messages, each ended by a flush. From sending the flush: until it is answered, and until a keyword search
   finds an episode of the talk with facts of it.

A look takes its time, and the next follows 50 ms later: figures are too high by that, and never too low.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from connectors import Publisher
from connectors.indices import open_index
from evaluation.faults.deployment import Deployment
from evaluation.faults.flow_process import FlowProcess
from evaluation.report import Report, Row, embedder_of, percentiles, plot_distributions, print_table
from evaluation.synthetic_talks import message, own_word, talk
from mneme import ids, rows
from mneme.ports import MemoryIndex
from mneme.rows import Key
from mneme.settings import Settings
from mneme.times import utc_now
from queries import Memories
from queries.responses import SearchResponse

_OWNERS = 3
_LOOK_SECONDS = 0.05
_LONGEST_SECONDS = 120.0  # that anything may take
_MESSAGES_OF_A_TALK = 10
_WAY = "opensearch, Kafka"
_COLUMNS = ["method", "stage", "count", "p50_ms", "p95_ms", "p99_ms", "max_ms"]

Delays = dict[str, list[float]]  # milliseconds from sending until each stage, by its name


def run_freshness(
    settings: Settings,
    console: Console,
    rate: Annotated[float, typer.Option("--rate", min=0.1, help="Messages a second.")] = 5.0,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="For which they come.")] = 60.0,
    talks: Annotated[int, typer.Option("--talks", min=1, help="That are ended by a flush, one after the other.")] = 30,
) -> Report:
    """From sending to searchable: single messages at a steady rate, and talks that are flushed; p50, p95 and p99.

    Raises:
        StoreError: a server does not answer, or something is not there after two minutes.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-freshness-"))
        deployment = stack.enter_context(Deployment(settings, Path(folder)))
        own, mneme = deployment.settings, deployment.flow
        deployment.start()
        mneme.until_reading()
        publisher = stack.enter_context(Publisher(own.kafka))
        memories = stack.enter_context(Memories.open(own))
        index = stack.enter_context(closing(open_index(own, read_only=True)))
        with console.status("the first of all"):  # it waits for models and indices, and is not measured
            flushed_talk(mneme, publisher, memories, 0)
            _SingleMessages(mneme, publisher, memories, index).stream(rate, 1.0)
        # 1.
        with console.status(f"{rate:g} messages a second"):
            singles = _SingleMessages(mneme, publisher, memories, index).stream(rate, seconds)
        # 2.
        with console.status("talks and flushes"):
            delays = [flushed_talk(mneme, publisher, memories, number) for number in range(1, talks + 1)]
        flushes = {stage: [each[stage] for each in delays] for stage in delays[0]}
    report = report_of(settings, rate, singles, flushes)
    print_table(console, f"From sending to searchable, {_WAY}", report.rows, _COLUMNS)
    return replace(report, plot=partial(_plot, {"message": singles, "flush": flushes}))


@dataclass(frozen=True, slots=True)
class _Sent:
    """A message on its way, and when it was handed over (``time.perf_counter``)."""

    user: str
    conversation: str
    number: int
    at: float

    @property
    def key(self) -> Key:
        """The key of its row in the index."""
        owner = ids.owner_key("default", "user", self.user)
        return Key(rows.Collection.MESSAGES, owner, ids.message_id("default", self.conversation, f"m{self.number}"))


Look = Callable[[list[_Sent]], set[_Sent]]
"""Tell those that have arrived from those that are on their way."""


class _SingleMessages:
    """Single messages: one thread sends, one looks into the index, one searches."""

    def __init__(self, mneme: FlowProcess, publisher: Publisher, memories: Memories, index: MemoryIndex) -> None:
        self._mneme = mneme
        self._publisher = publisher
        self._memories = memories
        self._index = index
        self._looks: dict[str, Look] = {"in the index": self._stored, "searchable": self._found}
        # On their way to each stage; a single operation of a dictionary needs no lock.
        self._waiting: dict[str, dict[_Sent, None]] = {stage: {} for stage in self._looks}
        self._delays: Delays = {stage: [] for stage in self._looks}
        self._all_sent = threading.Event()

    def stream(self, rate: float, seconds: float) -> Delays:
        """Send for so long, and wait until all are found."""
        with ThreadPoolExecutor(len(self._looks), "freshness") as pool:
            jobs = [pool.submit(self._until_none, stage, seconds + _LONGEST_SECONDS) for stage in self._looks]
            acknowledged = self._send(rate, seconds)
            for job in jobs:
                job.result()
        return {"acknowledged": acknowledged, **self._delays}

    def _send(self, rate: float, seconds: float) -> list[float]:
        """Milliseconds until each was acknowledged."""
        name = f"single-{time.perf_counter_ns()}"
        acknowledged = []
        try:
            began = time.perf_counter()
            for number in range(round(rate * seconds)):
                time.sleep(max(0.0, began + number / rate - time.perf_counter()))
                user = f"owner{number % _OWNERS}"
                sent = _Sent(user, f"{name}-{user}", number, time.perf_counter())
                self._publisher.send(message(sent.conversation, user, number, utc_now()))
                self._publisher.flush()
                acknowledged.append(1000 * (time.perf_counter() - sent.at))
                for waiting in self._waiting.values():
                    waiting[sent] = None
        finally:
            self._all_sent.set()
        return acknowledged

    def _until_none(self, stage: str, seconds: float) -> None:
        """Look again and again, until all have reached a stage."""
        waiting = self._waiting[stage]

        def none_is_left() -> bool:
            ended = self._all_sent.is_set()
            arrived = self._looks[stage](list(waiting)) if waiting else ()
            now = time.perf_counter()
            for sent in arrived:
                del waiting[sent]
                self._delays[stage].append(1000 * (now - sent.at))
            return ended and not waiting

        self._mneme.until(none_is_left, seconds, _LOOK_SECONDS)

    def _stored(self, messages: list[_Sent]) -> set[_Sent]:
        there = self._index.get([sent.key for sent in messages])
        return {sent for sent in messages if sent.key in there}

    def _found(self, messages: list[_Sent]) -> set[_Sent]:
        """One search for each owner, for the words of all that wait."""
        found: set[_Sent] = set()
        for user in dict.fromkeys(sent.user for sent in messages):
            asked = [sent for sent in messages if sent.user == user]
            words = " ".join(own_word(sent.conversation, sent.number) for sent in asked)
            shown = messages_in(self._memories.search(words, "keyword", {"user_id": user}, 2 * len(asked)))
            found.update(sent for sent in asked if (sent.conversation, f"m{sent.number}") in shown)
        return found


def flushed_talk(mneme: FlowProcess, publisher: Publisher, memories: Memories, number: int) -> dict[str, float]:
    """Tell a talk, flush it, and wait until its episode is found: milliseconds until each stage."""
    conversation, user = f"talk-{number}", f"teller{number % _OWNERS}"
    messages = list(talk(conversation, user, _MESSAGES_OF_A_TALK, utc_now()))
    publisher.send_many(messages)
    publisher.flush()
    began = time.perf_counter()
    flush_id = publisher.flush_conversation("default", conversation)
    delays = {"acknowledged": time.perf_counter() - began}
    memories.wait_for_flush(flush_id, timeout=_LONGEST_SECONDS)
    delays["answered"] = time.perf_counter() - began

    def is_found() -> bool:
        asked = {"user_id": user, "conversation_id": conversation}
        answer = memories.search(str(messages[-1].content), "keyword", asked)
        return any(episode.atomic_facts for episode in answer.episodes)

    mneme.until(is_found, _LONGEST_SECONDS, _LOOK_SECONDS)
    delays["episode and facts searchable"] = time.perf_counter() - began
    return {stage: 1000 * delay for stage, delay in delays.items()}


def messages_in(response: SearchResponse) -> set[tuple[str | None, str]]:
    """The messages that a response shows, raw or in an episode: conversation and the caller's id."""
    raw = {(each.conversation_id, each.message_id) for each in response.raw_messages}
    return raw | {(episode.conversation_id, each) for episode in response.episodes for each in episode.message_ids}


def report_of(settings: Settings, rate: float, singles: Delays, flushes: Delays) -> Report:
    """The report of what was measured."""
    methods = {"message": singles, "flush": flushes}
    table = [_row(method, stage, delays) for method, stages in methods.items() for stage, delays in stages.items()]
    message_row, flush_row = (next(row for row in reversed(table) if row["method"] == method) for method in methods)
    return Report(
        bench="freshness",
        settings={
            "index": _WAY,
            "messages_a_second": rate,
            "epoch_seconds": settings.flow.epoch_seconds,
            "refresh_interval": settings.opensearch.refresh_interval,
            "embedder": embedder_of(settings),
        },
        rows=table,
        headline={
            "index": "opensearch",
            **{f"message_{name}": message_row[name] for name in ("p50_ms", "p95_ms", "p99_ms")},
            **{f"flush_{name}": flush_row[name] for name in ("p50_ms", "p95_ms")},
        },
    )


def _row(method: str, stage: str, delays: Sequence[float]) -> Row:
    return {"method": method, "stage": stage, "count": len(delays), **percentiles(delays), "max_ms": max(delays)}


def _plot(methods: Mapping[str, Delays], out: Path) -> None:
    """Draw the share that was there within a time, for each stage."""
    seconds = {
        f"{method}: {stage}": [delay / 1000 for delay in delays]
        for method, stages in methods.items()
        for stage, delays in stages.items()
    }
    plot_distributions(seconds, out, xlabel="seconds from sending", ylabel="share", title=_WAY, xlim=(0, None))
