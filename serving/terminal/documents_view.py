"""Documents in a terminal: a table of them, and one in a line."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from serving.terminal.rendering import day, joined
from serving.terminal.words import count

if TYPE_CHECKING:
    from queries.browsing.responses import DocumentList, ListedDocument

_STYLES = {"read": "green", "reading": "cyan", "unread": "yellow"}


def documents_table(found: "DocumentList") -> RenderableType:
    """One document a line, and below it what of it was not read."""
    parts: list[RenderableType] = []
    if found.documents:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, expand=True)
        table.add_column("date", style="green", no_wrap=True)
        table.add_column("document", ratio=1, overflow="fold")
        table.add_column("format", no_wrap=True)
        table.add_column("pages", justify="right", no_wrap=True)
        table.add_column("chunks", justify="right", no_wrap=True)
        table.add_column("status", no_wrap=True)
        for document in found.documents:
            pages = "" if document.pages is None else f"{document.pages:,}"
            status = Text(_status(document), style="yellow" if document.unread else _STYLES[document.status])
            table.add_row(
                day(document.dated_at), Group(*_about(document)), document.format, pages, f"{document.chunks:,}", status
            )
        parts.append(table)
    else:
        parts.append(Text("no documents", style="yellow"))
    parts.append(Text(_total(found), style="dim"))
    parts += [Text(f"note: {line}", style="yellow") for line in found.notes]
    return Group(*parts)


def document_line(document: "ListedDocument") -> Text:
    """What a document is, in a line, and what of it was not read in one each."""
    pages = count(document.pages, "page") if document.pages is not None else ""
    about = joined(document.format, pages, count(document.chunks, "chunk"), day(document.dated_at))
    line = Text.assemble((document.name, "bold"), (f" · {about} · ", "dim"), (_status(document), _STYLES[document.status]))
    for reason in document.unread:
        line.append(f"\n  not read: {reason}", style="yellow")
    return line


def _about(document: "ListedDocument") -> list[Text]:
    lines = [Text(document.name, style="bold")]
    if document.title not in ("", document.name, PurePath(document.name).stem):
        lines.append(Text(document.title))
    whose = "knowledge" if document.owner.split("/")[1] == "tenant" else ""
    attached = f"attached to {document.message_id} in {document.conversation_id}" if document.message_id else ""
    identity = document.document_id if document.document_id != document.name and not attached else ""
    if about := joined(whose, identity, attached, document.uri or ""):
        lines.append(Text(about, style="dim"))
    return [*lines, *(Text(f"not read: {reason}", style="yellow") for reason in document.unread)]


def _status(document: "ListedDocument") -> str:
    return "partly read" if document.status == "read" and document.unread else document.status


def _total(found: "DocumentList") -> str:
    statuses = [_status(document) for document in found.documents]
    parts = [f"{statuses.count(each):,} {each}" for each in dict.fromkeys(sorted(statuses))]
    return joined(count(len(statuses), "document"), *parts)
