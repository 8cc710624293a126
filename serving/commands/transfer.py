"""Commands that carry memories from index to index: export, import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from serving.commands.options import AgentOption, GroupOption, TenantOption, UserOption, owner_of
from serving.terminal.output import output, progress_bar

if TYPE_CHECKING:
    from flows.maintenance.transfer import Transferred


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    app.command(name="export")(export)
    app.command(name="import")(import_)


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file; .gz compresses it.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
) -> None:
    """Write everything that is known of an owner to a file. One of --user, --group and --agent says whose memory it is.

    Nothing is left out: messages, episodes, facts, graph, profile, vectors, versions. It may run beside the flow.
    """
    from flows.maintenance.transfer import export_owner
    from mneme.settings import load_settings

    owner = owner_of(user, group, agent, tenant)
    with progress_bar("Exporting", "rows") as on_progress:
        done = export_owner(owner, file, load_settings(), on_progress)
    output().print(f"{_told(done)} written to {file}", soft_wrap=True)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What mneme export wrote.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Also if the owner was erased here: takes the erasure back.")] = False,
) -> None:
    """Bring an exported memory into the index, as it was. The flow must be stopped, and the owner not be known here."""
    from flows.maintenance.transfer import import_owner
    from mneme.settings import load_settings

    with progress_bar("Importing", "rows") as on_progress:
        done = import_owner(file, load_settings(), lift_erasures=force, on_progress=on_progress)
    output().print(f"{_told(done)} imported from {file}", soft_wrap=True)


def _told(done: "Transferred") -> str:
    from serving.terminal.words import count

    parts = ", ".join(f"{number} {collection}" for collection, number in done.rows.items())
    return f"{count(sum(done.rows.values()), 'row')} of {done.owner.type} {done.owner.id} ({parts})"
