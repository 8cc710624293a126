"""``mneme bench startup``: how long a program takes that imports Mneme, shows its help, or asks one question and ends.

1. The examples are ingested into an embedded index of the benchmark's own.
2. Each program is run once without being measured, so that files lie in memory and the local model is converted, and then
   several times, one after the other in turn. By the clock, and in processor time of the process and its children.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evaluation.report import Report, Row, print_table
from flows import ingest
from mneme.errors import InputError
from mneme.settings import Settings
from serving.commands.demo import example_files

_COMMAND = (sys.executable, "-m", "serving")
_QUESTION = ("search", "When is Jason's birthday?", "--user", "mira")

PROGRAMS = {
    "import mneme": (sys.executable, "-c", "import mneme"),
    "mneme --help": (*_COMMAND, "--help"),
    "mneme search, keyword": (*_COMMAND, *_QUESTION, "--method", "keyword"),
    "mneme search, hybrid": (*_COMMAND, *_QUESTION),
}
"""The started programs, by their names in the table."""


def startup(
    settings: Settings,
    console: Console,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Of each program; figures are medians.")] = 7,
) -> Report:
    """Time to import Mneme, to show its help, and to ask one question of the examples without a service.

    Raises:
        InputError: a program failed, with what it said.
    """
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        data = Path(folder) / "data"
        environment = {
            **os.environ,
            "MNEME_DATA": str(data),
            "MNEME_INDEX__BACKEND": "embedded",
            "MNEME_EMBEDDER__PROVIDER": settings.embedder.provider,
        }
        with console.status("ingesting"):
            ingest(example_files(None), settings.replace(data=data, index={"backend": "embedded"}))
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in PROGRAMS}
        for run in range(runs + 1):
            for name, program in PROGRAMS.items():
                with console.status(f"{name}, {run} of {runs}"):
                    times = _timed(program, environment)
                if run:
                    measured[name].append(times)
    rows = [_row(name, times) for name, times in measured.items()]
    print_table(console, f"Start-up, medians of {runs}", rows)
    return Report(
        bench="startup",
        settings={"runs": runs, "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize"})},
        rows=rows,
        headline={
            "import_ms": rows[0]["clock ms"],
            "help_ms": rows[1]["clock ms"],
            "search_ms": rows[-1]["clock ms"],
            "search_processor_ms": rows[-1]["processor ms"],
        },
    )


def _timed(program: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds by the clock and of the processor until a program has ended."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise InputError(f"{' '.join(program[1:])} ended with {ended.returncode}: {ended.stderr.strip()[-500:]}")
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _row(name: str, times: Sequence[tuple[float, float]]) -> Row:
    clock, processor = ([1000 * each for each in column] for column in zip(*times, strict=True))
    return {
        "program": name,
        "clock ms": round(statistics.median(clock)),
        "clock from": round(min(clock)),
        "clock to": round(max(clock)),
        "processor ms": round(statistics.median(processor)),
        "processor from": round(min(processor)),
        "processor to": round(max(processor)),
    }
