"""``mneme bench capacity``: what a load needs, from what one message, one record and one search cost, as a table.

Processors are rates times costs, over the share of them that may be busy (``Assumptions.utilisation``): above it queues grow
faster than they drain (docs/scaling.md). Memory and disks are records times bytes. The costs were measured (capacity.json);
a file of the same form may hold those of other machines.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console

from evaluation.report import Row, print_table
from mneme.errors import InputError

SHIPPED = Path(__file__).with_name("capacity.json")

_UNITS = {"k": 1e3, "m": 1e6, "b": 1e9}
_DAY_SECONDS = 86_400
_MONTH_DAYS = 30
_VECTOR_BYTES = 384 * 4  # of all-MiniLM-L6-v2, as floats of 4 bytes
_GRAPH_BYTES = 2 * 16 * 4 + 16  # of a vector in HNSW: 2 M neighbours on its lowest level, M 16, and the levels above
_OPEN_MESSAGE_BYTES = 5_000  # of memory for each message of an open conversation (docs/internals/performance.md)
_OPEN_MESSAGES = 9  # of an open conversation, at which its store was measured
_COLUMNS = ["part", "amount", "unit", "error", "because"]


class Cost(BaseModel):
    """The measured value of one quantity: ``base``, and ``growth`` for each tenfold of the size of an index.

    ``error`` is relative, of predicting each measured point from the others; None where there is one. Beyond ``largest``, the
    largest size that was measured, it is extrapolated.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: float
    growth: float = 0.0
    error: float | None = None
    largest: float = 1.0

    def at(self, size: float) -> float:
        """Its value for an index of so many facts."""
        return self.base + self.growth * math.log10(size)


class Costs(BaseModel):
    """The quantities of the model. ``_ms`` are milliseconds of one processor; one may do without those that may be None."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    flow_ms: Cost  # of the flow for a message, without the embedder
    flink_ms: Cost | None = None  # of Flink for a message: what it takes more than Bytewax
    embedder_ms: Cost  # of the local embedder for a message
    embedder_fp32_ms: Cost | None = None  # the same in fp32
    indexing_ms: Cost  # of OpenSearch for a message
    kafka_ms: Cost  # of the broker for a message
    records: Cost  # for a message
    facts: Cost  # for a message
    record_bytes: Cost  # of OpenSearch's disk, for a record
    flow_mb: Cost  # of memory, for a process
    search_index_ms: Cost  # of OpenSearch for a hybrid search, by the number of facts in the index
    search_own_ms: Cost  # of the service for one
    open_store_bytes: Cost  # of the recovery store, for an open conversation


class Measured(BaseModel):
    """The costs, and where and when they were measured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    date: str
    machine: Mapping[str, str | int]
    costs: Costs


def read_costs(path: Path) -> Measured:
    """Read the costs of a file in the form of capacity.json.

    Raises:
        InputError: it cannot be read, or is of another form.
    """
    try:
        return Measured.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"measured: {path} cannot be read ({error.strerror}); give a file like {SHIPPED.name}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"measured: {path}: {where}: {first['msg']}; write it like {SHIPPED.name}") from error


@dataclass(frozen=True, slots=True)
class Load:
    """The load: rates by the second, ``facts`` in the index in the end, ``tenants`` among whom all is divided.

    ``searches`` are hybrid ones. A chat model takes ``tokens`` (prompt, answer) and ``calls`` for a message; prices are dollars
    for a million tokens.
    """

    messages: float
    facts: float
    tenants: int
    searches: float
    tokens: tuple[float, float] = (0.0, 0.0)
    calls: float = 0.0
    price_in: float | None = None
    price_out: float | None = None


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The assumptions, chosen and not measured."""

    utilisation: float = 0.6  # of processors
    cores: int = 16  # of one machine of the flow
    replicas: int = 1  # of each shard of the index, beside the primary one
    shard_gigabytes: float = 30.0  # the largest shard that is easy to move
    disk_headroom: float = 1.5  # merges need room for what they write anew
    event_bytes: float = 600.0  # of a message on its topic, compressed by nobody
    kafka_replicas: int = 3
    retention_days: float = 7.0
    idle_seconds: float = 300.0  # after which a conversation is no longer open (MNEME_BOUNDARIES__IDLE_SECONDS)
    seconds_between_messages: float = 40.0  # of an open conversation
    call_seconds: float = 1.0  # of a chat model


@dataclass(frozen=True, slots=True)
class Need:
    """One line of the answer. ``error`` is the relative one of what it rests on; None where that is not known."""

    part: str
    amount: float
    unit: str
    error: float | None
    because: str


def needs(load: Load, costs: Costs, assumed: Assumptions) -> list[Need]:
    """Return the needs of a load, part by part."""
    records = load.facts * costs.records.base / costs.facts.base  # when all facts are there
    primary_gigabytes = records * costs.record_bytes.base / 1e9
    shards = max(1, math.ceil(primary_gigabytes / assumed.shard_gigabytes))  # an owner, and so a search, is in one
    return [
        *_processors(load, costs, assumed, shards),
        *_memory(load, costs, assumed, records),
        *_disks(load, costs, assumed, records, shards),
        *_model(load, assumed),
    ]


def _processors(load: Load, costs: Costs, assumed: Assumptions, shards: int) -> list[Need]:
    parts = (
        ("flow", load.messages, costs.flow_ms, 1),
        ("flow, on Flink more", load.messages, costs.flink_ms, 1),
        ("embedder", load.messages, costs.embedder_ms, 1),
        ("embedder, fp32 instead", load.messages, costs.embedder_fp32_ms, 1),
        ("OpenSearch, indexing", load.messages, costs.indexing_ms, 1 + assumed.replicas),
        ("OpenSearch, searching", load.searches, costs.search_index_ms, 1),
        ("service", load.searches, costs.search_own_ms, 1),
        ("Kafka", load.messages, costs.kafka_ms, assumed.kafka_replicas),
    )
    lines = []
    for part, rate, cost, copies in parts:
        if cost is not None:
            each = cost.at(max(1.0, load.facts / shards))
            because = f"{each:.2f} ms each, {rate:g}/s" + (f", {copies} copies" if copies > 1 else "")
            lines.append(Need(part, rate * copies * each / 1000 / assumed.utilisation, "processors", cost.error, because))
    busy = sum(line.amount for line in lines if line.part in ("flow", "flow, on Flink more", "embedder"))
    because = f"slots of a Flink cluster, with their embedders, {assumed.cores} processors each"
    return [*lines, Need("flow", math.ceil(busy / assumed.cores), "machines", costs.flow_ms.error, because)]


def _memory(load: Load, costs: Costs, assumed: Assumptions, records: float) -> list[Need]:
    processes = math.ceil(load.messages * costs.flow_ms.base / 1000 / assumed.utilisation)
    open_messages = load.messages * assumed.idle_seconds
    flow = processes * costs.flow_mb.base / 1e3 + open_messages * _OPEN_MESSAGE_BYTES / 1e9
    vectors = records * (_VECTOR_BYTES + _GRAPH_BYTES) * (1 + assumed.replicas) / 1e9
    because = f"{processes} processes, {open_messages:,.0f} open messages"
    return [
        Need("flow", flow, "GB of memory", costs.flow_mb.error, because),
        Need("OpenSearch", vectors, "GB of memory", costs.records.error, "all vectors in the page cache"),
    ]


def _disks(load: Load, costs: Costs, assumed: Assumptions, records: float, shards: int) -> list[Need]:
    size, copies = costs.record_bytes, 1 + assumed.replicas
    disk = records * size.base * copies * assumed.disk_headroom / 1e9
    each = f"{records / 1e6:,.0f} M records of {size.base:,.0f} bytes, {copies} copies, room for merges"
    of_shards = f"of {assumed.shard_gigabytes:g} GB, all indices together, without replicas"
    open_talks = load.messages * (assumed.idle_seconds + assumed.seconds_between_messages) / _OPEN_MESSAGES
    store = open_talks * costs.open_store_bytes.base / 1e9
    events = load.messages * _DAY_SECONDS * assumed.retention_days * assumed.kafka_replicas
    days = f"{assumed.event_bytes:g} bytes each, {assumed.retention_days:g} days, {assumed.kafka_replicas} copies"
    return [
        Need("OpenSearch", disk, "GB of disk", size.error, each),
        Need("OpenSearch", shards, "shards", size.error, of_shards),
        Need("recovery", store, "GB of disk", costs.open_store_bytes.error, f"{open_talks:,.0f} open conversations"),
        Need("Kafka", events * assumed.event_bytes / 1e9, "GB of disk", None, days),
    ]


def _model(load: Load, assumed: Assumptions) -> list[Need]:
    if not (load.calls or any(load.tokens)):
        return []
    prompt, answer = load.tokens
    day = load.messages * _DAY_SECONDS
    in_flight = load.messages * load.calls * assumed.call_seconds  # Little's law
    a_call = f"{load.calls:.3f} calls a message of {assumed.call_seconds:g} s"
    lines = [
        Need("chat model", in_flight, "calls in flight", None, a_call),
        Need("chat model", day * (prompt + answer) / 1e6, "M tokens a day", None, f"{prompt:.0f} + {answer:.0f} a message"),
    ]
    if load.price_in is not None and load.price_out is not None:
        dollars = day * (prompt * load.price_in + answer * load.price_out) / 1e6
        lines += [
            Need("chat model", dollars, "dollars a day", None, f"{load.price_in:g} in, {load.price_out:g} out for a million"),
            Need("chat model", dollars * _MONTH_DAYS, "dollars a month", None, f"{_MONTH_DAYS} days"),
        ]
    return lines


def capacity(
    console: Console,
    messages: Annotated[float, typer.Option("--messages-per-second", min=0, help="That come in.")] = 100.0,
    facts: Annotated[str, typer.Option("--facts", help="In the index in the end: 500k, 100M.")] = "10M",
    tenants: Annotated[int, typer.Option("--tenants", min=1, help="Among whom all is divided.")] = 100,
    searches: Annotated[
        float | None, typer.Option("--searches-per-second", min=0, help="Hybrid ones.", show_default="a tenth of the messages")
    ] = None,
    calls: Annotated[float, typer.Option("--model-calls-per-message", help="Of a chat model that extracts.")] = 0.0,
    tokens: Annotated[str, typer.Option("--model-tokens-per-message", help="Prompt and answer: 420,60.")] = "0,0",
    price_in: Annotated[float | None, typer.Option("--price-in", help="Dollars for a million tokens of prompts.")] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", help="Dollars for a million tokens of answers.")] = None,
    measured: Annotated[
        Path | None,
        typer.Option("--measured", help="A file with the costs on your machines.", show_default="what ships with the project"),
    ] = None,
) -> list[Need]:
    """Compute the processors, gigabytes, shards, tokens and dollars that a load needs.

    Raises:
        InputError: the file of costs cannot be read, or has not what the answer rests on.
    """
    prompt, _, answer = tokens.partition(",")
    load = Load(
        messages=messages,
        facts=_number(facts, "--facts"),
        tenants=tenants,
        searches=messages / 10 if searches is None else searches,
        tokens=(_number(prompt, "--model-tokens-per-message"), _number(answer or "0", "--model-tokens-per-message")),
        calls=calls,
        price_in=price_in,
        price_out=price_out,
    )
    known, assumed = read_costs(measured or SHIPPED), Assumptions()
    found = needs(load, known.costs, assumed)
    title = f"{load.messages:,g} messages/s, {load.searches:,g} searches/s, {load.facts:,g} facts, {load.tenants:,} tenants"
    print_table(console, title, list(map(_row, found)), _COLUMNS)
    for line in _notes(load, known, assumed):
        console.print(line, soft_wrap=True, highlight=False)
    return found


def _number(text: str, option: str) -> float:
    try:
        unit = _UNITS.get(text[-1:].lower())
        return float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        raise typer.BadParameter(f"{option}: {text!r} is no number; write 500k or 100M") from None


def _row(need: Need) -> Row:
    amount = f"{need.amount:,.0f}" if need.amount >= 10 else f"{need.amount:.2g}"
    error = "" if need.error is None else f"±{need.error:.0%}"
    return {"part": need.part, "amount": amount, "unit": need.unit, "error": error, "because": need.because}


def _notes(load: Load, known: Measured, assumed: Assumptions) -> Sequence[str]:
    machine = ", ".join(f"{name} {value}" for name, value in known.machine.items())
    chosen = ", ".join(f"{each.name} {getattr(assumed, each.name):g}" for each in fields(assumed))
    notes = [f"Measured {known.date} on {machine}.", f"Assumed: {chosen}."]
    largest = known.costs.search_index_ms.largest
    if load.facts > largest:
        notes.append(f"Beyond {largest:,.0f} facts a search is extrapolated, along a line over their logarithm.")
    return [
        *notes,
        "An error is that of leaving out each measured point; none is told where there was one point, or nothing was measured. "
        "One tenant is of one flow: the largest of them must fit on one machine (docs/scaling.md).",
    ]
