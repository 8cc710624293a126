"""Operators' commands on a whole index: backfill, rebuild, reindex, export, import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import mneme
from mneme.errors import InputError
from serving.commands.options import (
    AgentOption,
    ConversationOption,
    FileTenantOption,
    GroupOption,
    TenantOption,
    UserOption,
    given,
    owner_of,
)
from serving.commands.stream import FORMATS, show_skipped
from serving.terminal.format import count
from serving.terminal.output import note, output, progress_bar

if TYPE_CHECKING:
    from flows.maintenance.rebuild import RebuildReport, StoreContents
    from flows.maintenance.reindex import Move, ReindexReport
    from flows.maintenance.transfer import Transferred


def backfill(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE", help=FORMATS, show_default=False)] = None,
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: FileTenantOption = None,
    conversation: ConversationOption = None,
    merge: Annotated[
        bool | None,
        typer.Option("--merge/--no-merge", help="Merge the files of the index at the end.", show_default="from 50,000 rows on"),
    ] = None,
) -> None:
    """Take history in, in bulk: files, or without any what waits on the Kafka topics; then it ends.

    `mneme run` goes on behind it.
    """
    from flows.maintenance.backfill import backfill as take_in

    defaults = given(user_id=user, group_id=group, agent_id=agent, tenant_id=tenant, conversation_id=conversation)
    if defaults and not files:
        raise InputError(f"{', '.join(defaults)}: is for files; what waits on the topics says whose memory it is")
    settings = mneme.load_settings()
    with progress_bar("Backfilling", "events") as on_progress:
        report = take_in(files or [], settings, merge, on_progress, defaults)
    if report.files is not None:
        show_skipped(report.files.skipped)
    if dead_letters := report.rows.get("dead_letter"):
        note(f"{count(dead_letters, 'event')} not taken in; see the dead letters", "yellow")
    written = ", ".join(f"{number:,} {kind}" for kind, number in report.rows.items() if kind != "dead_letter")
    output().print(f"written: {written or 'nothing new'}", soft_wrap=True)
    output().print(f"done in {report.seconds:.1f} s" + (", and merged" if report.is_merged else ""))


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
        bool, typer.Option("--drop-old", help="With messages: remove the store from before; who still searches it has none.")
    ] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Give up a rebuild from messages that has not ended.")] = False,
) -> None:
    """Make the memory again, with the settings and the format of now. The flow must be stopped; it goes on behind it.

    From messages: a new store is filled beside the one in use, from its messages and documents, with their edits and deletes,
    and takes its place when it is complete. A store of an older version is made anew this way. From topics: everything is
    removed, and the topics are read from their beginning.
    """

    settings = mneme.load_settings()
    if abandon:
        from flows.maintenance.bulk import abandon as give_up

        if force or drop_old or origin == "topics":
            raise InputError("--abandon: gives a rebuild from messages up, and goes with no other option")
        output().print("The rebuild was given up." if give_up(settings) else "There is no rebuild to give up.")
        return

    def agree(found: "StoreContents") -> None:
        _agree("rebuild", found.goes_on, yes, _question(origin, found))

    with progress_bar("Rebuilding", "messages" if origin == "messages" else "events") as on_progress:
        if origin == "messages":
            from flows.maintenance.rebuild import rebuild_from_messages

            report = rebuild_from_messages(settings, agree, on_progress, drop_old)
        else:
            from flows.maintenance.rebuild_topics import rebuild_from_topics

            report = rebuild_from_topics(settings, force, agree, on_progress)
    _show_rebuild(report)


def _agree(what: str, goes_on: bool, yes: bool, question: str) -> None:
    """Go on with what was interrupted; else ask, unless told not to."""
    if goes_on:
        note(f"A {what} was interrupted here; it goes on.")
    elif not yes:
        typer.confirm(question, abort=True, err=True)


def _question(origin: Origin, found: "StoreContents") -> str:
    from mneme.rows import Collection

    rows = found.rows
    if origin == "topics":
        return f"Remove everything, {count(sum(rows.values()), 'row')}, and read the topics from their beginning?"
    return f"Make a new store from {count(rows[Collection.MESSAGES], 'message')}, beside the one in use?"


def _show_rebuild(report: "RebuildReport") -> None:
    for what, rows in (("removed", report.removed), ("there are now", report.made)):
        if any(rows.values()):
            output().print(
                f"{what}: " + ", ".join(f"{number:,} {each}" for each, number in rows.items() if number), soft_wrap=True
            )
    if report.restarted:
        note(f"The topics are read from their beginning by the next start of: {', '.join(report.restarted)}")
    if report.dropped:
        output().print(f"{count(report.dropped, 'generation')} of before removed")
    elif not report.removed:
        note("The store from before is kept; `mneme admin reindex --drop-old` removes it when nobody searches it any more.")
    if report.dead_letters:
        note(f"{count(report.dead_letters, 'event')} not taken in; see the dead letters", "yellow")
    output().print(f"rebuilt in {report.seconds:.1f} s")


def reindex(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Remove the index from before; who still searches it then has none.")
    ] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Give up a move that has not ended.")] = False,
) -> None:
    """Move the index to the embedder of the settings, with new vectors of everything. It is searched all the while.

    Set MNEME_EMBEDDER__* to the new embedder first. The flow must be stopped; it goes on behind it. Processes that search
    go on with the old settings until they are started again with the new ones.
    """
    from flows.maintenance import reindex as move

    settings = mneme.load_settings()
    if abandon:
        from flows.maintenance.bulk import abandon as give_up

        if yes or drop_old:
            raise InputError("--abandon: gives a move up, and goes with no other option")
        output().print("The move was given up." if give_up(settings) else "There is no move to give up.")
        return

    def agree(found: "Move") -> None:
        note(f"from {found.before['embedder']} to {found.after['embedder']}")
        _agree("move", found.goes_on, yes, f"Embed {count(sum(found.rows.values()), 'row')} anew?")

    with progress_bar("Reindexing", "rows") as on_progress:
        report = move.reindex(settings, drop_old, agree, on_progress)
    _show_reindex(report)


def _show_reindex(report: "ReindexReport") -> None:
    if report.move is None:
        output().print("The index is of this embedder and tokeniser.")
    else:
        output().print(f"{count(sum(report.move.rows.values()), 'row')} moved in {report.seconds:.1f} s")
        if report.without_vector:
            note(f"{count(report.without_vector, 'row')} without a vector: the embedder refuses the text", "yellow")
        if not report.dropped:
            note("The index from before is kept; `mneme admin reindex --drop-old` removes it when nobody searches it any more.")
    if report.dropped:
        output().print(f"{count(report.dropped, 'generation')} of before removed")


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
