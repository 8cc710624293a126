"""The command that says what this machine can do: doctor."""

from typing import TYPE_CHECKING

import typer

from serving.terminal.output import note, output

if TYPE_CHECKING:
    from serving.checks import Check

_STYLES = {"ready": "green", "partly": "yellow", "missing": "red"}


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(doctor)


def doctor() -> None:
    """Say what this machine can read, by what, and how to install what is missing. Nothing is called or changed."""
    from itertools import groupby

    from mneme.settings import load_settings
    from serving.checks import checks_of

    found = list(checks_of(load_settings()))
    for group, checks in groupby(found, key=lambda check: check.group):
        output().print(_table(group, list(checks)))
    remedies = dict.fromkeys(check.remedy for check in found if check.remedy)
    for remedy in remedies:
        note(remedy)


def _table(group: str, checks: "list[Check]") -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=group, title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("what", "by", "state"):
        table.add_column(column, overflow="fold")
    for check in checks:
        table.add_row(check.name, check.by, Text(check.state, style=_STYLES[check.state]))
    return table
