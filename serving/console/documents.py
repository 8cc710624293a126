"""The documents of an owner and of the tenant: what became of each, and a form to send one."""

import secrets
from collections import OrderedDict
from typing import Annotated

from fastapi import File, Form, UploadFile
from nicegui import app, ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mneme.errors import InputError, MnemeError
from queries.browsing.responses import ListedDocument
from serving.console.access import caller_of
from serving.console.markup import chip, link, nothing, notice, tag
from serving.console.shell import SERVICE, page
from serving.console.visit import Visit, owner_of
from serving.console.words import count, day
from serving.service.service import Service

_STATES = {"reading": ("being read", "open"), "read": ("read", "done"), "unread": ("not read", "problem")}
_EVERY_SECONDS = 2.0  # while something is being read
_MOST_TOLD = 100

_told: "OrderedDict[str, tuple[str, str]]" = OrderedDict()  # by a name in the address: what became of an upload, and its kind


@page("documents", "Documents")
async def documents(visit: Visit) -> None:
    """The list, and the form."""
    with tag("div", classes="heading"):
        tag("h1", "Documents")
        tag("p", "What was sent as files, of this owner and of the tenant, and what of it was read.", "quiet")
    if said := _told.get(visit.said("told")):
        notice(*said)
    if visit.service.intake != "none":
        _upload(visit)
    shown = tag("div")
    is_reading = await _list(visit, shown)
    if is_reading or visit.said("told"):

        async def again() -> None:
            if not await _list(visit, shown) and any(shown):
                timer.interval = 5 * _EVERY_SECONDS

        timer = ui.timer(_EVERY_SECONDS, again, immediate=False)


async def _list(visit: Visit, place: TextElement) -> bool:
    """Show them; whether any is being read."""
    with place:
        found = await visit.fetch(visit.service.memories.documents, visit.filters())
    place.clear()
    with place:
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
            with tag("div", classes="field"):
                tag("label", "File", for_="upload-file")
                tag("input", type="file", name="file", id="upload-file", required=True)
            with tag("fieldset", classes="field"):
                tag("legend", "Whose it is")
                with tag("div", classes="choices"):
                    for value, title in (("owner", owner.id if owner else ""), ("tenant", "everybody's in the tenant")):
                        with tag("label"):
                            tag("input", type="radio", name="whose", value=value, defaultChecked=value == "owner" or None)
                            tag("span", title)
            tag("button", "Send", "primary", type="submit")


@app.post("/upload", include_in_schema=False)
def upload(
    request: Request, file: Annotated[UploadFile, File()], whose: Annotated[str, Form(max_length=10)] = "owner"
) -> Response:
    """Take in a document from the form."""
    service: Service = request.scope[SERVICE]
    caller = caller_of(request)
    assert caller is not None, "the gate lets nobody else in"
    asked = request.query_params.get("tenant") or None
    tenant_id = caller.tenant_of(asked if caller.is_operator else None)
    owner = owner_of(request.query_params.get("owner", ""), tenant_id)
    whose_id = {f"{owner.type}_id": owner.id} if owner is not None and whose == "owner" else {}
    try:
        if file.size == 0 or not file.filename:
            raise InputError("file: it is empty; choose one with something in it")
        if (file.size or 0) > (most := service.settings.documents.largest_bytes):
            raise InputError(f"file: {file.size:,} bytes are more than {most:,} (MNEME_DOCUMENTS__LARGEST_BYTES)")
        service.publisher.send_document(
            file.file.read(),
            name=file.filename,
            tenant_id=tenant_id,
            media_type=file.content_type,
            user_id=whose_id.get("user_id"),
            group_id=whose_id.get("group_id"),
            agent_id=whose_id.get("agent_id"),
        )
        service.publisher.flush()
        said = (f"{file.filename} is kept, and will be read now. It appears below.", "done")
    except MnemeError as error:
        said = (str(error), "problem")
    name = secrets.token_urlsafe(12)
    _told[name] = said
    while len(_told) > _MOST_TOLD:
        _told.popitem(last=False)
    visit = Visit(request, service, caller, tenant_id, owner=owner)
    return RedirectResponse(visit.link("documents", told=name), 303)
