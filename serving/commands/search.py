"""Commands that read the memory: search, ask, history, inspect."""

from datetime import datetime
from typing import Annotated, Literal

import typer

from mneme.control_characters import escape_control_characters
from mneme.errors import InputError
from serving.commands.options import (
    AgentOption,
    AsOfOption,
    GroupOption,
    TenantOption,
    UrlOption,
    UserOption,
    not_blank,
    searched_owner,
)
from serving.startup import connect
from serving.terminal.output import note, output, show

Method = Literal["keyword", "vector", "hybrid", "agentic"]
Strategy = Literal["router", "direct", "split", "chain", "reflect"]

MethodOption = Annotated[Method, typer.Option("--method", "-m", help="How to search.")]
StrategyOption = Annotated[
    Strategy | None,
    typer.Option(help="agentic: how the agent searches; router chooses.", show_default="that of the settings"),
]
_SHOWN = 10  # results of a search in a terminal, whatever the type of the question
TopKOption = Annotated[
    int | None, typer.Option("--top-k", "-k", min=1, max=1000, help="How many; search shows 10.", show_default=False)
]


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    conversation: Annotated[
        list[str] | None, typer.Option("--conversation", "-c", help="Only these conversations.", callback=not_blank)
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option("--document", "-d", help="Only these documents, by id.", callback=not_blank)
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Only this type of memory holds places: episode, fact, message, ... May be repeated."),
    ] = None,
    since: Annotated[datetime | None, typer.Option(help="Only what was said from then on.", show_default=False)] = None,
    before: Annotated[datetime | None, typer.Option(help="Only what was said before.", show_default=False)] = None,
    as_of: AsOfOption = None,
    expired: Annotated[bool, typer.Option("--expired", help="Also what was expected and is over or cancelled.")] = False,
    knowledge: Annotated[bool, typer.Option(help="Whether the tenant's documents take part.")] = True,
    method: MethodOption = "hybrid",
    strategy: StrategyOption = None,
    context: Annotated[int, typer.Option(min=0, max=50, help="Messages before and after each found one, shown as well.")] = 0,
    top_k: TopKOption = None,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how it was found; every step with --json.")] = False,
) -> None:
    """Find episodes and facts that answer a question. One of --user, --group and --agent says whose memory is searched."""
    from serving.terminal.search_view import search_result

    filters = searched_owner(user, group, agent, tenant, knowledge=knowledge, expired=expired or None, kinds=kind)
    times = {"since": since, "before": before, "as_of": as_of}
    places = {"conversation_id": conversation, "document_id": document}
    filters |= {name: value for name, value in (places | times).items() if value}
    with connect(url) as memories:
        results = memories.search(
            query,
            method=method,
            filters=filters,
            top_k=top_k or (None if as_json else _SHOWN),
            explain=explain,
            agent=strategy,
            expand_context=context,
        )
    show(results, as_json, search_result)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    as_of: AsOfOption = None,
    method: MethodOption = "hybrid",
    strategy: StrategyOption = None,
    top_k: TopKOption = None,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole response as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show what it was made from, and the reasoning.")] = False,
) -> None:
    """Answer a question from what is remembered, with the memories it cites; without a model in quotes."""
    from serving.terminal.search_view import answer_view

    filters = searched_owner(user, group, agent, tenant, as_of=as_of)
    with connect(url) as memories:
        answer = memories.ask_stream(question, filters, method=method, agent=strategy, top_k=top_k, explain=explain)
        if as_json:
            typer.echo(answer.response.model_dump_json(indent=2))
            return
        for piece in answer:
            typer.echo(escape_control_characters(piece), nl=False)
    typer.echo()
    output().print(answer_view(answer.response))
    for line in answer.response.notes:
        note(f"note: {line}", "yellow")


def history(
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="Its name, or a part of it.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    as_of: AsOfOption = None,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what is remembered of a person or a thing, in the order it happened, and what took the place of what."""
    from serving.terminal.history_view import history_view

    filters = searched_owner(user, group, agent, tenant, as_of=as_of)
    with connect(url) as memories:
        answer = memories.history(entity, filters)
    show(answer, as_json, history_view)
    if not answer.timeline():
        raise typer.Exit(1)


def inspect(
    conversation: Annotated[
        str | None,
        typer.Argument(metavar="CONVERSATION", help="Its id, or the id or file name of a document.", show_default=False),
    ] = None,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    documents: Annotated[
        bool, typer.Option("--documents", help="List documents; with CONVERSATION, what is attached to its messages.")
    ] = False,
    knowledge: Annotated[bool, typer.Option(help="With --documents: list the tenant's documents too.")] = True,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show a conversation with its cuts and all that was made from it.

    With --documents list documents and attachments: what each is, and what of it was read.
    """
    from serving.terminal.history_view import document_list
    from serving.terminal.inspection_view import inspection_view

    if documents:
        attached = [conversation] if conversation else None
        filters = searched_owner(user, group, agent, tenant, knowledge=knowledge, conversation_id=attached)
        with connect(url) as memories:
            listed = memories.documents(filters)
        show(listed, as_json, document_list)
        return
    if conversation is None:
        raise InputError("give a CONVERSATION, or --documents")
    with connect(url) as memories:
        inspection = memories.inspect(conversation, searched_owner(user, group, agent, tenant))
    if inspection is None:
        note(f"nothing of {conversation} in this memory; see to the id, --user, --group, --agent and --tenant", "yellow")
        raise typer.Exit(1)
    show(inspection, as_json, inspection_view)
