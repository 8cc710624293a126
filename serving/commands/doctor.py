"""The command that says what is wrong, and how to mend it: doctor."""

from typing import TYPE_CHECKING, Annotated

import typer

from serving.terminal.output import messages, note, output

if TYPE_CHECKING:
    from serving.checks.check import Check

_STYLES = {"ready": "green", "partly": "yellow", "missing": "red"}


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(doctor)


def doctor(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GROUP]...", help="settings, index, kafka, models, service, documents; else all.", show_default=False
        ),
    ] = None,
    call: Annotated[bool, typer.Option("--call", help="Ask models behind endpoints something, which may cost money.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Say what is wrong and how to mend it: settings, index, Kafka, models, service, documents. Nothing is changed.

    The exit code is 1 when something is missing that is needed.
    """
    import json
    from dataclasses import asdict
    from itertools import groupby

    from mneme.errors import InputError
    from serving.checks.check import is_fit
    from serving.checks.examination import examine, groups

    if unknown := sorted(set(only or ()) - set(groups())):
        raise InputError(f"GROUP: {', '.join(unknown)} is not known; accepted are {', '.join(groups())}")
    with messages().status("Looking"):
        found = examine(call, only or ())
    if as_json:
        output().print_json(json.dumps([asdict(check) for check in found]))
    else:
        for group, checks in groupby(found, key=lambda check: check.group):
            output().print(_table(group, list(checks)))
        for remedy, style in {check.remedy: _STYLES[check.state] for check in found if check.remedy}.items():
            note(remedy, style)
    if not is_fit(found):
        raise typer.Exit(1)


def _table(group: str, checks: "list[Check]") -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=group, title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("what", "by", "state"):
        table.add_column(column, overflow="fold")
    for check in checks:
        table.add_row(Text(check.name), Text(check.by), Text(check.state, style=_STYLES[check.state]))
    return table
