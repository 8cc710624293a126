"""``mneme bench capacity``: the needs of a load as a table, with what they rest on."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from evaluation.capacity.fit import Coefficients, Form, fit_folder, read
from evaluation.capacity.model import Assumptions, Load, Need, needs
from evaluation.report import Row, print_table

_COLUMNS = ["part", "amount", "unit", "error", "because"]


def run_capacity(
    load: Load, assumptions: Assumptions, measured: Path | None = None, console: Console | None = None
) -> list[Need]:
    """Print what a load needs, and return it.

    Args:
        load: what comes in.
        assumptions: what is chosen.
        measured: a folder with results of benchmarks, fitted for this; None takes the shipped coefficients.

    Raises:
        InputError: the folder has not what the answer rests on.
    """
    console = console or Console()
    coefficients = read() if measured is None else fit_folder(measured)
    found = needs(load, coefficients, assumptions)
    title = f"{load.messages:,g} messages/s, {load.searches:,g} searches/s, {load.facts:,g} facts, {load.tenants:,} tenants"
    print_table(console, title, rows_of(found), _COLUMNS)
    for line in _notes(load, coefficients, assumptions):
        console.print(line, soft_wrap=True, highlight=False)
    return found


def rows_of(found: Sequence[Need]) -> list[Row]:
    """The lines of the table."""
    return [
        {
            "part": need.part,
            "amount": _rounded(need.amount),
            "unit": need.unit,
            "error": "" if need.error is None else f"±{need.error:.0%}",
            "because": need.because,
        }
        for need in found
    ]


def _rounded(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.2g}"


def _notes(load: Load, coefficients: Coefficients, assumptions: Assumptions) -> list[str]:
    machine = ", ".join(f"{name} {value}" for name, value in coefficients.machine.items())
    chosen = ", ".join(f"{each.name} {getattr(assumptions, each.name):g}" for each in fields(assumptions))
    ranges = [
        f"{quantity.value} up to {found.largest:,.0f}"
        for quantity, found in coefficients.fitted.items()
        if found.form is Form.LOGARITHM and load.facts > found.largest
    ]
    notes = [f"Measured {coefficients.date} on {machine}.", f"Assumed: {chosen}."]
    if ranges:
        notes.append(f"Beyond what was measured, along a line over the logarithm: {', '.join(ranges)} facts.")
    notes.append(
        "An error is that of leaving out each measured point; none is told where there was one point, or nothing was measured. "
        "One tenant is of one flow: the largest of them must fit on one machine (docs/scaling.md)."
    )
    return notes
