"""``mneme bench eval``: the share of right answers, on your own copy of a set with gold answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluation.options import FoldsOption, PathsArgument, configured
from serving.commands.search import Method, Strategy
from serving.terminal.output import output

OutFolder = Annotated[
    Path,
    typer.Option("--out", help="Folder of the run; the same command goes on with what is in it.", show_default=False),
]
_HELP = {
    "locomo": "LoCoMo: long talks of two friends; categories 1 to 4, and the adversarial fifth.",
    "longmemeval": "LongMemEval: a history of sessions for each question, seven abilities with abstention.",
    "beam": "BEAM: long chats with an assistant, ten abilities, judged by rubrics.",
}


app = typer.Typer(
    no_args_is_help=True,
    help="Evaluate answers on your own copy of a set: ingest, search, answer, judge. A run that was stopped goes on.",
)


def _evaluation(name: str) -> Callable[..., None]:
    def evaluate(
        paths: PathsArgument,
        out: OutFolder,
        method: Annotated[Method, typer.Option("--method", help="How memories are found.")] = "hybrid",
        agent: Annotated[
            Strategy | None,
            typer.Option("--agent", help="Of --method agentic.", show_default="MNEME_AGENTS__AGENT"),
        ] = None,
        top_k: Annotated[
            int | None, typer.Option("--top-k", min=1, help="Memories found.", show_default="by the question's type")
        ] = None,
        writer: Annotated[
            Literal["auto", "extractive", "model"] | None,
            typer.Option("--writer", help="Who answers; extractive quotes.", show_default="MNEME_ANSWERS__WRITER"),
        ] = None,
        judge: Annotated[
            Literal["none", "model"], typer.Option("--judge", help="none: words of the gold and abstention only.")
        ] = "none",
        votes: Annotated[
            int, typer.Option("--votes", min=1, help="Of the judge on each answer, odd; the majority counts.")
        ] = 1,
        concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Questions at a time.")] = 4,
        limit: Annotated[
            int | None, typer.Option("--limit", min=1, help="So many questions, evenly spread.", show_default="all")
        ] = None,
        category: Annotated[
            list[str] | None,
            typer.Option("--category", help="Only questions of it, repeatable: multi-hop.", show_default="all"),
        ] = None,
        folds: FoldsOption = None,
        offline: Annotated[
            bool,
            typer.Option("--offline", help="Call nothing: answers come from the folder's recordings, requests go to a file."),
        ] = False,
    ) -> None:
        from evaluation.answers.evaluate import run_answers
        from evaluation.answers.plan import Plan

        settings = configured()
        if writer is not None:
            settings = settings.replace(answers={"writer": writer})
        plan = Plan(
            method=method,
            agent=agent,
            top_k=top_k,
            judge=judge,
            votes=votes,
            concurrency=concurrency,
            limit=limit,
            categories=tuple(category or ()),
            folds=folds,
            offline=offline,
        )
        if run_answers(name, paths, settings, out, plan, output()).headline["pending"]:
            raise typer.Exit(1)

    return evaluate


for _name, _purpose in _HELP.items():
    app.command(_name, help=_purpose)(_evaluation(_name))
