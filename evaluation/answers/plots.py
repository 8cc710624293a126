"""The plot of a run, as PNG, without a display."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evaluation.answers.figures import ALL, ANSWERABLE
from evaluation.report import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_answers(
    rows: Sequence[Row], latencies: dict[str, Sequence[float]], costs: Sequence[Row], out: Path, title: str
) -> None:
    """Four views: right answers and abstentions by category with 95 % intervals, latency as a distribution, tokens by role."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.8, 9.0), layout="constrained")
    figure.suptitle(title)
    right, abstained, time, tokens = figure.subplots(2, 2).flat
    measure = "accuracy" if any("accuracy" in row for row in rows) else "contained"
    # Words are of questions with an answer: of all of them they would say the same again.
    hidden = ALL if measure == "contained" and any(row["category"] == ANSWERABLE for row in rows) else ""
    _bars(right, [row for row in rows if measure in row and row["category"] != hidden], measure)
    right.set_title("Answers found right by the judge" if measure == "accuracy" else "Answers with all words of the gold")
    _bars(abstained, [row for row in rows if "abstained" in row], "abstained")
    abstained.set_title("Abstained")
    timed = {name: values for name, values in latencies.items() if values}
    for name, values in timed.items():
        time.plot(np.sort(values), np.arange(1, len(values) + 1) / len(values), label=name)
    time.set(xlabel="ms", ylabel="share of questions", xscale="log", title="Latency", ylim=(0, 1.03))
    if timed:
        time.legend()
    _token_bars(tokens, costs)
    for axes in (right, abstained, time, tokens):
        axes.grid(alpha=0.3)
    figure.savefig(out, dpi=110)


def _bars(axes: "Axes", rows: Sequence[Row], name: str) -> None:
    heights = [float(row[name]) for row in rows]
    below = [height - float(row[f"{name}_low"]) for row, height in zip(rows, heights, strict=True)]
    above = [float(row[f"{name}_high"]) - height for row, height in zip(rows, heights, strict=True)]
    axes.bar(range(len(rows)), heights, yerr=[below, above], error_kw={"linewidth": 0.9, "capsize": 3})
    labels = [f"{row['category']}\n({row['answered']})".replace("_", "\n").replace("-", "-\n") for row in rows]
    axes.set(ylim=(0, 1.03), ylabel="share, with 95 % interval", xticks=range(len(rows)))
    axes.set_xticklabels(labels, fontsize=8)


def _token_bars(axes: "Axes", costs: Sequence[Row]) -> None:
    if not costs:
        axes.set_title("No model was asked")
        axes.set_axis_off()
        return
    axes.set(title="Tokens by role", ylabel="tokens")
    names = [str(row["role"]) for row in costs]
    asked, answered = [float(row["input_tokens"]) for row in costs], [float(row["output_tokens"]) for row in costs]
    axes.bar(names, asked, label="asked")
    axes.bar(names, answered, bottom=asked, label="answered")
    axes.legend()
