"""Tables in a terminal: episodes, facts, dead letters, and the status of a Mneme."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from connectors.dead_letters import without_secrets
from serving.status import Status
from serving.terminal.format import day, last_line, span, spoken, until

if TYPE_CHECKING:
    from flows import IngestReport
    from mneme.ports import DeadLetter
    from mneme.records import AtomicFact, Episode


def fact_table(facts: Sequence["AtomicFact"]) -> RenderableType:
    """Facts, each with the day it was said, or its place in a document; what holds no longer says since when."""
    from serving.terminal.search_view import said

    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(style="green", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for fact in facts:
        when = fact.citation.place if fact.citation else day(fact.said_at)
        ended = fact.validity.valid_to
        table.add_row(when, Text.assemble(said(fact), (f"  {until(ended)}" if ended else "", "yellow")))
    return table


def episode_table(episodes: Sequence["Episode"]) -> RenderableType:
    """Episodes of one conversation, one a line, with the strongest reason for the cut before each."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.add_column("when", style="green", no_wrap=True)
    table.add_column("subject", ratio=3, overflow="fold")
    table.add_column("messages", justify="right", no_wrap=True)
    table.add_column("cut because of", style="dim", min_width=16, overflow="fold")
    for number, episode in enumerate(episodes):
        reason = "; ".join(episode.begins_because).partition(", ")[0] if number else ""
        table.add_row(span(*spoken(episode)), Text(episode.subject), str(len(episode.message_ids)), Text(reason))
    return table


def ingest_table(report: "IngestReport") -> RenderableType:
    """Counts of a run over files."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    figures = {
        "messages": f"{report.messages:,}",
        "episodes": f"{report.episodes:,}",
        "facts": f"{report.facts:,}",
        **({"said again": f"{report.repeated:,}"} if report.repeated else {}),
        "duplicates": f"{report.duplicates:,}",
        "dead letters": f"{report.dead_letters:,}",
        "seconds": f"{report.seconds:.1f}",
    }
    for name in figures:
        table.add_column(name, justify="right")
    table.add_row(*figures.values())
    return table


_TO_THE_SECOND = "%Y-%m-%d %H:%M:%S"


def dead_letters_table(numbered: "Mapping[int, DeadLetter]") -> Table:
    """Number, time, step, source position and reason of each."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.add_column("#", justify="right", style="bold", no_wrap=True)
    table.add_column("when", style="green", no_wrap=True)
    table.add_column("stage", style="cyan", no_wrap=True)
    table.add_column("source", overflow="fold")
    table.add_column("reason", ratio=1, overflow="fold")
    for number, dead_letter in numbered.items():
        source, reason = Text(str(dead_letter.position or "")), Text(last_line(dead_letter.reason))
        table.add_row(str(number), dead_letter.at.strftime(_TO_THE_SECOND), dead_letter.stage, source, reason)
    return table


def dead_letter_text(number: int, dead_letter: "DeadLetter") -> Text:
    """Everything of one letter; bytes that are no UTF-8 as hexadecimal digits."""
    lines = {
        "number": str(number),
        "when": dead_letter.at.isoformat(),
        "stage": dead_letter.stage,
        "source": str(dead_letter.position or "unknown"),
        "reason": without_secrets(dead_letter.reason),
        "bytes": f"{len(dead_letter.raw):,}",
    }
    head = "\n".join(f"{name:8}{value}" for name, value in lines.items())
    return Text(f"{head}\n\n{event_text(dead_letter.raw)}")


def event_text(raw: bytes) -> str:
    """The bytes of an event as a text without secrets; what is no UTF-8 as hexadecimal digits."""
    try:
        return without_secrets(raw.decode())
    except UnicodeDecodeError:
        return raw.hex(" ")


def dead_letter_json(number: int, dead_letter: "DeadLetter") -> dict[str, Any]:
    """A letter without its bytes, for other programs."""
    return {
        "number": number,
        "at": dead_letter.at.isoformat(),
        "stage": dead_letter.stage,
        "position": dead_letter.position.model_dump() if dead_letter.position else None,
        "reason": dead_letter.reason,
        "bytes": len(dead_letter.raw),
    }


_HEALTH = {"green": "bold green", "red": "bold red"}
_FLOW = {"runs": "green", "rests": "yellow", "unknown": "dim"}


def status_view(status: Status, rate: float | None) -> RenderableType:
    """One moment; ``rate`` is of messages a second."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("health", Text(status.health, style=_HEALTH[status.health]))
    seen = f", seen {status.flow_seen_at[:19]}" if status.flow_seen_at else ""
    engine = f", on {status.engine}" if status.engine else ""
    facts.add_row("flow", Text.assemble((status.flow, _FLOW[status.flow]), engine, (seen, "dim")))
    facts.add_row("messages/s", "?" if rate is None else f"{rate:.1f}")
    facts.add_row("not read yet", _counts(status.lag) if status.lag else "?")
    facts.add_row("dead letters", _dead(status.dead_letters))
    if status.rows:
        facts.add_row("rows", _counts(status.rows))
    if status.index_bytes is not None:
        facts.add_row("index", f"{status.index_bytes / 1e6:,.1f} MB")
    if status.free_bytes is not None:
        facts.add_row("data folder", f"{status.free_bytes / 1e9:,.1f} GB free")
    if status.embedder is not None:
        facts.add_row("embedder", status.embedder)
    parts: list[RenderableType] = [Text(status.where, style="bold"), facts]
    parts += [Text(wait, style="yellow") for wait in status.waits]
    parts += [Text(problem, style="red") for problem in status.problems]
    return Group(*parts)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _dead(count: int | None) -> Text:
    if count is None:
        return Text("?", style="dim")
    return Text(f"{count:,}", style="yellow" if count else "")
