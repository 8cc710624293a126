"""Benchmarks of speed, size and robustness; and the needs of a load that follow from them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluation.commands.options import Backend, IndexOption, OutOption, configured
from serving.terminal.output import output


def ingest(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of conversations.", show_default=False)],
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Of the whole; figures are medians.")] = 1,
    copies: Annotated[int, typer.Option("--copies", min=1, help="Of each conversation, each with an owner of its own.")] = 1,
    processes: Annotated[int, typer.Option("--processes", min=1, help="That share the work from Kafka.")] = 1,
    out: OutOption = Path("bench-results/ingest.json"),
) -> None:
    """Kafka to OpenSearch against files to the embedded index: messages a second until searchable, costs, and equal ids."""
    from evaluation.bench_ingest import run_ingest

    run_ingest(path, configured(), out, repeats, copies, processes, console=output())


def query(
    facts: Annotated[
        list[int] | None,
        typer.Option("--facts", min=100, help="In the index, of all owners together; several: several indices."),
    ] = None,
    owners: Annotated[
        int | None, typer.Option("--owners", min=1, help="A few of them have most of it; by default one for each 1,000 facts.")
    ] = None,
    questions: Annotated[int, typer.Option("--questions", min=10, help="That are measured with each method.")] = 200,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of all questions; the medians of them are told.")] = 5,
    index: IndexOption = Backend.EMBEDDED,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="NAME", help="The indices stay under this name, and are filled but once.")
    ] = None,
    out: OutOption = Path("bench-results/query.json"),
) -> None:
    """Time of a search, cold and warm, among made-up memories: p50, p95, p99 of each method, embedder included."""
    from evaluation.bench_query import run_query

    run_query(facts or [10_000], configured(index), out, owners, questions, rounds, keep, console=output())


def faults(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="Your file of conversations; without it those of the examples."),
    ] = None,
    long: Annotated[bool, typer.Option("--long/--short", help="As long as each bar asks (hours), or minutes.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of all rng: texts, moments of harm.")] = 1,
    out: OutOption = Path("bench-results/faults.json"),
    only: Annotated[list[str] | None, typer.Option("--only", help="Only these scenarios, by name.", show_default=False)] = None,
    engine: Annotated[
        Literal["bytewax", "flink"], typer.Option(metavar="NAME", help="What runs the flow, as `mneme run` has it.")
    ] = "bytewax",
    jobmanager: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="REST address of the cluster, for --engine flink.")
    ] = "127.0.0.1:8081",
) -> None:
    """Test the stream by kills, restarts and faults, with 0 lost and 0 duplicated judged by an independent verifier."""
    from evaluation.faults.bench import run_faults
    from evaluation.faults.deployment import BYTEWAX, flink
    from evaluation.faults.scenario import Size

    size, runs_on = Size.LONG if long else Size.SHORT, flink(jobmanager) if engine == "flink" else BYTEWAX
    report = run_faults(configured(), size, seed, out, path, only or (), console=output(), engine=runs_on)
    if report.headline["failed"]:
        raise typer.Exit(1)


def engines(
    jobmanager: Annotated[str, typer.Option(metavar="HOST:PORT", help="REST address of the Flink cluster.")] = "127.0.0.1:8081",
    flink_python: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The interpreter with PyFlink; by default this one.")
    ] = None,
    only: Annotated[
        Literal["bytewax", "flink"] | None, typer.Option(metavar="NAME", help="Only this engine.", show_default=False)
    ] = None,
    number: Annotated[list[int] | None, typer.Option("--number", min=1, help="Of processes or slots; several.")] = None,
    messages: Annotated[int, typer.Option("--messages", min=1, help="Of each run.")] = 2000,
    talks: Annotated[int, typer.Option("--talks", min=1, help="That they belong to.")] = 100,
    hot: Annotated[float, typer.Option("--hot", min=0, max=1, help="The share of one tenant.")] = 0.0,
    warm_up: Annotated[int, typer.Option("--warm-up", min=0, help="Talks that come before, and are not counted.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", min=0, help="For which single messages come behind.")] = 20.0,
    out: OutOption = Path("bench-results/engines.json"),
) -> None:
    """The same messages through Bytewax and Flink, by processes and slots: messages a second, p50 and p95 until searchable."""
    from evaluation.bench_engines import Load, run_engines
    from evaluation.faults.deployment import BYTEWAX, flink

    known = [("bytewax", BYTEWAX), ("flink", flink(jobmanager, flink_python))]
    wanted = [(name, engine) for name, engine in known if only in (None, name)]
    load = Load(messages, talks, hot, warm_up, seconds=seconds)
    run_engines(configured(), wanted, number or [1, 2], load, out, output())


def stages(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A file of conversations; without it made-up talks.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of each measurement; figures are medians.")] = 5,
    out: OutOption = Path("bench-results/stages.json"),
) -> None:
    """Processor time of each step of ingestion for one message, without embedder and index server."""
    from evaluation.bench_stages import run_stages

    run_stages(path, configured(), out, rounds, console=output())


def freshness(
    index: Annotated[Backend, typer.Option("--index", help="What is run: Kafka and OpenSearch, or `mneme serve` alone.")] = (
        Backend.OPENSEARCH
    ),
    rate: Annotated[float, typer.Option("--rate", min=0.1, help="Messages a second.")] = 5.0,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="For which they come.")] = 60.0,
    talks: Annotated[int, typer.Option("--talks", min=1, help="That are ended by a flush.")] = 30,
    rest: Annotated[
        bool,
        typer.Option("--rest", help="Through a service too, where there would be none; the embedded index always has one."),
    ] = False,
    out: OutOption = Path("bench-results/freshness.json"),
) -> None:
    """From sending to searchable: single messages at a steady rate, and talks that are flushed; p50, p95 and p99."""
    from evaluation.bench_freshness import run_freshness

    run_freshness(configured(index), out, rate, seconds, talks, rest, console=output())


def load(
    index: Annotated[Backend, typer.Option("--index", help="What is run: Kafka and OpenSearch, or `mneme serve` alone.")] = (
        Backend.EMBEDDED
    ),
    searchers: Annotated[int, typer.Option("--searchers", min=1, help="Who search at a time.")] = 50,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Of each of the three parts.")] = 60.0,
    facts: Annotated[int, typer.Option("--facts", min=100, help="In the index from the start.")] = 10_000,
    owners: Annotated[int, typer.Option("--owners", min=1, help="A few of them have most of it.")] = 20,
    method: Annotated[str, typer.Option("--method", help="Of the searches.")] = "hybrid",
    out: OutOption = Path("bench-results/load.json"),
) -> None:
    """Many who search at once, alone and while messages keep coming in: p50, p95 and p99, errors, and what is taken in."""
    from evaluation.bench_load import run_load

    run_load(configured(index), out, searchers, seconds, facts, owners, method, console=output())


def startup(
    runs: Annotated[int, typer.Option("--runs", min=1, help="Of each program; figures are medians.")] = 7,
    out: OutOption = Path("bench-results/startup.json"),
) -> None:
    """Time to import Mneme, to show its help, and to ask one question of the examples without a service."""
    from evaluation.bench_startup import run_startup
    from serving.commands.demo import example_files

    run_startup(example_files(None), configured(), out, runs, console=output())


def capacity(
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
) -> None:
    """Compute the processors, gigabytes, shards, tokens and dollars that a load needs."""
    from evaluation.capacity import Load, run_capacity

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
    run_capacity(load, measured, console=output())


_UNITS = {"k": 1e3, "m": 1e6, "b": 1e9}


def _number(text: str, option: str) -> float:
    try:
        unit = _UNITS.get(text[-1:].lower())
        return float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        raise typer.BadParameter(f"{option}: {text!r} is no number; write 500k or 100M") from None
