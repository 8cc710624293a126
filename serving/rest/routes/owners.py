"""``GET /owners``: whose memory a tenant has."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from mneme.events import Name
from queries.browsing.responses import OwnerSummary
from serving.rest.front.places import API
from serving.rest.openapi import refusals
from serving.rest.requests import Asked, CallerIn, ServiceIn

router = APIRouter(prefix=API, tags=["memories"])


class OwnersAsked(Asked):
    """Of which tenant."""

    tenant_id: Name | None = None


class OwnerList(BaseModel):
    """Owners, that of the latest message first; at most 1,000."""

    model_config = ConfigDict(frozen=True)

    items: tuple[OwnerSummary, ...]


@router.get("/owners", summary="List owners", responses=refusals(409, 503))
def owners(asked: Annotated[OwnersAsked, Query()], service: ServiceIn, caller: CallerIn) -> OwnerList:
    """Whose memory there is: users, groups, agents."""
    return OwnerList(items=service.memories.owners(caller.tenant_of(asked.tenant_id)))
