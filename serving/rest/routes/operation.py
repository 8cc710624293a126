"""Operation: ``/health``, ``/health/live`` and ``/metrics``, which are not under ``/api``."""

from typing import Literal

from fastapi import APIRouter, Response

from connectors.telemetry.exposition import CONTENT_TYPE, exposition
from queries.responses import ResponseModel
from serving.rest.pools import uses_pool
from serving.rest.requests import CallerIn, ServiceIn
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
