"""The command that lists documents."""

from typing import Annotated

import typer

from serving.commands.options import AgentOption, GroupOption, TenantOption, UrlOption, UserOption, not_blank, searched_owner
from serving.terminal.output import output


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(documents)


def documents(
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    conversation: Annotated[
        list[str] | None,
        typer.Option("--conversation", "-c", help="Only what is attached to messages of these.", callback=not_blank),
    ] = None,
    knowledge: Annotated[bool, typer.Option(help="Whether the tenant's documents are listed.")] = True,
    unread: Annotated[bool, typer.Option("--unread", help="Only those of which something was not read.")] = False,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List documents and attachments: what each is, and what of it was read. See one with: mneme inspect DOCUMENT."""
    from serving.quick_start import connect
    from serving.terminal.documents_view import documents_table

    filters = searched_owner(user, group, agent, tenant) | {"knowledge": knowledge}
    filters |= {"conversation_id": conversation} if conversation else {}
    with connect(url) as memories:
        found = memories.documents(filters)
    if unread:
        kept = tuple(each for each in found.documents if each.unread or each.status == "unread")
        found = found.model_copy(update={"documents": kept})
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        output().print(documents_table(found))
