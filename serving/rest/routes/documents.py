"""``/documents``: send a file, list what there is. ``DELETE /memories`` erases one."""

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import Field

from mneme.errors import InputError
from mneme.events import Name
from queries.browsing.responses import DocumentList
from queries.responses import ResponseModel
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.requests import MOST_ENTRIES, CallerIn, PeriodParameters, ServiceIn

router = APIRouter(prefix=API, tags=["documents"])


class DocumentsAsked(PeriodParameters):
    """Documents of an owner; ``since`` and ``before`` are about their dates."""

    conversation_id: tuple[Name, ...] = Field(
        default=(), max_length=MOST_ENTRIES, description="only attachments of these conversations"
    )
    document_id: tuple[Name, ...] = Field(default=(), max_length=MOST_ENTRIES)
    knowledge: bool = Field(default=True, description="list the documents of the tenant too")


class DocumentAccepted(ResponseModel):
    """A document that is kept, and will be read. The same ``document_id`` again is a new version."""

    document_id: str
    name: str


@router.get("/documents", summary="List documents", responses=problem_responses(409, 503))
def documents(asked: Annotated[DocumentsAsked, Query()], service: ServiceIn, caller: CallerIn) -> DocumentList:
    """List documents and attachments, newest first, with what of each was read."""
    return service.memories.documents(asked.filters(caller))


@router.post("/documents", status_code=202, summary="Send a document", responses=problem_responses(409, 503))
@uses_pool("uploads")
def send_document(
    file: Annotated[UploadFile, File(description="the document")],
    service: ServiceIn,
    caller: CallerIn,
    document_id: Annotated[Name | None, Form(description="default: owner and name")] = None,
    name: Annotated[Name | None, Form(description="cited by this name; default: that of the file")] = None,
    user_id: Annotated[Name | None, Form(description="the owner; without one it belongs to the tenant")] = None,
    group_id: Annotated[Name | None, Form()] = None,
    agent_id: Annotated[Name | None, Form()] = None,
    tenant_id: Annotated[Name | None, Form()] = None,
    dated_at: Annotated[datetime | None, Form(description="its date; default: the date in it, else `modified_at`")] = None,
    modified_at: Annotated[datetime | None, Form(description="last change of its file; default: now")] = None,
    metadata: Annotated[
        str | None, Form(max_length=65_536, description="a JSON object", examples=['{"project": "dockside"}'])
    ] = None,
    flush_id: Annotated[str, Form(max_length=512, description="`GET /flushes/{id}` tells when it is searchable")] = "",
) -> DocumentAccepted:
    """Send a file. It is searchable once it was read; `GET /documents` tells what of it was."""
    event = service.publisher.send_document(
        file.file.read(),
        document_id=document_id,
        name=name or file.filename or document_id,
        user_id=user_id,
        group_id=group_id,
        agent_id=agent_id,
        tenant_id=caller.tenant_of(tenant_id),
        media_type=file.content_type,
        dated_at=dated_at,
        modified_at=modified_at,
        metadata=_metadata(metadata),
        flush_id=flush_id,
    )
    service.publisher.flush()
    return DocumentAccepted(document_id=event.document_id, name=event.name)


def _metadata(given: str | None) -> dict[str, Any]:
    try:
        metadata = json.loads(given) if given else {}
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise InputError('metadata: no JSON object; send one as text ({"project": "dockside"})')
    return metadata
