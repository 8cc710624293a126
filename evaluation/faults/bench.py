"""``mneme bench faults``: scenarios one after the other, each on topics and indices of its own, judged by the verifier."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.faults.deployment import Deployment, Servers, engine_of
from evaluation.faults.scenario import Scenario, Size
from evaluation.faults.scenarios import FLINK_SCENARIOS, SCENARIOS
from evaluation.faults.texts import read_templates
from evaluation.faults.verifier import KINDS
from evaluation.options import EngineOption, FlinkPythonOption, JobManagerOption
from evaluation.report import Report, Row, print_table
from mneme.errors import InputError, StoreError
from mneme.settings import Settings

_SHOWN = ("method", "messages", "lost", "duplicated", "other", "seconds", "passed")  # as many as fit a terminal


def run_faults(
    settings: Settings,
    console: Console,
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[PATH]", help="Your file of conversations; without it those of the examples."),
    ] = None,
    long: Annotated[bool, typer.Option("--long/--short", help="As long as each bar asks (hours), or minutes.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of all rng: texts, moments of harm.")] = 1,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only these scenarios, by name.", show_default=False)] = None,
    engine: EngineOption = "bytewax",
    jobmanager: JobManagerOption = "127.0.0.1:8081",
    flink_python: FlinkPythonOption = None,
    servers: Servers | None = None,
) -> Report:
    """Test the stream by kills, restarts and faults, with 0 lost and 0 duplicated judged by an independent verifier.

    A flow on Flink has scenarios of its own, and Bytewax as its undisturbed twin.

    Args:
        settings: where Kafka and OpenSearch are; the embedder is the one of the settings.
        console, path, long, seed, only, engine, jobmanager, flink_python: as the options say.
        servers: what may be harmed; a scenario that harms more is skipped, with the reason printed.

    Raises:
        InputError: there is no such scenario, or the file cannot be read.
        StoreError: a server does not answer.
    """
    size, servers = Size.LONG if long else Size.SHORT, servers or Servers()
    scenarios, runs_on = FLINK_SCENARIOS if engine == "flink" else SCENARIOS, engine_of(engine, jobmanager, flink_python)
    names = [scenario.name for scenario in scenarios]
    if unknown := [name for name in only or () if name not in names]:
        raise InputError(f"only: there is no scenario {', '.join(unknown)}; there are {', '.join(names)}")
    templates = read_templates([path] if path is not None else ())
    rows: list[Row] = []
    skipped = 0
    for scenario in scenarios:
        if only and scenario.name not in only:
            continue
        if missing := [need for need in scenario.needs if getattr(servers, need) is None]:
            console.print(
                f"{scenario.name}: skipped, it harms the {' and the '.join(missing)}, which belongs to somebody else here; "
                "in a checkout `python -m tests.faults` starts servers of its own for it"
            )
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(prefix="mneme-faults-") as folder:
            deployment = Deployment(settings, Path(folder), servers, templates, engine=runs_on)
            rows.append(_play(scenario, deployment, seed, size, console))
    wrong = {kind: sum(int(row.get(kind, 0)) for row in rows) for kind in KINDS}
    failed = sum(row["passed"] == "no" for row in rows)
    if rows:
        others = [{**row, "other": sum(int(row.get(kind, 0)) for kind in KINDS[2:])} for row in rows]
        print_table(console, f"Faults, {size.value} form, seed {seed}", others, _SHOWN)
    texts = path.name if path is not None else "examples"
    return Report(
        bench="faults",
        settings={"size": size.value, "seed": seed, "embedder": settings.embedder.provider, "texts": texts},
        rows=rows,
        headline={**wrong, "scenarios": len(rows), "failed": failed, "skipped": skipped, "seed": seed, "size": size.value},
    )


def _play(scenario: Scenario, deployment: Deployment, seed: int, size: Size, console: Console) -> Row:
    """One scenario on a deployment of its own, which is removed afterwards."""
    started = time.monotonic()
    try:
        with deployment:
            result = scenario.run(deployment, seed, size)
    except StoreError as error:
        console.print(f"{scenario.name}: did not get through: {error}", markup=False)
        return {"method": scenario.name, "seconds": round(time.monotonic() - started, 1), "passed": "no"}
    wrong = [(kind, example) for kind, examples in result.verification.examples.items() for example in examples]
    for kind, example in (*wrong, *(("missed", missed) for missed in result.missed)):
        console.print(f"{scenario.name}: {kind}: {example}", markup=False, soft_wrap=True)
    row = {"seconds": round(time.monotonic() - started, 1), **result.row(scenario.name)}
    figures = ", ".join(f"{name} {figure}" for name, figure in result.figures.items())
    console.print(f"{scenario.name}: {'passed' if result.passed else 'FAILED'}; {figures}", markup=False, soft_wrap=True)
    return row
