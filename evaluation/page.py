"""A page of figures, written from reports: ``mneme bench report FILES... --out docs/internals/benchmarks.md``.

Nothing on it is typed by hand. Several reports of one benchmark with the same index are runs of it: where they differ, a
cell is their median, with the least and the most.
"""

import json
import shutil
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.report import Row
from evaluation.retrieval.figures import ALL, SAME_TOKENS
from evaluation.retrieval.sets import LOADERS
from mneme.errors import InputError

_MEANS = (
    "recall@5",
    "recall@20",
    "hit@5",
    "ndcg@10",
    "mrr",
    "recall@600tokens",
    "tokens@10",
    "milliseconds",
    "milliseconds_p95",
)
_COMPARED = ("recall@10", "ndcg@10", "mrr", "recall@600tokens", "recall@2400tokens", SAME_TOKENS)
_TITLES = {
    "locomo": "LoCoMo",
    "locomo-all": "LoCoMo, all questions",
    "beam": "BEAM",
    "longmemeval": "LongMemEval",
    "memdaily": "MemDaily",
    "eval-locomo": "LoCoMo, answers",
    "eval-longmemeval": "LongMemEval, answers",
    "eval-beam": "BEAM, answers",
    "multihop": "Several hops",
    "compare": "Two runs compared",
    "ablations": "What each part is worth",
    "freshness": "Freshness",
    "load": "Searching under load",
    "peers": "Side by side",
}
_WORDS = {
    "ndcg@10": "NDCG@10",
    "mrr": "MRR",
    "recall@600tokens": "recall in 600 tokens",
    "recall@2400tokens": "recall in 2,400 tokens",
    SAME_TOKENS: "recall in hybrid's tokens",
    "tokens@10": "tokens for ten",
    "milliseconds": "ms, median",
    "milliseconds_p95": "ms, 95th percentile",
}
_MOST_COLUMNS, _MOST_ROWS = 12, 40  # of a benchmark without a form of its own


@dataclass(frozen=True, slots=True)
class Runs:
    """The reports of one benchmark with one index, as they were read, and where the first lies."""

    contents: Sequence[Mapping[str, Any]]
    path: Path

    @property
    def first(self) -> Mapping[str, Any]:
        """The first of them."""
        return self.contents[0]


def write_page(files: Sequence[Path], out: Path) -> int:
    """Write the page, with the plots beside the reports copied into ``plots/`` beside it; how many benchmarks it tells of.

    Raises:
        InputError: a file is no report, or the page cannot be written.
    """
    runs = _grouped(files)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        sections = [_section(each, out.parent) for each in runs]
        text = "\n\n".join([_HEAD, *sections])
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"out: {out} cannot be written ({error.strerror}); choose another file") from error
    return len(runs)


_HEAD = """# Figures

Written by `mneme bench report`; do not edit it. The data sets are not shipped: run the commands on your own copies. Intervals
are 95 %, by bootstrap over the questions, or over whole conversations where it says so. Of several runs of one benchmark a
cell shows the median (least to most). Recall counts messages: a fact stands for the messages that say it, an episode for
those of its facts, best first."""


def _grouped(files: Sequence[Path]) -> list[Runs]:
    groups: dict[tuple[str, str], list[tuple[Mapping[str, Any], Path]]] = {}
    for path in files:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            index = str(content["settings"].get("index", ""))
            if content["bench"] == "compare":  # each is one of its own
                index = path.stem
            content["date"], content["machine"]["system"], content["rows"][0].keys()
            groups.setdefault((content["bench"], index), []).append((content, path))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); give the JSON that a benchmark wrote") from error
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: no report of a benchmark ({error!r}); give the JSON that a benchmark wrote") from error
    return [Runs([content for content, _ in group], group[0][1]) for group in groups.values()]


def _section(runs: Runs, folder: Path) -> str:
    report = runs.first
    bench, settings, machine = report["bench"], report["settings"], report["machine"]
    index = f", {settings['index']} index" if "index" in settings else ""
    times = f", {len(runs.contents)} runs" if len(runs.contents) > 1 else ""
    parts = [
        f"## {_TITLES.get(bench, bench.capitalize())}{index}",
        f"Measured {report['date'][:10]}{times}, on {machine['processors']} processors ({machine['system']}, Python "
        f"{machine['python']}).",
    ]
    if report.get("command"):
        parts.append(f"```bash\n{report['command']}\n```")
    if bench in LOADERS:
        parts += _retrieval(runs)
    elif bench in ("compare", "ablations"):
        parts += _differences(runs)
    elif bench == "multihop":
        parts += _hops(runs)
    elif bench.startswith("eval-"):
        parts += _answers(runs)
    else:
        parts += _plain(runs)
    plot = runs.path.with_suffix(".png")
    if plot.exists():
        (folder / "plots").mkdir(exist_ok=True)
        shutil.copyfile(plot, folder / "plots" / plot.name)
        parts.append(f"![{bench}](plots/{plot.name})")
    return "\n\n".join(parts)


def _retrieval(runs: Runs) -> Iterator[str]:
    settings = runs.first["settings"]
    run = settings["runs"][0]
    refused = f" Refused as too long: {run['refused']}." if run["refused"] else ""
    yield (
        f"{settings['questions']} questions ({settings['left_out']} more cannot be measured), {run['messages']} messages, "
        f"from which {run['episodes']} episodes and {run['facts']} facts were made.{refused}"
    )
    said: dict[str, list[str]] = {}
    for method, notes in run["notes"].items():
        for note, times in notes.items():
            said.setdefault(f"{times} questions, {note}.", []).append(method)
    yield from (f"{', '.join(methods)}: {note}" for note, methods in said.items())
    rows = _merged(runs)
    overall = [row for row in rows if row["category"] == row["conversation"] == ALL]
    yield _table(
        ["method", "recall@10", *_MEANS],
        [[row["method"], _with_interval(row), *(row.get(name, "") for name in _MEANS)] for row in overall],
    )
    methods = [row["method"] for row in overall]
    by_category: dict[str, dict[str, str]] = {}
    for row in rows:
        if row["category"] != ALL:
            by_category.setdefault(f"{row['category']} ({row['questions']})", {})[row["method"]] = _with_interval(row)
    if by_category:
        yield "Recall@10 by category (questions):"
        yield _table(
            ["category", *methods], [[name, *(cells.get(each, "") for each in methods)] for name, cells in by_category.items()]
        )
    compared = [row for row in runs.first["differences"] if row["category"] == ALL and row["figure"] in _COMPARED]
    if compared:
        yield "Hybrid less each other, paired by question:"
        yield _difference_table(compared)


def _differences(runs: Runs) -> Iterator[str]:
    report = runs.first
    if report["bench"] == "compare":
        yield f"`{report['settings']['second']}` less `{report['settings']['first']}`."
    rows = [row for row in report["rows"] if row["category"] == ALL and row["figure"] in _COMPARED]
    if report["bench"] == "ablations":
        rows = sorted((row for row in rows if row["figure"] == "recall@10"), key=lambda row: float(row["difference"]))
    yield _difference_table(rows)


def _hops(runs: Runs) -> Iterator[str]:
    """Tell how many parts of an answer each system found, and explain the names of the systems."""
    settings = runs.first["settings"]
    model = f" (`{settings['model']}`)" if settings["model"] else ""
    yield (
        f"{settings['questions']} questions ({settings['left_out']} more were not asked), each with parts in several episodes. "
        "hops@10 is the share of the parts among the first ten messages, all hops@10 how often none is missing. `rules` and "
        f"`model`{model} are who decided; `oracle` was told in words what to search for, as no planner is: an upper bound."
    )
    yield from _plain(runs)


def _answers(runs: Runs) -> Iterator[str]:
    """Tell how many questions were answered rightly; a figure with an interval where there is one."""
    settings, headline = runs.first["settings"], runs.first["headline"]
    votes = "a vote" if settings["votes"] == 1 else f"{settings['votes']} votes"
    judge = f"judged by {votes} of {settings['judge'].split()[0]}" if settings["judge"] else "no judge"
    writer = settings["model"]["answer"] if settings["models"]["provider"] != "none" else "quotes, no model"
    yield (
        f"{headline['questions']} questions, {headline['pending']} pending; {settings['method']}; {writer}; {judge}. "
        "Intervals are those of Wilson."
    )
    columns = ("accuracy", "contained", "f1", "abstained", "evidence")
    rows = _merged(runs)
    shown = [name for name in columns if any(name in row for row in rows)]
    yield _table(
        ["category", "answered", *shown],
        [[row["category"], row["answered"], *(_with_interval(row, name) for name in shown)] for row in rows],
    )


def _difference_table(rows: Sequence[Row]) -> str:
    def between(row: Row, prefix: str) -> str:
        if f"{prefix}low" not in row:
            return ""
        return f"{_signed(row[f'{prefix}low'])} to {_signed(row[f'{prefix}high'])}"

    columns = ["method", "against", "figure", "mean", "baseline", "difference", "by question", "by conversation"]
    cells = [
        [
            *(_WORDS.get(str(row[name]), _shown(row[name])) for name in columns[:5]),
            _signed(row["difference"]),
            between(row, ""),
            between(row, "cluster_"),
        ]
        for row in rows
    ]
    return _table(columns, cells)


def _plain(runs: Runs) -> Iterator[str]:
    """The rows as they are, as far as they fit."""
    rows = _merged(runs)[:_MOST_ROWS]
    columns = list(dict.fromkeys(name for row in rows for name in row))[:_MOST_COLUMNS]
    yield _table(columns, [[row.get(name, "") for name in columns] for row in rows])


def _merged(runs: Runs) -> list[dict[str, str]]:
    """The rows of all runs, cell by cell. Rows belong together by their place; a run with other rows stands alone."""
    same = [each for each in runs.contents if len(each["rows"]) == len(runs.first["rows"])]
    return [
        {name: _spread([run["rows"][at][name] for run in same if name in run["rows"][at]]) for name in row}
        for at, row in enumerate(runs.first["rows"])
    ]


def _spread(values: Sequence[Any]) -> str:
    if len(set(map(str, values))) == 1 or not all(isinstance(value, int | float) for value in values):
        return _shown(values[0])
    return f"{_shown(statistics.median(values))} ({_shown(min(values))} to {_shown(max(values))})"


def _with_interval(row: Mapping[str, str], name: str = "recall@10") -> str:
    if f"{name}_low" not in row:
        return row.get(name, "")
    return f"{row[name]} ({row[f'{name}_low']} to {row[f'{name}_high']})"


def _shown(value: Any) -> str:
    if not isinstance(value, float):
        return str(value).replace("|", "/")
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) > 1:
        return f"{value:.1f}"
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _signed(value: Any) -> str:
    return f"+{_shown(value)}" if value > 0 else _shown(value)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [[_WORDS.get(name, name.replace("_", " ")) for name in columns], ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
