"""An inspection in a terminal: messages with the cuts between them, and the records of each episode."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from mneme.times import zone
from queries.browsing.responses import (
    InspectedEpisode,
    InspectedMessage,
    InspectedStatement,
    Inspection,
)
from serving.terminal.format import cited, count, expected, span, spoken, until, whole_day
from serving.terminal.history_view import document_line


def inspection_view(inspection: Inspection) -> RenderableType:
    """Episode by episode; what is still open comes last."""
    parts: list[RenderableType] = [_head(inspection), *map(document_line, inspection.documents)]
    texts = {
        statement.id: statement.text for episode in inspection.episodes for statement in (*episode.facts, *episode.foresights)
    }
    for number, episode in enumerate(inspection.episodes, 1):
        parts += _episode(number, episode, texts)
    if inspection.open:
        parts += [
            Text(""),
            Rule(Text("open: in no episode yet", style="bold yellow"), align="left"),
            _messages(inspection.open),
        ]
    parts += [Text(f"note: {line}", style="yellow") for line in inspection.notes]
    return Group(*parts)


def _head(inspection: Inspection) -> Text:
    messages = sum(len(episode.messages) for episode in inspection.episodes) + len(inspection.open)
    sizes = [count(len(inspection.episodes), "episode")]
    if inspection.document_id is None:
        sizes = [count(messages, "message"), *sizes, f"{len(inspection.open):,} open"]
    place = inspection.conversation_id or inspection.document_id or ""
    return Text.assemble((place, "bold"), (f" · {inspection.owner} · {' · '.join(sizes)}", "dim"))


def _episode(number: int, episode: InspectedEpisode, texts: Mapping[str, str]) -> Iterator[RenderableType]:
    yield Text("")
    if number > 1 and episode.begins_because:
        yield Text(f"✂ cut: {'; '.join(episode.begins_because)}", style="yellow")
    title = Text(f"{number} · {episode.section or episode.subject}", style="bold")
    yield Rule(title, align="left")
    yield Text(" · ".join(_about(episode)), style="dim")
    if episode.messages and episode.document_id is None:
        yield _messages(episode.messages)
    yield _made(episode, texts)


def _about(episode: InspectedEpisode) -> Iterator[str]:
    if where := cited(episode.citation):
        yield where
    if episode.document_id is None:
        yield span(*spoken(episode))
        yield count(len(episode.messages), "message")
    yield "still open, shown as it stands" if episode.provisional else f"closed by {episode.closed_by}"
    yield f"extracted by {episode.extractor}"


def _messages(messages: Iterable[InspectedMessage]) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(style="green", no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    last = None
    for message in messages:
        sent = message.sent_at.astimezone(zone(message.timezone))
        when = f"{sent:%H:%M}" if last == sent.date() else f"{sent:%Y-%m-%d %H:%M}"
        last = sent.date()
        text = Text("deleted", style="red") if message.deleted else Text(message.text)
        if message.tools:
            text.append(f" [{', '.join(message.tools)}]", style="cyan")
        if message.edited and not message.deleted:
            text.append(" (edited)", style="yellow")
        table.add_row(Text(when, justify="right"), message.sender_name, text)
    return table


def _made(episode: InspectedEpisode, texts: Mapping[str, str]) -> Table:
    """Everything that was made of an episode, each kind under its name."""
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    if episode.document_id is None:
        table.add_row("subject", Text(episode.subject, style="bold"))
    if episode.summary != episode.subject:
        table.add_row("summary", Text(episode.summary))
    lists: dict[str, list[Text]] = {
        "facts": [_statement(fact, texts) for fact in episode.facts],
        "expected": [_statement(foresight, texts) for foresight in episode.foresights],
        "entities": [
            Text.assemble(
                entity.name, (f" ({entity.type})", "dim"), (f" = {entity.same_as}" if entity.same_as else "", "yellow")
            )
            for entity in episode.entities
        ],
        "relations": [
            Text.assemble(
                f"{edge.source} — {edge.relation.replace('_', ' ')} — {edge.target}",
                (_edge_dates(edge.date, edge.ended), "dim"),
                (f" · {until(edge.valid_to, whole_day)}" if edge.valid_to else "", "yellow"),
            )
            for edge in episode.relationships
        ],
        "portrait": [
            Text.assemble(
                line.statement,
                (f" ({line.about}, {line.category}{', shown' if line.implicit else ''})", "dim"),
                ("" if line.holds else " · not in the portrait now", "yellow"),
            )
            for line in episode.profile
        ],
    }
    if episode.case is not None:
        case = episode.case
        lists["case"] = [
            Text.assemble((case.task_intent, "bold"), (f" · quality {case.quality_score:.2f}", "dim")),
            *(Text(text) for text in (case.approach, case.key_insight) if text),
        ]
    for name, lines in lists.items():
        for position, line in enumerate(lines):
            table.add_row("" if position else name, line)
    return table


def _statement(statement: InspectedStatement, texts: Mapping[str, str]) -> Text:
    text = Text(statement.text, style="" if statement.state == "holds" else "dim")
    if statement.start is not None:
        text.append(f" [{expected(statement.start, statement.end)}]", style="green")
    if statement.times_said > 1:
        text.append(f" · said {count(statement.times_said, 'time')}", style="cyan")
    other = statement.merged_into or statement.superseded_by or ""
    match statement.state:
        case "merged":
            text.append(f" · says again: {texts.get(other, other)}", style="yellow")
        case "superseded" if statement.valid_to is not None:
            text.append(f" · {until(statement.valid_to)}: {texts.get(other, other)}", style="yellow")
        case "expired":
            text.append(" · over", style="yellow")
        case _:
            pass
    return text


def _edge_dates(date: datetime | None, ended: bool) -> str:
    if date is None:
        return " (over)" if ended else ""
    return f" ({'until' if ended else 'since'} {whole_day(date)})"
