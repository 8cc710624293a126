"""``mneme erase``: erase, wait for the receipt, then check that nothing is left."""

import sys
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

import mneme
from mneme.errors import InputError, StoreUnavailable
from serving.commands.options import AgentOption, GroupOption, TenantOption, UrlOption, UserOption, not_blank, owner_of
from serving.terminal.output import messages, note, output

if TYPE_CHECKING:
    from mneme.ports import Filter
    from mneme.records import Owner
    from serving.service.service import ErasureEvent


def erase(
    conversation: Annotated[
        str | None, typer.Argument(metavar="CONVERSATION", help="Its id.", show_default=False, callback=not_blank)
    ] = None,
    document: Annotated[
        str | None,
        typer.Option("--document", help="A document in its place: its id.", show_default=False, callback=not_blank),
    ] = None,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the receipt.")] = 120.0,
    url: UrlOption = None,
) -> None:
    """Erase a conversation, a document, or with --user, --group or --agent alone everything of an owner, with a receipt.

    Everything that was made of it is erased too: entities, profiles, the validity of other facts. Neither a replay nor a
    rebuild brings it back; what is sent later begins anew. With --document the owner options say whose document it is; without
    any it is of the tenant's knowledge. With a CONVERSATION they say whose it must be. Kafka keeps its own copy until the
    topic's retention is over. Before you erase an owner, stop sending for it until the receipt is there.
    """

    is_owned = user is not None or group is not None or agent is not None
    if conversation is not None and document is not None:
        raise InputError("give a CONVERSATION or --document ID, not both")
    if conversation is None and document is None and not is_owned:
        raise InputError("give a CONVERSATION, --document ID, or one of --user, --group and --agent: it says what is erased")
    event: ErasureEvent
    owner = owner_of(user, group, agent, tenant) if is_owned else None
    if conversation is not None:
        what, event = f"conversation {conversation}", mneme.Forget(tenant_id=tenant, conversation_id=conversation)
    else:
        ids = {"tenant_id": tenant} if owner is None else owner.ids
        if document is not None:
            what, event = f"document {document}", mneme.ForgetDocument.model_validate({**ids, "document_id": document})
        else:
            assert owner is not None, "one of the three is given"
            what, event = f"everything known of {owner.type} {owner.id}", mneme.Erase.model_validate(ids)
    if not yes and not _agreed(f"Erase {what} for good?"):
        raise typer.Abort
    _erase(event, owner, timeout, url)


def _agreed(question: str) -> bool:
    """Ask whoever sits there.

    Raises:
        InputError: nobody does.
    """
    try:
        return typer.confirm(question)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        raise InputError("nobody can be asked here; --yes erases without asking") from None


def _erase(event: "ErasureEvent", owner: "Owner | None", timeout: float, url: str | None) -> None:
    from serving.clients import iterate_memories
    from serving.service.remote import RemoteService, open_service

    settings = mneme.load_settings()
    event = event.model_copy(update={"erasure_id": uuid4().hex})
    with open_service(settings, url) as service, messages().status("Waiting for the receipt"):
        if isinstance(event, mneme.Forget) and owner is not None:
            filters = {**owner.ids, "conversation_id": event.conversation_id, "knowledge": False}
            if next(iterate_memories(service.memories, "message", filters), None) is None:
                raise InputError(f"there is no conversation {event.conversation_id} of {owner.type} {owner.id}")
        is_here = not isinstance(service, RemoteService)
        scope = _scope(event, settings) if is_here else None
        removed = service.erase(event, timeout).receipt
    if removed is None:
        raise StoreUnavailable(
            f"erasure {event.erasure_id} is not done after {timeout:g} s; it is kept, and done when the flow gets there (does "
            "`mneme serve` or `mneme run` run?)"
        )
    _show(settings if is_here else None, scope, removed)


def _show(settings: "mneme.Settings | None", scope: "Filter | None", removed: Mapping[str, int]) -> None:
    """Say what was erased, and whether anything is left in the index of this machine (None: it is elsewhere)."""
    from mneme.receipts import CLAIMS_REFUSED

    counts = {name.replace("_", " "): count for name, count in removed.items() if count and name != CLAIMS_REFUSED}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "nothing was known of it"
    output().print(f"erased: {told}")
    if refused := removed.get(CLAIMS_REFUSED, 0):
        note(
            f"{refused:,} claim checks are still in MNEME_DOCUMENTS__STORE, which did not let the flow delete them (its log"
            " says why); erase again once it may.",
            "yellow",
        )
    left = 0
    if settings is not None:
        left = _left(settings, scope) if scope is not None else 0
        output().print(f"left in the index: {left}")
    if left:
        note(
            "What came in while the erasure was under way is still there; erase again once nothing is sent any more.", "yellow"
        )
    if left or refused:
        raise typer.Exit(1)


def _scope(event: "ErasureEvent", settings: "mneme.Settings") -> "Filter | None":
    """Rows that must be gone afterwards; None for an unknown conversation."""
    from connectors.indices import open_index
    from flows.lanes.owners import owner_in
    from mneme.ports import Filter

    if isinstance(event, mneme.Erase):
        return Filter(event.tenant_id, (event.owner.key,), (event.owner.id,), hidden=True)
    if isinstance(event, mneme.ForgetDocument):
        return Filter(event.tenant_id, (event.owner.key,), (event.owner.id,), document_ids=(event.document_id,), hidden=True)
    with closing(open_index(settings, read_only=True)) as index:
        owner = owner_in(index, event.tenant_id, event.conversation_id)
    if owner is None:
        return None
    return Filter(event.tenant_id, (owner.key,), (owner.id,), conversation_ids=(event.conversation_id,), hidden=True)


def _left(settings: "mneme.Settings", scope: "Filter") -> int:
    from connectors.indices import open_index
    from mneme.rows import Collection

    with closing(open_index(settings, read_only=True)) as index:
        return sum(index.count(collection, scope) for collection in Collection)
