"""``mneme bench capacity``: what a load needs, from what one message, one record and one search cost, as a table.

Processors are rates times costs, over the share of them that may be busy (``Assumptions.utilisation``): above it queues grow
faster than they drain (docs/scaling.md). Memory and disks are records times bytes. The costs were measured (capacity.json);
a file of the same form may hold those of other machines.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console

from evaluation.report import Row, print_table
from mneme.errors import InputError

SHIPPED = Path(__file__).with_name("capacity.json")

_DAY_SECONDS = 86_400
_MONTH_DAYS = 30
_VECTOR_BYTES = 384 * 4  # of all-MiniLM-L6-v2, as floats of 4 bytes
_GRAPH_BYTES = 2 * 16 * 4 + 16  # of a vector in HNSW: 2 M neighbours on its lowest level, M 16, and the levels above
_OPEN_MESSAGE_BYTES = 5_000  # of memory for each message of an open conversation (docs/internals/performance.md)
_OPEN_MESSAGES = 9  # of an open conversation, at which its store was measured


class Quantity(StrEnum):
    """The quantities of the model. ``_ms`` are milliseconds of one processor."""

    FLOW_MS = "flow_ms"  # of the flow for a message, without the embedder
    FLINK_MS = "flink_ms"  # of Flink for a message: what it takes more than Bytewax
    EMBEDDER_MS = "embedder_ms"  # of the local embedder for a message
    EMBEDDER_FP32_MS = "embedder_fp32_ms"  # the same in fp32
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


class Cost(BaseModel):
    """The measured value of one quantity: ``base``, and ``growth`` for each tenfold of the size of an index.

    ``error`` is relative, of predicting each of the ``points`` from the others; None where there is one. Beyond ``smallest``
    and ``largest``, the sizes that were measured, it is extrapolated.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: float
    growth: float = 0.0
    error: float | None = None
    points: int = 1
    smallest: float = 1.0
    largest: float = 1.0

    def at(self, size: float = 1.0) -> float:
        """Its value for an index of so many facts."""
        return self.base + self.growth * math.log10(size)


class Costs(BaseModel):
    """All of them, and where and when they were measured."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    date: str
    machine: Mapping[str, str | int]
    costs: Mapping[Quantity, Cost]

    def of(self, quantity: Quantity) -> Cost:
        """One of them.

        Raises:
            InputError: it was not measured.
        """
        if (found := self.costs.get(quantity)) is None:
            raise InputError(f"measured: nothing tells {quantity.value}; add it (docs/internals/capacity.md)")
        return found


def read_costs(path: Path = SHIPPED) -> Costs:
    """Read the costs of a file in the form of capacity.json.

    Raises:
        InputError: it cannot be read, or is of another form.
    """
    try:
        return Costs.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"measured: {path} cannot be read ({error.strerror}); give a file like {SHIPPED.name}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"measured: {path}: {where}: {first['msg']}; write it like {SHIPPED.name}") from error


@dataclass(frozen=True, slots=True)
class Load:
    """The load: rates by the second, ``facts`` in the index in the end, ``tenants`` among whom all is divided.

    ``searches`` are hybrid ones. Where ``extracts_by_model``: ``tokens`` (prompt, answer) and ``calls`` of a message, None for
    the measured ones; ``call_seconds`` of a call; prices in dollars for a million tokens.
    """

    messages: float
    facts: float
    tenants: int
    searches: float
    extracts_by_model: bool = False
    tokens: tuple[float, float] | None = None
    calls: float | None = None
    call_seconds: float = 1.0
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


@dataclass(frozen=True, slots=True)
class Need:
    """One line of the answer. ``error`` is the relative one of what it rests on; None where that is not known."""

    part: str
    amount: float
    unit: str
    error: float | None
    because: str


def needs(load: Load, costs: Costs, assumptions: Assumptions) -> list[Need]:
    """Return the needs of a load, part by part.

    Raises:
        InputError: something that it rests on was not measured.
    """
    return [
        *_processors(load, costs, assumptions),
        *_memory(load, costs, assumptions),
        *_disks(load, costs, assumptions),
        *_model(load, costs),
    ]


def stored_records(load: Load, costs: Costs) -> float:
    """Return the number of records in the index when all facts are there."""
    return load.facts * costs.of(Quantity.RECORDS).at() / costs.of(Quantity.FACTS).at()


def flow_processes(load: Load, costs: Costs, assumptions: Assumptions) -> int:
    """Return the number of flow processes that keep up, none busier than is assumed."""
    busy = load.messages * costs.of(Quantity.FLOW_MS).at() / 1000
    return math.ceil(busy / assumptions.utilisation)


def shards_of(load: Load, costs: Costs, assumptions: Assumptions) -> int:
    """Into how many primary shards the index is divided; an owner, and so a search, is in one."""
    primary = stored_records(load, costs) * costs.of(Quantity.RECORD_BYTES).at() / 1e9
    return max(1, math.ceil(primary / assumptions.shard_gigabytes))


def _processors(load: Load, of: Costs, assumptions: Assumptions) -> list[Need]:
    in_a_shard = max(1.0, load.facts / shards_of(load, of, assumptions))
    parts = (
        ("flow", load.messages, Quantity.FLOW_MS, 1),
        ("flow, on Flink more", load.messages, Quantity.FLINK_MS, 1),
        ("embedder", load.messages, Quantity.EMBEDDER_MS, 1),
        ("embedder, fp32 instead", load.messages, Quantity.EMBEDDER_FP32_MS, 1),
        ("OpenSearch, indexing", load.messages, Quantity.INDEXING_MS, 1 + assumptions.replicas),
        ("OpenSearch, searching", load.searches, Quantity.SEARCH_INDEX_MS, 1),
        ("service", load.searches, Quantity.SEARCH_OWN_MS, 1),
        ("Kafka", load.messages, Quantity.KAFKA_MS, assumptions.kafka_replicas),
    )
    lines = []
    for part, rate, quantity, copies in parts:
        if quantity in (Quantity.EMBEDDER_FP32_MS, Quantity.FLINK_MS) and quantity not in of.costs:  # one may do without
            continue
        cost = of.of(quantity)
        each = cost.at(in_a_shard)
        amount = rate * copies * each / 1000 / assumptions.utilisation
        because = f"{each:.2f} ms each, {rate:g}/s" + (f", {copies} copies" if copies > 1 else "")
        lines.append(Need(part, amount, "processors", cost.error, because))
    flow = [line for line in lines if line.part in ("flow", "flow, on Flink more", "embedder")]
    machines = math.ceil(sum(line.amount for line in flow) / assumptions.cores)
    because = f"slots of a Flink cluster, with their embedders, {assumptions.cores} processors each"
    return [*lines, Need("flow", machines, "machines", flow[0].error, because)]


def _memory(load: Load, of: Costs, assumptions: Assumptions) -> list[Need]:
    processes = flow_processes(load, of, assumptions)
    open_messages = load.messages * assumptions.idle_seconds
    flow = processes * of.of(Quantity.FLOW_MB).at() / 1e3 + open_messages * _OPEN_MESSAGE_BYTES / 1e9
    vectors = stored_records(load, of) * (_VECTOR_BYTES + _GRAPH_BYTES) * (1 + assumptions.replicas) / 1e9
    because = f"{processes} processes, {open_messages:,.0f} open messages"
    return [
        Need("flow", flow, "GB of memory", of.of(Quantity.FLOW_MB).error, because),
        Need("OpenSearch", vectors, "GB of memory", of.of(Quantity.RECORDS).error, "all vectors in the page cache"),
    ]


def _disks(load: Load, of: Costs, assumptions: Assumptions) -> list[Need]:
    records = stored_records(load, of)
    size, state = of.of(Quantity.RECORD_BYTES), of.of(Quantity.OPEN_STORE_BYTES)
    disk = records * size.at() * (1 + assumptions.replicas) * assumptions.disk_headroom / 1e9
    each = f"{records / 1e6:,.0f} M records of {size.at():,.0f} bytes, {1 + assumptions.replicas} copies, room for merges"
    open_talks = load.messages * (assumptions.idle_seconds + assumptions.seconds_between_messages) / _OPEN_MESSAGES
    events = load.messages * _DAY_SECONDS * assumptions.retention_days * assumptions.kafka_replicas
    days = f"{assumptions.event_bytes:g} bytes each, {assumptions.retention_days:g} days, {assumptions.kafka_replicas} copies"
    return [
        Need("OpenSearch", disk, "GB of disk", size.error, each),
        Need("OpenSearch", shards_of(load, of, assumptions), "shards", size.error, _of_shards(assumptions)),
        Need("recovery", open_talks * state.at() / 1e9, "GB of disk", state.error, f"{open_talks:,.0f} open conversations"),
        Need("Kafka", events * assumptions.event_bytes / 1e9, "GB of disk", None, days),
    ]


def _of_shards(assumptions: Assumptions) -> str:
    return f"of {assumptions.shard_gigabytes:g} GB, all indices together, without replicas"


def _model(load: Load, of: Costs) -> list[Need]:
    if not load.extracts_by_model:
        return []
    prompt, answer = load.tokens or (of.of(Quantity.PROMPT_TOKENS).at(), of.of(Quantity.ANSWER_TOKENS).at())
    calls = of.of(Quantity.CALLS).at() if load.calls is None else load.calls
    error = of.of(Quantity.PROMPT_TOKENS).error if load.tokens is None else None
    day = load.messages * _DAY_SECONDS
    in_flight = load.messages * calls * load.call_seconds  # Little's law
    lines = [
        Need("chat model", in_flight, "calls in flight", error, f"{calls:.3f} calls a message of {load.call_seconds:g} s"),
        Need("chat model", day * (prompt + answer) / 1e6, "M tokens a day", error, f"{prompt:.0f} + {answer:.0f} a message"),
    ]
    if load.price_in is not None and load.price_out is not None:
        dollars = day * (prompt * load.price_in + answer * load.price_out) / 1e6
        lines += [
            Need("chat model", dollars, "dollars a day", error, f"{load.price_in:g} in, {load.price_out:g} out for a million"),
            Need("chat model", dollars * _MONTH_DAYS, "dollars a month", error, f"{_MONTH_DAYS} days"),
        ]
    return lines


_COLUMNS = ["part", "amount", "unit", "error", "because"]


def run_capacity(
    load: Load, assumptions: Assumptions, measured: Path | None = None, console: Console | None = None
) -> list[Need]:
    """Print what a load needs, and return it.

    Args:
        load: what comes in.
        assumptions: what is chosen.
        measured: a file of costs in the form of capacity.json; None takes those.

    Raises:
        InputError: the file cannot be read, or has not what the answer rests on.
    """
    console = console or Console()
    costs = read_costs(measured or SHIPPED)
    found = needs(load, costs, assumptions)
    title = f"{load.messages:,g} messages/s, {load.searches:,g} searches/s, {load.facts:,g} facts, {load.tenants:,} tenants"
    print_table(console, title, rows_of(found), _COLUMNS)
    for line in _notes(load, costs, assumptions):
        console.print(line, soft_wrap=True, highlight=False)
    return found


def rows_of(found: Sequence[Need]) -> list[Row]:
    """The lines of the table."""
    return [
        {
            "part": need.part,
            "amount": _rounded(need.amount),
            "unit": need.unit,
            "error": "" if need.error is None else f"±{need.error:.0%}",
            "because": need.because,
        }
        for need in found
    ]


def _rounded(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.2g}"


def _notes(load: Load, costs: Costs, assumptions: Assumptions) -> list[str]:
    machine = ", ".join(f"{name} {value}" for name, value in costs.machine.items())
    chosen = ", ".join(f"{each.name} {getattr(assumptions, each.name):g}" for each in fields(assumptions))
    ranges = [
        f"{quantity.value} up to {found.largest:,.0f}"
        for quantity, found in costs.costs.items()
        if found.growth and load.facts > found.largest
    ]
    notes = [f"Measured {costs.date} on {machine}.", f"Assumed: {chosen}."]
    if ranges:
        notes.append(f"Beyond what was measured, along a line over the logarithm: {', '.join(ranges)} facts.")
    notes.append(
        "An error is that of leaving out each measured point; none is told where there was one point, or nothing was measured. "
        "One tenant is of one flow: the largest of them must fit on one machine (docs/scaling.md)."
    )
    return notes
