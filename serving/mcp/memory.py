"""The memory that the tools work on, of our own service or a remote one: ``Memories`` and ``Publisher``."""

from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Annotated

from mcp.types import CallToolResult, TextContent
from pydantic import AfterValidator, BaseModel

from connectors import Publisher
from queries import Memories
from serving.clients import await_index
from serving.mcp.scope import OwnerScope
from serving.service.service import Service

MOST_MESSAGES = 200  # of one call of remember, and of one page of a conversation

Moment = Annotated[
    datetime | None, AfterValidator(lambda at: at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at)
]


class AgentMemory:
    """The memory of whoever a client of the MCP server speaks for. Safe for several threads.

    Args:
        memories: opens the way out, at the first use.
        publisher: opens the way in, at the first use.
        wait_seconds: the longest that a flush or an erasure is waited for.
        service: whose waits end with it; None where it is remote.
    """

    def __init__(
        self,
        memories: Callable[[], Memories],
        publisher: Callable[[], Publisher],
        wait_seconds: float,
        service: Service | None = None,
    ) -> None:
        self.speaking: ContextVar[OwnerScope] = ContextVar("speaking")
        self.publisher = publisher
        self.wait_seconds = wait_seconds
        self._memories = memories
        self._is_open = False
        self._service = service

    @property
    def scope(self) -> OwnerScope:
        """For whom the request speaks; tools run in threads, each with the context of its request."""
        return self.speaking.get()

    def memories(self) -> Memories:
        """The memories; the first time on a new machine once the flow, which has just been started, has made the index."""
        memories = self._memories()
        if not self._is_open:
            await_index(memories, self.wait_seconds)
            self._is_open = True
        return memories

    def flushed(self, conversation: str, timeout: float) -> bool:
        """Flush a conversation; true once it is searchable, in time."""
        tenant = self.scope.tenant_id
        flush_id = self.publisher().flush_conversation(tenant, conversation)
        memories = self.memories()
        if self._service is not None:
            return self._service.wait_for_flush(tenant, flush_id, timeout)
        return memories.wait_for_flush(flush_id, tenant, timeout)

    def erased(self, erasure: str) -> bool:
        """Wait for the receipt of an erasure; true if it comes in time."""
        memories = self.memories()
        if self._service is not None:
            return self._service.erasure(self.scope.tenant_id, erasure, self.wait_seconds).receipt is not None
        return memories.receipt(erasure, self.scope.tenant_id, self.wait_seconds) is not None


def answer(text: str, data: BaseModel) -> CallToolResult:
    """Result of a tool: text for the model, and the same as data."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data.model_dump(mode="json"))
