"""``GET /export``: everything that is known of an owner, as `mneme export` writes it."""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from serving.rest.front.places import API
from serving.rest.openapi import refusals
from serving.rest.requests import WAITING_TURN, CallerIn, OwnerAsked, ServiceIn

router = APIRouter(prefix=API, tags=["memories"])

NDJSON = "application/x-ndjson"


@router.get(
    "/export",
    summary="Export",
    response_class=FileResponse,
    responses={
        200: {
            "description": "A header, a line for each row, an end with their number and hash (docs/operations.md)",
            "content": {NDJSON: {"schema": {"type": "string"}, "example": '{"mneme":"export","format":1}\n'}},
        },
        **refusals(409, 503),
    },
    dependencies=[WAITING_TURN],
)
def export(asked: Annotated[OwnerAsked, Query()], service: ServiceIn, caller: CallerIn) -> FileResponse:
    """Everything that is known of an owner, with vectors and versions: `mneme import` brings it into another index.

    The owner's memory must rest meanwhile; if it changed, 503 says so, and the export can be repeated.
    """
    from flows.transfer import export_owner

    owner = asked.owner(caller)
    folder = Path(mkdtemp(prefix="mneme-export-"))
    try:
        export_owner(owner, folder / "export.jsonl", service.settings)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / "export.jsonl",
        media_type=NDJSON,
        filename="mneme-export.jsonl",
        background=BackgroundTask(rmtree, folder, ignore_errors=True),
    )
