"""``POST /memories/search``: the memories that answer a question."""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from queries import QueryPolicy, SearchResponse
from queries.questions.understand import LONGEST_QUESTION
from queries.responses import Method
from serving.rest.front.places import API
from serving.rest.openapi import refusals
from serving.rest.requests import Asked, AskedFilters, CallerIn, ServiceIn, of_tenant
from serving.rest.turns import takes

router = APIRouter(prefix=API, tags=["search"])

Agent = Literal["direct", "split", "chain", "reflect", "router"]
TopK = Field(
    default=None, strict=True, ge=1, le=1000, description="places of the one ranked list; null: by the type of the question"
)


class Policy(Asked):
    """What an agent may spend on one question, within the settings."""

    searches: int | None = Field(default=None, strict=True, ge=1)
    calls: int | None = Field(default=None, strict=True, ge=0, description="of the chat model")
    tokens: int | None = Field(default=None, strict=True, ge=0)
    seconds: float | None = Field(default=None, strict=True, gt=0)


class SearchRequest(Asked):
    """A question, and whose memory answers it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "query": "what did we decide about the Q2 deadline?",
                    "method": "hybrid",
                    "filters": {"user_id": "user_123"},
                    "top_k": 10,
                }
            ]
        }
    )

    query: str = Field(max_length=LONGEST_QUESTION, description="in any language")
    method: Method = "hybrid"
    filters: AskedFilters
    top_k: int | None = TopK
    explain: bool = Field(default=False, strict=True, description="whether the response holds the trace of every stage")
    agent: Agent | None = Field(default=None, description="of `agentic`; null: of the settings")
    agent_mode: bool = Field(default=False, strict=True, description="`agentic` with the router; all scores are 1")
    policy: Policy | None = None
    expand_context: int = Field(
        default=0, strict=True, ge=0, le=50, description="messages around each found one, shown without a rank"
    )
    order: Literal["score", "chronological"] = "score"


@router.post("/memories/search", summary="Search", responses=refusals(409, 502, 503, 504))
@takes("searches")
def search(asked: SearchRequest, service: ServiceIn, caller: CallerIn) -> SearchResponse:
    """The memories that answer a question: episodes, facts, and what else is remembered, in one ranking.

    `facts` is filled by mRAG only: `hybrid`, and `agentic`, which searches with it; an episode carries its best facts with
    every method.
    """
    options: dict[str, Any] = asked.model_dump(exclude={"query", "method", "filters", "policy"})
    if asked.policy is not None:
        options["policy"] = QueryPolicy(**asked.policy.model_dump())
    return service.memories.search(asked.query, asked.method, of_tenant(asked.filters, caller), **options)
