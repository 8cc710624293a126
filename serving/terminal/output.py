"""Output of the command line: results to standard output, progress and errors to standard error.

Colours and progress are off when the output is no terminal (and with ``NO_COLOR``), so that pipes and logs stay clean. What is
shown was written by others: characters that a terminal obeys, as those of escape sequences, are shown as signs.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text

from mneme.control_characters import escape_control_characters

if TYPE_CHECKING:
    from pydantic import BaseModel

_WIDTH_WITHOUT_TERMINAL = 100  # rich assumes 80 there, which is narrow for a table in a log file

OnProgress = Callable[[int, int], None]
Response = TypeVar("Response", bound="BaseModel")


def output() -> Console:
    """Console for results."""
    return _console(stderr=False)


def messages() -> Console:
    """Console for progress, notes and errors."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False)
    console.push_render_hook(_EscapeHook())
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_WITHOUT_TERMINAL
    return console


class _EscapeHook(RenderHook):
    """Lets no text that is shown tell the terminal anything; what Rich tells it itself (colours, bars) stays."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """See ``RenderHook``."""
        return [_Escaped(each) for each in renderables]


class _Escaped:
    """Something to show, with signs in the place of characters that a terminal obeys."""

    def __init__(self, shown: ConsoleRenderable) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text, style, control in console.render(self._shown, options):
            yield Segment(text if control else escape_control_characters(text), style, control)


def show(response: Response, as_json: bool, view: Callable[[Response], RenderableType]) -> None:
    """Print a response: as JSON for programs, else as a view of it for people."""
    if as_json:
        typer.echo(response.model_dump_json(indent=2))
    else:
        output().print(view(response))


def note(text: str, style: str = "") -> None:
    """One line beside the results."""
    messages().print(Text(text, style=style), soft_wrap=True)


@contextmanager
def progress_bar(what: str, unit: str = "") -> Iterator[OnProgress]:
    """A bar on standard error from the first progress on: before, the command may ask something.

    What it yields is called with (done, total); a total of 0 means that it is not known. Off a terminal there is no bar.
    """
    console = messages()
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = progress.add_task(what, start=False, total=None)

    def on_progress(done: int, total: int) -> None:
        progress.start()
        progress.start_task(task)
        progress.update(task, completed=done, total=total or None)

    try:
        yield on_progress
    finally:
        progress.stop()
