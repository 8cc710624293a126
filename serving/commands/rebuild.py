"""The command that makes the memory again: rebuild."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from serving.terminal.output import bar_behind_a_question, note, output

if TYPE_CHECKING:
    from flows.rebuild.report import Found, RebuildReport


class Origin(StrEnum):
    """What the memory is made from."""

    MESSAGES = "messages"
    TOPICS = "topics"


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(rebuild)


def rebuild(
    origin: Annotated[
        Origin, typer.Option("--from", help="The messages in the index, or the Kafka topics.", show_default=False)
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With topics: lose messages that they no longer have.")] = False,
) -> None:
    """Make the memory again, with the settings of now. The flow must be stopped; it goes on behind it.

    From messages: episodes, facts, graph and profiles are removed and made again; messages stay, with their edits and deletes.
    From topics: everything is removed, and the topics are read from their beginning.
    """
    from mneme.settings import load_settings

    settings = load_settings()

    def agree(found: "Found") -> None:
        if found.goes_on:
            note("A rebuild was interrupted here; it goes on.")
        elif not yes:
            typer.confirm(_question(origin, found), abort=True, err=True)

    with bar_behind_a_question("Rebuilding", "messages" if origin is Origin.MESSAGES else "events") as on_progress:
        if origin is Origin.MESSAGES:
            from flows.rebuild.messages import rebuild_from_messages

            report = rebuild_from_messages(settings, agree, on_progress)
        else:
            from flows.rebuild.topics import rebuild_from_topics

            report = rebuild_from_topics(settings, force, agree, on_progress)
    _tell(report)


def _question(origin: Origin, found: "Found") -> str:
    from mneme.rows import Collection
    from serving.terminal.words import count

    rows = found.rows
    if origin is Origin.TOPICS:
        return f"Remove everything, {count(sum(rows.values()), 'row')}, and read the topics from their beginning?"
    derived = sum(number for each, number in rows.items() if each not in (Collection.MESSAGES, Collection.CONTROL))
    return f"Remove {count(derived, 'row')} and make them again from {count(rows[Collection.MESSAGES], 'message')}?"


def _tell(report: "RebuildReport") -> None:
    from serving.terminal.words import count

    for what, rows in (("removed", report.removed), ("there are now", report.made)):
        if any(rows.values()):
            output().print(
                f"{what}: " + ", ".join(f"{number:,} {each}" for each, number in rows.items() if number), soft_wrap=True
            )
    if report.dead_letters:
        note(f"{count(report.dead_letters, 'event')} not taken in; see the dead letters", "yellow")
    output().print(f"rebuilt in {report.seconds:.1f} s")
