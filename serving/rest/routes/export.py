"""``GET /export``: everything that is known of an owner, as `mneme export` writes it."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from serving.rest.front.places import API
from serving.rest.openapi import refusals
from serving.rest.requests import CallerIn, OwnerAsked, ServiceIn
from serving.rest.turns import takes

router = APIRouter(prefix=API, tags=["memories"])

NDJSON = "application/x-ndjson"
_PIECE_BYTES = 65_536


@router.get(
    "/export",
    summary="Export",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A header, a line for each row, an end with their number and hash (docs/operations.md)",
            "content": {NDJSON: {"schema": {"type": "string"}, "example": '{"mneme":"export","format":1}\n'}},
        },
        **refusals(409, 503),
    },
)
@takes("waits")
def export(asked: Annotated[OwnerAsked, Query()], service: ServiceIn, caller: CallerIn) -> StreamingResponse:
    """Everything that is known of an owner, with vectors and versions: `mneme import` brings it into another index.

    The owner's memory must rest meanwhile; if it changed, 503 says so, and the export can be repeated.
    """
    from flows.maintenance.transfer import export_owner

    owner = asked.owner(caller)
    with TemporaryDirectory(prefix="mneme-export-") as folder:
        export_owner(owner, Path(folder) / "export.jsonl", service.settings)
        file = (Path(folder) / "export.jsonl").open("rb")
    # The file has no name any more: however the answer ends, nothing of the memory is left on the disk.
    headers = {
        "Content-Length": str(os.fstat(file.fileno()).st_size),
        "Content-Disposition": 'attachment; filename="mneme-export.jsonl"',
    }
    return StreamingResponse(_pieces(file), media_type=NDJSON, headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece
