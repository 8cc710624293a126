"""The report of a benchmark: a table to read, JSON to compare, a plot to show, and one line to grep.

Every ``run_...`` function of this package works the same way. It measures with ``settings``, prints tables and progress to
``console``, and returns its report. The command (evaluation/commands/skeleton.py) writes that as JSON with the plot beside it,
and prints the line.
"""

import json
import os
import platform
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from mneme.errors import InputError
from mneme.settings import Settings
from mneme.times import utc_now

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, str | float | int]

_WIDEST = 1000  # characters of a table in a file
_LETTERS = {"recall": "R", "hit": "H", "ndcg": "N", "questions": "n", "milliseconds": "ms"}


def embedder_of(settings: Settings) -> dict[str, Any]:
    """The settings that tell one embedder from another."""
    return settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"})


def searched_with(settings: Settings) -> dict[str, Any]:
    """The settings that matter for the figures of a search."""
    return {
        "index": settings.index.backend,
        "embedder": embedder_of(settings),
        "retrieval": settings.retrieval.model_dump(mode="json"),
    }


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a benchmark. ``settings`` are those that matter for its figures; ``rows`` its figures; ``parts`` are
    further tables, written after them; ``plot`` draws a PNG into the file that it is given."""

    bench: str
    settings: Mapping[str, Any]
    rows: Sequence[Row]
    headline: Mapping[str, str | float | int]
    machine: Mapping[str, Any] = field(default_factory=lambda: machine())
    command: str = field(default_factory=lambda: command())
    parts: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    plot: Callable[[Path], None] | None = None

    def finish(self, console: Console, out: Path) -> Self:
        """Write the JSON and the plot beside it, whose folder is made, and print the line.

        Raises:
            InputError: the file cannot be written.
        """
        content = {
            "bench": self.bench,
            "date": utc_now().isoformat(timespec="seconds"),
            "command": self.command,
            "machine": dict(self.machine),
            "settings": dict(self.settings),
            "headline": _rounded(self.headline),
            "rows": list(map(_rounded, self.rows)),
            **{part: list(map(_rounded, rows)) for part, rows in self.parts.items()},
        }
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"out: {out} cannot be written ({error.strerror}); choose another file") from error
        if self.plot is not None:
            self.plot(out.with_suffix(".png"))
        console.print(self.line(), soft_wrap=True, highlight=False)
        return self

    def line(self) -> str:
        """``BENCH NAME key=value ...``: the last line of the output."""
        return " ".join(["BENCH", self.bench, *(f"{name}={value}" for name, value in _rounded(self.headline).items())])


def command() -> str:
    """Return the command line, without the folders of this machine; empty where it was no command of Mneme."""
    program, *words = sys.argv
    if Path(program).name not in ("mneme", "mneme.exe"):
        return ""
    return shlex.join(["mneme", *(Path(word).name if Path(word).is_absolute() else word for word in words)])


def machine() -> dict[str, Any]:
    """On what it was measured, without the machine's name."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    }


def print_table(console: Console, title: str, rows: Sequence[Row], columns: Sequence[str] = ()) -> None:
    """Print some columns of rows, numbers with three digits; the metrics' names are shortened to their letters.

    Without columns those of the first row are printed.
    """
    columns = columns or list(rows[0])
    table = Table(title=title)
    for column in columns:
        is_text = any(isinstance(row.get(column), str) for row in rows)
        name, at, k = column.partition("@")
        table.add_column(f"{_LETTERS.get(name, name)}{at}{k}", justify="left" if is_text else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(_shown(row.get(column, "")) for column in columns))
    width = console.width
    if not console.is_terminal:  # a file has no width, and figures that are cut off are none
        wanted = Measurement.get(console, console.options.update(width=_WIDEST, max_width=_WIDEST), table).maximum
        console.width = max(width, wanted)
    try:
        console.print(table)
    finally:
        console.width = width


@contextmanager
def plotted(out: Path, size: tuple[float, float] = (6.4, 4.4), **labels: Any) -> Iterator["Axes"]:
    """Draw one plot as a PNG, with a grid and a legend of what has a label.

    ``labels`` are title, names and ranges of the axes, as ``Axes.set`` takes them.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    yield axes
    axes.set(**labels)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    figure.savefig(out, dpi=130)


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 of durations, as a row has them; 0 without any."""
    values = np.percentile(milliseconds or [0.0], [50, 95, 99]).tolist()
    return dict(zip(("p50_ms", "p95_ms", "p99_ms"), values, strict=True))


def plot_distributions(values: Mapping[str, Sequence[float]], out: Path, **labels: Any) -> None:
    """Draw the share of values up to each value, a line for each name, as a PNG."""
    with plotted(out, **labels) as axes:
        for name, some in values.items():
            if some:
                axes.ecdf(some, label=name)


def plot_bars(rows: Sequence[Row], group: str, series: str, value: str, out: Path, title: str) -> None:
    """Bars of ``value``, a bar for each ``series`` within each ``group``, in the order of the rows, as a PNG.

    A bar has its interval where its row has one, as ``NAME_low`` and ``NAME_high``.
    """
    groups, names = (list(dict.fromkeys(str(row[column]) for row in rows)) for column in (group, series))
    width = 0.85 / len(names)
    with plotted(out, (max(6.4, 1.6 * len(groups)), 4.8), ylabel=value, title=title, ylim=(0, 1.03)) as axes:
        for number, name in enumerate(names):
            drawn = [row for row in rows if str(row[series]) == name]
            left = (number - (len(names) - 1) / 2) * width
            places = [groups.index(str(row[group])) + left for row in drawn]
            heights = np.array([float(row[value]) for row in drawn])
            ends = [np.array([float(row.get(f"{value}_{end}", row[value])) for row in drawn]) for end in ("low", "high")]
            reach = [np.maximum(0, heights - ends[0]), np.maximum(0, ends[1] - heights)]
            axes.bar(places, heights, width, yerr=reach, label=name, error_kw={"linewidth": 0.8})
        axes.set_xticks(range(len(groups)), [name.replace(", ", ",\n").replace("_", "\n") for name in groups])


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


def _shown(value: str | float | int) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
