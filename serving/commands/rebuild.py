"""The command that makes the memory again: rebuild."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from mneme.errors import InputError
from serving.terminal.output import bar_behind_a_question, note, output

if TYPE_CHECKING:
    from flows.maintenance.rebuild import RebuildReport, StoreContents


class Origin(StrEnum):
    """What the memory is made from."""

    MESSAGES = "messages"
    TOPICS = "topics"


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(rebuild)


def rebuild(
    origin: Annotated[
        Origin, typer.Option("--from", help="The messages and documents in the index, or the Kafka topics.")
    ] = Origin.MESSAGES,
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
    from mneme.settings import load_settings

    settings = load_settings()
    if abandon:
        from flows.maintenance.rebuild import abandon as give_up

        if force or drop_old or origin is Origin.TOPICS:
            raise InputError("--abandon: gives a rebuild from messages up, and goes with no other option")
        output().print("The rebuild was given up." if give_up(settings) else "There is no rebuild to give up.")
        return

    def agree(found: "StoreContents") -> None:
        if found.goes_on:
            note("A rebuild was interrupted here; it goes on.")
        elif not yes:
            typer.confirm(_question(origin, found), abort=True, err=True)

    with bar_behind_a_question("Rebuilding", "messages" if origin is Origin.MESSAGES else "events") as on_progress:
        if origin is Origin.MESSAGES:
            from flows.maintenance.rebuild import rebuild_from_messages

            report = rebuild_from_messages(settings, agree, on_progress, drop_old)
        else:
            from flows.maintenance.rebuild_topics import rebuild_from_topics

            report = rebuild_from_topics(settings, force, agree, on_progress)
    _tell(report)


def _question(origin: Origin, found: "StoreContents") -> str:
    from mneme.rows import Collection
    from serving.terminal.words import count

    rows = found.rows
    if origin is Origin.TOPICS:
        return f"Remove everything, {count(sum(rows.values()), 'row')}, and read the topics from their beginning?"
    return f"Make a new store from {count(rows[Collection.MESSAGES], 'message')}, beside the one in use?"


def _tell(report: "RebuildReport") -> None:
    from serving.terminal.words import count

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
        note("The store from before is kept; `mneme reindex --drop-old` removes it when nobody searches it any more.")
    if report.dead_letters:
        note(f"{count(report.dead_letters, 'event')} not taken in; see the dead letters", "yellow")
    output().print(f"rebuilt in {report.seconds:.1f} s")
