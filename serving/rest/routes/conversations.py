"""Reading without a question: conversations, history, graph and profile."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from mneme import problems
from mneme.events import Name
from queries.browsing.responses import ConversationPage, History, Inspection, Portrait
from queries.responses import Graph
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.problems import ProblemRaised
from serving.rest.requests import (
    MOST_ENTRIES,
    After,
    CallerIn,
    FilterParameters,
    Limit,
    Moment,
    OwnerParameters,
    PeriodParameters,
    ServiceIn,
)

router = APIRouter(prefix=API, tags=["conversations"])

ConversationId = Annotated[str, Path(max_length=2048, examples=["plans"])]


class ConversationsAsked(PeriodParameters):
    """Conversations of an owner in a period."""

    participants: tuple[Name, ...] = Field(default=(), max_length=MOST_ENTRIES)
    limit: Limit = 50
    after: After = None


class HistoryAsked(FilterParameters):
    """About whom or what."""

    entity: str = Field(min_length=1, max_length=512, examples=["Jason"], description="a name, or a part that nobody else has")
    as_of: Moment | None = Field(default=None, description="as it was known then")


class GraphAsked(OwnerParameters):
    """Around whom or what, and how much of it."""

    entity: str | None = Field(default=None, min_length=1, max_length=512, description="default: those mentioned most")
    hops: int = Field(default=1, ge=0, le=3, description="relationships away from it")
    limit: Limit = 50


@router.get("/conversations", summary="List conversations", responses=problem_responses(409, 503))
def conversations(asked: Annotated[ConversationsAsked, Query()], service: ServiceIn, caller: CallerIn) -> ConversationPage:
    """List the conversations of an owner, latest first."""
    return service.memories.conversations(asked.filters(caller), asked.limit, asked.after)


@router.get("/conversations/{id:name}", summary="One conversation", responses=problem_responses(404, 409, 503))
def conversation(
    id: ConversationId, asked: Annotated[FilterParameters, Query()], service: ServiceIn, caller: CallerIn
) -> Inspection:
    """A conversation or a document, episode by episode, with everything that was made of it."""
    inspection = service.memories.inspect(id, asked.filters(caller))
    if inspection is None:
        raise ProblemRaised(problems.NOT_FOUND, "id: there is no conversation or document of this name in this memory")
    return inspection


@router.get("/history", summary="The history of somebody", responses=problem_responses(409, 503))
def history(asked: Annotated[HistoryAsked, Query()], service: ServiceIn, caller: CallerIn) -> History:
    """Everything about a person or a thing in order, with replaced statements."""
    return service.memories.history(asked.entity, asked.filters(caller))


@router.get("/graph", summary="The entity graph", responses=problem_responses(409, 503))
def graph(asked: Annotated[GraphAsked, Query()], service: ServiceIn, caller: CallerIn) -> Graph:
    """Entities and their relationships."""
    return service.memories.graph(asked.entity, asked.filters(caller), asked.hops, asked.limit)


@router.get("/profile", summary="The profile", responses=problem_responses(409, 503))
def profile(asked: Annotated[OwnerParameters, Query()], service: ServiceIn, caller: CallerIn) -> Portrait:
    """Profile of an owner: each line with its evidence, and the facts that changed."""
    return service.memories.portrait(asked.filters(caller))
