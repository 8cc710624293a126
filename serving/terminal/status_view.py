"""A status as people look at it."""

from collections.abc import Mapping

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from serving.status import Status

_HEALTH = {"green": "bold green", "red": "bold red"}
_FLOW = {"runs": "green", "rests": "yellow", "unknown": "dim"}


def status_view(status: Status, rate: float | None) -> RenderableType:
    """One moment; ``rate`` is of messages a second."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("health", Text(status.health, style=_HEALTH[status.health]))
    facts.add_row("flow", Text(status.flow, style=_FLOW[status.flow]))
    facts.add_row("messages/s", "?" if rate is None else f"{rate:.1f}")
    facts.add_row("not read yet", _counts(status.lag) if status.lag else "?")
    facts.add_row("dead letters", _dead(status.dead_letters))
    if status.rows:
        facts.add_row("rows", _counts(status.rows))
    if status.written:
        facts.add_row("rows written", _counts(status.written))
    if status.index_bytes is not None:
        facts.add_row("index", f"{status.index_bytes / 1e6:,.1f} MB")
    if status.embedder is not None:
        facts.add_row("embedder", status.embedder)
    parts: list[RenderableType] = [Text(status.where, style="bold"), facts]
    if status.models:
        parts.append(_models(status))
    parts += [Text(problem, style="red") for problem in status.problems]
    return Group(*parts)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _dead(count: int | None) -> Text:
    if count is None:
        return Text("?", style="dim")
    return Text(f"{count:,}", style="yellow" if count else "")


def _models(status: Status) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("role", no_wrap=True)
    table.add_column("model", overflow="fold")
    for name in ("calls", "failed", "tokens", "cost"):
        table.add_column(name, justify="right")
    for each in status.models:
        cost = f"{each.cost:.2f}" if each.cost else ""
        failed = Text(f"{each.failed:,}", style="red" if each.failed else "")
        table.add_row(each.role, Text(each.model), f"{each.calls:,}", failed, f"{each.tokens:,}", cost)
    return table
