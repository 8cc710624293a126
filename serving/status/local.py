"""Status where the index and the way in are: whatever does not answer is a problem, and the rest is told all the same."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

import httpx

from connectors.durable import is_locked
from connectors.indices import embedded_folder, index_place, open_index
from connectors.telemetry.exposition import read_exposition
from mneme.errors import MnemeError
from mneme.ports import Lane
from mneme.rows import Collection
from mneme.settings import Settings
from serving.status.status import Status, model_statuses

Result = TypeVar("Result")

_SECONDS = 2.0  # for the metrics of a flow
_SHOWN = (Collection.MESSAGES, Collection.EPISODES, Collection.FACTS, Collection.GRAPH, Collection.MEMORIES)


def local_status(settings: Settings) -> Status:
    """How the index of the settings is doing, and what feeds it."""
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
        embedder=settings.embedder.provider,
        flow=_flow(settings),
    )
    match settings.intake:
        case "kafka":
            status = tried(lambda: _with_kafka(status, settings)) or status
        case "inbox":
            from connectors.inbox.reader import unread

            lag = tried(lambda: {str(lane): unread(settings.data, lane) for lane in get_args(Lane)}) or {}
            letters = tried(lambda: _letters(settings.data / "dead-letters.jsonl"))
            status = replace(status, lag=lag, dead_letters=letters)
    live = sum(count for lane, count in status.lag.items() if lane != "backfill")
    if live > settings.service.largest_lag:
        problems.append(f"{live:,} events are not read yet; is a flow running? (`mneme run`, or `mneme serve`)")
    models = model_statuses(read_exposition(_metrics(settings)))
    return replace(status, models=models, problems=tuple(dict.fromkeys(problems)), health="red" if problems else "green")


def _rows(settings: Settings) -> dict[str, int]:
    index = open_index(settings, read_only=True)
    try:
        return {str(collection): index.count(collection) for collection in _SHOWN}
    finally:
        index.close()


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
    lag: dict[str, int] = {lane: state.unread.get(topic, 0) for lane, topic in topics_of_lanes(settings.kafka.topics).items()}
    return replace(status, lag=lag, dead_letters=state.dead_letters)


def _letters(file: Path) -> int:
    from connectors.dead_letters import FileDeadLetters

    return sum(1 for _ in FileDeadLetters(file).read())


def _flow(settings: Settings) -> Literal["runs", "rests", "unknown"]:
    """Whether a flow runs on this data folder; of Kafka it may run on another machine."""
    if any(map(is_locked, settings.data.glob("recovery/*/"))):
        return "runs"
    return "unknown" if settings.intake == "kafka" else "rests"


def _metrics(settings: Settings) -> str:
    """The metrics of `mneme run` on this machine, where it shows them; else nothing."""
    told = settings.telemetry
    if not told.metrics_port:
        return ""
    try:
        return httpx.get(f"http://{told.host}:{told.metrics_port}/metrics", timeout=_SECONDS).text
    except httpx.HTTPError:
        return ""
