"""``mneme bench capacity``: what a load needs, from what one message, one record and one search cost, as a table.

Processors are rates times costs, over the share of them that may be busy (``utilisation``): above it queues grow faster than
they drain (docs/scaling.md). Memory and disks are records times bytes. The costs were measured (capacity.json); a file of the
same form may hold those of other machines.
"""

import math
from collections.abc import Mapping
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
_VECTOR_BYTES = 384 * 4 + 2 * 16 * 4 + 16  # as floats of 4 bytes; with 2 M neighbours in HNSW, M 16, and the levels above
_OPEN_MESSAGE_BYTES = 5_000  # of memory for each message of an open conversation (docs/internals/performance.md)
_OPEN_MESSAGES = 9  # of an open conversation, at which its store was measured


class Costs(BaseModel):
    """The measured costs. ``_ms`` are milliseconds of one processor, of a message unless it says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    flow_ms: float  # without the embedder
    flink_ms: float = 0.0  # what Flink takes more than Bytewax
    embedder_ms: float  # of the local embedder
    indexing_ms: float  # of OpenSearch
    kafka_ms: float  # of the broker
    records: float  # of a message
    facts: float  # of a message
    record_bytes: float  # of OpenSearch's disk, for a record
    flow_mb: float  # of memory, for a process
    search_index_ms: float  # of OpenSearch for a hybrid search of an index with one fact
    search_index_growth_ms: float  # more for each tenfold of the facts
    search_own_ms: float  # of the service for one
    open_store_bytes: float  # of the recovery store, for an open conversation


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
    except (OSError, ValidationError) as error:
        found = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in getattr(error, "errors", list)()]
        raise InputError(f"measured: {path}: {found[0] if found else error}; give a file like {SHIPPED.name}") from error


@dataclass(frozen=True, slots=True)
class Load:
    """The load: rates by the second, ``facts`` in the index in the end.

    ``searches`` are hybrid ones. A chat model takes ``tokens`` (prompt, answer) and ``calls`` for a message; ``prices`` are
    dollars for a million tokens of either.
    """

    messages: float
    facts: float
    searches: float
    tokens: tuple[float, float] = (0.0, 0.0)
    calls: float = 0.0
    prices: tuple[float, float] = (0.0, 0.0)


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
    """One line of the answer."""

    part: str
    amount: float
    unit: str
    because: str


def needs(load: Load, costs: Costs, assumed: Assumptions) -> list[Need]:
    """Return the needs of a load, part by part."""
    copies, rate = 1 + assumed.replicas, load.messages
    records = load.facts * costs.records / costs.facts  # when all facts are there
    stored = records * costs.record_bytes / 1e9
    shards = max(1, math.ceil(stored / assumed.shard_gigabytes))  # an owner is in one
    search = costs.search_index_ms + costs.search_index_growth_ms * math.log10(max(1.0, load.facts / shards))
    processors = [
        Need(
            part,
            each * of * milliseconds / 1000 / assumed.utilisation,
            "processors",
            f"{milliseconds:.2f} ms each, {each:g}/s{told}",
        )
        for part, each, milliseconds, of in (
            ("flow", rate, costs.flow_ms, 1),
            ("flow, on Flink more", rate, costs.flink_ms, 1),
            ("embedder", rate, costs.embedder_ms, 1),
            ("OpenSearch, indexing", rate, costs.indexing_ms, copies),
            ("OpenSearch, searching", load.searches, search, 1),
            ("service", load.searches, costs.search_own_ms, 1),
            ("Kafka", rate, costs.kafka_ms, assumed.kafka_replicas),
        )
        for told in (f", {of} copies" if of > 1 else "",)
    ]
    machines = math.ceil(sum(each.amount for each in processors[:3]) / assumed.cores)
    slots = f"slots of a Flink cluster, with their embedders, {assumed.cores} processors each"
    processes, open_messages = math.ceil(processors[0].amount), rate * assumed.idle_seconds
    open_talks = rate * (assumed.idle_seconds + assumed.seconds_between_messages) / _OPEN_MESSAGES
    memory = processes * costs.flow_mb / 1e3 + open_messages * _OPEN_MESSAGE_BYTES / 1e9
    of_records = f"{records / 1e6:,.0f} M records of {costs.record_bytes:,.0f} bytes, {copies} copies, room for merges"
    events = rate * _DAY_SECONDS * assumed.retention_days * assumed.kafka_replicas * assumed.event_bytes / 1e9
    kept = f"{assumed.event_bytes:g} bytes each, {assumed.retention_days:g} days, {assumed.kafka_replicas} copies"
    found = [
        *processors,
        Need("flow", machines, "machines", slots),
        Need("flow", memory, "GB of memory", f"{processes} processes, {open_messages:,.0f} open messages"),
        Need("OpenSearch", records * _VECTOR_BYTES * copies / 1e9, "GB of memory", "all vectors in the page cache"),
        Need("OpenSearch", stored * copies * assumed.disk_headroom, "GB of disk", of_records),
        Need("OpenSearch", shards, "shards", f"of {assumed.shard_gigabytes:g} GB, all indices together, without replicas"),
        Need("recovery", open_talks * costs.open_store_bytes / 1e9, "GB of disk", f"{open_talks:,.0f} open conversations"),
        Need("Kafka", events, "GB of disk", kept),
    ]
    (prompt, answer), (price_in, price_out) = load.tokens, load.prices
    if load.calls or prompt or answer:
        millions = rate * _DAY_SECONDS / 1e6
        dollars = millions * (prompt * price_in + answer * price_out)
        a_call = f"{load.calls:.3f} calls a message of {assumed.call_seconds:g} s"  # Little's law
        found += [
            Need("chat model", rate * load.calls * assumed.call_seconds, "calls in flight", a_call),
            Need("chat model", millions * (prompt + answer), "M tokens a day", f"{prompt:.0f} + {answer:.0f} a message"),
            Need("chat model", dollars, "dollars a day", f"{price_in:g} in, {price_out:g} out for a million"),
        ]
    return found


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
    price_in: Annotated[float, typer.Option("--price-in", help="Dollars for a million tokens of prompts.")] = 0.0,
    price_out: Annotated[float, typer.Option("--price-out", help="Dollars for a million tokens of answers.")] = 0.0,
    measured: Annotated[
        Path, typer.Option("--measured", help="The costs on your machines.", show_default="what ships with the project")
    ] = SHIPPED,
) -> list[Need]:
    """Compute the processors, gigabytes, shards, tokens and dollars that a load needs.

    Raises:
        InputError: the file of costs cannot be read, or has not what the answer rests on.
    """
    prompt, _, answer = tokens.partition(",")
    load = Load(
        messages=messages,
        facts=_number(facts, "--facts"),
        searches=messages / 10 if searches is None else searches,
        tokens=(_number(prompt, "--model-tokens-per-message"), _number(answer or "0", "--model-tokens-per-message")),
        calls=calls,
        prices=(price_in, price_out),
    )
    known, assumed = read_costs(measured), Assumptions()
    found = needs(load, known.costs, assumed)
    title = f"{load.messages:,g} messages/s, {load.searches:,g} searches/s, {load.facts:,g} facts, {tenants:,} tenants"
    print_table(console, title, list(map(_row, found)))
    machine = ", ".join(f"{name} {value}" for name, value in known.machine.items())
    chosen = ", ".join(f"{each.name} {getattr(assumed, each.name):g}" for each in fields(assumed))
    for line in (f"Measured {known.date} on {machine}.", f"Assumed: {chosen}.", _NOTE):
        console.print(line, soft_wrap=True, highlight=False)
    return found


_NOTE = "How far each cost may be wrong: docs/internals/capacity.md. One tenant is of one flow (docs/scaling.md)."


def _number(text: str, option: str) -> float:
    try:
        unit = _UNITS.get(text[-1:].lower())
        return float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        raise typer.BadParameter(f"{option}: {text!r} is no number; write 500k or 100M") from None


def _row(need: Need) -> Row:
    amount = f"{need.amount:,.0f}" if need.amount >= 10 else f"{need.amount:.2g}"
    return {"part": need.part, "amount": amount, "unit": need.unit, "because": need.because}
