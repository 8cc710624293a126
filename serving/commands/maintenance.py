"""Operators' commands on a whole index: rebuild, reindex, export, import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import mneme
from mneme.errors import InputError
from serving.commands.options import (
    AgentOption,
    GroupOption,
    TenantOption,
    UserOption,
    owner_of,
)
from serving.terminal.format import count
from serving.terminal.output import note, output, progress_bar

if TYPE_CHECKING:
    from flows.maintenance.rebuild import RebuildReport, StoreContents
    from flows.maintenance.transfer import Transferred
    from mneme.settings import Settings


Origin = Literal["messages", "topics"]


def engine(
    name: Annotated[Literal["flink"], typer.Argument(metavar="NAME", help="flink; there is no way back.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Move a stopped flow to another engine, with its positions and open conversations: nothing is read twice."""
    from flows.runner import change_engine

    if not yes:
        typer.confirm(f"Move the flow to {name}? There is no way back but reading the topics again", abort=True, err=True)
    states = change_engine(mneme.load_settings())
    output().print(f"moved: {states:,} states; go on with `mneme run --engine {name} --jobmanager HOST:PORT`", soft_wrap=True)


def rebuild(
    origin: Annotated[
        Origin, typer.Option("--from", help="The messages and documents in the index, or the Kafka topics.")
    ] = "messages",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With topics: lose messages that they no longer have.")] = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Remove the store from before; who still searches it then has none.")
    ] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Give up a rebuild that has not ended.")] = False,
) -> None:
    """Make the memory again, with the settings and the format of now. The flow must be stopped; it goes on behind it.

    From messages: a new store is filled beside the one in use, from its messages and documents, with their edits and deletes,
    and takes its place when it is complete. A store of an older version is made anew this way. From topics: an empty store
    takes the place of the one in use, and the next start of the flow reads the topics from their beginning.
    """
    settings = mneme.load_settings()
    if abandon:
        if force or drop_old or origin == "topics":
            raise InputError("--abandon: gives a rebuild up, and goes with no other option")
        _abandon(settings)
    elif origin == "messages":
        _rebuild_from_messages(settings, yes, drop_old)
    else:
        from flows.maintenance.rebuild_topics import rebuild_from_topics

        def agree(found: "StoreContents") -> None:
            _agree(found, yes, f"Leave {count(sum(found.rows.values()), 'row')}, and read the topics from their beginning?")

        _show_rebuild(rebuild_from_topics(settings, force, agree, drop_old))


def reindex(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Remove the store from before; who still searches it then has none.")
    ] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Give up a rebuild that has not ended.")] = False,
) -> None:
    """Rebuild from the messages if the index is not made for the embedder of the settings. It is searched all the while.

    Set MNEME_EMBEDDER__* to the new embedder first. The flow must be stopped; it goes on behind it. Processes that search
    go on with the old settings until they are started again with the new ones.
    """
    from flows.maintenance.rebuild import drop_old as drop
    from flows.maintenance.rebuild import is_made_for

    settings = mneme.load_settings()
    if abandon:
        if yes or drop_old:
            raise InputError("--abandon: gives a rebuild up, and goes with no other option")
        _abandon(settings)
    elif not is_made_for(settings):
        _rebuild_from_messages(settings, yes, drop_old)
    else:
        output().print("The index is of this embedder and tokeniser.")
        if drop_old:
            _show_dropped(drop(settings))


def _abandon(settings: "Settings") -> None:
    from flows.maintenance.bulk import abandon

    output().print("The rebuild was given up." if abandon(settings) else "There is no rebuild to give up.")


def _rebuild_from_messages(settings: "Settings", yes: bool, drop_old: bool) -> None:
    from flows.maintenance.rebuild import rebuild_from_messages
    from mneme.rows import Collection

    def agree(found: "StoreContents") -> None:
        if found.embedder != found.new_embedder:
            note(f"from {found.embedder} to {found.new_embedder}")
        messages = count(found.rows[Collection.MESSAGES], "message")
        _agree(found, yes, f"Make a new store from {messages}, beside the one in use?")

    with progress_bar("Rebuilding", "messages") as on_progress:
        report = rebuild_from_messages(settings, agree, on_progress, drop_old)
    _show_rebuild(report)


def _agree(found: "StoreContents", yes: bool, question: str) -> None:
    """Go on with what was interrupted; else ask, unless told not to."""
    if found.goes_on:
        note("A rebuild was interrupted here; it goes on.")
    elif not yes:
        typer.confirm(question, abort=True, err=True)


def _show_rebuild(report: "RebuildReport") -> None:
    made = ", ".join(f"{number:,} {each}" for each, number in report.made.items() if number)
    output().print(f"there are now: {made or 'no rows'}", soft_wrap=True)
    if report.restarted:
        note(f"The topics are read from their beginning by the next start of: {', '.join(report.restarted)}")
    if report.dropped:
        _show_dropped(report.dropped)
    else:
        note("The store from before is kept; `mneme admin reindex --drop-old` removes it when nobody searches it any more.")
    if report.dead_letters:
        note(f"{count(report.dead_letters, 'event')} not taken in; see the dead letters", "yellow")
    output().print(f"rebuilt in {report.seconds:.1f} s")


def _show_dropped(dropped: int) -> None:
    output().print(f"{count(dropped, 'generation')} of before removed")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
) -> None:
    """Write everything that is known of an owner to a file. One of --user, --group and --agent says whose memory it is.

    Nothing is left out: messages, episodes, facts, graph, profile, vectors, versions. It may run beside the flow.
    """
    from flows.maintenance.transfer import export_owner

    owner = owner_of(user, group, agent, tenant)
    with progress_bar("Exporting", "rows") as on_progress:
        done = export_owner(owner, file, mneme.load_settings(), on_progress)
    output().print(f"{_summary(done)} written to {file}", soft_wrap=True)


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What mneme admin export wrote.", exists=True, show_default=False)
    ],
    force: Annotated[bool, typer.Option("--force", help="Also if the owner was erased here: takes the erasure back.")] = False,
) -> None:
    """Bring an exported memory into the index, as it was. The flow must be stopped, and the owner not be known here."""
    from flows.maintenance.transfer import import_owner

    with progress_bar("Importing", "rows") as on_progress:
        done = import_owner(file, mneme.load_settings(), lift_erasures=force, on_progress=on_progress)
    output().print(f"{_summary(done)} imported from {file}", soft_wrap=True)


def _summary(done: "Transferred") -> str:
    parts = ", ".join(f"{number} {collection}" for collection, number in done.rows.items())
    return f"{count(sum(done.rows.values()), 'row')} of {done.owner.type} {done.owner.id} ({parts})"
