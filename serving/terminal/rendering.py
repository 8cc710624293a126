"""How memories look in a terminal of 80 columns or more: tables and panels of rich, which knows how wide Chinese is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mneme.text import ends_in_question
from mneme.times import utc_now, zone
from serving.terminal.explanation import explanation
from serving.terminal.words import count

if TYPE_CHECKING:
    from flows import IngestReport
    from mneme.records import AtomicFact, Citation, Episode, ProfileItem
    from queries.responses import AgentMetrics, Found, FoundEpisode, FoundFact, FoundMessage, GraphRelationship, SearchResponse

_FACTS_UNDER_AN_EPISODE = 3
_LINES_OF_A_PROFILE = 3  # in short


@dataclass(frozen=True, slots=True)
class _Result:
    """How one place of the ranking looks, whatever its type. ``best`` is what to show below the headline in little room."""

    when: str
    headline: Text
    lines: tuple[Text, ...]
    best: tuple[Text, ...] = ()


def search_result(found: "SearchResponse", limit: int | None = None) -> RenderableType:
    """The ranking as one table over all types, then the graph, notes and cost; with a trace, what each stage did."""
    ranked = found.ranked()
    shown = ranked[:limit]
    parents = _parents(found)
    parts: list[RenderableType] = []
    if shown:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
        table.add_column("#", justify="right", style="bold", no_wrap=True)
        table.add_column("score", justify="right", style="cyan", no_wrap=True)
        table.add_column("when", style="green", no_wrap=True)
        table.add_column("memory", ratio=1, overflow="fold")
        for item in shown:
            result = _result(item, parents)
            table.add_row(str(item.rank), f"{item.score:.2f}", result.when, Group(result.headline, *result.lines))
        parts.append(table)
    else:
        parts.append(Text("nothing found", style="yellow"))
    parts += [_context(message) for message in found.raw_messages if message.rank is None]
    parts += [_edge(edge) for edge in found.graph.relationships]
    parts += [Text(f"note: {line}", style="yellow") for line in found.query.notes]
    metrics = found.metrics
    round_trips = count(metrics.round_trips, "round trip")
    cost = f"{count(len(ranked), 'result')} · {found.query.method} · {metrics.milliseconds:.0f} ms · {round_trips}"
    parts.append(_dim(cost))
    if metrics.agent is not None:
        parts.append(_dim(_work(metrics.agent)))
    if found.trace is not None:
        parts.append(explanation(found))
    return Group(*parts)


def _context(message: "FoundMessage") -> Text:
    """What was said around something that was found."""
    return Text.assemble((f"{day(message.sent_at)}  {message.sender_name}: ", "dim"), message.text)


def _work(agent: "AgentMetrics") -> str:
    """What an agent did for a question."""
    work = f"{agent.selected_tool}, decided by {agent.planner} · {count(agent.memory_search_called, 'search', 'searches')}"
    if agent.llm_called:
        work += f" · {count(agent.llm_called, 'model call')} · {agent.input_token + agent.output_token:,} tokens"
    return work


def best_results(found: "SearchResponse", number: int) -> list[tuple[str, Text]]:
    """The first results in short: when, and what; an episode says its subject and its best fact."""
    parents = _parents(found)
    results = [_result(item, parents) for item in found.ranked()[:number]]
    return [(result.when, Text("\n").join([result.headline, *result.best])) for result in results]


def _parents(found: "SearchResponse") -> "dict[str, FoundEpisode]":
    return {episode.id: episode for episode in (*found.episodes, *found.knowledge)}


def _result(item: "Found", parents: "Mapping[str, FoundEpisode]") -> _Result:
    from queries import responses

    match item:
        case responses.FoundFact():
            return _fact(item, parents.get(item.parent_episode_id))
        case responses.FoundEpisode():
            return _episode(item)
        case responses.FoundMessage():
            headline = Text.assemble((f"{item.sender_name}: ", "bold"), item.text)
            if item.citation is not None:
                source = joined("message", cited(item.citation))
            else:
                source = "message" if item.parent_episode_id else "message of an open episode"
            return _Result(day(item.sent_at), headline, (_dim(source),))
        case responses.FoundForesight():
            when = expected(item.start, item.end) if item.start else ""
            lines = (_dim(cited(item.citation)),) if item.citation else ()
            return _Result(when, Text.assemble(item.statement, (" · over" if item.expired else " · expected", "dim")), lines)
        case responses.FoundProfile():
            portrait = tuple(_line(line) for line in (*item.explicit, *item.implicit))
            return _Result("", Text("Profile", style="bold"), portrait, portrait[:_LINES_OF_A_PROFILE])
        case responses.FoundCase():
            insight = Text(item.key_insight)
            return _Result("", Text(item.task_intent, style="bold"), (insight, _dim("agent case")), (insight,))
        case responses.FoundSkill():
            source = f"agent skill · from {count(len(item.source_case_ids), 'case')}"
            return _Result("", Text(item.name, style="bold"), (Text(item.description), _dim(source)))


def _fact(fact: "FoundFact", parent: "FoundEpisode | None") -> _Result:
    source = joined("fact", parent.subject if parent else fact.topic_name, cited(fact.citation))
    if fact.times_said > 1:
        source += f" · said {count(fact.times_said, 'time')}"
    if fact.valid_to:
        source += f" · {until(fact.valid_to)}"
    return _Result(day(fact.said_at), Text(fact.atomic_fact), (_dim(source),))


def _only_asks(fact: "FoundFact") -> bool:
    return ends_in_question(fact.quote.words if fact.quote else fact.atomic_fact)


def _episode(episode: "FoundEpisode") -> _Result:
    lines = [Text(episode.summary)] if episode.summary != episode.subject else []
    shown = episode.atomic_facts[:_FACTS_UNDER_AN_EPISODE]
    facts = [Text(f"• {fact.atomic_fact}") for fact in shown]
    telling = [text for text, fact in zip(facts, shown, strict=True) if not _only_asks(fact)]
    if episode.document_id is not None:
        source = joined("document", cited(episode.citation) or episode.document_id)
    else:
        messages = count(len(episode.message_ids), "message")
        source = joined("episode", ", ".join(episode.participants), messages, cited(episode.citation))
    headline = Text(episode.subject, style="bold")
    best = tuple((telling or facts)[:1] or lines)
    return _Result(day(episode.started_at), headline, (*lines, *facts, _dim(source)), best)


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
    table.add_column("place", style="dim")
    table.add_column("facts", justify="right", no_wrap=True)
    for episode in episodes:
        place = episode.citation.place if episode.citation else ""
        table.add_row(Text(episode.section or episode.subject), Text(place), str(len(episode.fact_ids)))
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


def cited(citation: "Citation | None") -> str:
    """Where something stands in a document: ``offer.pdf · page 2``; empty for what stands in none."""
    return joined(citation.name, citation.place) if citation is not None else ""


def joined(*words: str) -> str:
    """Those that say something, side by side."""
    return " · ".join(word for word in words if word)


def day(moment: datetime) -> str:
    """The date."""
    return f"{moment:%Y-%m-%d}"


def expected(start: datetime, end: datetime | None) -> str:
    """The first day of something expected, or its month or year, if that is all that was said.

    Whole days begin at the speaker's midnight, which may be a day earlier in UTC; 13 hours later it is the same day
    in both, from Honolulu to Auckland.
    """
    if end is None or end - start < timedelta(hours=23):
        return day(start)
    first, length = start + timedelta(hours=13), end - start
    if first.day == 1 and length >= timedelta(days=364):
        return f"{first:%Y}"
    return f"{first:%Y-%m}" if first.day == 1 and length >= timedelta(days=27) else day(first)


def whole_day(moment: datetime) -> str:
    """The date of a moment without an end: a full hour late in the day is taken for the midnight of a speaker further east."""
    is_midnight = moment.hour >= 10 and (moment.minute, moment.second, moment.microsecond) == (0, 0, 0)
    return day(moment + timedelta(hours=13)) if is_midnight else day(moment)


def until(moment: datetime) -> str:
    """What is told of something that holds until then."""
    return f"{'no longer so since' if moment <= utc_now() else 'so until'} {whole_day(moment)}"


def span(start: datetime, end: datetime) -> str:
    """From when to when, as short as it can be told, in the zone the times are in."""
    if start == end:
        return day(start)
    if start.date() == end.date():
        return f"{start:%Y-%m-%d %H:%M}–{end:%H:%M}"
    return f"{start:%Y-%m-%d}–{end:%m-%d}"


def _closed(episode: "Episode") -> str:
    return "open" if episode.provisional else episode.closed_by


def _edge(edge: "GraphRelationship") -> Text:
    words = [f"since {whole_day(edge.date)}"] if edge.date else []
    words += [until(edge.valid_to)] if edge.valid_to else []
    words += [f"said {count(edge.mentions, 'time')}"] if edge.mentions > 1 else []
    edge_itself = f"  {edge.source} — {edge.relation.replace('_', ' ')} — {edge.target}"
    return Text.assemble((edge_itself, "magenta"), (f"  {' · '.join(words)}" if words else "", "dim"))


def _line(line: "ProfileItem") -> Text:
    times = f" · shown {count(len(line.evidence), 'time')}" if len(line.evidence) > 1 else ""
    return Text.assemble(f"• {line.statement}", (times, "dim"))


def _dim(text: str) -> Text:
    return Text(text, style="dim")
