"""Benchmarks of quality: retrieval by question set, and the comparison of reports."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.options import (
    Backend,
    FoldsOption,
    IndexOption,
    PathsArgument,
    configured,
)
from serving.terminal.output import output

Method = StrEnum("Method", ["KEYWORD", "VECTOR", "HYBRID", "AGENTIC", "REFLECT", "CHUNKS"])
"""Search methods, agents and a baseline."""

MethodOption = Annotated[
    list[Method] | None,
    typer.Option(
        "--method",
        help="Ask by this one, repeatable. reflect: agentic, with reflection for every question; chunks: the transcript in"
        " flat chunks.",
        show_default="keyword, vector, hybrid",
    ),
]
OptionalOut = Annotated[
    Path | None,
    typer.Option("--out", help="Where the results go, as JSON; the plot lies beside it.", show_default="bench-results/..."),
]


PURPOSES = {
    "locomo": "Retrieval on LoCoMo: hit, recall, NDCG and MRR of each method, by category of question, with intervals.",
    "locomo-all": "The same with the adversarial questions, whose evidence is labelled too: as ConvMemory counts.",
    "beam": "Retrieval on BEAM: long chats with an assistant, questions by ability.",
    "longmemeval": "Retrieval on LongMemEval: a history of sessions for each question, by labelled turn.",
    "memdaily": "Retrieval on MemDaily: a Chinese diary. The local model serves English only, its leg is off then, and"
    " that is said.",
}


def measuring(name: str) -> Callable[..., None]:
    """The command that measures on one set."""

    def measure(
        paths: PathsArgument,
        index: IndexOption = Backend.EMBEDDED,
        out: OptionalOut = None,
        method: MethodOption = None,
        folds: FoldsOption = None,
        constants: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="NAME=VALUE", help="Another constant of retrieval, repeatable.", show_default=False),
        ] = None,
    ) -> None:
        from evaluation.retrieval.bench import run_retrieval, with_constants
        from evaluation.retrieval.systems import SEARCHES

        run_retrieval(
            name,
            paths,
            with_constants(configured(index), constants or ()),
            out or _default_out(name),
            [each.value for each in method] if method else SEARCHES,
            output(),
            folds,
        )

    return measure


def compare(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="A report: before.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="A report: after.", show_default=False)],
    out: OptionalOut = None,
) -> None:
    """Compare two runs on the same questions: paired differences with 95 % intervals."""
    from evaluation.retrieval.compare import run_compare

    run_compare(first, second, out or _default_out("compare"), console=output())


def peers(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Your LoCoMo JSON.", show_default=False)],
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Which one of the file.", show_default="the first")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this system, repeatable; mneme and floor too.", show_default=False)
    ] = None,
    latency: Annotated[int, typer.Option("--latency", min=0, help="Milliseconds that each chat answer takes.")] = 500,
    environments: Annotated[
        Path | None,
        typer.Option("--environments", help="Where the systems are installed, and stay.", show_default="in the data folder"),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", help="Makes the environments; some systems need 3.12.", show_default="one that will do"),
    ] = None,
    patience: Annotated[
        float, typer.Option("--patience", min=1, help="Seconds for which a system may take it all in.")
    ] = 1800.0,
    folds: FoldsOption = None,
    out: OptionalOut = None,
) -> None:
    """Mneme beside mem0, Graphiti, EverOS, MemMachine and plain turns: one conversation, embedder and chat endpoint for all."""
    from evaluation.peers.bench import run_peers

    run_peers(
        path,
        configured(),
        out or _default_out("peers"),
        conversation,
        only or (),
        latency / 1000,
        environments,
        python,
        folds,
        patience,
        console=output(),
    )


def _default_out(name: str) -> Path:
    return Path("bench-results") / f"{name}.json"
