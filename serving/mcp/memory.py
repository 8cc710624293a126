"""The memory that the tools work on, of our own service or a remote one, and whom a client of it speaks for."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator

from mneme.errors import InputError
from mneme.events import AnyEvent
from mneme.ids import lasting_name, make_id
from mneme.records import Owner, OwnerType
from queries import Memories
from serving.clients import await_index, conversation_name
from serving.service.remote import RemoteService
from serving.service.service import ErasureEvent, Service

MOST_MESSAGES = 200  # of one call of remember

Moment = Annotated[
    datetime | None, AfterValidator(lambda at: at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at)
]


_NAMES = ("user_id", "group_id", "agent_id")


@dataclass(frozen=True, slots=True)
class OwnerScope:
    """The owner: a group, else a user, else an agent. ``agent_id`` beside one of the others is the agent that speaks."""

    tenant_id: str = "default"
    user_id: str | None = None
    group_id: str | None = None
    agent_id: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str], tenant_id: str) -> "OwnerScope":
        """The owner that the query parameters of a URL name: ``/mcp?user_id=mira``.

        Raises:
            InputError: nobody is named, two are, a name is blank, or there is an unknown parameter.
        """
        unknown = sorted(set(given) - {*_NAMES, "tenant_id"})
        if unknown:
            raise InputError(
                f"{', '.join(unknown)}: not known here; the URL of the MCP server takes {', '.join(_NAMES)}, tenant_id"
            )
        blank = sorted(name for name, value in given.items() if not value.strip())
        if blank:
            raise InputError(f"{', '.join(blank)}: is blank; write whose memory it is, as in /mcp?user_id=mira")
        named = {name: given[name] for name in _NAMES if name in given}
        if not named:
            raise InputError("the URL names nobody; write whose memory it is, as in /mcp?user_id=mira")
        if "user_id" in named and "group_id" in named:
            raise InputError("user_id and group_id are both given; a memory has one owner, leave one out")
        return cls(tenant_id, **named)

    @property
    def owner(self) -> Owner:
        """Whom the memory belongs to."""
        kind: OwnerType = "group" if self.group_id else "user" if self.user_id else "agent"
        return Owner(tenant_id=self.tenant_id, type=kind, id=self.ids()[f"{kind}_id"] or "")

    def filters(self, **more: Any) -> dict[str, Any]:
        """The filters of a search in this memory, with what else is asked for and is not None."""
        asked = {"tenant_id": self.tenant_id, **self.ids(), **more}
        return {name: value for name, value in asked.items() if value is not None}

    def ids(self) -> dict[str, str | None]:
        """The owner's fields of an event."""
        return {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id}

    def conversation(self, name: str) -> str:
        """The id of a conversation that this client writes: a name of its own, or the id that an earlier call returned."""
        start = conversation_name("mcp", self.owner, "")
        return name if name.startswith(start) else start + lasting_name(make_id(name))


class AgentMemory:
    """The memory of whoever a client of the MCP server speaks for. Safe for several threads.

    Args:
        service: here, or elsewhere.
    """

    def __init__(self, service: Service | RemoteService) -> None:
        self.speaking: ContextVar[OwnerScope] = ContextVar("speaking")
        self.wait_seconds = service.settings.service.wait_seconds
        self._is_open = False
        self._service = service

    @property
    def scope(self) -> OwnerScope:
        """For whom the request speaks; tools run in threads, each with the context of its request."""
        return self.speaking.get()

    @property
    def memories(self) -> Memories:
        """The memories; the first time on a new machine once the flow, which has just been started, has made the index."""
        memories = self._service.memories
        if not self._is_open:
            await_index(memories, self.wait_seconds)
            self._is_open = True
        return memories

    def accept(self, events: Sequence[AnyEvent]) -> None:
        """Take in events; durable on return."""
        self._service.accept(events)

    def flushed(self, conversation: str, timeout: float) -> bool:
        """Flush a conversation; true once it is searchable, in time."""
        return self._service.flush(self.scope.tenant_id, [conversation], timeout).searchable

    def erased(self, event: ErasureEvent) -> bool:
        """Erase; true if the receipt comes in time."""
        return self._service.erase(event, self.wait_seconds).receipt is not None
