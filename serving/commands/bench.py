"""``mneme bench``: measure on your own copy of a data set; the project ships none."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from serving.commands import bench_retrieval, bench_truth, capacity
from serving.commands.bench_retrieval import Backend, with_index
from serving.commands.options import SegmentationArgument, VectorsOption


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    benches = typer.Typer(
        no_args_is_help=True, help="Benchmarks on your own data: table, JSON, plot, one line of headline figures."
    )
    bench_retrieval.register(benches)
    benches.command()(boundaries)
    benches.command()(extraction)
    benches.command()(granularity)
    benches.command()(multihop)
    benches.command()(ingest)
    benches.command()(query)
    benches.command()(models)
    benches.command()(stages)
    benches.command()(state)
    benches.command()(volume)
    benches.command()(faults)
    benches.command()(freshness)
    benches.command()(load)
    benches.command()(startup)
    bench_truth.register(benches)
    capacity.register_benches(benches)
    app.add_typer(benches, name="bench")


def boundaries(
    segmentation: SegmentationArgument,
    locomo: Annotated[
        Path | None, typer.Option("--locomo", help="Your LoCoMo JSON: its session ends, with and without times.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/boundaries.json"
    ),
    vectors: VectorsOption = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=5, help="So many conversations of each set, for a quick look.")
    ] = None,
    pace: Annotated[
        list[float] | None,
        typer.Option(
            "--pace", min=0.001, help="Seconds between messages; several times for several.", show_default="1 10 30 120"
        ),
    ] = None,
) -> None:
    """Where conversations turn: the model of the default detector, cross-validated and online, beside baselines."""
    from evaluation.bench_boundaries import PACES, run_boundaries
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_boundaries(segmentation, load_settings(), out, locomo, vectors, sample, pace or PACES, console=output())


def extraction(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA_FOLDER]", help="Your folder with locomo/, chats/ and chinese/; without it only the examples count."
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/extraction.json"
    ),
    errors: Annotated[bool, typer.Option("--errors", help="Show what was missed and what was wrong, of the dev part.")] = False,
) -> None:
    """Entities, relationships, foresight and profile against episodes labelled by hand: precision, recall and F1."""
    from evaluation.bench_extraction import run_extraction
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_extraction(data, load_settings(), out, errors, console=output())


def granularity(
    examples: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Of the examples; without it that of this checkout.")
    ] = None,
    index: Annotated[Backend, typer.Option("--index", help="Which index is filled and searched.")] = Backend.EMBEDDED,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/granularity.json"
    ),
) -> None:
    """Whether the type of memory that a question wants comes first: 60 written questions about the examples."""
    from evaluation.granularity import run_granularity
    from mneme.settings import load_settings
    from serving.terminal.output import output

    settings = load_settings()
    chosen = settings.index.model_copy(update={"backend": index.value})
    run_granularity(settings.model_copy(update={"index": chosen}), out, examples, console=output())


class Planner(StrEnum):
    """Who decides in agentic searches."""

    RULES = "rules"
    MODEL = "model"


def multihop(
    locomo: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[LOCOMO]...", help="Your LoCoMo JSON; without it only the questions about the examples are asked."
        ),
    ] = None,
    planner: Annotated[
        list[Planner] | None,
        typer.Option("--planner", help="Who decides, repeatable; model: that of the settings.", show_default="rules"),
    ] = None,
    oracle: Annotated[
        bool, typer.Option("--oracle/--no-oracle", help="The upper bound too: hops asked for in words written beforehand.")
    ] = True,
    examples: Annotated[Path | None, typer.Option(help="Folder of the examples.", show_default="that of the project")] = None,
    index: Annotated[Backend, typer.Option("--index", help="Which index is filled and searched.")] = Backend.EMBEDDED,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/multihop.json"
    ),
) -> None:
    """Agents against one hybrid search: 60 written questions whose answer lies in several episodes; hops found, calls, time."""
    from evaluation.multihop.bench import run_multihop
    from serving.terminal.output import output

    chosen = [each.value for each in planner] if planner else ["rules"]
    run_multihop(with_index(index), out, locomo or (), chosen, oracle, examples, console=output())


def ingest(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of conversations.", show_default=False)],
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Of the whole; figures are medians.")] = 1,
    copies: Annotated[int, typer.Option("--copies", min=1, help="Of each conversation, each with an owner of its own.")] = 1,
    processes: Annotated[int, typer.Option("--processes", min=1, help="That share the work from Kafka.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path("bench-results/ingest.json"),
) -> None:
    """Kafka to OpenSearch against files to the embedded index: messages a second until searchable, costs, and equal ids."""
    from evaluation.bench_ingest import run_ingest
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_ingest(path, load_settings(), out, repeats, copies, processes, console=output())


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
    index: Annotated[Backend, typer.Option("--index", help="Which index is filled and searched.")] = Backend.EMBEDDED,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="NAME", help="The indices stay under this name, and are filled but once.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/query.json"
    ),
) -> None:
    """How long a search takes, cold and warm, among made-up memories: p50, p95, p99 of each method, embedder included."""
    from evaluation.bench_query import run_query
    from mneme.settings import load_settings
    from serving.terminal.output import output

    settings = load_settings()
    chosen = settings.model_copy(update={"index": settings.index.model_copy(update={"backend": index.value})})
    run_query(facts or [10_000], chosen, out, owners, questions, rounds, keep, console=output())


def models(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file of conversations.", show_default=False)],
    copies: Annotated[
        int, typer.Option("--copies", min=1, help="Of each conversation, each with an owner of its own, for the speed.")
    ] = 1,
    live: Annotated[
        bool, typer.Option(help="Whether the price of messages one by one is taken first: as long as all calls in a row.")
    ] = True,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path("bench-results/models.json"),
) -> None:
    """What ingestion asks of the chat model of the settings: calls and tokens for each message, and calls in flight."""
    from evaluation.bench_models import run_models
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_models(path, load_settings(), out, copies, live, console=output())


def faults(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="Your file of conversations; without it those of the examples."),
    ] = None,
    long: Annotated[bool, typer.Option("--long/--short", help="As long as each bar asks (hours), or minutes.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of all luck: texts, moments of harm.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path("bench-results/faults.json"),
    only: Annotated[list[str] | None, typer.Option("--only", help="Only these scenarios, by name.", show_default=False)] = None,
) -> None:
    """What the stream survives: kills, restarts and faults, with 0 lost and 0 duplicated judged by an independent verifier."""
    from evaluation.faults.bench import run_faults
    from evaluation.faults.scenario import Size
    from mneme.settings import load_settings
    from serving.terminal.output import output

    size = Size.LONG if long else Size.SHORT
    report = run_faults(load_settings(), size, seed, out, path, only or (), console=output())
    if report.headline["failed"]:
        raise typer.Exit(1)


def stages(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A file of conversations; without it made-up talks.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Of each measurement; figures are medians.")] = 5,
    vectors: VectorsOption = None,
    kafka: Annotated[bool, typer.Option("--kafka/--no-kafka", help="Whether reading from Kafka is measured too.")] = True,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/stages.json"
    ),
) -> None:
    """What each step of ingestion costs the processor for one message, without embedder and index server."""
    from evaluation.bench_stages import run_stages
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_stages(path, load_settings(), out, rounds, vectors, kafka, console=output())


def state(
    conversations: Annotated[int, typer.Option("--conversations", min=100, help="Open at a time.")] = 100_000,
    messages: Annotated[int, typer.Option("--messages", min=1, help="That are measured, spread over all of them.")] = 100_000,
    closed: Annotated[int, typer.Option("--closed", min=100, help="Opened and closed, one after the other.")] = 200_000,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path("bench-results/state.json"),
) -> None:
    """What very many conversations cost: messages a second, snapshots, size of the recovery store, restart, memory."""
    from evaluation.bench_state import run_state
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_state(conversations, messages, closed, load_settings(), out, console=output())


def volume(
    messages: Annotated[int, typer.Option("--messages", min=1000, help="Of the stream.")] = 1_000_000,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/volume.json"
    ),
) -> None:
    """A long stream of conversations that come and go, with nothing extracted: memory and recovery store must not grow."""
    from evaluation.bench_volume import run_volume
    from mneme.settings import load_settings
    from serving.terminal.output import output

    run_volume(messages, load_settings(), out, console=output())


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
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/freshness.json"
    ),
) -> None:
    """From sending to searchable: single messages at a steady rate, and talks that are flushed; p50, p95 and p99."""
    from evaluation.bench_freshness import run_freshness
    from serving.terminal.output import output

    run_freshness(with_index(index), out, rate, seconds, talks, rest, console=output())


def load(
    index: Annotated[Backend, typer.Option("--index", help="What is run: Kafka and OpenSearch, or `mneme serve` alone.")] = (
        Backend.EMBEDDED
    ),
    searchers: Annotated[int, typer.Option("--searchers", min=1, help="Who search at a time.")] = 50,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Of each of the three parts.")] = 60.0,
    facts: Annotated[int, typer.Option("--facts", min=100, help="In the index from the start.")] = 10_000,
    owners: Annotated[int, typer.Option("--owners", min=1, help="A few of them have most of it.")] = 20,
    method: Annotated[str, typer.Option("--method", help="Of the searches.")] = "hybrid",
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.")] = Path(
        "bench-results/load.json"
    ),
) -> None:
    """Many who search at once, alone and while messages keep coming in: p50, p95 and p99, errors, and what is taken in."""
    from evaluation.bench_load import run_load
    from serving.terminal.output import output

    run_load(with_index(index), out, searchers, seconds, facts, owners, method, console=output())


def startup(
    runs: Annotated[int, typer.Option("--runs", min=1, help="Of each program; figures are medians.")] = 7,
    out: Annotated[Path, typer.Option("--out", help="Where the results go, as JSON.")] = Path("bench-results/startup.json"),
) -> None:
    """How long it takes to import Mneme, to show its help, and to ask one question of the examples without a service."""
    from evaluation.bench_startup import run_startup
    from mneme.settings import load_settings
    from serving.demo import example_files
    from serving.terminal.output import output

    run_startup(example_files(None), load_settings(), out, runs, console=output())
