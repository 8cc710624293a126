"""Owners: ``GET /owners``, ``GET /export``, and erasures of an owner, a conversation or a document with their receipts."""

import os
import pathlib
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import IO, Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from mneme import problems
from mneme.errors import InputError
from mneme.events import Erase, Forget, ForgetDocument, Name
from queries.browsing.responses import OwnerSummary
from queries.responses import ResponseModel
from serving.clients import one_owner
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.problems import ProblemRaised
from serving.rest.requests import CallerIn, OwnerParameters, RequestModel, ServiceIn, TenantId, Wait, WaitParameters
from serving.service.service import ErasureEvent, ErasureStatus, Service

router = APIRouter(prefix=API, tags=["memories"])


class OwnersAsked(RequestModel):
    """The tenant whose owners are listed."""

    tenant_id: TenantId = None


class OwnerList(ResponseModel):
    """Owners, that of the latest message first; at most 1,000."""

    items: tuple[OwnerSummary, ...]


@router.get("/owners", summary="List owners", responses=problem_responses(409, 503))
def owners(asked: Annotated[OwnersAsked, Query()], service: ServiceIn, caller: CallerIn) -> OwnerList:
    """List the owners of a tenant: users, groups, agents."""
    return OwnerList(items=service.memories.owners(caller.tenant_of(asked.tenant_id)))


EXPORT = "application/octet-stream"  # a file of lines of JSON; generators of clients know no type of that
_PIECE_BYTES = 65_536


@router.get(
    "/export",
    summary="Export",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A header, a line for each row, an end with count and hash",
            "content": {EXPORT: {"schema": {"type": "string"}, "example": '{"mneme":"export","format":1}\n'}},
        },
        **problem_responses(409, 503),
    },
)
@uses_pool("waits")
def export(asked: Annotated[OwnerParameters, Query()], service: ServiceIn, caller: CallerIn) -> StreamingResponse:
    """Export everything known of an owner, for `mneme admin import`. If the memory changes meanwhile, it is 503: repeat it."""
    from flows.maintenance.transfer import export_owner

    with TemporaryDirectory(prefix="mneme-export-") as folder:
        name = os.path.join(folder, "export.jsonl")
        export_owner(asked.owner(caller), pathlib.Path(name), service.settings)
        file = open(name, "rb")  # noqa: SIM115  closed when the answer ends
    # The file has no name any more: however the answer ends, nothing of the memory is left on the disk.
    headers = {
        "Content-Length": str(os.fstat(file.fileno()).st_size),
        "Content-Disposition": 'attachment; filename="mneme-export.jsonl"',
    }
    return StreamingResponse(_pieces(file), media_type=EXPORT, headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


ErasureId = Annotated[str, Path(min_length=1, max_length=512)]


class ErasureRequest(OwnerParameters):
    """Scope of an erasure: a conversation (of an owner, if named), a document (of one, or the tenant's), or an owner."""

    conversation_id: Name | None = None
    document_id: Name | None = None
    wait: Wait = 0.0


@router.delete(
    "/memories",
    summary="Erase",
    responses={
        200: {"description": "The receipt"},
        202: {"description": "Sent, without a receipt yet", "model": ErasureStatus},
        **problem_responses(404, 409, 503),
    },
)
@uses_pool("waits")
def erase(asked: Annotated[ErasureRequest, Query()], service: ServiceIn, caller: CallerIn, response: Response) -> ErasureStatus:
    """Erase a conversation, a document, or everything of an owner for good. Later messages begin anew.

    A file behind a `uri` stays.
    """
    event = _event(asked, caller.tenant_of(asked.tenant_id))
    if isinstance(event, Forget):
        _check_owner(event, asked, service)
    done = service.erase(event, min(asked.wait, service.settings.service.wait_seconds))
    response.status_code = 202 if done.receipt is None else 200
    return done


def _check_owner(event: Forget, asked: ErasureRequest, service: Service) -> None:
    """
    Raises:
        ProblemRaised: an owner is named, and the conversation is another's. Of an unknown one anything may be unread still.
    """
    if not asked.whose:
        return
    named = one_owner(asked.user_id, asked.group_id, asked.agent_id, event.tenant_id)
    owner = service.owner_of_conversation(event.tenant_id, event.conversation_id)
    if owner is not None and owner != named:
        raise ProblemRaised(
            problems.NOT_FOUND,
            "conversation_id: there is no conversation of this name in this memory; GET /conversations lists those there are",
        )


def _event(asked: ErasureRequest, tenant: str) -> ErasureEvent:
    named = asked.whose
    if asked.conversation_id is not None and asked.document_id is not None:
        raise InputError("conversation_id and document_id are both given; erase one after the other")
    if len(named) > 1:
        raise InputError("give one of user_id, group_id and agent_id: it says whose memory is meant")
    if asked.conversation_id is not None:
        return Forget.model_validate({"tenant_id": tenant, "conversation_id": asked.conversation_id})
    if asked.document_id is not None:
        return ForgetDocument.model_validate({"tenant_id": tenant, **named, "document_id": asked.document_id})
    if not named:
        raise InputError("give one of user_id, group_id, agent_id, conversation_id and document_id: it says what is erased")
    return Erase.model_validate({"tenant_id": tenant, **named})


@router.get("/erasures/{id:name}", summary="The receipt of an erasure", responses=problem_responses(409, 503))
@uses_pool("waits")
def erasure(id: ErasureId, asked: Annotated[WaitParameters, Query()], service: ServiceIn, caller: CallerIn) -> ErasureStatus:
    """Return the receipt of an erasure, once nothing is left; `wait` waits for it."""
    tenant = caller.tenant_of(asked.tenant_id)
    return service.erasure(tenant, id, min(asked.wait, service.settings.service.wait_seconds))
