"""Measured points for the capacity model, from the JSON files of benchmarks."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mneme.errors import InputError

_EVEN = "even"
_SEARCHES = ("hybrid", "warm")

Content = Mapping[str, Any]


class Quantity(StrEnum):
    """What the model rests on. ``_ms`` are milliseconds of one processor."""

    FLOW_MS = "flow_ms"  # of the flow for a message, without the embedder
    EMBEDDER_MS = "embedder_ms"  # of the local embedder for a message
    EMBEDDER_FP32_MS = "embedder_fp32_ms"  # the same, with MNEME_EMBEDDER__QUANTIZE=none
    INDEXING_MS = "indexing_ms"  # of OpenSearch for a message
    KAFKA_MS = "kafka_ms"  # of the broker for a message
    RECORDS = "records"  # for a message
    FACTS = "facts"  # for a message
    RECORD_BYTES = "record_bytes"  # of OpenSearch's disk, for a record
    FLOW_MB = "flow_mb"  # of memory, for a process
    SEARCH_INDEX_MS = "search_index_ms"  # of OpenSearch for a hybrid search, by the number of facts in the index
    SEARCH_OWN_MS = "search_own_ms"  # of the service for one
    OPEN_STORE_BYTES = "open_store_bytes"  # of the recovery store, for an open conversation
    CALLS = "calls"  # of a chat model for a message, where one extracts
    PROMPT_TOKENS = "prompt_tokens"  # for a message
    ANSWER_TOKENS = "answer_tokens"  # for a message


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement. ``size`` is what the quantity may depend on: messages of the run, or facts in the index."""

    quantity: Quantity
    size: float
    value: float
    source: str


def points_in(folder: Path) -> list[Point]:
    """All points of a folder's benchmarks, sorted; of other JSON files there are none.

    Raises:
        InputError: the folder has no benchmark that tells of capacity, or a file cannot be read.
    """
    contents = [(path, _content(path)) for path in sorted(folder.glob("*.json"))]
    embedded = [content for _, content in contents if content.get("bench") == "scaling"]
    points = [point for path, content in contents for point in _points(path.name, content)]
    points += _of_embedder(embedded)
    if not points:
        raise InputError(
            f"{folder}: no results of `mneme bench scaling`, `query`, `state` or `models` are in it; run them with --out there"
        )
    return sorted(points, key=lambda point: (point.quantity, point.size, point.source))


def _content(path: Path) -> Content:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error})") from error
    return content if isinstance(content, dict) else {}


def _points(source: str, content: Content) -> Iterator[Point]:
    read = _READERS.get(str(content.get("bench")))
    if read is not None:
        for quantity, size, value in read(content):
            yield Point(quantity, float(size), float(value), source)


Values = Iterator[tuple[Quantity, float, float]]


def _scaling(content: Content) -> Values:
    for row in content["rows"]:
        if row["shape"] != _EVEN:
            continue
        messages = row["messages"]
        if _has_no_embedder(content):
            yield Quantity.FLOW_MS, messages, row["flow_ms"]
        if row["way"] != "one process":  # the rest would only be said again
            continue
        yield Quantity.INDEXING_MS, messages, row["opensearch_ms"]
        if row["kafka_ms"]:
            yield Quantity.KAFKA_MS, messages, row["kafka_ms"]
        yield Quantity.RECORDS, messages, row["records"] / messages
        yield Quantity.FACTS, messages, row["facts"] / messages
        yield Quantity.RECORD_BYTES, row["records"], 1e6 * row["store_mb"] / row["records"]
        yield Quantity.FLOW_MB, messages, row["memory_mb"]


def _has_no_embedder(content: Content) -> bool:
    return bool(content["settings"]["embedder"]["provider"] == "hash")


def _of_embedder(scalings: list[Content]) -> Iterator[Point]:
    """What a run with the local embedder takes beyond one of the same size without."""
    own = {row["messages"]: row["flow_ms"] for each in scalings if _has_no_embedder(each) for row in _ones(each)}
    for each in scalings:
        embedder = each["settings"]["embedder"]
        if embedder["provider"] != "local":
            continue
        quantity = Quantity.EMBEDDER_MS if embedder["quantize"] == "int8" else Quantity.EMBEDDER_FP32_MS
        for row in _ones(each):
            spent = row["flow_ms"] - own.get(row["messages"], row["flow_ms"])
            if spent > 0:  # less than the noise tells nothing
                yield Point(quantity, row["messages"], spent, "scaling")


def _ones(content: Content) -> Iterator[Mapping[str, Any]]:
    return (row for row in content["rows"] if row["shape"] == _EVEN and row["way"] == "one process")


def _query(content: Content) -> Values:
    if content["settings"]["index"]["backend"] != "opensearch":
        return
    for row in content["rows"]:
        if (row.get("method"), row.get("state")) == _SEARCHES:
            facts = row.get("facts", content["settings"]["facts"])
            yield Quantity.SEARCH_OWN_MS, facts, row["cpu_ms"]
            yield Quantity.SEARCH_INDEX_MS, facts, row["p50_ms"] - row["outside_ms"]


def _state(content: Content) -> Values:
    for row in content["rows"]:
        if row["run"] == "engine, all open":
            yield Quantity.OPEN_STORE_BYTES, row["conversations"], 1e6 * row["store_mb"] / row["conversations"]


def _models(content: Content) -> Values:
    for row in content["rows"]:
        if row.get("role") == "all":
            messages = content["headline"]["messages"]
            yield Quantity.CALLS, messages, row["calls/m"]
            yield Quantity.PROMPT_TOKENS, messages, row["prompt/m"]
            yield Quantity.ANSWER_TOKENS, messages, row["answer/m"]


def _written(content: Content) -> Values:
    """What was measured otherwise: ``{"bench": "points", "points": [{"quantity": ..., "size": ..., "value": ...}]}``."""
    for point in content["points"]:
        yield Quantity(point["quantity"]), point["size"], point["value"]


_READERS: dict[str, Callable[[Content], Values]] = {
    "scaling": _scaling,
    "query": _query,
    "state": _state,
    "models": _models,
    "points": _written,
}
