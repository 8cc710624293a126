"""How the service is: ``/health``, ``/health/live`` and ``/metrics``. These are not under ``/api``."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict

from connectors.telemetry.exposition import CONTENT_TYPE, exposition
from serving.rest.requests import CallerIn, ServiceIn
from serving.rest.turns import takes

router = APIRouter(tags=["operation"])


class LagStatus(BaseModel):
    """Events that the flow has not read yet, by lane; ``alive`` is null where it cannot be told whether a flow runs."""

    model_config = ConfigDict(frozen=True)

    unread: dict[str, int]
    alive: bool | None


class HealthStatus(BaseModel):
    """How the service is. ``problems`` name what is red, with the remedy.

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
@takes("health")
def health(service: ServiceIn, caller: CallerIn, response: Response) -> HealthStatus:
    """Green when the index answers and the flow keeps up; red (503) when not."""
    found = service.health()
    response.status_code = 200 if found.status == "green" else 503
    if not caller.tenant:
        return HealthStatus(status=found.status)
    lag = None if found.lag is None else LagStatus(unread=found.lag.unread, alive=found.lag.alive)
    return HealthStatus(status=found.status, problems=found.problems, lag=lag)


@router.get("/health/live", summary="Liveness")
@takes("none")
async def live() -> LiveStatus:
    """That the process answers; it says nothing of the index."""
    return LiveStatus()


@router.get("/metrics", summary="Metrics", response_class=MetricsResponse)
def metrics(caller: CallerIn) -> MetricsResponse:
    """For Prometheus: counts and times of requests, searches, the flow and its models. For the operator."""
    caller.check_operator("metrics")
    return MetricsResponse(exposition(), media_type=CONTENT_TYPE)
