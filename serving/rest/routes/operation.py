"""Operation: ``/health``, ``/health/live`` and ``/metrics``, which are not under ``/api``; and ``/dead-letters``."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from connectors.dead_letters import without_secrets
from connectors.telemetry.exposition import CONTENT_TYPE, exposition
from mneme.errors import InputError
from mneme.ports import DeadLetter
from mneme.records import Position
from serving.rest.middleware import API
from serving.rest.openapi import problem_responses
from serving.rest.pools import uses_pool
from serving.rest.requests import MOST_ENTRIES, After, CallerIn, Limit, RequestModel, ServiceIn
from serving.service.dead_letters import dead_letter_id, dead_letters_of

router = APIRouter(tags=["operation"])


class LagStatus(BaseModel):
    """Events that the flow has not read yet, by lane; ``alive`` is null where it cannot be told whether a flow runs."""

    model_config = ConfigDict(frozen=True)

    unread: dict[str, int]
    alive: bool | None


class HealthStatus(BaseModel):
    """Health of the service. ``problems`` name what is red, with the remedy.

    Where there are keys, whoever has none sees the status only.
    """

    model_config = ConfigDict(frozen=True)

    status: Literal["green", "red"]
    problems: tuple[str, ...] = ()
    lag: LagStatus | None = None


class LiveStatus(BaseModel):
    """That the process answers."""

    status: Literal["live"] = "live"


class MetricsResponse(Response):
    """Prometheus's text format."""

    media_type = "text/plain"


@router.get(
    "/health",
    summary="Health",
    responses={503: {"description": "Red: the index does not answer, or the flow does not keep up", "model": HealthStatus}},
)
@uses_pool("health")
def health(service: ServiceIn, caller: CallerIn, response: Response) -> HealthStatus:
    """Green when the index answers and the flow keeps up; red (503) when not."""
    found = service.health()
    response.status_code = 200 if found.status == "green" else 503
    if not caller.tenant:
        return HealthStatus(status=found.status)
    lag = None if found.lag is None else LagStatus(unread=found.lag.unread, alive=found.lag.alive)
    return HealthStatus(status=found.status, problems=found.problems, lag=lag)


@router.get("/health/live", summary="Liveness")
@uses_pool("none")
async def live() -> LiveStatus:
    """That the process answers; it says nothing of the index."""
    return LiveStatus()


@router.get("/metrics", summary="Metrics", response_class=MetricsResponse)
def metrics(caller: CallerIn) -> MetricsResponse:
    """For Prometheus: counts and times of requests, searches, the flow and its models. For the operator."""
    caller.check_operator("metrics")
    return MetricsResponse(exposition(), media_type=CONTENT_TYPE)


_WHOSE = "dead letters"
LetterIds = Annotated[tuple[Annotated[str, Field(max_length=64)], ...], Field(max_length=MOST_ENTRIES)]


class LettersAsked(RequestModel):
    """Selection of dead letters."""

    stage: str | None = Field(default=None, max_length=64, description="only of this step of the flow")
    since: datetime | None = None
    limit: Limit = 50
    after: After = None


class ReplayRequest(RequestModel):
    """Dead letters to send again: by ``ids``, of a ``stage``, or ``all``."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"stage": "embed"}, {"all": True}]})

    ids: LetterIds = ()
    stage: str | None = Field(default=None, max_length=64)
    all: bool = Field(default=False, strict=True)


class LetterSummary(BaseModel):
    """An event that could not be taken in: at which step, and why. Its content is shown on the service's machine only."""

    model_config = ConfigDict(frozen=True)

    id: str
    at: datetime
    stage: str
    reason: str
    position: Position | None
    bytes: int


class LetterPage(BaseModel):
    """Dead letters, the newest first; ``next`` is ``after`` of the next page."""

    model_config = ConfigDict(frozen=True)

    items: tuple[LetterSummary, ...]
    next: str | None = None


class NotReplayed(BaseModel):
    """A letter that stays, and why."""

    model_config = ConfigDict(frozen=True)

    id: str
    reason: str


class Replayed(BaseModel):
    """Number of events that were sent again."""

    model_config = ConfigDict(frozen=True)

    replayed: int
    refused: tuple[NotReplayed, ...] = ()


@router.get(f"{API}/dead-letters", summary="List dead letters", responses=problem_responses(409, 503))
def dead_letters(asked: Annotated[LettersAsked, Query()], service: ServiceIn, caller: CallerIn) -> LetterPage:
    """Events that could not be taken in, the newest first, a page at a time."""
    caller.check_operator(_WHOSE)
    since = asked.since if asked.since is None or asked.since.tzinfo else asked.since.replace(tzinfo=UTC)
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
    """Send events again, and take their letters away. What is wrong still stays, with the reason."""
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
