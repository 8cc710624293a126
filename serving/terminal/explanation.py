"""How a search came to its result, in a terminal: the best of every list that was found, then who took whose place."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from queries.responses import SearchResponse, TraceStep

_BEST_OF_A_LIST = 5
_REPLACEMENTS = 20
_LONGEST_RECORD = 100  # characters


def explanation(found: "SearchResponse") -> RenderableType:
    """The trace of a search, summarised for each stage. The whole of it is in the JSON.

    Of an agent every step is shown, and then how the search for the question itself came to its result.
    """
    texts = _texts(found)
    table = Table(
        title="How it was found", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True
    )
    table.add_column("stage", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("score", justify="right", style="cyan", no_wrap=True)
    table.add_column("record", ratio=1, overflow="fold")
    lists: dict[tuple[str, str], list[TraceStep]] = {}
    competed: list[TraceStep] = []
    for step in found.trace or ():
        if step.stage == "agent":
            score = f"{step.score:.2f}" if step.move == "judge" else ""
            table.add_row("agent", step.move, score, Text.assemble(step.id, (f"\n{step.reason}", "dim")))
        elif step.stage == "compete":
            competed.append(step)
        else:
            # The reason of the other stages is the collection and the place in its list.
            collection = "" if step.stage == "rerank" else step.reason.rpartition(" ")[0]
            lists.setdefault((step.stage, f"{step.move} {collection}".strip()), []).append(step)
    for (stage, name), steps in lists.items():
        table.add_row(stage, name, "", Text(f"{len(steps):,} found; best first:", style="dim"))
        for step in steps[:_BEST_OF_A_LIST]:
            table.add_row("", "", f"{step.score:.3f}", Text(texts.get(step.id, step.id)))
    if competed:
        _competition(table, competed, texts)
    return Group(Text(""), table, Text("every step, with its reason: --explain --json", style="dim"))


def _competition(table: Table, steps: "Iterable[TraceStep]", texts: Mapping[str, str]) -> None:
    steps = tuple(steps)
    moves = Counter(step.move for step in steps)
    counts = Text(", ".join(f"{number:,} {move}" for move, number in moves.items()), style="dim")
    table.add_row("compete", "", "", counts)
    replaced = [step for step in steps if step.move == "replaced"]
    for step in replaced[:_REPLACEMENTS]:
        fact = step.reason.removeprefix("by its fact ")
        record = Text.assemble(texts.get(step.id, step.id), ("\nby its fact: ", "dim"), texts.get(fact, fact))
        table.add_row("", "replaced", f"{step.score:.3f}", record)
    if len(replaced) > _REPLACEMENTS:
        table.add_row("", "", "", Text(f"and {len(replaced) - _REPLACEMENTS:,} more", style="dim"))


def _texts(found: "SearchResponse") -> dict[str, str]:
    """What the response says of each id, in a few words."""
    texts = {item.id: item.text for item in found.ranked()}
    for episode in (*found.episodes, *found.knowledge):
        texts |= {fact.id: fact.text for fact in episode.atomic_facts}
        texts[episode.id] = episode.subject
    return {identity: _shortened(text) for identity, text in texts.items()}


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_RECORD else text[: _LONGEST_RECORD - 1] + "…"
