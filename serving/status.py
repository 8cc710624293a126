"""Status of a Mneme at one moment: of an index and its way in."""

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal, TypeVar, get_args

import httpx

from connectors.dead_letters import FileDeadLetters
from connectors.inbox import unread
from connectors.indices import embedded_folder, index_place, open_index
from connectors.telemetry.exposition import Samples, read_exposition
from mneme.errors import MnemeError
from mneme.ports import Lane
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.times import from_milliseconds, utc_now
from serving.checks import flows_running, room_at

Result = TypeVar("Result")

_METRICS_SECONDS = 2.0  # for the metrics of a flow
_LEAST_ROOM_BYTES = 100_000_000  # a search index is written anew in part when it is tidied
_SEEN_SECONDS, _SEEN_EPOCHS = 60.0, 3  # since its last commit: it commits each epoch, and later while a store is away
_PAUSED = {"asked": "asked for time: nothing is called", "down": "is down: nothing is called"}
_SHOWN = (Collection.MESSAGES, Collection.EPISODES, Collection.FACTS, Collection.GRAPH, Collection.MEMORIES)


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a Mneme. Unknown values are None.

    Attributes:
        where: what was looked at.
        health: green, or red with ``problems``.
        problems: what is wrong, each with its remedy.
        lag: events not read yet, by lane.
        flow: whether a flow runs.
        engine: of the flow from Kafka on this data folder.
        flow_seen_at: when a flow last committed to Kafka, on whatever machine; ISO 8601.
        rows: of the index, by collection.
        messages: in the index: what a rate is taken from.
        dead_letters: how many there are.
        index_bytes: how large the index is.
        free_bytes: room where the data folder lies.
        embedder: of the index.
        waits: endpoints of models that are left alone until a time, and what waits for them.
    """

    where: str
    health: Literal["green", "red"] = "green"
    problems: tuple[str, ...] = ()
    lag: Mapping[str, int] = field(default_factory=dict)
    flow: Literal["runs", "rests", "unknown"] = "unknown"
    engine: str | None = None
    flow_seen_at: str | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    messages: int | None = None
    dead_letters: int | None = None
    index_bytes: int | None = None
    free_bytes: int | None = None
    embedder: str | None = None
    waits: tuple[str, ...] = ()


def _waits(samples: Samples) -> tuple[str, ...]:
    """Endpoints of models that are left alone now, and the number of episodes that wait for one."""
    paused = sorted(
        f"{labels['endpoint']} {_PAUSED[labels['reason']]} until {from_milliseconds(round(until * 1000)):%H:%M:%S} UTC"
        for labels, until in samples.get("mneme_model_paused_until_seconds", ())
        if until > time.time()
    )
    owed = int(sum(count for _, count in samples.get("mneme_flow_owed_episodes", ())))
    return (*paused, *([f"{owed:,} episodes will be extracted again when the model is back"] if owed else []))


def local_status(settings: Settings) -> Status:
    """Status of the index of the settings, and of its way in."""
    problems: list[str] = []

    def tried(look: Callable[[], Result]) -> Result | None:
        try:
            return look()
        except MnemeError as error:
            problems.append(str(error))
            return None

    rows = tried(lambda: _rows(settings)) or {}
    status = Status(
        where=index_place(settings),
        rows=rows,
        messages=rows.get(Collection.MESSAGES),
        index_bytes=tried(lambda: _size(settings)),
        free_bytes=tried(lambda: room_at(settings.data)) if _writes_here(settings) else None,
        embedder=settings.embedder.provider,
        flow=tried(lambda: _flow(settings)) or "unknown",
        engine=_engine(settings.data / "recovery" / "kafka" / "mneme.json"),
    )
    if status.free_bytes is not None and status.free_bytes < _LEAST_ROOM_BYTES:
        problems.append(f"{status.free_bytes / 1e6:.0f} MB are free where {settings.data} lies; make room, or set MNEME_DATA")
    match settings.intake:
        case "kafka":
            status = tried(lambda: _with_kafka(status, settings)) or status
        case "inbox":
            lag = tried(lambda: {str(lane): unread(settings.data, lane) for lane in get_args(Lane)}) or {}
            letters = tried(lambda: _letters(settings.data / "dead-letters.sqlite"))
            status = replace(status, lag=lag, dead_letters=letters)
    live = sum(count for lane, count in status.lag.items() if lane != "backfill")
    if live > settings.service.largest_lag:
        problems.append(f"{live:,} events are not read yet; is a flow running? (`mneme run`, or `mneme serve`)")
    waits = _waits(read_exposition(_metrics(settings)))
    return replace(status, waits=waits, problems=tuple(dict.fromkeys(problems)), health="red" if problems else "green")


def _writes_here(settings: Settings) -> bool:
    """Tell whether a flow keeps anything in the data folder of this machine, as far as that is known."""
    return settings.intake != "none" and (settings.index.backend == "embedded" or settings.data.exists())


def _rows(settings: Settings) -> dict[str, int]:
    with closing(open_index(settings, read_only=True)) as index:
        return {str(collection): index.count(collection) for collection in _SHOWN}


def _size(settings: Settings) -> int:
    if settings.index.backend == "opensearch":
        from connectors.opensearch.state import read_state

        return read_state(settings.opensearch).bytes
    files = (Path(folder) / name for folder, _, names in os.walk(embedded_folder(settings)) for name in names)
    return sum(file.stat().st_size for file in files if file.exists())


def _with_kafka(status: Status, settings: Settings) -> Status:
    from connectors.kafka.client import topics_of_lanes
    from connectors.kafka.state import read_state

    state = read_state(settings.kafka)
    flow, seen_at = status.flow, state.committed_at
    if flow == "unknown" and seen_at is not None:
        lately = timedelta(seconds=max(_SEEN_SECONDS, _SEEN_EPOCHS * settings.flow.epoch_seconds))
        flow = "runs" if utc_now() - seen_at < lately else "rests"
    lag: dict[str, int] = {lane: state.unread.get(topic, 0) for lane, topic in topics_of_lanes(settings.kafka.topics).items()}
    seen = None if seen_at is None else seen_at.isoformat()
    return replace(status, lag=lag, dead_letters=state.dead_letters, flow=flow, flow_seen_at=seen)


def _letters(file: Path) -> int:
    return sum(1 for _ in FileDeadLetters(file).read())


def _flow(settings: Settings) -> Literal["runs", "rests", "unknown"]:
    """Tell whether a flow runs on this data folder; from Kafka one may run on another, which its commits tell."""
    if flows_running(settings.data):
        return "runs"
    return "unknown" if settings.intake == "kafka" else "rests"


def _engine(store: Path) -> str | None:
    """The engine that a recovery store is of; None where there is no store, and where `mneme doctor` finds it damaged."""
    with suppress(OSError, ValueError):
        return str(json.loads(store.read_text(encoding="utf-8")).get("engine", "bytewax"))
    return None


def _metrics(settings: Settings) -> str:
    """The metrics of `mneme run` on this machine, where it shows them; else nothing."""
    answer = settings.telemetry
    if not answer.metrics_port:
        return ""
    try:
        return httpx.get(f"http://{answer.host}:{answer.metrics_port}/metrics", timeout=_METRICS_SECONDS).text
    except httpx.HTTPError:
        return ""
