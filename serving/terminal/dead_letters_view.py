"""How dead letters look: a table, one in full, and as JSON."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from connectors.dead_letters import without_secrets

if TYPE_CHECKING:
    from mneme.ports import DeadLetter

_TO_THE_SECOND = "%Y-%m-%d %H:%M:%S"


def letters_table(numbered: "Mapping[int, DeadLetter]") -> Table:
    """Number, time, step, source position and reason of each."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.add_column("#", justify="right", style="bold", no_wrap=True)
    table.add_column("when", style="green", no_wrap=True)
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("source", overflow="fold")
    table.add_column("reason", ratio=1, overflow="fold")
    for number, letter in numbered.items():
        source = str(letter.position or "")
        when = letter.at.strftime(_TO_THE_SECOND)
        table.add_row(str(number), when, letter.stage, Text(_plain(source)), Text(_plain(_last_line(letter.reason))))
    return table


def letter_text(number: int, letter: "DeadLetter") -> Text:
    """Everything of one letter; bytes that are no UTF-8 as hexadecimal digits."""
    try:
        content = without_secrets(letter.raw.decode())
    except UnicodeDecodeError:
        content = letter.raw.hex(" ")
    lines = {
        "number": str(number),
        "when": letter.at.isoformat(),
        "stage": letter.stage,
        "source": str(letter.position or "unknown"),
        "reason": without_secrets(letter.reason),
        "bytes": f"{len(letter.raw):,}",
    }
    head = "\n".join(f"{name:8}{value}" for name, value in lines.items())
    return Text(_plain(f"{head}\n\n{content}"))


def letter_json(number: int, letter: "DeadLetter") -> dict[str, Any]:
    """A letter without its bytes, for other programs."""
    return {
        "number": number,
        "at": letter.at.isoformat(),
        "stage": letter.stage,
        "position": letter.position.model_dump() if letter.position else None,
        "reason": letter.reason,
        "bytes": len(letter.raw),
    }


def _last_line(reason: str) -> str:
    """Of a traceback, what it ends with."""
    return reason.rstrip().rsplit("\n", 1)[-1]


def _plain(text: str) -> str:
    """Without what would steer a terminal."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
