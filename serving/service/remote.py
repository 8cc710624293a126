"""A service that runs elsewhere, for the commands that flush and erase."""

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from connectors.service import ServiceClient, quoted
from mneme.events import Erase, Forget
from mneme.records import Owner
from mneme.settings import Settings
from serving.service.service import ErasureEvent, ErasureStatus, FlushStatus, Service

_LONGEST_WAIT_SECONDS = 20.0  # of one request: proxies give up after 30 to 60


class RemoteService:
    """Flushes and erasures of a ``Service`` elsewhere, by HTTP. A context manager.

    Args:
        client: of the service; closed with this.
    """

    runs_the_flow = False  # in this process

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> FlushStatus:
        """See ``Service.flush``."""
        return self._flush({"tenant_id": tenant_id, "conversation_id": list(conversation_ids)}, timeout)

    def flush_owner(self, owner: Owner, timeout: float) -> FlushStatus:
        """See ``Service.flush_owner``."""
        return self._flush({"tenant_id": owner.tenant_id, f"{owner.type}_id": owner.id}, timeout)

    def erase(self, event: ErasureEvent, timeout: float) -> ErasureStatus:
        """See ``Service.erase``."""
        left = _left_of(timeout)
        wait = left()
        answer = self._client.request("DELETE", "/memories", params=_named(event) | {"wait": wait}, wait_seconds=wait)
        path = quoted("erasures", answer["erasure_id"])
        while answer["receipt"] is None and (wait := left()) > 0:
            answer = self._client.request("GET", path, params={"tenant_id": event.tenant_id, "wait": wait}, wait_seconds=wait)
        return ErasureStatus.model_validate(answer)

    def close(self) -> None:
        """Release the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _flush(self, what: dict[str, Any], timeout: float) -> FlushStatus:
        began, left = time.monotonic(), _left_of(timeout)
        wait = left()
        answer = self._client.request("POST", "/flush", json=what | {"timeout": wait}, wait_seconds=wait)
        missing = list(answer["missing"])
        while missing and (wait := left()) > 0:
            params = {"tenant_id": what["tenant_id"], "wait": wait}
            if self._client.request("GET", quoted("flushes", missing[0]), params=params, wait_seconds=wait)["searchable"]:
                missing.pop(0)
        return FlushStatus.model_validate({**answer, "missing": missing, "seconds": time.monotonic() - began})


def _left_of(timeout: float) -> Callable[[], float]:
    """The seconds that the next request may wait; none left when the time is over."""
    deadline = time.monotonic() + timeout
    return lambda: min(max(deadline - time.monotonic(), 0.0), _LONGEST_WAIT_SECONDS)


def open_service(settings: Settings, url: str | None = None) -> Service | RemoteService:
    """The service at ``url``, else at ``MNEME_SERVICE__URL``, else one of this process.

    Raises:
        SettingsError: a setting is wrong.
    """
    client = ServiceClient.of(settings, url)
    return Service(settings) if client is None else RemoteService(client)


def _named(event: ErasureEvent) -> dict[str, Any]:
    """An event that erases as parameters of a query."""
    if isinstance(event, Forget):
        return {"tenant_id": event.tenant_id, "conversation_id": event.conversation_id}
    named = {"tenant_id": event.tenant_id, "user_id": event.user_id, "group_id": event.group_id, "agent_id": event.agent_id}
    return named if isinstance(event, Erase) else named | {"document_id": event.document_id}
