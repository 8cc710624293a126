"""Operation: ``/health``, ``/health/live`` and ``/metrics``, which are not under ``/api``; and ``/dead-letters``."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from connectors.dead_letters import without_secrets
from connectors.telemetry.exposition import CONTENT_TYPE, exposition
from mneme.errors import InputError
from mneme.ports import DeadLetter
from mneme.records import Position
from mneme.times import in_utc
from queries.responses import ResponseModel
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.requests import MOST_ENTRIES, After, CallerIn, Limit, Moment, RequestModel, ServiceIn, examples
from serving.service.dead_letters import dead_letter_id, dead_letters_of
from serving.service.health import Health

router = APIRouter(tags=["operation"])


class LiveStatus(ResponseModel):
    """That the process answers."""

    status: Literal["live"] = "live"


class MetricsResponse(Response):
    """Prometheus's text format."""

    media_type = "text/plain"


@router.get(
    "/health",
    summary="Health",
    responses={503: {"description": "Red: the index does not answer, or the flow does not keep up", "model": Health}},
)
@uses_pool("health")
def health(service: ServiceIn, caller: CallerIn, response: Response) -> Health:
    """Health: green if the index answers and the flow keeps up, else red (503). Without a key it is the status alone."""
    found = service.health()
    response.status_code = 200 if found.status == "green" else 503
    return found if caller.tenant else Health(found.status)


@router.get("/health/live", summary="Liveness")
@uses_pool("none")
async def live() -> LiveStatus:
    """Tell that the process answers; the index is not asked."""
    return LiveStatus()


@router.get("/metrics", summary="Metrics", response_class=MetricsResponse)
def metrics(caller: CallerIn) -> MetricsResponse:
    """Metrics for Prometheus; they need the key of the operator."""
    caller.check_operator("metrics")
    return MetricsResponse(exposition(), media_type=CONTENT_TYPE)


_WHOSE = "dead letters"
LetterIds = Annotated[tuple[Annotated[str, Field(max_length=64)], ...], Field(max_length=MOST_ENTRIES)]


class LettersAsked(RequestModel):
    """Selection of dead letters."""

    stage: str | None = Field(default=None, max_length=64, description="only of this step of the flow, such as `embed`")
    since: Moment | None = Field(default=None, description="inclusive; UTC without an offset")
    limit: Limit = 50
    after: After = None


class ReplayRequest(RequestModel):
    """Dead letters to send again: by ``ids``, of a ``stage``, or ``all``."""

    model_config = examples({"stage": "embed"}, {"all": True})

    ids: LetterIds = ()
    stage: str | None = Field(default=None, max_length=64)
    all: bool = Field(default=False, strict=True)


class LetterSummary(ResponseModel):
    """An event that could not be taken in: at which step, and why. Its content is shown on the service's machine only."""

    id: str
    at: datetime
    stage: str
    reason: str
    position: Position | None
    bytes: int


class LetterPage(ResponseModel):
    """Dead letters, the newest first; ``next`` is ``after`` of the next page."""

    items: tuple[LetterSummary, ...]
    next: str | None = None


class NotReplayed(ResponseModel):
    """A letter that stays, and why."""

    id: str
    reason: str


class Replayed(ResponseModel):
    """Number of events that were sent again."""

    replayed: int
    refused: tuple[NotReplayed, ...] = ()


@router.get(f"{API}/dead-letters", summary="List dead letters", responses=problem_responses(409, 503))
def dead_letters(asked: Annotated[LettersAsked, Query()], service: ServiceIn, caller: CallerIn) -> LetterPage:
    """List events that could not be taken in, newest first."""
    caller.check_operator(_WHOSE)
    since = None if asked.since is None else in_utc(asked.since)
    dead_letters = {dead_letter_id(each): each for each in reversed(dead_letters_of(service).dead_letters())}
    names = [
        name
        for name, each in dead_letters.items()
        if (asked.stage is None or each.stage == asked.stage) and (since is None or each.at >= since)
    ]
    if asked.after is not None and asked.after not in names:
        raise InputError("after: this letter is no longer there; begin again without it")
    begin = names.index(asked.after) + 1 if asked.after is not None else 0
    shown = names[begin : begin + asked.limit]
    return LetterPage(
        items=tuple(_summary(name, dead_letters[name]) for name in shown),
        next=shown[-1] if begin + asked.limit < len(names) else None,
    )


@router.post(f"{API}/dead-letters/replay", summary="Send dead letters again", responses=problem_responses(409, 503))
def replay(asked: ReplayRequest, service: ServiceIn, caller: CallerIn) -> Replayed:
    """Send dead letters again. Those that are still wrong stay, with the reason."""
    caller.check_operator(_WHOSE)
    if not asked.ids and asked.stage is None and not asked.all:
        raise InputError("which letters? give ids, a stage, or all")
    box = dead_letters_of(service)
    dead_letters = {dead_letter_id(each): each for each in box.dead_letters()}
    if unknown := [name for name in asked.ids if name not in dead_letters]:
        raise InputError(f"ids: there is no dead letter {unknown[0]!r}; GET /dead-letters lists them")
    chosen = {name: each for name, each in dead_letters.items() if not asked.ids or name in asked.ids}
    chosen = {name: each for name, each in chosen.items() if asked.stage is None or each.stage == asked.stage}
    refused = box.replay(chosen.values())
    names = {each: name for name, each in chosen.items()}
    return Replayed(
        replayed=len(chosen) - len(refused),
        refused=tuple(NotReplayed(id=names[each], reason=reason) for each, reason in refused.items()),
    )


def _summary(name: str, dead_letter: DeadLetter) -> LetterSummary:
    return LetterSummary(
        id=name,
        at=dead_letter.at,
        stage=dead_letter.stage,
        reason=without_secrets(dead_letter.reason),
        position=dead_letter.position,
        bytes=len(dead_letter.raw),
    )
