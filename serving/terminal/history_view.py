"""A history and a list of documents in a terminal."""

from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, assert_never

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from serving.terminal.format import cited, count, day, expected, joined, until, whole_day

if TYPE_CHECKING:
    from queries.browsing.responses import (
        DocumentList,
        Entry,
        History,
        HistoryFact,
        HistoryForesight,
        HistoryStatement,
        ListedDocument,
    )


_MESSAGES_NAMED = 3


def history_view(history: "History") -> RenderableType:
    """Show the entity, then its history in the order of events."""
    parts: list[RenderableType] = [_head(history)]
    timeline = history.timeline()
    if timeline:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
        table.add_column("when", style="green", no_wrap=True)
        table.add_column("what", ratio=1, overflow="fold")
        places = {each.conversation_id or each.document_id for each in (*history.facts, *history.foresights)}
        for entry in timeline:
            when, headline, lines = _entry(entry, with_place=len(places) > 1)
            table.add_row(when, Group(headline, *(Text(line, style="dim") for line in lines)))
        parts += [Text(""), table]
    else:
        parts.append(Text("nothing is remembered of it", style="yellow"))
    kinds = (
        (len(history.facts), "fact", None),
        (len(history.foresights), "expectation", None),
        (len(history.relationships), "relationship", None),
        (len(history.profile), "line of a portrait", "lines of a portrait"),
    )
    told = ", ".join(count(*kind) for kind in kinds if kind[0])
    parts.append(Text(told, style="dim"))
    parts += [Text(f"note: {line}", style="yellow") for line in history.notes]
    return Group(*parts)


def _head(history: "History") -> RenderableType:
    also = [name for name in history.names if name != history.name]
    line = Text.assemble((history.name, "bold"), (f" · {history.type}" if history.type else "", "dim"))
    if also:
        line.append(f" · also {', '.join(also)}", style="dim")
    parts = [line]
    if history.others:
        parts.append(Text(f"may also mean: {', '.join(history.others)}", style="yellow"))
    if history.summary:
        parts.append(Text(history.summary))
    return Group(*parts)


def _entry(entry: "Entry", with_place: bool) -> tuple[str, Text, list[str]]:
    """Date, headline and further lines of an entry."""
    from queries.browsing import responses

    match entry:
        case responses.HistoryFact():
            when, planned = _when(entry, entry.event_at, entry.event_until)
            return when, Text(entry.text), _statement(planned, when, entry, with_place)
        case responses.HistoryForesight():
            when, planned = _when(entry, entry.start, entry.end)
            kind = f"expected, {planned or 'with no date'}" if entry.start is None or planned else "expected"
            if entry.expired and not entry.valid_to:
                kind += ", over"
            return when, Text(entry.text), _statement(kind, when, entry, with_place)
        case responses.HistoryRelationship():
            words = [f"said {count(len(entry.mentions), 'time')}"] + (
                [until(entry.valid_to, whole_day)] if entry.valid_to else []
            )
            edge = Text(f"{entry.source} — {entry.relation.replace('_', ' ')} — {entry.target}", style="magenta")
            return (whole_day(entry.date) if entry.date else day(entry.at)), edge, [" · ".join(("relationship", *words))]
        case responses.HistoryLine():
            messages = list(dict.fromkeys(message for mention in entry.evidence for message in mention.message_ids))
            more = f" and {len(messages) - _MESSAGES_NAMED} more" if len(messages) > _MESSAGES_NAMED else ""
            words = [entry.category, *(["shown rather than said"] if entry.implicit else [])]
            words.append(f"shown {count(len(entry.evidence), 'time')}: {', '.join(messages[:_MESSAGES_NAMED])}{more}")
            if not entry.holds:
                words.append("not in the portrait now")
            return day(entry.at), Text(entry.statement), [" · ".join(("portrait", *words))]
        case _:
            assert_never(entry)


def _when(entry: "HistoryFact | HistoryForesight", start: datetime | None, end: datetime | None) -> tuple[str, str]:
    """Its day in the timeline, and for which day it was planned where that lay ahead."""
    if start is None:
        return day(entry.said_at), ""
    date = expected(start, end)
    return (date, "") if entry.at == start or date == day(entry.said_at) else (day(entry.said_at), f"for {date}")


def _statement(kind: str, when: str, entry: "HistoryFact | HistoryForesight", with_place: bool) -> list[str]:
    words = [kind]
    if day(entry.said_at) != when:
        words.append(f"said {day(entry.said_at)}")
    if entry.times_said > 1:
        words.append(f"said {count(entry.times_said, 'time')}")
    if entry.citation is not None:
        words.append(cited(entry.citation))
    elif with_place:
        words.append(entry.conversation_id or entry.document_id or "")
    line = " · ".join(word for word in words if word)
    return [*([line] if line else []), *_what_became(entry)]


def _what_became(entry: "HistoryStatement") -> list[str]:
    lines = [f"instead of: {older.text} ({day(older.said_at)})" for older in entry.supersedes]
    if entry.valid_to:
        newer = entry.superseded_by
        lines.append(until(entry.valid_to) + (f": {newer.text}" if newer else ""))
    return lines


_STYLES = {"read": "green", "reading": "cyan", "unread": "yellow"}


def document_list(found: "DocumentList") -> RenderableType:
    """One document a line, what of each was not read below it, and how many there are."""
    lines = [document_line(document) for document in found.documents] or [Text("no documents", style="yellow")]
    return Group(*lines, Text(_total(found), style="dim"), *(Text(f"note: {line}", style="yellow") for line in found.notes))


def document_line(document: "ListedDocument") -> Text:
    """Show a document in a line, and each unread part in a line below."""
    pages = count(document.pages, "page") if document.pages is not None else ""
    whose = "knowledge" if document.owner.split("/")[1] == "tenant" else ""
    attached = f"attached to {document.message_id} in {document.conversation_id}" if document.message_id else ""
    identity = document.document_id if document.document_id != document.name and not attached else ""
    title = document.title if document.title not in (document.name, PurePath(document.name).stem) else ""
    size = joined(document.format, pages, count(document.chunks, "chunk"), day(document.dated_at))
    about = joined(title, identity, whose, attached, document.uri or "", size)
    style = "yellow" if document.unread else _STYLES[document.status]
    line = Text.assemble((document.name, "bold"), (f" · {about} · ", "dim"), (_status(document), style))
    for reason in document.unread:
        line.append(f"\n  not read: {reason}", style="yellow")
    return line


def _status(document: "ListedDocument") -> str:
    return "partly read" if document.status == "read" and document.unread else document.status


def _total(found: "DocumentList") -> str:
    statuses = [_status(document) for document in found.documents]
    parts = [f"{statuses.count(each):,} {each}" for each in dict.fromkeys(sorted(statuses))]
    return joined(count(len(statuses), "document"), *parts)
