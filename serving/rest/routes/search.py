"""``POST /memories/search``, ``/memories/context`` and ``/ask``: memories for a question, a text of them, an answer."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from pydantic import BaseModel, Field

from mneme import problems
from mneme.errors import MnemeError
from queries import AnswerResponse, AnswerStream, ContextResponse, QueryPolicy, SearchResponse
from queries.questions.understand import LONGEST_QUESTION
from queries.responses import Method
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import RequestPools, uses_pool
from serving.rest.problems import problem_details
from serving.rest.requests import MOST_ENTRIES, CallerIn, FiltersField, PoolsIn, RequestModel, ServiceIn, examples, with_tenant

router = APIRouter(prefix=API, tags=["search"])

Agent = Literal["direct", "split", "chain", "reflect", "router"]
TopK = Field(default=None, strict=True, ge=1, le=1000, description="number of results; default: by the type of the question")


class Policy(RequestModel):
    """Budget of an agent for one question, within the settings."""

    searches: int | None = Field(default=None, strict=True, ge=1)
    calls: int | None = Field(default=None, strict=True, ge=0, description="of the chat model")
    tokens: int | None = Field(default=None, strict=True, ge=0)
    seconds: float | None = Field(default=None, strict=True, gt=0)


class SearchRequest(RequestModel):
    """A question, and whose memory answers it."""

    model_config = examples(
        {
            "query": "what did we decide about the Q2 deadline?",
            "method": "hybrid",
            "filters": {"user_id": "user_123"},
            "top_k": 10,
        }
    )

    query: str = Field(max_length=LONGEST_QUESTION, description="in any language")
    method: Method = "hybrid"
    filters: FiltersField
    top_k: int | None = TopK
    explain: bool = Field(default=False, strict=True, description="return the trace of every stage")
    agent: Agent | None = Field(default=None, description="of `agentic`; default: `MNEME_AGENTS__AGENT`")
    agent_mode: bool = Field(default=False, strict=True, description="`agentic` with the router; all scores are 1")
    policy: Policy | None = Field(default=None, description="lower limits for `agentic`")
    expand_context: int = Field(
        default=0, strict=True, ge=0, le=50, description="messages to show around each found one, without a rank"
    )


@router.post("/memories/search", summary="Search", responses=problem_responses(409, 502, 503, 504))
@uses_pool("searches")
def search(asked: SearchRequest, service: ServiceIn, caller: CallerIn) -> SearchResponse:
    """Search episodes, facts and everything else that is remembered, in one ranking.

    Only `hybrid` and `agentic` fill `facts`. An episode carries its best facts with every method.
    """
    options: dict[str, Any] = asked.model_dump(exclude={"query", "method", "filters", "policy"})
    if asked.policy is not None:
        options["policy"] = QueryPolicy(**asked.policy.model_dump())
    return service.memories.search(asked.query, asked.method, with_tenant(asked.filters, caller), **options)


class ContextRequest(RequestModel):
    """A question for whose prompt a text of memories is wanted."""

    model_config = examples({"question": "what should I cook for Mira?", "filters": {"user_id": "mira"}, "max_tokens": 1500})

    question: str = Field(max_length=LONGEST_QUESTION, description="in any language")
    filters: FiltersField
    max_tokens: int = Field(default=1500, strict=True, ge=50, le=100_000, description="length of the text")
    method: Method = "hybrid"
    agent: Agent | None = Field(default=None, description="of `agentic`; default: `MNEME_AGENTS__AGENT`")
    top_k: int | None = TopK


@router.post("/memories/context", summary="Context for a prompt", responses=problem_responses(409, 502, 503, 504))
@uses_pool("searches")
def context(asked: ContextRequest, service: ServiceIn, caller: CallerIn) -> ContextResponse:
    """One text to paste into the prompt of a model of your own. `citations` holds the ids of the numbered memories."""
    options: dict[str, Any] = asked.model_dump(exclude={"question", "filters"})
    return service.memories.context(asked.question, with_tenant(asked.filters, caller), **options)


_PING_SECONDS = 15.0  # of silence, after which a proxy is told that the answer still goes on

Turn = tuple[Literal["user", "assistant"], Annotated[str, Field(max_length=LONGEST_QUESTION)]]


class AskRequest(RequestModel):
    """A question that is to be answered."""

    model_config = examples(
        {"question": "When is Jason's birthday?", "filters": {"user_id": "user_123"}},
        {
            "question": "and where does she work?",
            "filters": {"user_id": "user_123"},
            "history": [["user", "Who is Clara Novak?"], ["assistant", "The CEO of Acme."]],
            "stream": True,
        },
    )

    question: str = Field(max_length=LONGEST_QUESTION, description="in any language; the answer has the same")
    filters: FiltersField
    method: Method = "hybrid"
    agent: Agent | None = Field(default=None, description="of `agentic`; default: `MNEME_AGENTS__AGENT`")
    top_k: int | None = TopK
    history: tuple[Turn, ...] = Field(
        default=(),
        max_length=MOST_ENTRIES,
        description="the conversation before the question, oldest first: pairs of role and text",
    )
    explain: bool = Field(default=False, strict=True, description="return the context of the answer")
    stream: bool = Field(default=False, strict=True, description="answer with server-sent events")


@router.post(
    "/ask",
    summary="Ask",
    response_model=AnswerResponse,
    responses={
        200: {
            "description": "The answer, or with `stream` its events",
            "content": {
                "text/event-stream": {
                    "schema": {"type": "string"},  # to generators that know no itemSchema: no unknown beside the answer
                    "itemSchema": {
                        "type": "object",
                        "properties": {
                            "event": {"type": "string", "enum": ["piece", "answer", "problem"]},
                            "data": {"type": "string", "contentMediaType": "application/json"},
                        },
                        "required": ["event", "data"],
                    },
                    "example": 'event: piece\ndata: {"text":"On 4 May"}\n\nevent: answer\ndata: {"answer":"On 4 May [1]"}\n\n',
                }
            },
        },
        **problem_responses(409, 502, 503, 504),
    },
)
@uses_pool("searches")
def ask(asked: AskRequest, service: ServiceIn, caller: CallerIn, pools: PoolsIn, request: Request) -> AnswerResponse | Response:
    """Answer a question from what is remembered, with citations. If the memory does not hold the answer, it says so."""
    options: dict[str, Any] = asked.model_dump(exclude={"question", "filters", "stream"})
    answer = service.memories.ask_stream(asked.question, with_tenant(asked.filters, caller), **options)
    if not asked.stream:
        return answer.response
    return EventSourceResponse(
        _kept_alive(answer, pools, request.state.identity), headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    )


class Piece(BaseModel):
    """A piece of an answer."""

    text: str


def _events(answer: AnswerStream) -> Generator[bytes, None, None]:
    """The answer as server-sent events. To close this ends the call of the model."""
    try:
        for piece in answer:
            yield _event("piece", Piece(text=piece))
        yield _event("answer", answer.response)
    except MnemeError as error:
        yield _event("problem", problem_details(problems.problem_of(error), str(error)))
    finally:
        answer.close()


def _event(name: str, data: BaseModel) -> bytes:
    return format_sse_event(event=name, data_str=data.model_dump_json())


async def _kept_alive(answer: AnswerStream, pools: RequestPools, identity: str) -> AsyncGenerator[bytes, None]:
    """The events, with a comment where the model is silent for long; each is made in a thread, in a turn of the searches."""
    events = _events(answer)
    making: asyncio.Future[bytes | None] | None = None

    async def made() -> bytes | None:
        async with pools.searches.place(identity):
            return await to_thread.run_sync(next, events, None)

    try:
        while True:
            making = asyncio.ensure_future(made())
            while not (await asyncio.wait({making}, timeout=_PING_SECONDS))[0]:
                yield KEEPALIVE_COMMENT
            if (event := making.result()) is None:
                return
            yield event
    finally:
        if making is None or making.done():
            events.close()
        else:  # nobody reads it any more: it ends with the piece that is being made

            def end(made: asyncio.Future[bytes | None]) -> None:
                made.cancelled() or made.exception()  # else it is told as one that nobody looked at
                events.close()

            making.add_done_callback(end)
