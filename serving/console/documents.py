"""Documents: the list with a form to send one, and each with its sections and a way to erase it."""

import secrets
from collections import OrderedDict
from typing import Annotated

from fastapi import File, Form, UploadFile
from nicegui import app, ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mneme.errors import InputError, MnemeError
from mneme.events import ForgetDocument
from mneme.rows import CLAIMS_REFUSED
from queries.browsing.responses import InspectedEpisode, Inspection, ListedDocument
from serving.console.markup import anew, chip, choice, count, day, field, heading, link, nothing, notice, tag
from serving.console.shell import page, show_failure, visit_of
from serving.console.statements import made_of
from serving.console.visit import Visit

_STATES = {"reading": ("being read", "open"), "read": ("read", "done"), "unread": ("not read", "problem")}
_EVERY_SECONDS = 2.0  # while something is being read
_MOST_OUTCOMES = 100

_outcomes: "OrderedDict[str, tuple[str, str]]" = (
    OrderedDict()
)  # by a name in the address: what became of an upload, and its kind


@page("documents", "Documents")
async def documents(visit: Visit) -> None:
    """The list, and the form."""
    heading("Documents", "What was sent as files, of this owner and of the tenant, and what of it was read.")
    if said := _outcomes.get(visit.parameter("told")):
        notice(*said)
    if visit.service.takes_events:
        _upload(visit)
    shown = tag("div")
    is_reading = await _list(visit, shown)
    if is_reading or visit.parameter("told"):

        async def again() -> None:
            if not await _list(visit, shown) and any(shown):
                timer.interval = 5 * _EVERY_SECONDS

        timer = ui.timer(_EVERY_SECONDS, again, immediate=False)


async def _list(visit: Visit, place: TextElement) -> bool:
    """Show them; whether any is being read."""
    with place:
        found = await visit.fetch(visit.service.memories.documents, visit.filters())
    with anew(place):
        for note in found.notes:
            notice(note)
        if not found.documents:
            nothing("No documents here.", "Send one above, or with `mneme publish handbook.pdf`.")
        with tag("ul", classes="rows"):
            for each in found.documents:
                _row(visit, each)
    return any(each.status == "reading" for each in found.documents)


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


def _upload(visit: Visit) -> None:
    owner = visit.owner
    with tag("details", classes="card publish"):
        tag("summary", "Send a document")
        address = visit.link("upload")
        with tag("form", classes="fields", method="post", action=address, enctype="multipart/form-data"):
            field("File", "file", id="upload-file", type="file", required=True)
            with tag("fieldset", classes="field"):
                tag("legend", "Whose it is")
                with tag("div", classes="choices"):
                    for value, title in (("owner", owner.id if owner else ""), ("tenant", "everybody's in the tenant")):
                        choice(title, "whose", "radio", value == "owner", value)
            tag("button", "Send", "primary", type="submit")


@app.post("/upload", include_in_schema=False)
def upload(
    request: Request, file: Annotated[UploadFile, File()], whose: Annotated[str, Form(max_length=10)] = "owner"
) -> Response:
    """Take in a document from the form."""
    visit = visit_of(request)
    service, owner = visit.service, visit.owner
    owner_ids = owner.ids if owner is not None and whose == "owner" else {}
    try:
        if file.size == 0 or not file.filename:
            raise InputError("file: it is empty; choose one with something in it")
        if (file.size or 0) > (most := service.settings.documents.largest_bytes):
            raise InputError(f"file: {file.size:,} bytes are more than {most:,} (MNEME_DOCUMENTS__LARGEST_BYTES)")
        service.publisher.send_document(
            file.file.read(),
            name=file.filename,
            tenant_id=visit.tenant_id,
            media_type=file.content_type,
            user_id=owner_ids.get("user_id"),
            group_id=owner_ids.get("group_id"),
            agent_id=owner_ids.get("agent_id"),
        )
        service.publisher.flush()
        said = (f"{file.filename} is kept, and will be read now. It appears below.", "done")
    except MnemeError as error:
        said = (str(error), "problem")
    name = secrets.token_urlsafe(12)
    _outcomes[name] = said
    while len(_outcomes) > _MOST_OUTCOMES:
        _outcomes.popitem(last=False)
    return RedirectResponse(visit.link("documents", told=name), 303)


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
        found = await visit.fetch(visit.service.memories.inspect, identity, visit.filters()) if identity else None
        waiting = None if found is not None or not identity else await visit.fetch(_listed, visit, identity)
    with anew(place):
        if waiting is not None and waiting.status == "reading":
            tag("h1", waiting.title or waiting.name)
            tag("p", "It is being read. What was read appears here.", "waiting", role="status")
            return True
        if found is None or found.document_id is None:
            tag("h1", "No such document")
            nothing(f"{identity or 'Nothing'} is not among the documents of this owner, or of the tenant.")
            return False
        listed = next((each for each in found.documents if each.document_id == found.document_id), None)
        _head(visit, found, listed)
        for each in found.notes:
            notice(each)
        _sections(visit, identity, found)
        return _is_coming(found, listed)


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


def _head(visit: Visit, found: Inspection, listed: ListedDocument | None) -> None:
    with tag("div", classes="heading-row"):
        title = (listed.title or listed.name) if listed else str(found.document_id)
        heading(title, f"{listed.name} · {count(len(found.episodes), 'section')}" if listed else "")
        # While the page is shown anew, an open dialog would go with it.
        if listed is not None and listed.message_id is None and visit.service.takes_events and not _is_coming(found, listed):
            _forget(visit, listed)
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
            if episode.dropped:
                chip(f"{count(episode.dropped, 'statement')} dropped: not in the text", "over")
        with tag("div", classes="makings"):
            made_of(visit, episode, texts)


def _forget(visit: Visit, listed: ListedDocument) -> None:
    """A button, and a question before anything is done."""

    async def forget() -> None:
        with anew(dialog):
            tag("p", "Erasing …", "waiting", role="status")
        try:
            erasure = await visit.in_thread(
                "waits", visit.service.erase, _event(visit, listed), visit.service.settings.service.wait_seconds
            )
        except MnemeError as error:
            with anew(dialog):
                show_failure(error)
                tag("button", "Close", data_closes=True, type="button")
            return
        with anew(dialog):
            tag("h2", "Forgotten" if erasure.receipt is not None else "Being forgotten")
            if erasure.receipt is not None:
                counts = dict(erasure.receipt)
                refused = counts.pop(CLAIMS_REFUSED, 0)
                removed = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
                tag("p", f"Removed: {removed or 'nothing was left'}.")
                if refused:
                    tag("p", "Its content is still in the store of claim checks, which did not let the flow delete it.")
            else:
                tag("p", f"The flow is behind; the erasure {erasure.erasure_id} will be done when it comes to it.")
            link("To the documents", visit.link("documents"), "button")

    tag("button", "Forget …", "danger", type="button", data_opens="forget-dialog")
    dialog = tag("dialog", id="forget-dialog", aria_labelledby="forget-title")
    with dialog:
        tag("h2", f"Forget {listed.name}?", id="forget-title")
        tag("p", "The document and everything that was made of it is erased for good. This cannot be undone.")
        with tag("div", classes="actions"):
            tag("button", "Forget it", "danger", type="button").on("click", forget)
            tag("button", "Keep it", data_closes=True, type="button")


def _event(visit: Visit, listed: ListedDocument) -> ForgetDocument:
    owner = visit.owner
    ids = owner.ids if owner is not None and owner.key == listed.owner else {"tenant_id": visit.tenant_id}
    return ForgetDocument.model_validate({"document_id": listed.document_id, **ids})
