"""Options that several commands share."""

from typing import Annotated

import typer

UserOption = Annotated[str | None, typer.Option("--user", "-u", help="Owner: a user.", show_default=False)]
GroupOption = Annotated[str | None, typer.Option("--group", "-g", help="Owner: a group.", show_default=False)]
AgentOption = Annotated[str | None, typer.Option("--agent", "-a", help="An agent's own track.", show_default=False)]
TenantOption = Annotated[str, typer.Option("--tenant", help="Isolation boundary.")]
FileTenantOption = Annotated[
    str | None, typer.Option("--tenant", help="Isolation boundary, for files that name none.", show_default="default")
]
ConversationOption = Annotated[
    str | None,
    typer.Option("--conversation", "-c", help="Id of the conversation, for files that name none.", show_default=False),
]


def given(**values: str | None) -> dict[str, str]:
    """The options that were given."""
    return {name: value for name, value in values.items() if value is not None}
