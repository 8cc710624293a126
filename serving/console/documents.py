"""Documents: the list, and each with its sections, which appear while it is read."""

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from queries.browsing.responses import InspectedEpisode, Inspection, ListedDocument
from serving.console.markup import anew, chip, count, day, heading, link, nothing, notice, tag
from serving.console.shell import page
from serving.console.statements import made_of
from serving.console.visit import Visit

_STATES = {"reading": ("being read", "open"), "read": ("read", "done"), "unread": ("not read", "problem")}
_EVERY_SECONDS = 2.0  # while a document is being read


@page("documents", "Documents")
async def documents(visit: Visit) -> None:
    """The list."""
    heading("Documents", "What was sent as files, of this owner and of the tenant, and what of it was read.")
    documents = await visit.fetch(visit.service.memories.documents, visit.filters())
    for note in documents.notes:
        notice(note)
    if not documents.documents:
        nothing("No documents here.", "Send one with `mneme publish handbook.pdf`.")
    with tag("ul", classes="rows"):
        for each in documents.documents:
            _row(visit, each)


def _row(visit: Visit, each: ListedDocument) -> None:
    with tag("li"), link("", visit.link("document", id=each.document_id), "row"):
        with tag("span", classes="row-main"):
            tag("strong", each.title or each.name)
            whose = (
                "the tenant's" if "/tenant/" in each.owner else "attached to a message" if each.message_id else "the owner's"
            )
            tag("small", f"{each.name} · {each.format} · {whose}")
            for reason in each.unread[:2]:
                tag("small", f"not read: {reason}", "reasons")
        with tag("span", classes="row-side"):
            chip(*_STATES[each.status])
            if each.pages is not None:
                tag("span", count(each.pages, "page"))
            tag("span", count(each.chunks, "chunk"))
            tag("span", day(each.dated_at), "when")


_SECTIONS_OF_A_PAGE = 30  # sections


@page("document", "Document")
async def document(visit: Visit) -> None:
    """The document that the address names, or says that there is none."""
    identity = visit.parameter("id")
    link("Documents", visit.link("documents"), "back")
    shown = tag("div", classes="content-part")
    if await _document(visit, identity, shown):

        async def again() -> None:
            if not await _document(visit, identity, shown):
                timer.cancel()

        timer = ui.timer(_EVERY_SECONDS, again, immediate=False)


async def _document(visit: Visit, identity: str, place: TextElement) -> bool:
    """Show a document as it is now; whether it is still being read."""
    with place:
        inspection = await visit.fetch(visit.service.memories.inspect, identity, visit.filters()) if identity else None
        waiting = None if inspection is not None or not identity else await visit.fetch(_listed, visit, identity)
    with anew(place):
        if waiting is not None and waiting.status == "reading":
            tag("h1", waiting.title or waiting.name)
            tag("p", "It is being read. What was read appears here.", "waiting", role="status")
            return True
        if inspection is None or inspection.document_id is None:
            tag("h1", "No such document")
            nothing(f"{identity or 'Nothing'} is not among the documents of this owner, or of the tenant.")
            return False
        listed = next((each for each in inspection.documents if each.document_id == inspection.document_id), None)
        _head(inspection, listed)
        for each in inspection.notes:
            notice(each)
        _sections(visit, identity, inspection)
        return _is_coming(inspection, listed)


def _is_coming(found: Inspection, listed: ListedDocument | None) -> bool:
    """Tell if it is still being read, or its sections are made in a moment. Speech has those of its conversation."""
    if listed is None:
        return False
    return listed.status == "reading" or (listed.status == "read" and not found.episodes and listed.conversation_id is None)


def _listed(visit: Visit, identity: str) -> ListedDocument | None:
    documents = visit.service.memories.documents(visit.filters(document_id=(identity,))).documents
    return documents[0] if documents else None


def _sections(visit: Visit, identity: str, found: Inspection) -> None:
    begin = visit.begin_of_page(len(found.episodes))
    texts = {each.id: each.text for episode in found.episodes for each in (*episode.facts, *episode.foresights)}
    with tag("ol", classes="sections"):
        for episode in found.episodes[begin : begin + _SECTIONS_OF_A_PAGE]:
            _section(visit, episode, texts)
    visit.paging("document", begin, _SECTIONS_OF_A_PAGE, len(found.episodes), id=identity)


def _head(found: Inspection, listed: ListedDocument | None) -> None:
    title = (listed.title or listed.name) if listed else str(found.document_id)
    heading(title, f"{listed.name} · {count(len(found.episodes), 'section')}" if listed else "")
    if listed is None:
        return
    told = {
        "Status": listed.status,
        "Format": listed.format,
        "Pages": "" if listed.pages is None else str(listed.pages),
        "Characters": f"{listed.characters:,}",
        "Dated": day(listed.dated_at),
        "Received": day(listed.received_at),
        "Lies at": listed.uri or "",
        **{name: str(value) for name, value in listed.metadata.items()},
    }
    with tag("dl", classes="facts-of card"):
        for name, value in told.items():
            if value:
                with tag("div"):
                    tag("dt", name)
                    tag("dd", value)
    if listed.unread:
        with tag("section", classes="card"):
            tag("h2", "What was not read")
            with tag("ul", classes="reasons"):
                for reason in listed.unread:
                    tag("li", reason)


def _section(visit: Visit, episode: InspectedEpisode, texts: dict[str, str]) -> None:
    with tag("li"), tag("article", classes="card"):
        with tag("header"):
            if episode.citation is not None:
                tag("span", str(episode.citation), "when")
            tag("h2", episode.section or episode.subject)
        if episode.summary not in (episode.subject, episode.section):
            tag("p", episode.summary)
        with tag("p", classes="chips"):
            chip(f"extracted by {episode.extractor}")
        with tag("div", classes="makings"):
            made_of(visit, episode, texts)
