"""The command that is an MCP server on standard input and output: mcp."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from serving.commands.options import AgentOption, GroupOption, TenantOption, UserOption, searched_owner

if TYPE_CHECKING:
    from mneme.settings import Settings
    from serving.mcp.memory import AgentMemory


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(mcp)


def mcp(
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    read_only: Annotated[bool, typer.Option("--read-only", help="Without remember and forget.")] = False,
    allow_erase: Annotated[
        bool, typer.Option("--allow-erase", help="Let forget erase everything that is known of the owner.")
    ] = False,
) -> None:
    """Be an MCP server on standard input and output: search, ask, remember, forget, timeline, profile, for one owner.

    With MNEME_SERVICE__URL it speaks for that service; else it opens the index itself, and takes in what is remembered.
    """
    from mneme.settings import load_settings
    from serving.mcp.server import build_server
    from serving.mcp.whose import Whose

    whose = Whose(**searched_owner(user, group, agent, tenant))
    with ExitStack() as stack:
        memory, writable = _memory(load_settings(), stack)
        server = build_server(memory, lambda _: whose, writable=writable and not read_only, may_erase=allow_erase)
        server.run("stdio")


def _memory(settings: "Settings", stack: ExitStack) -> "tuple[AgentMemory, bool]":
    """The memory of a running service, or of one of our own; and whether it takes anything in."""
    from serving.mcp.memory import AgentMemory

    wait_seconds = settings.service.wait_seconds
    if settings.service.url is not None:
        from connectors import Publisher
        from queries import Memories

        memories = stack.enter_context(Memories.connect(settings))
        publisher = stack.enter_context(Publisher.connect(settings))
        return AgentMemory(lambda: memories, lambda: publisher, wait_seconds), True
    from serving.service.service import Service

    service = stack.enter_context(Service(settings))
    memory = AgentMemory(lambda: service.memories, lambda: service.publisher, wait_seconds, service=service)
    return memory, service.intake != "none"
