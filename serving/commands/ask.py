"""The command that answers a question: ask."""

from typing import TYPE_CHECKING, Annotated

import typer

from mneme.control_characters import escape_control_characters
from serving.commands.options import AgentOption, AsOfOption, GroupOption, TenantOption, UrlOption, UserOption, searched_owner
from serving.commands.search import Method, Strategy
from serving.terminal.output import note, output

if TYPE_CHECKING:
    from queries.answers.answer import AnswerResponse


def register(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command()(ask)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    said: Annotated[
        list[str] | None,
        typer.Option(
            "--said",
            help="What was said before the question, oldest first: a line of the user, or assistant: LINE. May be repeated.",
            show_default=False,
        ),
    ] = None,
    as_of: AsOfOption = None,
    method: Annotated[Method, typer.Option("--method", "-m", help="How to search.")] = Method.HYBRID,
    strategy: Annotated[
        Strategy | None,
        typer.Option(help="agentic: how the agent searches; router chooses.", show_default="that of the settings"),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", min=1, max=1000, help="How many results.", show_default=False)
    ] = None,
    url: UrlOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole response as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show what it was made from, and the reasoning.")] = False,
) -> None:
    """Answer a question from what is remembered, with the memories it cites; without a model in quotes."""
    from serving.quick_start import connect

    filters = searched_owner(user, group, agent, tenant) | ({"as_of": as_of} if as_of else {})
    history = [_turn(line) for line in said or ()]
    with connect(url) as memories:
        answer = memories.ask_stream(
            question,
            filters,
            method=method.value,
            agent=strategy.value if strategy else None,
            top_k=top_k,
            history=history,
            explain=explain,
        )
        if as_json:
            typer.echo(answer.response.model_dump_json(indent=2))
            return
        for piece in answer:
            typer.echo(escape_control_characters(piece), nl=False)
    typer.echo()
    _show(answer.response)


def _turn(line: str) -> tuple[str, str]:
    role, colon, text = line.partition(":")
    return (role, text.strip()) if colon and role in ("user", "assistant") else ("user", line)


def _show(response: "AnswerResponse") -> None:
    """What stands below an answer: how it was understood, what it cites, and what it cost."""
    from serving.terminal.answer_view import answer_view

    output().print(answer_view(response))
    for line in response.notes:
        note(f"note: {line}", "yellow")
