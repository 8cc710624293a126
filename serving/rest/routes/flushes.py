"""``/flush`` and ``/flushes``: everything that was sent becomes searchable now, and who asks can wait for it."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from mneme.errors import InputError
from mneme.events import Name
from serving.owners import one_owner
from serving.rest.entries import MOST_ENTRIES
from serving.rest.front.places import API
from serving.rest.openapi import refusals
from serving.rest.requests import Asked, CallerIn, OwnerAsked, ServiceIn, Wait
from serving.rest.turns import takes
from serving.service.service import Flushed

router = APIRouter(prefix=API, tags=["stream"])

FlushId = Annotated[str, Path(min_length=1, max_length=512)]


class FlushRequest(OwnerAsked):
    """Conversations, or an owner: then all of its conversations that have anything open."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"conversation_id": "standup", "timeout": 10}, {"user_id": "user_123"}]}
    )

    conversation_id: Annotated[tuple[Name, ...], Field(max_length=MOST_ENTRIES)] | Name = ()
    timeout: Annotated[Wait, Field(strict=True)] = 30.0

    @property
    def conversations(self) -> tuple[str, ...]:
        """The conversations that are named, each once."""
        given = (self.conversation_id,) if isinstance(self.conversation_id, str) else self.conversation_id
        return tuple(dict.fromkeys(given))


class FlushStatus(BaseModel):
    """``searchable`` once everything that was sent before is; else ask for each of ``flush_ids`` again."""

    model_config = ConfigDict(frozen=True)

    flush_ids: tuple[str, ...]
    searchable: bool
    seconds: float = Field(description="that it took so far")


class FlushAsked(Asked):
    """Which flush, and how long to wait for it."""

    tenant_id: Name | None = None
    wait: Wait = 0.0


@router.post(
    "/flush",
    summary="Make searchable now",
    responses={202: {"description": "Not searchable yet when the time was over", "model": FlushStatus}, **refusals(409, 503)},
)
@takes("waits")
def flush(asked: FlushRequest, service: ServiceIn, caller: CallerIn, response: Response) -> FlushStatus:
    """End what is open in conversations, and wait until all that was sent to them before is searchable (202: not yet)."""
    tenant = caller.tenant_of(asked.tenant_id)
    timeout = min(asked.timeout, service.settings.service.wait_seconds)
    has_owner = any((asked.user_id, asked.group_id, asked.agent_id))
    if bool(asked.conversations) == has_owner:
        raise InputError("give a conversation_id, or one of user_id, group_id and agent_id: it says what is flushed")
    if has_owner:
        owner = one_owner(asked.user_id, asked.group_id, asked.agent_id, tenant)
        flushed = service.flush_owner(tenant, owner.key, timeout)
    else:
        flushed = service.flush(tenant, asked.conversations, timeout)
    response.status_code = 200 if flushed.searchable else 202
    return flush_status(flushed)


@router.get("/flushes/{id:name}", summary="Whether a flush is done", responses=refusals(409, 503))
@takes("waits")
def flushed(id: FlushId, asked: Annotated[FlushAsked, Query()], service: ServiceIn, caller: CallerIn) -> FlushStatus:
    """Whether all that was sent before a flush is searchable; with `wait`, as soon as it is.

    What nobody sent is never.
    """
    tenant = caller.tenant_of(asked.tenant_id)
    began = time.monotonic()
    found = service.wait_for_flush(tenant, id, min(asked.wait, service.settings.service.wait_seconds))
    return FlushStatus(flush_ids=(id,), searchable=found, seconds=round(time.monotonic() - began, 3))


def flush_status(*flushed: Flushed) -> FlushStatus:
    """Several flushes as one."""
    return FlushStatus(
        flush_ids=tuple(name for each in flushed for name in each.flush_ids),
        searchable=all(each.searchable for each in flushed),
        seconds=round(max(each.seconds for each in flushed), 3),
    )
