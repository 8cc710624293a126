"""``mneme bench models``: what ingestion asks of chat models, and how fast it is when they are slow.

The file's conversations pass the whole flow twice, with the model of the settings for boundaries, extraction and the
comparison of statements, into an embedded index of the benchmark's own:

1. Live, for the price: message by message, the conversations side by side, at most one message of each under way; a
   conversation that rests for ``boundaries.idle_seconds`` is flushed, as idleness would do it. ``calls/m`` and ``prompt/m``
   are calls and tokens for each message; tokens are those that the endpoint counts, with the schemas.
2. As fast as it goes, for the speed: many copies of the conversations, each with an owner of its own.
   ``busy`` is the share of the calls that were allowed in flight which was under way on average: with enough conversations
   it is near 1 unless this machine is the bottleneck, or the limits of the minute are.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.console import Console

from connectors.endpoints.call_budget import Purpose, share_of
from connectors.files.files import read_file
from evaluation.report import Report, Row, print_table
from flows import IngestReport, ingest
from mneme.errors import InputError, SettingsError
from mneme.ports import Role, Usage
from mneme.settings import Settings

_MESSAGES_FOR_A_CALL = 50  # under way, so that the calls in flight do not run short of work

Event = dict[str, Any]


def run_models(path: Path, settings: Settings, out: Path, copies: int = 1, console: Console | None = None) -> Report:
    """Measure, print, and write ``out`` (JSON).

    Args:
        path: a file of conversations in any format of connectors/files/files.py.
        settings: the endpoint, its models and limits; detector, extractor and judge are the model here.
        out: where the JSON goes.
        copies: of each conversation, in the second part.
        console: where the tables go; None is standard output.

    Raises:
        InputError: the file cannot be read, or has no conversation.
        SettingsError: no chat model is set.
    """
    if settings.models.provider == "none":
        raise SettingsError("MNEME_MODELS__PROVIDER is none: set it to openai, with MNEME_MODELS__BASE_URL of an endpoint")
    console = console or Console()
    conversations = _conversations(path, settings.boundaries.idle_seconds)
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        with console.status("message by message"):
            live = _ingest(conversations, 1, _live(settings, len(conversations)), Path(folder) / "live")
        with console.status("as fast as it goes"):
            fast = _ingest(conversations, copies, _fast(settings), Path(folder) / "fast")
    prices = [_price(role, used, live.messages) for role, used in sorted(live.usage.items())]
    prices.append(_price("all", _sum(live.usage), live.messages))
    speed = _speed(fast, settings, len(conversations) * copies)
    result = Report(
        bench="models",
        settings={
            "models": settings.models.model_dump(mode="json", include={"default", "by_role", "calls_in_flight"}),
            "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"}),
            "copies": copies,
        },
        rows=[*prices, speed],
        headline={
            "messages": live.messages,
            "calls_per_message": prices[-1]["calls/m"],
            "boundary_calls_per_message": _price(Role.BOUNDARY, live.usage.get(Role.BOUNDARY, Usage()), live.messages)[
                "calls/m"
            ],
            "prompt_tokens_per_message": prices[-1]["prompt/m"],
            "seconds": speed["seconds"],
            "calls_per_second": speed["calls/s"],
            "busy": speed["busy"],
        },
    )
    print_table(console, "Live, message by message", prices, list(prices[0]))
    print_table(console, "As fast as it goes", [speed], list(speed))
    result.write(out)
    console.print(result.line(), soft_wrap=True, highlight=False)
    return result


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


def _copy(event: Event, number: int) -> Event:
    """The event in another conversation of another owner."""
    names = ("conversation_id", "user_id", "group_id", "agent_id")
    return event | {name: f"{event[name]}-{number}" for name in names if event.get(name)}


def _side_by_side(conversations: list[list[Event]], copies: int) -> Iterator[Event]:
    """An event of each conversation in turn, until all have ended."""
    for events in zip_longest(*conversations):
        for number in range(copies):
            yield from (_copy(event, number) for event in events if event is not None)


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
    return settings.model_copy(
        update={
            "boundaries": settings.boundaries.model_copy(update={"detector": "llm"}),
            "extraction": settings.extraction.model_copy(update={"extractor": "model"}),
            "reconcile": settings.reconcile.model_copy(update={"judge": "model"}),
            "index": settings.index.model_copy(update={"backend": "embedded"}),
            "flow": settings.flow.model_copy(update=flow),
        }
    )


def _live(settings: Settings, conversations: int) -> Settings:
    return _with_models(settings, source_batch=conversations, pending_limit=1)


def _fast(settings: Settings) -> Settings:
    return _with_models(settings, pending_limit=max(settings.flow.pending_limit, _MESSAGES_FOR_A_CALL * _in_flight(settings)))


def _in_flight(settings: Settings) -> int:
    """How many calls of ingestion may be under way."""
    return min(settings.models.calls_in_flight, share_of(Purpose.INGESTION, settings.models.calls_in_flight_process))


# --- figures ---------------------------------------------------------------------------------------------------------


def _sum(usage: Mapping[Role, Usage]) -> Usage:
    """What all roles used."""
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


def _speed(report: IngestReport, settings: Settings, conversations: int) -> Row:
    used = _sum(report.usage)
    return {
        "conversations": conversations,
        "messages": report.messages,
        "seconds": round(report.seconds, 1),
        "messages/s": round(report.messages / report.seconds, 1),
        "calls": used.calls,
        "calls/s": round(used.calls / report.seconds, 2),
        "s/call": round(used.seconds / max(1, used.calls), 2),
        "at once": used.at_once,
        "allowed": _in_flight(settings),
        "busy": round(used.seconds / report.seconds / _in_flight(settings), 3),
    }
