"""Whom a client of the MCP server speaks for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mneme.errors import InputError
from mneme.ids import lasting_name, make_id
from mneme.records import Owner, OwnerType
from serving.clients import conversation_name

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
        names: tuple[tuple[OwnerType, str | None], ...] = (
            ("group", self.group_id),
            ("user", self.user_id),
            ("agent", self.agent_id),
        )
        owner_type, identity = next((kind, name) for kind, name in names if name)
        return Owner(tenant_id=self.tenant_id, type=owner_type, id=identity or "")

    def filters(self, **more: Any) -> dict[str, Any]:
        """The filters of a search in this memory, with what else is asked for and is not None."""
        names = {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id, **more}
        return {"tenant_id": self.tenant_id} | {name: value for name, value in names.items() if value is not None}

    def ids(self) -> dict[str, str | None]:
        """The owner's fields of an event."""
        return {"user_id": self.user_id, "group_id": self.group_id, "agent_id": self.agent_id}

    def conversation(self, name: str) -> str:
        """The id of a conversation that this client writes: a name of its own, or the id that an earlier call returned."""
        start = conversation_name("mcp", self.owner, "")
        return name if name.startswith(start) else start + lasting_name(make_id(name))
