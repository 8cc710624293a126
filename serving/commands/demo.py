"""``mneme demo``: the examples through the whole flow into an embedded index, then questions to it. No server, no key."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from serving.terminal.output import output, progress_bar

if TYPE_CHECKING:
    from flows import IngestReport
    from mneme.ports import MemoryIndex
    from mneme.records import AtomicFact, Episode
    from mneme.settings import Settings
    from queries import Memories

FILES = ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl", "acme.jsonl", "handbook.md")
METHODS = ("keyword", "vector", "hybrid")

_DATA = Path("mneme-data/demo")
_FACTS_OF_A_CONVERSATION = 5
_RESULTS_OF_A_METHOD = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and whose memory answers it: the option and the value as ``mneme search`` takes them."""

    text: str
    option: str
    owner: str

    @property
    def filters(self) -> dict[str, str]:
        """The filters of a search."""
        return {f"{self.option}_id": self.owner}

    @property
    def command(self) -> str:
        """The command that asks it again."""
        return f'mneme search "{self.text}" --{self.option} {self.owner}'


QUESTIONS = (
    Question("When is Jason's birthday?", "user", "mira"),
    Question("What has Jason been working on lately?", "user", "mira"),
    Question("what did we decide about the Q2 deadline?", "group", "dockside-team"),
    Question("莫干山的民宿多少钱？", "user", "xiaoyu"),
    Question("How much may a hotel in Hamburg cost a night?", "user", "mira"),
    Question("Why did the deployment to staging fail?", "agent", "ops-agent"),
)
HOPS = Question("What is the current company of the spouse of the CEO of Acme?", "user", "nadia")


def demo(
    examples: Annotated[Path | None, typer.Option(help="Folder of the examples.", show_default="those of the project")] = None,
    data: Annotated[Path, typer.Option(help="Where the demo's index lies.")] = _DATA,
) -> None:
    """Ingest the examples and search them: no server, no key."""
    import flows
    from connectors.indices import open_index
    from mneme.errors import StoreRejected
    from queries import Memories

    console = output()
    settings = local_settings(data)
    files = example_files(examples)
    console.print(Rule("[bold]1 · Ingest[/]", align="left"))
    console.print(f"{len(files)} files from {files[0].parent} into the embedded index in {data}, with local models only.\n")
    with progress_bar("Ingesting", "events") as on_progress:
        try:
            report = flows.ingest(files, settings, on_progress=on_progress)
        except StoreRejected:
            if data != _DATA:  # nobody's but the demo's, of an earlier version with another embedder
                raise
            shutil.rmtree(data)
            report = flows.ingest(files, settings, on_progress=on_progress)
    show_report(console, report)

    index = open_index(settings)
    try:
        show_memory(console, index)
    finally:
        index.close()

    console.print(Rule("[bold]4 · Questions[/]", align="left"))
    with Memories.open(settings) as memories:
        for question in QUESTIONS:
            show_answers(console, memories, question)
        show_hops(console, memories, HOPS)
    show_next(console, data)


def local_settings(data: Path) -> "Settings":
    """The settings of the environment, but nothing that needs a server or a key."""
    from mneme.settings import Boundaries, Extraction, Index, Models, Rerank, load_settings

    settings = load_settings()
    return settings.model_copy(
        update={
            "data": data,
            "index": Index(backend="embedded"),
            "models": Models(),
            "boundaries": Boundaries(),
            "extraction": Extraction(),
            "embedder": settings.embedder.model_copy(update={"provider": "local"}),
            "rerank": Rerank(),
            "agents": settings.agents.model_copy(update={"planner": "rules"}),
            "answers": settings.answers.model_copy(update={"writer": "extractive"}),
        }
    )


def example_files(folder: Path | None) -> list[Path]:
    """The files of the demo.

    Raises:
        InputError: they are not where they should be.
    """
    from mneme.errors import InputError

    candidates = [folder] if folder else [Path(__file__).parents[1] / "examples", Path("examples")]
    for candidate in candidates:
        files = [candidate / name for name in FILES]
        if all(file.is_file() for file in files):
            return files
    raise InputError(
        f"examples: {', '.join(FILES)} are not in {' nor in '.join(map(str, candidates))}; "
        "they come with the repository, name their folder with --examples"
    )


def show_report(console: Console, report: "IngestReport") -> None:
    """Show what the run did; a second one changed nothing, and says so."""
    from serving.terminal.tables import ingest_table

    console.print(ingest_table(report))
    if not report.messages and not report.episodes:
        console.print(
            "\nNothing changed: all of it was there already, and every record has the id that follows from its source."
        )
    console.print()


def show_memory(console: Console, index: "MemoryIndex") -> None:
    """The episodes of each conversation, and some facts of each."""
    from mneme.records import AtomicFact, Episode
    from mneme.rows import Collection
    from serving.terminal.tables import episode_table, fact_table, section_table

    episodes = [record for row in index.scan(Collection.EPISODES) if isinstance(record := row.record(), Episode)]
    facts = [record for row in index.scan(Collection.FACTS) if isinstance(record := row.record(), AtomicFact)]
    by_place: dict[str, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda one: (one.document_id is not None, one.started_at, one.id)):
        by_place.setdefault(_place(episode), []).append(episode)

    console.print(Rule("[bold]2 · Episodes[/]: where each conversation was cut", align="left"))
    for place, members in by_place.items():
        first = members[0]
        console.print(Text.assemble((place, "bold"), (f" · {first.owner.type} {first.owner.id}", "dim")))
        console.print(section_table(members) if first.document_id is not None else episode_table(members))
        console.print()

    console.print(Rule(f"[bold]3 · Facts[/]: {_FACTS_OF_A_CONVERSATION} of each, of {len(facts):,}", align="left"))
    for place in by_place:
        its = sorted((fact for fact in facts if _place(fact) == place), key=lambda fact: (fact.said_at, fact.id))
        console.print(Text(place, style="bold"))
        console.print(fact_table(list(_spread(its, _FACTS_OF_A_CONVERSATION))))
        console.print()


def show_answers(console: Console, memories: "Memories", question: Question) -> None:
    """The best results of each method."""
    from serving.terminal.search_view import best_results

    table = Table(box=box.SIMPLE_HEAD, show_header=False, show_edge=False, pad_edge=False, expand=True)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(style="green", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for method in METHODS:
        found = memories.search(question.text, method=method, filters=question.filters)
        results = best_results(found, _RESULTS_OF_A_METHOD)
        for position, (when, text) in enumerate(results):
            last = position == len(results) - 1
            table.add_row(method if not position else "", when, text, end_section=last)
        if not results:
            table.add_row(method, "", Text("; ".join(found.query.notes) or "nothing found", style="yellow"), end_section=True)
    console.print(Text.assemble((question.text, "bold"), (f"  {question.option} {question.owner}", "dim")))
    console.print(table)
    console.print()


def show_hops(console: Console, memories: "Memories", question: Question) -> None:
    """A question whose answer lies in several conversations: what the agent searched for, and the answer."""
    from serving.terminal.search_view import answer_view

    response = memories.ask(question.text, question.filters, method="agentic")
    console.print(Text.assemble((question.text, "bold"), (f"  {question.option} {question.owner}", "dim")))
    if response.found.metrics.agent is not None:
        for query in response.found.metrics.agent.queries:
            console.print(Text.assemble(("agentic   ", "cyan"), ("searched for ", "dim"), query))
    console.print(Text.assemble(("answer    ", "cyan"), response.answer))
    console.print(answer_view(response))
    console.print()


def show_next(console: Console, data: Path) -> None:
    """Show what to try after the demo."""
    lines = [
        f"export MNEME_DATA={data}",
        QUESTIONS[0].command,
        f"{QUESTIONS[2].command} --explain",
        f"{HOPS.command} --method agentic --explain",
        "mneme inspect jason-and-mira --user mira",
        "mneme history Jason --user mira",
        "mneme ingest YOUR_CHAT.jsonl --user YOU",
    ]
    body = Text("\n").join(
        [
            Text("The same from the shell (export PATH=$PWD/.venv/bin:$PATH):"),
            *(Text(f"  {line}", style="cyan") for line in lines),
        ]
    )
    console.print(Panel(body, title="Try next", title_align="left", box=box.ROUNDED))


def _place(record: "Episode | AtomicFact") -> str:
    return record.conversation_id or record.document_id or ""


def _spread(facts: Sequence["AtomicFact"], number: int) -> Iterable["AtomicFact"]:
    """Some of them, evenly spaced: the first alone would tell of the first episode only."""
    step = max(1, len(facts) // number)
    return facts[::step][:number]
