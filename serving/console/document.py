"""One document: its sections with their pages, what was made of each, and a way to forget it for good."""

from mneme.errors import MnemeError
from mneme.events import ForgetDocument
from mneme.rows import CLAIMS_REFUSED
from queries.browsing.responses import InspectedEpisode, Inspection, ListedDocument
from serving.console.markup import chip, link, nothing, notice, tag
from serving.console.shell import page, show_failure
from serving.console.statements import made_of
from serving.console.visit import Visit
from serving.console.words import count, day

_ON_A_PAGE = 30  # sections


@page("document", "Document")
async def document(visit: Visit) -> None:
    """The document that the address names, or says that there is none."""
    identity = visit.said("id")
    found = await visit.fetch(visit.service.memories.inspect, identity, visit.filters()) if identity else None
    link("Documents", visit.link("documents"), "back")
    if found is None or found.document_id is None:
        tag("h1", "No such document")
        nothing(f"{identity or 'Nothing'} is not among the documents of this owner, or of the tenant.")
        return
    listed = next((each for each in found.documents if each.document_id == found.document_id), None)
    _head(visit, found, listed)
    for each in found.notes:
        notice(each)
    said = visit.said("from")
    begin = min(int(said), max(0, len(found.episodes) - 1)) if said.isdecimal() and len(said) < 9 else 0
    texts = {each.id: each.text for episode in found.episodes for each in (*episode.facts, *episode.foresights)}
    with tag("ol", classes="sections"):
        for episode in found.episodes[begin : begin + _ON_A_PAGE]:
            _section(visit, episode, texts)
    if len(found.episodes) > _ON_A_PAGE:
        with tag("nav", classes="paging", aria_label="More sections"):
            if begin:
                link("Earlier", visit.link("document", id=identity, **{"from": str(max(0, begin - _ON_A_PAGE))}))
            if begin + _ON_A_PAGE < len(found.episodes):
                link("Later", visit.link("document", id=identity, **{"from": str(begin + _ON_A_PAGE)}))


def _head(visit: Visit, found: Inspection, listed: ListedDocument | None) -> None:
    with tag("div", classes="heading-row"):
        with tag("div", classes="heading"):
            tag("h1", (listed.title or listed.name) if listed else str(found.document_id))
            tag("p", f"{listed.name} · {count(len(found.episodes), 'section')}" if listed else "", "quiet")
        if listed is not None and listed.message_id is None and visit.service.intake != "none":
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
        dialog.clear()
        with dialog:
            tag("p", "Erasing …", "waiting", role="status")
        try:
            erasure = await visit.in_thread(
                "waits", visit.service.erase, _event(visit, listed), visit.service.settings.service.wait_seconds
            )
        except MnemeError as error:
            dialog.clear()
            with dialog:
                show_failure(error)
                tag("button", "Close", data_closes=True, type="button")
            return
        dialog.clear()
        with dialog:
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
    whose = {f"{owner.type}_id": owner.id} if owner is not None and owner.key == listed.owner else {}  # else the tenant's
    return ForgetDocument.model_validate({"tenant_id": visit.tenant_id, "document_id": listed.document_id, **whose})
