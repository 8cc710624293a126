"""Fit the coefficients of the capacity model to measured points, with the error of each.

Points are read from the JSON files of benchmarks.

What a quantity is, by its size, has one of three forms (``Form``):

- constant: the geometric mean of its points, since costs are positive, and their errors are ratios;
- of a run that has to warm up: ``base + growth / size``, of which ``base`` is what a message more costs;
- of a search: ``base + growth * log10(size)``, for it grows with the index.

Lines are fitted by least squares of the relative errors. The error is leave-one-out: each point is predicted from the others,
and the root of the mean squared relative error is told; of one point nothing can be. Where the others have one size only, they
tell a constant.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from evaluation.report import machine, print_table
from mneme.errors import InputError
from mneme.times import utc_now

_EVEN = "even"
_SEARCHES = ("hybrid", "warm")

Content = Mapping[str, Any]


class Quantity(StrEnum):
    """The quantities of the model. ``_ms`` are milliseconds of one processor."""

    FLOW_MS = "flow_ms"  # of the flow for a message, without the embedder
    EMBEDDER_MS = "embedder_ms"  # of the local embedder for a message
    EMBEDDER_FP32_MS = "embedder_fp32_ms"  # the same, with MNEME_EMBEDDER__QUANTIZE=none
    INDEXING_MS = "indexing_ms"  # of OpenSearch for a message
    KAFKA_MS = "kafka_ms"  # of the broker for a message
    RECORDS = "records"  # for a message
    FACTS = "facts"  # for a message
    RECORD_BYTES = "record_bytes"  # of OpenSearch's disk, for a record
    FLOW_MB = "flow_mb"  # of memory, for a process
    SEARCH_INDEX_MS = "search_index_ms"  # of OpenSearch for a hybrid search, by the number of facts in the index
    SEARCH_OWN_MS = "search_own_ms"  # of the service for one
    OPEN_STORE_BYTES = "open_store_bytes"  # of the recovery store, for an open conversation
    CALLS = "calls"  # of a chat model for a message, where one extracts
    PROMPT_TOKENS = "prompt_tokens"  # for a message
    ANSWER_TOKENS = "answer_tokens"  # for a message


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement. ``size`` is what the quantity may depend on: messages of the run, or facts in the index."""

    quantity: Quantity
    size: float
    value: float
    source: str


def points_in(folder: Path) -> list[Point]:
    """All points of a folder's benchmarks, sorted; of other JSON files there are none.

    Raises:
        InputError: the folder has no benchmark that tells of capacity, or a file cannot be read.
    """
    contents = [(path, _content(path)) for path in sorted(folder.glob("*.json"))]
    embedded = [content for _, content in contents if content.get("bench") == "scaling"]
    points = [point for path, content in contents for point in _points(path.name, content)]
    points += _of_embedder(embedded)
    if not points:
        raise InputError(
            f"{folder}: no results of `mneme bench scaling`, `query`, `state` or `models` are in it; run them with --out there"
        )
    return sorted(points, key=lambda point: (point.quantity, point.size, point.source))


def _content(path: Path) -> Content:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error})") from error
    return content if isinstance(content, dict) else {}


def _points(source: str, content: Content) -> Iterator[Point]:
    read = _READERS.get(str(content.get("bench")))
    if read is not None:
        for quantity, size, value in read(content):
            yield Point(quantity, float(size), float(value), source)


Values = Iterator[tuple[Quantity, float, float]]


def _scaling(content: Content) -> Values:
    for row in content["rows"]:
        if row["shape"] != _EVEN:
            continue
        messages = row["messages"]
        if _has_no_embedder(content):
            yield Quantity.FLOW_MS, messages, row["flow_ms"]
        if row["way"] != "one process":  # the rest would only be said again
            continue
        yield Quantity.INDEXING_MS, messages, row["opensearch_ms"]
        if row["kafka_ms"]:
            yield Quantity.KAFKA_MS, messages, row["kafka_ms"]
        yield Quantity.RECORDS, messages, row["records"] / messages
        yield Quantity.FACTS, messages, row["facts"] / messages
        yield Quantity.RECORD_BYTES, row["records"], 1e6 * row["store_mb"] / row["records"]
        yield Quantity.FLOW_MB, messages, row["memory_mb"]


def _has_no_embedder(content: Content) -> bool:
    return bool(content["settings"]["embedder"]["provider"] == "hash")


def _of_embedder(scalings: list[Content]) -> Iterator[Point]:
    """Yield the extra cost of a run with the local embedder over one of the same size without."""
    own = {row["messages"]: row["flow_ms"] for each in scalings if _has_no_embedder(each) for row in _ones(each)}
    for each in scalings:
        embedder = each["settings"]["embedder"]
        if embedder["provider"] != "local":
            continue
        quantity = Quantity.EMBEDDER_MS if embedder["quantize"] == "int8" else Quantity.EMBEDDER_FP32_MS
        for row in _ones(each):
            spent = row["flow_ms"] - own.get(row["messages"], row["flow_ms"])
            if spent > 0:  # less than the noise tells nothing
                yield Point(quantity, row["messages"], spent, "scaling")


def _ones(content: Content) -> Iterator[Mapping[str, Any]]:
    return (row for row in content["rows"] if row["shape"] == _EVEN and row["way"] == "one process")


def _query(content: Content) -> Values:
    if content["settings"]["index"]["backend"] != "opensearch":
        return
    for row in content["rows"]:
        if (row.get("method"), row.get("state")) == _SEARCHES:
            facts = row.get("facts", content["settings"]["facts"])
            yield Quantity.SEARCH_OWN_MS, facts, row["cpu_ms"]
            yield Quantity.SEARCH_INDEX_MS, facts, row["p50_ms"] - row["outside_ms"]


def _state(content: Content) -> Values:
    for row in content["rows"]:
        if row["run"] == "engine, all open":
            yield Quantity.OPEN_STORE_BYTES, row["conversations"], 1e6 * row["store_mb"] / row["conversations"]


def _models(content: Content) -> Values:
    for row in content["rows"]:
        if row.get("role") == "all":
            messages = content["headline"]["messages"]
            yield Quantity.CALLS, messages, row["calls/m"]
            yield Quantity.PROMPT_TOKENS, messages, row["prompt/m"]
            yield Quantity.ANSWER_TOKENS, messages, row["answer/m"]


def _written(content: Content) -> Values:
    """Yield points from elsewhere: ``{"bench": "points", "points": [{"quantity": ..., "size": ..., "value": ...}]}``."""
    for point in content["points"]:
        yield Quantity(point["quantity"]), point["size"], point["value"]


_READERS: dict[str, Callable[[Content], Values]] = {
    "scaling": _scaling,
    "query": _query,
    "state": _state,
    "models": _models,
    "points": _written,
}


SHIPPED = Path(__file__).with_name("coefficients.json")


class Form(StrEnum):
    """The dependence of a quantity on its size."""

    CONSTANT = "constant"
    WARM_UP = "warm-up"
    LOGARITHM = "logarithm"

    def of(self, size: float) -> float:
        """Return the factor of ``growth``."""
        return {Form.CONSTANT: 0.0, Form.WARM_UP: 1 / size, Form.LOGARITHM: math.log10(size)}[self]


_FORMS = {
    Quantity.FLOW_MS: Form.WARM_UP,
    Quantity.INDEXING_MS: Form.WARM_UP,
    Quantity.KAFKA_MS: Form.WARM_UP,
    Quantity.SEARCH_INDEX_MS: Form.LOGARITHM,
}
_VERY_MANY = 1e9  # messages, after which nothing is left of a warm-up


@dataclass(frozen=True, slots=True)
class Coefficient:
    """The fitted value of one quantity: ``base``, and ``growth`` times what its form makes of a size.

    ``error`` is relative, from leaving out each point; None where there is one point. Beyond ``smallest`` and ``largest``,
    the sizes that were measured, it is extrapolated.
    """

    base: float
    growth: float
    error: float | None
    points: int
    smallest: float
    largest: float
    form: Form = Form.CONSTANT

    def at(self, size: float = _VERY_MANY) -> float:
        """Its value for a size; where none is given, what is left in the end."""
        return self.base + self.growth * self.form.of(size)


@dataclass(frozen=True, slots=True)
class Coefficients:
    """All of them, and where and when they were measured."""

    date: str
    machine: dict[str, str | int]
    fitted: dict[Quantity, Coefficient]

    def of(self, quantity: Quantity) -> Coefficient:
        """One of them.

        Raises:
            InputError: it was not measured.
        """
        if (found := self.fitted.get(quantity)) is None:
            raise InputError(f"measured: nothing tells {quantity.value}; add its benchmark (docs/internals/capacity.md)")
        return found


def fit(points: Sequence[Point]) -> dict[Quantity, Coefficient]:
    """The coefficients of all quantities that have points."""
    by_quantity: dict[Quantity, list[Point]] = {}
    for point in points:
        by_quantity.setdefault(point.quantity, []).append(point)
    return {quantity: _fitted(quantity, of_it) for quantity, of_it in by_quantity.items()}


def fit_folder(folder: Path) -> Coefficients:
    """Fit the results of the benchmarks in a folder.

    Raises:
        InputError: there are none, or they cannot be read.
    """
    return Coefficients(utc_now().date().isoformat(), machine(), fit(points_in(folder)))


def run_fit_capacity(folder: Path, out: Path = SHIPPED, console: Console | None = None) -> Coefficients:
    """Fit, print and write the coefficients.

    Raises:
        InputError: the folder has no results, or ``out`` cannot be written.
    """
    console = console or Console()
    fitted = fit_folder(folder)
    rows = [
        {
            "quantity": quantity.value,
            "base": found.base,
            "growth": found.growth,
            "points": found.points,
            "error": "" if found.error is None else f"{100 * found.error:.0f} %",
            "measured": f"{found.smallest:,.0f} to {found.largest:,.0f}",
        }
        for quantity, found in fitted.fitted.items()
    ]
    print_table(console, "Coefficients of the capacity model", rows)
    write(fitted, out)
    return fitted


def write(coefficients: Coefficients, out: Path) -> None:
    """Keep them in a file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        out.write_text(json.dumps(asdict(coefficients), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"out: {out} cannot be written ({error.strerror}); choose another file") from error


def read(path: Path = SHIPPED) -> Coefficients:
    """The coefficients of a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    fitted = {
        Quantity(name): Coefficient(**{**values, "form": Form(values["form"])}) for name, values in content["fitted"].items()
    }
    return Coefficients(content["date"], content["machine"], fitted)


def _fitted(quantity: Quantity, points: Sequence[Point]) -> Coefficient:
    sizes = [point.size for point in points]
    fitted = _line(_FORMS.get(quantity, Form.CONSTANT), points)
    return replace(fitted, error=_error(fitted.form, points), points=len(points), smallest=min(sizes), largest=max(sizes))


def _error(form: Form, points: Sequence[Point]) -> float | None:
    if len(points) < 2:
        return None
    errors = []
    for number, left_out in enumerate(points):
        others = _line(form, [*points[:number], *points[number + 1 :]])
        errors.append(others.at(left_out.size) / left_out.value - 1)
    return float(np.sqrt(np.mean(np.square(errors))))


def _line(form: Form, points: Sequence[Point]) -> Coefficient:
    values = np.array([point.value for point in points])
    along = np.array([form.of(point.size) for point in points])
    if len(set(along)) > 1:
        growth, base = np.polyfit(along, values, 1, w=1 / values)
        if base > 0 or form is Form.LOGARITHM:  # a message that costs nothing is noise
            return Coefficient(float(base), float(growth), None, 0, 0.0, 0.0, form)
    return Coefficient(float(np.exp(np.mean(np.log(values)))), 0.0, None, 0, 0.0, 0.0)
