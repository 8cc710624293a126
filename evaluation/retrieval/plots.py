"""Plots of the retrieval benchmarks, as PNG, without a display."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.report import Row, plotted, plotted_views
from evaluation.retrieval.figures import ALL, KS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_retrieval(rows: Sequence[Row], out: Path, title: str) -> None:
    """Two views of each method: recall by k, and by category with its 95 % interval over questions."""
    overall = [row for row in rows if row["category"] == row["conversation"] == ALL]
    categories = [row for row in rows if row["category"] != ALL] or overall
    with plotted_views(out, 1, 2, (12.8, 4.6), title, sharey=True) as (by_k, by_category):
        for row in overall:
            by_k.plot(KS, [float(row[f"recall@{k}"]) for k in KS], marker="o", label=str(row["method"]))
        _bars(by_category, categories)
        by_k.set(xlabel="k, messages", ylabel="recall", xticks=list(KS), title="Recall by k", ylim=(0, 1.03))
        by_category.set(title="Recall@10 by category")


def plot_differences(rows: Sequence[Row], out: Path, title: str) -> None:
    """Each share's difference (no tokens) with its interval over questions, one line each."""
    shown = [row for row in rows if str(row["figure"]) not in ("tokens", "tokens@10")][::-1]
    with plotted(out, (8.0, max(2.4, 0.32 * len(shown) + 1.2)), xlabel="difference, 95 % interval", title=title) as axes:
        for at, row in enumerate(shown):
            difference = float(row["difference"])
            low, high = float(row.get("low", difference)), float(row.get("high", difference))
            axes.errorbar([difference], [at], xerr=[[difference - low], [high - difference]], fmt="o", color="C0", capsize=3)
        axes.axvline(0, color="black", linewidth=1)
        axes.set_yticks(range(len(shown)), [_named(row) for row in shown])


def _bars(axes: "Axes", rows: Sequence[Row]) -> None:
    groups = list(dict.fromkeys(str(row["category"]) for row in rows))
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))
    width = 0.85 / len(methods)
    for number, method in enumerate(methods):
        drawn = [row for row in rows if row["method"] == method]
        left = (number - (len(methods) - 1) / 2) * width
        places = [groups.index(str(row["category"])) + left for row in drawn]
        reach = [_reach(row, "recall@10") or [[0.0], [0.0]] for row in drawn]
        ends = [[each[0][0] for each in reach], [each[1][0] for each in reach]]
        axes.bar(places, [float(row["recall@10"]) for row in drawn], width, yerr=ends, error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(groups)))
    axes.set_xticklabels([name.replace("_", "\n") for name in groups], fontsize=8)


def _reach(row: Row, name: str) -> list[list[float]] | None:
    """Return the distances of the interval's ends below and above the mean."""
    if f"{name}_low" not in row:
        return None
    mean = float(row[name])
    return [[max(0.0, mean - float(row[f"{name}_low"]))], [max(0.0, float(row[f"{name}_high"]) - mean)]]


def _named(row: Row) -> str:
    method = row["method"] if row["method"] == row["against"] else f"{row['method']} / {row['against']}"
    category = "" if row["category"] == ALL else f", {row['category']}"
    return f"{method}, {row['figure']}{category}"
