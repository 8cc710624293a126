"""``mneme bench models``: what ingestion asks of chat models, and how fast it is when they are slow.

The file's conversations pass the whole flow twice, with the model of the settings for boundaries, extraction and the
comparison of statements, into an embedded index of the benchmark's own:

1. Live, for the price: message by message, the conversations side by side, at most one message of each under way; a
   conversation that rests for ``boundaries.idle_seconds`` is flushed, as idleness would do it. ``calls/m`` and ``prompt/m``
   are calls and tokens for each message; tokens are those that the endpoint counts, with the schemas.
2. As fast as it goes, for the speed: many copies of the conversations, each with an owner of its own.
   ``busy`` is the share of the calls that were allowed in flight which was under way on average, from start to end. ``steady``
   is the time in which the middle eight tenths of the calls ended, so that filling and draining, said apart, do not count.
   ``expected/s`` messages a second are those of calls in flight that never wait: calls in flight / (calls for each message x
   seconds of a call); ``of expected``, what was measured of it, is near 1 unless
   - there are too few conversations: the windows of one are judged one after the other, so that three for each call in flight
     are needed,
   - the processor is the bottleneck: ``cpu ms/m`` is its time for a message, the start of the flow with it; ``cores`` is how
     many of them were busy in the steady part. The steps run in one thread, so that a process uses little more than one; or
   - the limits of the minute are.
"""

import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

from rich.console import Console

from connectors.endpoints.call_budget import Purpose, share_of
from connectors.files.files import read_file
from connectors.telemetry.metrics import CALLS
from evaluation.report import Report, Row, embedder_of, print_table
from evaluation.synthetic_talks import Event, copied
from flows import IngestReport, ingest
from mneme.errors import InputError, SettingsError
from mneme.ports import Role, Usage
from mneme.settings import Settings

_MESSAGES_FOR_A_CALL = 50  # under way, so that the calls in flight do not run short of work
_SAMPLE_SECONDS = 0.05
_FILLED, _DRAINING = 0.1, 0.9  # shares of the calls: before and after these the pipeline is not full


def run_models(
    path: Path, settings: Settings, out: Path, copies: int = 1, live: bool = True, console: Console | None = None
) -> Report:
    """Measure and report.

    Args:
        path: a file of conversations in any format of connectors/files/files.py.
        settings: the endpoint, its models and limits; detector, extractor and judge are the model here.
        copies: of each conversation, in the second part.
        live: whether there is the first part, which takes as long as all its calls one after the other; without it the price is
            that of the second.

    Raises:
        InputError: the file cannot be read, or has no conversation.
        SettingsError: no chat model is set.
    """
    if settings.models.provider == "none":
        raise SettingsError("MNEME_MODELS__PROVIDER is none: set it to openai, with MNEME_MODELS__BASE_URL of an endpoint")
    console = console or Console()
    conversations = _conversations(path, settings.boundaries.idle_seconds)
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        priced = None
        if live:
            with console.status("message by message"):
                priced = _ingest(conversations, 1, _live(settings, len(conversations)), Path(folder) / "live")
        with console.status("as fast as it goes"), _ended_calls() as ended:
            fast = _ingest(conversations, copies, _fast(settings), Path(folder) / "fast")
    priced = priced or fast
    prices = [_price(role, used, priced.messages) for role, used in sorted(priced.usage.items())]
    prices.append(_price("all", _sum(priced.usage), priced.messages))
    speed = _speed(fast, settings, len(conversations) * copies, ended)
    result = Report(
        bench="models",
        settings={
            "models": settings.models.model_dump(mode="json", include={"default", "by_role", "calls_in_flight"}),
            "embedder": embedder_of(settings),
            "copies": copies,
            "live": live,
        },
        rows=[*prices, speed],
        headline={
            "messages": priced.messages,
            "calls_per_message": prices[-1]["calls/m"],
            "boundary_calls_per_message": _price(Role.BOUNDARY, priced.usage.get(Role.BOUNDARY, Usage()), priced.messages)[
                "calls/m"
            ],
            "prompt_tokens_per_message": prices[-1]["prompt/m"],
            "seconds": speed["seconds"],
            "calls_per_second": speed["calls/s"],
            "busy": speed["busy"],
            "processor_milliseconds_per_message": speed["cpu ms/m"],
            "cores": speed["cores"],
            "messages_per_second": speed["steady/s"],
            "expected_messages_per_second": speed["expected/s"],
            "of_expected": speed["of expected"],
        },
    )
    print_table(console, "Live, message by message" if live else "What it cost", prices, list(prices[0]))
    print_table(console, "As fast as it goes", [speed], list(speed))
    return result.finish(console, out)


# --- conversations ---------------------------------------------------------------------------------------------------


def _conversations(path: Path, idle_seconds: float) -> list[list[Event]]:
    """The messages of each conversation, with a flush wherever it rests."""
    found: dict[str, list[Event]] = {}
    for incoming in read_file(path):
        event = json.loads(incoming.raw)
        if event.get("event", "message") == "message":
            events = found.setdefault(event["conversation_id"], [])
            if events and _seconds(events[-1], event) > idle_seconds:
                flush = {name: event[name] for name in ("schema", "tenant_id", "conversation_id") if name in event}
                events.append(flush | {"event": "flush", "flush_id": f"rest-{len(events)}"})
            events.append(event)
    if not found:
        raise InputError(f"{path}: it has no messages of a conversation; give a file of conversations")
    return list(found.values())


def _seconds(before: Event, after: Event) -> float:
    return (datetime.fromisoformat(after["sent_at"]) - datetime.fromisoformat(before["sent_at"])).total_seconds()


def _side_by_side(conversations: list[list[Event]], copies: int) -> Iterator[Event]:
    """An event of each conversation in turn, until all have ended."""
    for events in zip_longest(*conversations):
        for number in range(copies):
            yield from (copied(event, number) for event in events if event is not None)


def _ingest(conversations: list[list[Event]], copies: int, settings: Settings, folder: Path) -> IngestReport:
    folder.mkdir()
    file = folder / "conversations.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for event in _side_by_side(conversations, copies):
            lines.write(json.dumps(event, ensure_ascii=False) + "\n")
    report = ingest([file], settings.model_copy(update={"data": folder / "data"}))
    if report.dead_letters or not report.messages:
        raise InputError(
            f"{report.dead_letters} events or episodes became dead letters, {report.messages} messages were taken in, so the "
            "figures would say nothing; ingest the file by itself and see its dead letters"
        )
    return report


# --- settings --------------------------------------------------------------------------------------------------------


def _with_models(settings: Settings, **flow: int) -> Settings:
    """All that can ask a model does; the index is this process's own."""
    return settings.replace(
        boundaries={"detector": "llm"},
        extraction={"extractor": "model"},
        reconcile={"judge": "model"},
        index={"backend": "embedded"},
        flow=flow,
    )


def _live(settings: Settings, conversations: int) -> Settings:
    return _with_models(settings, source_batch=conversations, pending_limit=1)


def _fast(settings: Settings) -> Settings:
    return _with_models(settings, pending_limit=max(settings.flow.pending_limit, _MESSAGES_FOR_A_CALL * _in_flight(settings)))


def _in_flight(settings: Settings) -> int:
    """Return the number of ingestion calls that may be in flight."""
    return min(settings.models.calls_in_flight, share_of(Purpose.INGESTION, settings.models.calls_in_flight_process))


# --- figures ---------------------------------------------------------------------------------------------------------


def _sum(usage: Mapping[Role, Usage]) -> Usage:
    """Sum the usage of all roles."""
    return Usage(
        calls=sum(used.calls for used in usage.values()),
        input_tokens=sum(used.input_tokens for used in usage.values()),
        output_tokens=sum(used.output_tokens for used in usage.values()),
        cached=sum(used.cached for used in usage.values()),
        seconds=sum(used.seconds for used in usage.values()),
        at_once=max((used.at_once for used in usage.values()), default=0),
    )


def _price(role: str, used: Usage, messages: int) -> Row:
    return {
        "role": str(role),
        "calls": used.calls,
        "calls/m": round(used.calls / messages, 4),
        "prompt/m": round(used.input_tokens / messages, 1),
        "answer/m": round(used.output_tokens / messages, 1),
        "prompt/call": round(used.input_tokens / max(1, used.calls)),
    }


@dataclass(frozen=True, slots=True)
class Steady:
    """The interval in which the middle eight tenths of the calls ended, their number, and the processor's seconds."""

    began: float
    ended: float
    calls: int
    processor: float


@dataclass(slots=True)
class EndedCalls:
    """The number of ended calls over time, in seconds of a clock that never goes back."""

    moments: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def note(self, moment: float, count: int, processor: float) -> None:
        """So many had ended by then, and this process had used so many seconds of the processor."""
        self.moments.append(moment)
        self.counts.append(count)
        self.processor.append(processor)

    def steady(self) -> Steady:
        """The part in which the pipeline was full."""
        least, most = self.counts[0], self.counts[-1]
        filled = self._first(least + _FILLED * (most - least))
        draining = max(filled, self._first(least + _DRAINING * (most - least)))
        return Steady(
            self.moments[filled],
            self.moments[draining],
            self.counts[draining] - self.counts[filled],
            self.processor[draining] - self.processor[filled],
        )

    def _first(self, count: float) -> int:
        return next(place for place, ended in enumerate(self.counts) if ended >= count)


@contextmanager
def _ended_calls() -> Iterator[EndedCalls]:
    """Look at the counter of calls while a block runs."""
    ended, over = EndedCalls(), threading.Event()

    def look() -> None:
        while True:
            count = sum(sample.value for metric in CALLS.collect() for sample in metric.samples)
            ended.note(time.monotonic(), round(count), time.process_time())
            if over.wait(_SAMPLE_SECONDS):
                return

    looking = threading.Thread(target=look, name="calls", daemon=True)
    looking.start()
    try:
        yield ended
    finally:
        over.set()
        looking.join()


def _speed(report: IngestReport, settings: Settings, conversations: int, ended: EndedCalls) -> Row:
    used = _sum(report.usage)
    middle = ended.steady()
    seconds = max(middle.ended - middle.began, _SAMPLE_SECONDS)
    a_call, a_message = used.seconds / max(1, used.calls), max(1, used.calls) / report.messages
    expected = _in_flight(settings) / (a_message * a_call)
    steady = middle.calls / seconds / a_message
    return {
        "conversations": conversations,
        "messages": report.messages,
        "seconds": round(report.seconds, 1),
        "filling s": round(middle.began - ended.moments[0], 1),
        "steady s": round(seconds, 1),
        "draining s": round(ended.moments[-1] - middle.ended, 1),
        "calls": used.calls,
        "calls/m": round(a_message, 4),
        "calls/s": round(middle.calls / seconds, 2),
        "s/call": round(a_call, 3),
        "at once": used.at_once,
        "allowed": _in_flight(settings),
        "busy": round(used.seconds / report.seconds / _in_flight(settings), 3),
        "cpu ms/m": round(1000 * (ended.processor[-1] - ended.processor[0]) / report.messages, 1),
        "cores": round(middle.processor / seconds, 2),
        "steady/s": round(steady, 1),
        "expected/s": round(expected, 1),
        "of expected": round(steady / expected, 3),
    }
