"""How memories look in a terminal of 80 columns or more: tables and panels of rich, which knows how wide Chinese is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mneme.times import zone

if TYPE_CHECKING:
    from flows import IngestReport
    from mneme.records import AtomicFact, Episode
    from queries.responses import FoundEpisode, FoundFact, SearchResponse

_FACTS_UNDER_AN_EPISODE = 3
_TRACED_OF_A_MOVE = 10


@dataclass(frozen=True, slots=True)
class _Result:
    """One place of the ranking, whatever its type. ``best`` is what to show below the headline when there is little room."""

    rank: int
    score: float
    when: str
    headline: Text
    lines: tuple[Text, ...]
    best: tuple[Text, ...] = ()


def search_result(found: "SearchResponse", limit: int | None = None) -> RenderableType:
    """The ranking as one table over all types, then the graph, notes and cost; with a trace, what each stage did."""
    ranked = sorted(_ranked(found), key=lambda result: result.rank)
    shown = ranked[:limit]
    parts: list[RenderableType] = []
    if shown:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
        table.add_column("#", justify="right", style="bold", no_wrap=True)
        table.add_column("score", justify="right", style="cyan", no_wrap=True)
        table.add_column("when", style="green", no_wrap=True)
        table.add_column("memory", ratio=1, overflow="fold")
        for result in shown:
            table.add_row(str(result.rank), f"{result.score:.2f}", result.when, Group(result.headline, *result.lines))
        parts.append(table)
    else:
        parts.append(Text("nothing found", style="yellow"))
    for edge in found.graph.relationships:
        parts.append(Text(f"  {edge.source} — {edge.relation.replace('_', ' ')} — {edge.target}", style="magenta"))
    parts += [Text(f"note: {line}", style="yellow") for line in found.query.notes]
    metrics = found.metrics
    cost = f"{len(ranked)} results · {found.query.method} · {metrics.milliseconds:.0f} ms · {metrics.round_trips} round trips"
    parts.append(Text(cost, style="dim"))
    if found.trace is not None:
        parts.append(_trace(found))
    return Group(*parts)


def best_results(found: "SearchResponse", number: int) -> list[tuple[str, Text]]:
    """The first results in short: when, and what; an episode says its subject and its best fact."""
    results = sorted(_ranked(found), key=lambda result: result.rank)[:number]
    return [(result.when, Text("\n").join([result.headline, *result.best])) for result in results]


def _ranked(found: "SearchResponse") -> Iterable[_Result]:
    parents = {episode.id: episode for episode in (*found.episodes, *found.knowledge)}
    for fact in found.facts:
        if fact.rank is not None:
            yield _fact(fact, parents.get(fact.parent_episode_id))
    for episode in (*found.episodes, *found.knowledge):
        if episode.rank is not None:
            yield _episode(episode)
    for message in found.raw_messages:
        if message.rank is not None:
            headline = Text.assemble((f"{message.sender_name}: ", "bold"), message.text)
            yield _Result(message.rank, message.score, day(message.sent_at), headline, (_dim("message of an open episode"),))
    for foresight in found.foresights:
        if foresight.rank is not None:
            when = expected(foresight.start, foresight.end) if foresight.start else ""
            yield _Result(foresight.rank, foresight.score, when, Text.assemble(foresight.statement, (" · expected", "dim")), ())
    for profile in found.profiles:
        if profile.rank is not None:
            lines = tuple(Text(f"• {item.statement}") for item in (*profile.explicit, *profile.implicit))
            yield _Result(profile.rank, profile.score, "", Text("Profile", style="bold"), lines)
    for case in found.agent_memory.cases:
        if case.rank is not None:
            lines = (Text(case.key_insight), _dim("agent case"))
            yield _Result(case.rank, case.score, "", Text(case.task_intent, style="bold"), lines)
    for skill in found.agent_memory.skills:
        if skill.rank is not None:
            lines = (Text(skill.description), _dim("agent skill"))
            yield _Result(skill.rank, skill.score, "", Text(skill.name, style="bold"), lines)


def _fact(fact: "FoundFact", parent: "FoundEpisode | None") -> _Result:
    source = f"fact · {parent.subject if parent else fact.topic_name}"
    if fact.valid_to:
        source += f" · no longer so since {day(fact.valid_to)}"
    assert fact.rank is not None
    when = "document" if parent is not None and parent.document_id is not None else day(fact.said_at)
    return _Result(fact.rank, fact.score, when, Text(fact.atomic_fact), (_dim(source),))


def _episode(episode: "FoundEpisode") -> _Result:
    lines = [Text(episode.summary)] if episode.summary != episode.subject else []
    facts = [Text(f"• {fact.atomic_fact}") for fact in episode.atomic_facts[:_FACTS_UNDER_AN_EPISODE]]
    if episode.document_id is not None:
        when, source = "document", f"document · {episode.document_id}"
    else:
        when = day(episode.started_at)
        source = f"episode · {', '.join(episode.participants)} · {count(len(episode.message_ids), 'message')}"
    assert episode.rank is not None
    headline = Text(episode.subject, style="bold")
    best = tuple(facts[:1] or lines)
    return _Result(episode.rank, episode.score, when, headline, (*lines, *facts, _dim(source)), best)


def _trace(found: "SearchResponse") -> RenderableType:
    table = Table(
        title="How it was found", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True
    )
    table.add_column("stage", no_wrap=True)
    table.add_column("round", justify="right", no_wrap=True)
    table.add_column("move", no_wrap=True)
    table.add_column("score", justify="right", style="cyan", no_wrap=True)
    table.add_column("record", ratio=2, overflow="fold")
    table.add_column("why", ratio=1, overflow="fold")
    shown: Counter[tuple[str, str]] = Counter()
    for step in found.trace or ():
        shown[step.stage, step.move] += 1
        if step.stage != "compete" and shown[step.stage, step.move] > _TRACED_OF_A_MOVE:
            continue
        table.add_row(step.stage, str(step.round or ""), step.move, f"{step.score:.3f}", Text(step.id), Text(step.reason))
    left_out = len(found.trace or ()) - table.row_count
    more = [_dim(f"{count(left_out, 'more step')} with --json")] if left_out else []
    return Group(Text(""), table, *more)


def episode_panel(episode: "Episode", facts: Sequence["AtomicFact"]) -> RenderableType:
    """One episode with its facts."""
    head = [Text(episode.summary)] if episode.summary != episode.subject else []
    start, end = spoken(episode)
    return Panel(
        Group(*head, *([fact_table(facts)] if facts else [])),
        title=Text(episode.subject, style="bold"),
        title_align="left",
        subtitle=Text(f"{span(start, end)} · {_size(episode)} · {_closed(episode)}", style="dim"),
        subtitle_align="right",
        box=box.ROUNDED,
    )


def fact_table(facts: Sequence["AtomicFact"]) -> RenderableType:
    """Facts, each with the day it was said."""
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(style="green", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for fact in facts:
        when = "" if fact.document_id is not None else day(fact.said_at)
        table.add_row(when, Text(fact.atomic_fact))
    return table


def episode_table(episodes: Sequence["Episode"]) -> RenderableType:
    """Episodes of one conversation, one a line."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.add_column("when", style="green", no_wrap=True)
    table.add_column("subject", ratio=1, overflow="fold")
    table.add_column("messages", justify="right", no_wrap=True)
    table.add_column("facts", justify="right", no_wrap=True)
    table.add_column("closed by", style="dim", no_wrap=True)
    for episode in episodes:
        sizes = (str(len(episode.message_ids)), str(len(episode.fact_ids)))
        table.add_row(span(*spoken(episode)), Text(episode.subject), *sizes, _closed(episode))
    return table


def section_table(episodes: Sequence["Episode"]) -> RenderableType:
    """The parts of one document, one a line."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
    table.add_column("section", ratio=1, overflow="fold")
    table.add_column("facts", justify="right", no_wrap=True)
    for episode in episodes:
        table.add_row(Text(episode.section or episode.subject), str(len(episode.fact_ids)))
    return table


def ingest_table(report: "IngestReport") -> RenderableType:
    """What a run over files did."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    figures = {
        "messages": f"{report.messages:,}",
        "episodes": f"{report.episodes:,}",
        "facts": f"{report.facts:,}",
        "duplicates": f"{report.duplicates:,}",
        "dead letters": f"{report.dead_letters:,}",
        "seconds": f"{report.seconds:.1f}",
    }
    for name in figures:
        table.add_column(name, justify="right")
    table.add_row(*figures.values())
    return table


def spoken(episode: "Episode") -> tuple[datetime, datetime]:
    """When an episode began and ended, by the clock of those who spoke."""
    local = zone(episode.timezone)
    return episode.started_at.astimezone(local), episode.ended_at.astimezone(local)


def day(moment: datetime) -> str:
    """The date."""
    return f"{moment:%Y-%m-%d}"


def expected(start: datetime, end: datetime | None) -> str:
    """The first day of something expected.

    Whole days begin at the speaker's midnight, which may be a day earlier in UTC; 13 hours later it is the same day
    in both, from Honolulu to Auckland.
    """
    whole_days = end is not None and end - start >= timedelta(hours=23)
    return day(start + timedelta(hours=13)) if whole_days else day(start)


def span(start: datetime, end: datetime) -> str:
    """From when to when, as short as it can be told, in the zone the times are in."""
    if start == end:
        return day(start)
    if start.date() == end.date():
        return f"{start:%Y-%m-%d %H:%M}–{end:%H:%M}"
    return f"{start:%Y-%m-%d}–{end:%m-%d}"


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 message``, ``2 messages``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size(episode: "Episode") -> str:
    return "section" if episode.document_id is not None else count(len(episode.message_ids), "message")


def _closed(episode: "Episode") -> str:
    return "open" if episode.provisional else episode.closed_by


def _dim(text: str) -> Text:
    return Text(text, style="dim")
