"""Commands that read the memory: search, inspect."""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from serving.commands.options import AgentOption, GroupOption, TenantOption, UserOption, given, not_blank
from serving.console import note, output

if TYPE_CHECKING:
    from mneme.ports import MemoryIndex
    from mneme.records import AtomicFact, Episode


class Method(StrEnum):
    """How to search."""

    KEYWORD = "keyword"
    VECTOR = "vector"
    HYBRID = "hybrid"


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command()(search)
    app.command()(inspect)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    conversation: Annotated[
        list[str] | None, typer.Option("--conversation", "-c", help="Only these conversations.", callback=not_blank)
    ] = None,
    since: Annotated[datetime | None, typer.Option(help="Only what was said from then on.", show_default=False)] = None,
    before: Annotated[datetime | None, typer.Option(help="Only what was said before.", show_default=False)] = None,
    knowledge: Annotated[bool, typer.Option(help="Whether the tenant's documents take part.")] = True,
    method: Annotated[Method, typer.Option("--method", "-m", help="How to search.")] = Method.HYBRID,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", min=1, max=1000, help="How many results.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how it was found; every step with --json.")] = False,
) -> None:
    """Find episodes and facts that answer a question. One of --user, --group and --agent says whose memory is searched."""
    from mneme.errors import InputError
    from mneme.settings import load_settings
    from queries import Memories
    from serving.rendering import search_result

    if user is None and group is None and agent is None:
        raise InputError("--user, --group or --agent is needed: it says whose memory is searched")
    if user is not None and group is not None:
        raise InputError("--user and --group are both given; a search has one owner, leave one out")
    filters: dict[str, Any] = given(user_id=user, group_id=group, agent_id=agent)
    filters |= {"tenant_id": tenant, "knowledge": knowledge}
    filters |= {
        name: value for name, value in (("conversation_id", conversation), ("since", since), ("before", before)) if value
    }
    with Memories.connect(load_settings()) as memories:
        found = memories.search(query, method=method.value, filters=filters, top_k=top_k, explain=explain)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        output().print(search_result(found))


def inspect(
    conversation: Annotated[
        str, typer.Argument(metavar="CONVERSATION", help="Its id, or the id of a document.", show_default=False)
    ],
    tenant: TenantOption = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print the records as JSON, one on a line.")] = False,
) -> None:
    """Show the episodes of a conversation or a document, with their facts."""
    from connectors.indices import open_index
    from mneme.settings import load_settings
    from serving.rendering import episode_panel

    index = open_index(load_settings(), read_only=True)
    try:
        found = list(_episodes(index, tenant, conversation))
    finally:
        index.close()
    for episode, facts in found:
        if as_json:
            for record in (episode, *facts):
                typer.echo(record.model_dump_json())
        else:
            output().print(episode_panel(episode, facts))
    if not found:
        note(
            f"no episodes of {conversation} in tenant {tenant}; they appear when a conversation rests, ends or is flushed",
            "yellow",
        )
        raise typer.Exit(1)


def _episodes(index: "MemoryIndex", tenant: str, place: str) -> "Iterator[tuple[Episode, list[AtomicFact]]]":
    """The episodes of a conversation or a document by time, each with its facts.

    Whose they are is not known before they are found: this reads all episodes, which is for operators only.
    """
    from mneme.ports import Filter
    from mneme.records import AtomicFact, Episode
    from mneme.rows import Collection

    rows = [
        row
        for row in index.scan(Collection.EPISODES)
        if row.tenant_id == tenant and place in (row.conversation_id, row.document_id)
    ]
    episodes = sorted((row.record() for row in rows), key=lambda record: record.id)
    for episode in episodes:
        assert isinstance(episode, Episode), "the collection holds nothing else"
        its = Filter(tenant_id=tenant, owner_keys=(episode.owner.key,), parent_ids=(episode.id,))
        facts = [record for row in index.scan(Collection.FACTS, its) if isinstance(record := row.record(), AtomicFact)]
        yield episode, sorted(facts, key=lambda fact: (fact.said_at, fact.id))
