"""A running service as a ``Transport``."""

import json
from collections.abc import Sequence
from itertools import groupby

from connectors.batcher import Batcher, Sent
from connectors.service.client import ServiceClient
from mneme.errors import InputError
from mneme.events import Document
from mneme.ports import Lane

_OWNER = {"tenant_id", "user_id", "group_id", "agent_id"}
_FIELDS = _OWNER | {"document_id", "name", "dated_at", "modified_at", "flush_id"}  # of an upload
_MOST_EVENTS, _MOST_BYTES = 200, 1_000_000  # of one request


class HttpTransport:
    """Sends to ``POST /api/v1/events``. Safe for several threads; requests follow one another, so that order is kept.

    Of a request that the service refuses nothing is taken in, and none of it is sent again.

    Args:
        client: of the service; closed with the transport.
    """

    def __init__(self, client: ServiceClient) -> None:
        self._client = client
        self._batcher = Batcher(self._post, _MOST_EVENTS, _MOST_BYTES)

    def send(self, lane: Lane, key: str, value: bytes) -> None:
        """See ``Transport``. What kind of event it is tells the service the lane, but for the backfill."""
        self._batcher.add(lane, value)

    def upload(self, document: Document, content: bytes) -> None:
        """Send a document that is too large for an event, behind what was sent before; kept by the service on return.

        Args:
            document: whose it is, and what it is called.
            content: in place of its own.

        Raises:
            InputError, StoreUnavailable, StoreRejected: as ``ServiceClient.request``.
        """
        fields = document.model_dump(mode="json", include=_FIELDS & document.model_fields_set, exclude_none=True)
        if document.metadata:
            fields["metadata"] = json.dumps(document.metadata)
        self._batcher.flush()
        file = (document.name, content, document.media_type or "application/octet-stream")
        self._client.request("POST", "/documents", data=fields, files={"file": file}, repeatable=True)

    def flush(self, timeout: float | None = None) -> None:
        """See ``Transport``. A request that has begun takes what time the client gives it."""
        self._batcher.flush(timeout)

    def close(self) -> None:
        """See ``Transport``."""
        try:
            self._batcher.flush()
        finally:
            self._client.close()

    def _post(self, events: Sequence[Sent]) -> None:
        for is_backfill, sent in groupby(events, key=lambda event: event[0] == "backfill"):
            values = [value for _, value in sent]
            body = b'{"backfill":%s,"events":[%s]}' % (b"true" if is_backfill else b"false", b",".join(values))
            try:
                self._client.request("POST", "/events", content=body, repeatable=True)
            except InputError as error:
                raise InputError(f"{error} (in a request of {len(values)} events, none of which was taken in)") from error
