"""``/memories``: put messages in; list, read, correct and take away what is remembered."""

from collections.abc import Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Path, Query, Request, Response
from pydantic import BeforeValidator, Field

from mneme import problems
from mneme.errors import InputError
from mneme.events import Message, Name
from mneme.events.messages import Content
from mneme.ids import content_hash, message_id
from queries.browsing.responses import Memory, MemoryKind, MemoryPage
from queries.responses import ResponseModel
from serving.rest.keys import Caller
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.problems import ProblemRaised
from serving.rest.requests import (
    MOST_ENTRIES,
    MOST_MESSAGES,
    After,
    CallerIn,
    FilterParameters,
    Limit,
    OwnerParameters,
    PeriodParameters,
    PoolsIn,
    RequestModel,
    ServiceIn,
    Wait,
    examples,
    json_object,
    with_tenant,
)
from serving.rest.routes.stream import events_of
from serving.service.amending import KINDS, correction_of, retractions_of
from serving.service.service import FlushStatus, Service

router = APIRouter(prefix=API, tags=["memories"])

_MOST_SHOWN = 20  # messages that something comes from
_ID_DIGITS = 32  # of a message that got its id here
MemoryId = Annotated[str, Path(max_length=2048, description="percent-encoded, slashes too", examples=["default/plans/m1"])]
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=255, description="gives an id to messages without one, so that a retry changes nothing"),
]


class MessagesRequest(RequestModel):
    """Messages, in order."""

    model_config = examples(
        {
            "messages": [
                {
                    "conversation_id": "plans",
                    "user_id": "user_123",
                    "sender_name": "Maya",
                    "content": "The release moves to Friday.",
                }
            ],
            "flush": True,
            "wait": 10,
        }
    )

    messages: Annotated[
        tuple[Annotated[dict[str, Any], BeforeValidator(json_object, json_schema_input_type=Message)], ...],
        Field(min_length=1, max_length=MOST_MESSAGES),
    ]
    flush: bool = Field(default=False, strict=True, description="end the open episodes now")
    wait: Annotated[Wait, Field(strict=True)] = Field(
        default=0.0,
        description="with `flush`: seconds to wait until all is searchable, at most 60",
    )


class Accepted(ResponseModel):
    """A message that is kept: ``id`` of the memory, ``message_id`` the caller's own or the one it got."""

    id: str
    conversation_id: str
    message_id: str


class MessagesAccepted(ResponseModel):
    """Messages that are kept, in order; ``flush`` says which of them are searchable, where one was asked for."""

    accepted: tuple[Accepted, ...]
    flush: FlushStatus | None = None


@router.post(
    "/memories",
    status_code=202,
    summary="Remember messages",
    responses={
        200: {"description": "Searchable", "model": MessagesAccepted},
        202: {"description": "Stored, not searchable yet"},
        **problem_responses(409, 503),
    },
)
@uses_pool("none")
async def remember(
    asked: MessagesRequest,
    service: ServiceIn,
    caller: CallerIn,
    pools: PoolsIn,
    request: Request,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> MessagesAccepted:
    """Store messages. Each is found within about a second; its facts are found when its episode ends.

    With `flush` the episode ends now. With `wait` too, the answer comes once all of it is searchable: 200. If the time is
    over first, it is 202, and `flush.missing` names the rest.

    With an `Idempotency-Key`, a message without a `message_id` gets one from the key and its place. A message is known by
    its id: other content under a used key is not taken in.
    """
    if asked.wait and not asked.flush:
        raise InputError('wait: needs "flush": true, which ends the episode that is waited for')
    async with pools.admit("waits" if asked.wait else "others", request.state.identity):
        accepted = await to_thread.run_sync(_remembered, asked, service, caller, idempotency_key)
    response.status_code = 200 if asked.wait and accepted.flush is not None and accepted.flush.searchable else 202
    return accepted


def _remembered(asked: MessagesRequest, service: Service, caller: Caller, idempotency_key: str | None) -> MessagesAccepted:
    given = asked.messages
    if idempotency_key is not None:
        given = tuple(_named(message, idempotency_key, place, caller) for place, message in enumerate(given))
    events = events_of("messages", [{**message, "event": "message"} for message in given], caller)
    messages = [event for event in events if isinstance(event, Message)]
    service.accept(messages)
    accepted = tuple(
        Accepted(
            id=message_id(each.tenant_id, each.conversation_id, each.message_id),
            conversation_id=each.conversation_id,
            message_id=each.message_id,
        )
        for each in messages
    )
    flush = None
    if asked.flush:
        named = dict.fromkeys((each.tenant_id, each.conversation_id) for each in messages)
        flush = service.flush_all(named, min(asked.wait, service.settings.service.wait_seconds))
        if asked.wait and flush.searchable:
            _refuse_foreign(messages, service)
    return MessagesAccepted(accepted=accepted, flush=flush)


def _refuse_foreign(messages: Sequence[Message], service: Service) -> None:
    """Raise InputError for a message that the flow did not take in, since its conversation is another owner's.

    Asked when the flow has decided: before, the index may not know the first message yet. Whose it is stays untold.
    """
    named = dict.fromkeys((each.tenant_id, each.conversation_id) for each in messages)
    owners = {each: service.owner_of_conversation(*each) for each in named}
    for place, each in enumerate(messages):
        if owners[each.tenant_id, each.conversation_id] not in (None, each.owner):
            raise InputError(
                f"messages.{place}.{each.owner.type}_id: conversation {each.conversation_id} belongs to another owner, so the "
                "message is in the dead letters; use a conversation_id of its own. Messages of the owner are kept"
            )


def _named(message: dict[str, Any], key: str, place: int, caller: Caller) -> dict[str, Any]:
    if message.get("message_id"):
        return message
    tenant = with_tenant(message, caller)["tenant_id"]
    name = "\0".join((str(tenant), str(message.get("conversation_id")), key, str(place)))
    return {**message, "message_id": content_hash(name.encode("utf-8", "surrogatepass"))[:_ID_DIGITS]}


class MemoriesAsked(PeriodParameters):
    """Memories of an owner, of one kind or all."""

    kind: MemoryKind | None = Field(default=None, description="default: everything of the owner")
    conversation_id: tuple[Name, ...] = Field(default=(), max_length=MOST_ENTRIES)
    document_id: tuple[Name, ...] = Field(default=(), max_length=MOST_ENTRIES)
    limit: Limit = 50
    after: After = None


@router.get("/memories", summary="List memories", responses=problem_responses(409, 503))
def browse(asked: Annotated[MemoriesAsked, Query()], service: ServiceIn, caller: CallerIn) -> MemoryPage:
    """List memories of a kind, newest first."""
    return service.memories.browse(asked.kind, asked.filters(caller), asked.limit, asked.after)


@router.get("/memories/{id:name}", summary="One memory", responses=problem_responses(404, 409, 503))
def get(id: MemoryId, asked: Annotated[FilterParameters, Query()], service: ServiceIn, caller: CallerIn) -> Memory:
    """A memory of any kind, by its id."""
    return _found(id, asked, service, caller)


class Correction(RequestModel):
    """New content of a message, or the right words in place of a fact's."""

    model_config = examples({"content": "The release moves to Monday."})

    content: Content


@router.patch("/memories/{id:name}", status_code=202, summary="Correct a memory", responses=problem_responses(404, 409, 503))
def correct(
    id: MemoryId, asked: Annotated[OwnerParameters, Query()], correction: Correction, service: ServiceIn, caller: CallerIn
) -> Accepted:
    """Give a message new content; what was made of it is made again.

    For a fact or foresight the content becomes a message of its own, which the answer names. The old statement ends, and
    its `superseded_by` names the new one.
    """
    memory = _found(id, asked, service, caller)
    content = correction.model_dump(exclude_none=True)["content"]
    if _is_statement(memory) and isinstance(content, str):
        event = correction_of(service.memories, memory, content)
        service.accept([event])
        named = message_id(event.tenant_id, event.conversation_id, event.message_id)
        return Accepted(id=named, conversation_id=event.conversation_id, message_id=event.message_id)
    message = _message(memory, "corrected")
    _change(message, {"event": "edit", "content": content}, asked, service, caller)
    return message


@router.delete("/memories/{id:name}", status_code=202, summary="Take a memory away", responses=problem_responses(404, 409, 503))
def delete(id: MemoryId, asked: Annotated[OwnerParameters, Query()], service: ServiceIn, caller: CallerIn) -> Accepted:
    """Delete a message, with all that was made of it alone.

    For a fact or foresight, its words are deleted from every message that says them. Anything else is refused with 409,
    which names its messages.
    """
    memory = _found(id, asked, service, caller)
    if _is_statement(memory):
        events = retractions_of(service.memories, memory)
        service.accept(events)
        return Accepted(id=memory.id, conversation_id=events[0].conversation_id, message_id=events[0].message_id)
    message = _message(memory, "taken away")
    _change(message, {"event": "delete"}, asked, service, caller)
    return message


def _found(id: str, asked: OwnerParameters, service: Service, caller: Caller) -> Memory:
    """
    Raises:
        ProblemRaised: there is none in this owner's memory.
    """
    memory = service.memories.get(id, asked.filters(caller))
    if memory is None:
        raise ProblemRaised(problems.NOT_FOUND, "id: there is nothing of this name in this memory; is the id percent-encoded?")
    return memory


def _is_statement(memory: Memory) -> bool:
    """Return whether words of a conversation say it."""
    return memory.kind in KINDS and memory.document_id is None


def _message(memory: Memory, what: str) -> Accepted:
    """The message that is meant.

    Raises:
        ProblemRaised: it is no message of a conversation, but made from some.
    """
    own = memory.message_ids or (str(memory.body.get("message_id", "")),)
    if memory.kind == "message" and memory.conversation_id is not None and memory.document_id is None:
        return Accepted(id=memory.id, conversation_id=memory.conversation_id, message_id=own[0])
    if memory.document_id is not None:
        source = f"document {memory.document_id}; send that again, or erase it"
    else:
        source = f"these messages of conversation {memory.conversation_id}: {', '.join(own[:_MOST_SHOWN])}"
    article = "an" if memory.kind[0] in "aeiou" else "a"
    raise ProblemRaised(problems.DERIVED, f"id: {article} {memory.kind} is not {what} itself; it comes from {source}")


def _change(message: Accepted, change: dict[str, Any], asked: OwnerParameters, service: Service, caller: Caller) -> None:
    tenant = caller.tenant_of(asked.tenant_id)
    named = {"tenant_id": tenant, "conversation_id": message.conversation_id, "message_id": message.message_id}
    service.accept(events_of("message", [{**named, **change}], caller))
