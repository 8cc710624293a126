"""The command that shows how a Mneme is doing: status."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from serving.terminal.output import output

if TYPE_CHECKING:
    from mneme.settings import Settings
    from serving.status.status import Status

_RATE_SECONDS = 1.0  # between two looks, for messages a second


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(status)


def status(
    url: Annotated[str | None, typer.Option(help="Of a running service.", show_default="MNEME_SERVICE__URL")] = None,
    once: Annotated[bool, typer.Option("--once", help="Look once, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one look as JSON.")] = False,
    every: Annotated[float, typer.Option(min=0.5, help="Seconds between looks.")] = 2.0,
) -> None:
    """Show health, lag by lane, rows, messages a second, dead letters, flow and models; live at a terminal, until Ctrl-C.

    The exit code of one look is 1 when the health is red.
    """
    import json
    from dataclasses import asdict

    from mneme.settings import load_settings

    look = _looking(load_settings(), url)
    if once or as_json or not output().is_terminal:
        first, began = look(), time.monotonic()
        rate = None
        if first.messages is not None:
            time.sleep(_RATE_SECONDS)
            first, rate = _next(first, began, look)
        if as_json:
            output().print_json(json.dumps({**asdict(first), "messages_per_second": rate}))
        else:
            from serving.terminal.status_view import status_view

            output().print(status_view(first, rate))
        if first.health == "red":
            raise typer.Exit(1)
        return
    _show(look, every)


def _looking(settings: "Settings", url: str | None) -> "Callable[[], Status]":
    chosen = url or settings.service.url
    if chosen is not None:
        from serving.status.remote import remote_status

        return lambda: remote_status(settings, chosen)
    from serving.status.local import local_status

    return lambda: local_status(settings)


def _next(before: "Status", began: float, look: "Callable[[], Status]") -> "tuple[Status, float | None]":
    """The next look, and messages a second since the one before."""
    after, seconds = look(), time.monotonic() - began
    if after.messages is None or before.messages is None or after.messages < before.messages:
        return after, None
    return after, (after.messages - before.messages) / seconds


def _show(look: "Callable[[], Status]", every: float) -> None:
    from rich.live import Live

    from serving.terminal.status_view import status_view

    seen, began = look(), time.monotonic()
    with Live(status_view(seen, None), console=output(), auto_refresh=False) as live:
        try:
            while True:
                time.sleep(every)
                now = time.monotonic()
                seen, rate = _next(seen, began, look)
                began = now
                live.update(status_view(seen, rate), refresh=True)
        except KeyboardInterrupt:
            return
