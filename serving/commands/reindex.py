"""The command that moves an index to another embedder: reindex."""

from typing import TYPE_CHECKING, Annotated

import typer

from mneme.errors import InputError
from serving.terminal.output import bar_behind_a_question, note, output

if TYPE_CHECKING:
    from flows.maintenance.reindex import Move, ReindexReport


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(reindex)


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
    from mneme.settings import load_settings

    settings = load_settings()
    if abandon:
        if yes or drop_old:
            raise InputError("--abandon: gives a move up, and goes with no other option")
        output().print("The move was given up." if move.abandon(settings) else "There is no move to give up.")
        return

    def agree(found: "Move") -> None:
        note(f"from {found.before['embedder']} to {found.after['embedder']}")
        if found.goes_on:
            note("A move was interrupted here; it goes on.")
        elif not yes:
            from serving.terminal.words import count

            typer.confirm(f"Embed {count(sum(found.rows.values()), 'row')} anew?", abort=True, err=True)

    with bar_behind_a_question("Reindexing", "rows") as on_progress:
        report = move.reindex(settings, drop_old, agree, on_progress)
    _tell(report)


def _tell(report: "ReindexReport") -> None:
    from serving.terminal.words import count

    if report.move is None:
        output().print("The index is of this embedder and tokeniser.")
    else:
        output().print(f"{count(sum(report.move.rows.values()), 'row')} moved in {report.seconds:.1f} s")
        if report.without_vector:
            note(f"{count(report.without_vector, 'row')} without a vector: the embedder refuses the text", "yellow")
        if not report.dropped:
            note("The index from before is kept; `mneme reindex --drop-old` removes it when nobody searches it any more.")
    if report.dropped:
        output().print(f"{count(report.dropped, 'generation')} of before removed")
