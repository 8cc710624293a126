"""A service that runs elsewhere, for the commands that flush and erase, and for whoever works on its memories."""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import cached_property
from typing import Any, Self

from connectors import Publisher
from connectors.service import ServiceClient
from mneme.events import AnyEvent
from mneme.records import Owner
from mneme.settings import Settings
from queries import Memories
from queries.remote import RemoteMemories
from serving.service.service import ErasureEvent, ErasureStatus, FlushStatus, Service

_LONGEST_WAIT_SECONDS = 20.0  # of one request: proxies give up after 30 to 60
_PARAMETERS = {"tenant_id", "user_id", "group_id", "agent_id", "conversation_id", "document_id"}  # of an erasure


class RemoteService:
    """A ``Service`` elsewhere, by HTTP: each call is that of the same name there. A context manager.

    Args:
        settings: how it is reached.
        url: of the service; None: ``MNEME_SERVICE__URL``.

    Raises:
        SettingsError: the URL or the key is wrong.
    """

    runs_the_flow = False  # in this process
    takes_events = True  # if it does not, it says so

    def __init__(self, settings: Settings, url: str | None = None) -> None:
        client = ServiceClient.of(settings, url)
        assert client is not None, "there is a URL"
        self.settings = settings
        self.memories: Memories = RemoteMemories(client)
        self._client = client
        self._url = url
        self._stack = ExitStack()
        self._stack.enter_context(closing(client))

    @cached_property
    def publisher(self) -> Publisher:
        """The way in."""
        return self._stack.enter_context(Publisher.connect(self.settings, url=self._url))

    def accept(self, events: Sequence[AnyEvent]) -> None:
        """See ``Service.accept``."""
        self.publisher.send_many(events)
        self.publisher.flush()

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> FlushStatus:
        """See ``Service.flush``."""
        return self._flush({"tenant_id": tenant_id, "conversation_id": list(conversation_ids)}, timeout)

    def flush_owner(self, owner: Owner, timeout: float) -> FlushStatus:
        """See ``Service.flush_owner``."""
        return self._flush(owner.ids, timeout)

    def wait_for_flush(self, tenant_id: str, flush_id: str, timeout: float) -> bool:
        """See ``Service.wait_for_flush``."""
        return self.memories.wait_for_flush(flush_id, tenant_id, timeout)

    def erase(self, event: ErasureEvent, timeout: float) -> ErasureStatus:
        """See ``Service.erase``."""
        end, wait = time.monotonic() + timeout, min(timeout, _LONGEST_WAIT_SECONDS)
        named = event.model_dump(include=_PARAMETERS)
        answer = self._client.request("DELETE", "/memories", params=named | {"wait": wait}, wait_seconds=wait)
        done = ErasureStatus.model_validate(answer)
        left = end - time.monotonic()
        return done if done.receipt is not None or left <= 0 else self.erasure(event.tenant_id, done.erasure_id, left)

    def erasure(self, tenant_id: str, erasure_id: str, timeout: float) -> ErasureStatus:
        """See ``Service.erasure``."""
        receipt = self.memories.receipt(erasure_id, tenant_id, timeout)
        if receipt is None:
            return ErasureStatus(erasure_id=erasure_id)
        return ErasureStatus(erasure_id=erasure_id, receipt=receipt.removed, erased_at=receipt.erased_at)

    def close(self) -> None:
        """Release the connections."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _flush(self, what: dict[str, Any], timeout: float) -> FlushStatus:
        began, wait = time.monotonic(), min(timeout, _LONGEST_WAIT_SECONDS)
        answer = self._client.request("POST", "/flush", json=what | {"timeout": wait}, wait_seconds=wait)
        missing = [
            each
            for each in answer["missing"]
            if (left := began + timeout - time.monotonic()) <= 0 or not self.wait_for_flush(what["tenant_id"], each, left)
        ]
        return FlushStatus.model_validate({**answer, "missing": missing, "seconds": time.monotonic() - began})


def open_service(settings: Settings, url: str | None = None) -> Service | RemoteService:
    """The service at ``url``, else at ``MNEME_SERVICE__URL``, else one of this process.

    Raises:
        SettingsError: a setting is wrong.
    """
    return RemoteService(settings, url) if url or settings.service.url else Service(settings)
