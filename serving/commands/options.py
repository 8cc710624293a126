"""Options that several commands share."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from mneme.errors import InputError

if TYPE_CHECKING:
    from mneme.records import Owner

Value = TypeVar("Value", str, list[str], None)


def not_blank(parameter: typer.CallbackParam, value: Value) -> Value:
    """Refuse a blank value: it is mostly a shell variable that is not set, and would name the wrong memory.

    Raises:
        InputError: names the option.
    """
    given_values: list[str] = [value] if isinstance(value, str) else value or []
    if any(not each.strip() for each in given_values):
        raise InputError(f"{parameter.opts[0]}: is blank; give a value (is a shell variable not set?), or leave the option out")
    return value


UserOption = Annotated[str | None, typer.Option("--user", "-u", help="Owner: a user.", show_default=False, callback=not_blank)]
GroupOption = Annotated[
    str | None, typer.Option("--group", "-g", help="Owner: a group.", show_default=False, callback=not_blank)
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", "-a", help="An agent's own track.", show_default=False, callback=not_blank)
]
TenantOption = Annotated[str, typer.Option("--tenant", help="Isolation boundary.", callback=not_blank)]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="A running service, asked in place of index and broker.", show_default="MNEME_SERVICE__URL"
    ),
]
AsOfOption = Annotated[
    datetime | None,
    typer.Option(help="Ask as one would have then: nothing that was said or changed later is known.", show_default=False),
]
FileTenantOption = Annotated[
    str | None,
    typer.Option("--tenant", help="Isolation boundary, for files that name none.", show_default="default", callback=not_blank),
]
ConversationOption = Annotated[
    str | None,
    typer.Option(
        "--conversation", "-c", help="Id of the conversation, for files that name none.", show_default=False, callback=not_blank
    ),
]


def given(**values: str | None) -> dict[str, str]:
    """The options that were given."""
    return {name: value for name, value in values.items() if value is not None}


def owner_of(user: str | None, group: str | None, agent: str | None, tenant: str) -> "Owner":
    """The owner that exactly one of the options names.

    Raises:
        InputError: none or several.
    """
    from serving.clients import one_owner

    return one_owner(user, group, agent, tenant, called=("--user", "--group", "--agent"))


def searched_owner(user: str | None, group: str | None, agent: str | None, tenant: str, **further: Any) -> dict[str, Any]:
    """The filters that say whose memory is searched, and further ones. Without a tenant a service takes that of the key.

    Raises:
        InputError: nobody is named, or two are.
    """
    if user is None and group is None and agent is None:
        raise InputError("--user, --group or --agent is needed: it says whose memory is searched")
    if user is not None and group is not None:
        raise InputError("--user and --group are both given; a search has one owner, leave one out")
    owner = {"user_id": user, "group_id": group, "agent_id": agent, "tenant_id": None if tenant == "default" else tenant}
    return {name: value for name, value in (owner | further).items() if value not in (None, [])}
