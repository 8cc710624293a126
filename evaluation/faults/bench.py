"""``mneme bench faults``: scenarios one after the other, each on topics and indices of its own, judged by the verifier."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from evaluation.faults.checks import KINDS
from evaluation.faults.deployment import BYTEWAX, Deployment, Engine, Servers, flink
from evaluation.faults.scenario import Scenario, ScenarioResult, Size
from evaluation.faults.scenarios import FLINK_SCENARIOS, SCENARIOS
from evaluation.faults.texts import Template, read_templates
from evaluation.options import JobManagerOption
from evaluation.report import Report, Row, print_table
from mneme.errors import InputError, StoreError
from mneme.settings import Settings

_SHOWN = ("method", "messages", "lost", "duplicated", "other", "seconds", "passed")  # as many as fit a terminal


def faults(
    settings: Settings,
    out: Path,
    console: Console,
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="Your file of conversations; without it those of the examples."),
    ] = None,
    long: Annotated[bool, typer.Option("--long/--short", help="As long as each bar asks (hours), or minutes.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of all rng: texts, moments of harm.")] = 1,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only these scenarios, by name.", show_default=False)] = None,
    engine: Annotated[
        Literal["bytewax", "flink"], typer.Option(metavar="NAME", help="What runs the flow, as `mneme run` has it.")
    ] = "bytewax",
    jobmanager: JobManagerOption = "127.0.0.1:8081",
) -> Report:
    """Test the stream by kills, restarts and faults, with 0 lost and 0 duplicated judged by an independent verifier."""
    size, runs_on = Size.LONG if long else Size.SHORT, flink(jobmanager) if engine == "flink" else BYTEWAX
    return run_faults(settings, size, seed, out, path, only or (), console=console, engine=runs_on)


def run_faults(
    settings: Settings,
    size: Size,
    seed: int,
    out: Path,
    path: Path | None = None,
    only: Sequence[str] = (),
    servers: Servers | None = None,
    console: Console | None = None,
    engine: Engine = BYTEWAX,
) -> Report:
    """Play the scenarios, print, and write ``out`` (JSON).

    Args:
        settings: where Kafka and OpenSearch are; the embedder is the one of the settings.
        size: how long each takes.
        seed: of all random choices.
        path: a file of conversations; None takes the examples.
        only: names of scenarios; none means all.
        servers: what may be harmed; a scenario that harms more is skipped, with the reason printed.
        engine: what runs the flow. Another one than Bytewax has scenarios of its own, and Bytewax as its undisturbed twin.

    Raises:
        InputError: there is no such scenario, or the file cannot be read.
        StoreError: a server does not answer.
    """
    console = console or Console()
    servers = servers or Servers()
    templates = read_templates([path] if path is not None else ())
    rows: list[Row] = []
    skipped = 0
    for scenario in _chosen(only, SCENARIOS if engine == BYTEWAX else FLINK_SCENARIOS):
        if missing := sorted(need.value for need in scenario.needs if getattr(servers, need.value) is None):
            console.print(
                f"{scenario.name}: skipped, it harms the {' and the '.join(missing)}, which belongs to somebody else here; "
                "in a checkout `python -m tests.faults` starts servers of its own for it"
            )
            skipped += 1
            continue
        rows.append(_play(scenario, settings, size, seed, templates, servers, console, engine))
    wrong = {kind: sum(int(row.get(kind, 0)) for row in rows) for kind in KINDS}
    failed = sum(row["passed"] == "no" for row in rows)
    report = Report(
        bench="faults",
        settings={"size": size.value, "seed": seed, "embedder": settings.embedder.provider, "texts": _texts_of(path)},
        rows=rows,
        headline={**wrong, "scenarios": len(rows), "failed": failed, "skipped": skipped, "seed": seed, "size": size.value},
    )
    if rows:
        others = [{**row, "other": sum(int(row.get(kind, 0)) for kind in KINDS[2:])} for row in rows]
        print_table(console, f"Faults, {size.value} form, seed {seed}", others, _SHOWN)
    return report.finish(console, out)


def play(
    scenario: Scenario,
    settings: Settings,
    folder: Path,
    seed: int,
    size: Size,
    servers: Servers | None = None,
    templates: Sequence[Template] = (),
    engine: Engine = BYTEWAX,
) -> ScenarioResult:
    """One scenario on a deployment of its own, which is removed afterwards.

    Raises:
        StoreError: the flow did not get through.
    """
    with Deployment(settings, folder, servers, templates, engine=engine) as deployment:
        return scenario.run(deployment, seed, size)


def _play(
    scenario: Scenario,
    settings: Settings,
    size: Size,
    seed: int,
    templates: Sequence[Template],
    servers: Servers,
    console: Console,
    engine: Engine,
) -> Row:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mneme-faults-") as folder:
        try:
            result = play(scenario, settings, Path(folder), seed, size, servers, templates, engine)
        except StoreError as error:
            console.print(f"{scenario.name}: did not get through: {error}", markup=False)
            return {"method": scenario.name, "seconds": round(time.monotonic() - started, 1), "passed": "no"}
    for kind, examples in result.verification.examples.items():
        for example in examples:
            console.print(f"{scenario.name}: {kind}: {example}", markup=False, soft_wrap=True)
    for missed in result.missed:
        console.print(f"{scenario.name}: missed: {missed}", markup=False, soft_wrap=True)
    row = {"seconds": round(time.monotonic() - started, 1), **result.row(scenario.name)}
    figures = ", ".join(f"{name} {figure}" for name, figure in result.figures.items())
    console.print(f"{scenario.name}: {'passed' if result.passed else 'FAILED'}; {figures}", markup=False, soft_wrap=True)
    return row


def _chosen(only: Sequence[str], scenarios: Sequence[Scenario]) -> list[Scenario]:
    names = [scenario.name for scenario in scenarios]
    if unknown := [name for name in only if name not in names]:
        raise InputError(f"only: there is no scenario {', '.join(unknown)}; there are {', '.join(names)}")
    return [scenario for scenario in scenarios if not only or scenario.name in only]


def _texts_of(path: Path | None) -> str:
    return path.name if path is not None else "examples"
