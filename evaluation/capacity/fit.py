"""Fitting the coefficients of the capacity model to measured points, with the error of each.

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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from rich.console import Console

from evaluation.capacity.points import Point, Quantity, points_in
from evaluation.report import machine, print_table
from mneme.errors import InputError
from mneme.times import utc_now

SHIPPED = Path(__file__).with_name("coefficients.json")


class Form(StrEnum):
    """How a quantity depends on its size."""

    CONSTANT = "constant"
    WARM_UP = "warm-up"
    LOGARITHM = "logarithm"

    def of(self, size: float) -> float:
        """What ``growth`` is multiplied with."""
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
    """What one quantity is: ``base``, and ``growth`` times what its form makes of a size.

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
