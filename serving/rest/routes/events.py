"""``POST /events``: any event of the stream, as a topic takes it."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from mneme.errors import InputError
from mneme.events import AnyEvent, parse_event
from mneme.times import utc_now
from serving.rest.entries import MOST_MESSAGES
from serving.rest.front.places import API
from serving.rest.keys import Caller
from serving.rest.openapi import refusals
from serving.rest.requests import Asked, CallerIn, ServiceIn, a_json_object, of_tenant

router = APIRouter(prefix=API, tags=["stream"])

AskedEvent = Annotated[dict[str, Any], BeforeValidator(a_json_object, json_schema_input_type=AnyEvent)]


class EventsRequest(Asked):
    """Events, in order."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "events": [
                        {
                            "event": "message",
                            "conversation_id": "standup",
                            "user_id": "user_123",
                            "message_id": "m1",
                            "sent_at": "2026-03-02T09:00:00+00:00",
                            "content": "The release moves to Friday.",
                        },
                        {"event": "flush", "conversation_id": "standup", "flush_id": "standup-1"},
                    ]
                }
            ]
        }
    )

    events: Annotated[tuple[AskedEvent, ...], Field(min_length=1, max_length=MOST_MESSAGES)]
    backfill: bool = Field(default=False, strict=True, description="behind everything live: for history")


class EventsAccepted(BaseModel):
    """How many events are kept, and will be read."""

    model_config = ConfigDict(frozen=True)

    accepted: int


@router.post("/events", status_code=202, summary="Send events", responses=refusals(409, 503))
def send_events(asked: EventsRequest, service: ServiceIn, caller: CallerIn) -> EventsAccepted:
    """Events as they go on the stream (docs/events.md): all of them are kept when this returns.

    To send again what may have failed is safe: a message that arrives twice, with its `message_id`, counts once.
    """
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
            events.append(parse_event(json.dumps(of_tenant(event, caller)).encode(), received_at))
        except InputError as error:
            raise InputError(f"{field}.{place}.{error}") from error
    return events
