"""Commands that set up and look over: doctor, init, status."""

import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.live import Live
from rich.table import Table
from rich.text import Text

import mneme
from mneme.errors import InputError
from serving.terminal.output import messages, note, output

if TYPE_CHECKING:
    from serving.checks import Check
    from serving.status import Status

_STYLES = {"ready": "green", "partly": "yellow", "missing": "red", "unknown": "yellow"}
_KEY_BYTES = 24
_RATE_SECONDS = 1.0  # between two looks, for messages a second


def doctor(
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GROUP]...", help="settings, index, kafka, models, documents; else all.", show_default=False),
    ] = None,
    call: Annotated[bool, typer.Option("--call", help="Ask models behind endpoints something, which may cost money.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Say what is wrong and how to mend it: settings, index, Kafka, models, documents. Nothing is changed.

    The exit code is 1 when something that is needed is missing, or could not be asked.
    """
    from serving.checks import is_fit
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
    table = Table(title=group, title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("what", "by", "state"):
        table.add_column(column, overflow="fold")
    for check in checks:
        table.add_row(Text(check.name), Text(check.by), Text(check.state, style=_STYLES[check.state]))
    return table


def init(
    key: Annotated[
        str | None,
        typer.Option(metavar="TENANT", help="Make a key for the service; * is the operator's.", show_default=False),
    ] = None,
    file: Annotated[Path, typer.Option(help="Where it goes.")] = Path(".env"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print it, and write nothing.")] = False,
) -> None:
    """Write a .env with every setting, its meaning and its default as comments, to be edited."""
    from serving.environment_file import environment_file, write_environment_file

    if not show and file.exists() and not force:
        raise InputError(f"{file} is there already; --force replaces it, --print shows what would be written")
    made = secrets.token_hex(_KEY_BYTES) if key is not None else None
    chosen = {}
    if made is not None and key is not None:
        hashed = hashlib.sha256(made.encode()).hexdigest()  # whoever reads the file cannot ask with it
        chosen = {"MNEME_SERVICE__KEYS": json.dumps({f"sha256:{hashed}": key})}
    content = environment_file(chosen)
    if show:
        typer.echo(content, nl=False)
        return
    write_environment_file(file, content)
    output().print(f"{file} written, readable by you alone", soft_wrap=True)
    if made is not None:
        whose = "the operator" if key == "*" else f"tenant {key}"
        output().print(f"the key of {whose}, shown this once: {made}", soft_wrap=True)
    note("Next: mneme doctor")


def status(
    once: Annotated[bool, typer.Option("--once", help="Look once, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one look as JSON.")] = False,
    every: Annotated[float, typer.Option(min=0.5, help="Seconds between looks.")] = 2.0,
) -> None:
    """Show health, lag by lane, rows, messages a second, dead letters and flow; live at a terminal, until Ctrl-C.

    The exit code of one look is 1 when the health is red.
    """

    looks = _looks(mneme.load_settings())
    if once or as_json or not output().is_terminal:
        first, rate = next(looks)
        if first.messages is not None:
            time.sleep(_RATE_SECONDS)
            first, rate = next(looks)
        if as_json:
            output().print_json(json.dumps({**asdict(first), "messages_per_second": rate}))
        else:
            from serving.terminal.tables import status_view

            output().print(status_view(first, rate))
        if first.health == "red":
            raise typer.Exit(1)
        return
    _show(looks, every)


def _looks(settings: "mneme.Settings") -> "Iterator[tuple[Status, float | None]]":
    """Looks without end, each with the messages a second since the one before; None where they were not counted."""
    from serving.status import local_status

    before: int | None = None
    began = 0.0
    while True:
        now = time.monotonic()
        seen = local_status(settings)
        grown = None if seen.messages is None or before is None else seen.messages - before
        yield seen, None if grown is None or grown < 0 else grown / (now - began)
        before, began = seen.messages, now


def _show(looks: "Iterator[tuple[Status, float | None]]", every: float) -> None:
    from serving.terminal.tables import status_view

    with Live(console=output(), auto_refresh=False) as live:
        try:
            for seen, rate in looks:
                live.update(status_view(seen, rate), refresh=True)
                time.sleep(every)
        except KeyboardInterrupt:
            return
