"""``POST /events``, ``/flush`` and ``/flushes``: events for the stream, and waiting until they are searchable."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BeforeValidator, Field

from mneme.errors import InputError
from mneme.events import AnyEvent, Name, named_within, parse_event
from mneme.times import utc_now
from queries.responses import ResponseModel
from serving.rest.keys import Caller
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.requests import (
    MOST_ENTRIES,
    MOST_MESSAGES,
    CallerIn,
    OwnerParameters,
    RequestModel,
    ServiceIn,
    Wait,
    WaitParameters,
    examples,
    json_object,
    with_tenant,
)
from serving.service.service import FlushStatus

router = APIRouter(prefix=API, tags=["stream"])

EventField = Annotated[dict[str, Any], BeforeValidator(json_object, json_schema_input_type=AnyEvent)]


class EventsRequest(RequestModel):
    """Events, in order."""

    model_config = examples(
        {
            "events": [
                {
                    "event": "message",
                    "conversation_id": "plans",
                    "user_id": "user_123",
                    "message_id": "m1",
                    "sent_at": "2026-03-02T09:00:00+00:00",
                    "content": "The release moves to Friday.",
                },
                {"event": "flush", "conversation_id": "plans", "flush_id": "plans-1"},
            ]
        }
    )

    events: Annotated[tuple[EventField, ...], Field(min_length=1, max_length=MOST_MESSAGES)]
    backfill: bool = Field(default=False, strict=True, description="read them after all live events")


class EventsAccepted(ResponseModel):
    """Number of events that are stored and will be read."""

    accepted: int


@router.post("/events", status_code=202, summary="Send events", responses=problem_responses(409, 503))
def send_events(asked: EventsRequest, service: ServiceIn, caller: CallerIn) -> EventsAccepted:
    """Send events of any kind (docs/events.md). A message that arrives twice with its `message_id` counts once."""
    events = events_of("events", asked.events, caller)
    service.accept(events, asked.backfill)
    return EventsAccepted(accepted=len(events))


def events_of(field: str, given: Sequence[Mapping[str, Any]], caller: Caller) -> list[AnyEvent]:
    """Events of a request, checked as those of a topic are. Messages without a time of their own stay in order.

    Raises:
        InputError: one of them is wrong; the message says which.
        Forbidden: one is for another tenant.
    """
    now, events = utc_now(), []
    for place, event in enumerate(given):
        received_at = now - timedelta(milliseconds=len(given) - 1 - place)
        try:
            events.append(parse_event(json.dumps(with_tenant(event, caller)).encode(), received_at))
        except InputError as error:
            raise named_within(f"{field}.{place}", error) from error
    return events


FlushId = Annotated[str, Path(min_length=1, max_length=512)]


class FlushRequest(OwnerParameters):
    """Conversations, or an owner: then all of its conversations that have anything open."""

    model_config = examples({"conversation_id": "plans", "timeout": 10}, {"user_id": "user_123"})

    conversation_id: Annotated[tuple[Name, ...], Field(max_length=MOST_ENTRIES)] | Name = ()
    timeout: Annotated[Wait, Field(strict=True)] = 30.0

    @property
    def conversations(self) -> tuple[str, ...]:
        """The conversations that are named, each once."""
        given = (self.conversation_id,) if isinstance(self.conversation_id, str) else self.conversation_id
        return tuple(dict.fromkeys(given))


@router.post(
    "/flush",
    summary="Make searchable now",
    responses={
        202: {"description": "Not searchable yet", "model": FlushStatus},
        **problem_responses(409, 503),
    },
)
@uses_pool("waits")
def flush(asked: FlushRequest, service: ServiceIn, caller: CallerIn, response: Response) -> FlushStatus:
    """End the open episodes of conversations, and wait until everything sent before is searchable."""
    tenant = caller.tenant_of(asked.tenant_id)
    timeout = min(asked.timeout, service.settings.service.wait_seconds)
    if asked.conversations and asked.whose:
        raise InputError(f"conversation_id and {', '.join(asked.whose)}: give one, not both; a conversation has one owner")
    if not (asked.conversations or asked.whose):
        raise InputError("give a conversation_id, or one of user_id, group_id and agent_id: it says what is flushed")
    if asked.whose:
        status = service.flush_owner(asked.owner(caller), timeout)
    else:
        status = service.flush(tenant, asked.conversations, timeout)
    response.status_code = 200 if status.searchable else 202
    return status


@router.get("/flushes/{id:name}", summary="Whether a flush is done", responses=problem_responses(409, 503))
@uses_pool("waits")
def flushed(id: FlushId, asked: Annotated[WaitParameters, Query()], service: ServiceIn, caller: CallerIn) -> FlushStatus:
    """Tell whether everything sent before a flush is searchable; `wait` waits for it.

    The answer stays no if the flush was never sent.
    """
    tenant = caller.tenant_of(asked.tenant_id)
    began = time.monotonic()
    is_done = service.wait_for_flush(tenant, id, min(asked.wait, service.settings.service.wait_seconds))
    missing = () if is_done else (id,)
    seconds = round(time.monotonic() - began, 3)
    return FlushStatus(flush_ids=(id,), conversation_ids=(), missing=missing, seconds=seconds)
