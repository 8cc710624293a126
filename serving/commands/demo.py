"""``mneme demo``: the examples through the whole flow into an embedded index, then questions to it. No server, no key."""

import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

import flows
import mneme
import queries
from mneme.errors import InputError, StoreRejected
from serving.terminal.format import count
from serving.terminal.output import output, progress_bar

if TYPE_CHECKING:
    from mneme.ports import MemoryIndex

FILES = ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl", "acme.jsonl", "handbook.md")

_DATA = Path("mneme-data/demo")
_FACTS_OF_A_CONVERSATION = 3


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
    from connectors.indices import open_index

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

    with closing(open_index(settings)) as index:
        show_memory(console, index)

    console.print(Rule("[bold]4 · Questions[/]", align="left"))
    with queries.Memories.open(settings) as memories:
        for question in QUESTIONS:
            show_answers(console, memories, question)
        show_hops(console, memories, HOPS)
    show_next(console, data)


def local_settings(data: Path) -> "mneme.Settings":
    """The settings of the environment, but nothing that needs a server or a key."""
    from mneme.settings import Boundaries, Extraction, Index, Models, Rerank

    return mneme.load_settings().replace(
        data=data,
        index=Index(backend="embedded"),
        models=Models(),
        boundaries=Boundaries(),
        extraction=Extraction(),
        embedder={"provider": "local"},
        rerank=Rerank(),
        agents={"planner": "rules"},
        answers={"writer": "extractive"},
    )


def example_files(folder: Path | None) -> list[Path]:
    """The files of the demo.

    Raises:
        InputError: they are not where they should be.
    """

    candidates = [folder] if folder else [Path(__file__).parents[1] / "examples", Path("examples")]
    for candidate in candidates:
        files = [candidate / name for name in FILES]
        if all(file.is_file() for file in files):
            return files
    raise InputError(
        f"examples: {', '.join(FILES)} are not in {' nor in '.join(map(str, candidates))}; "
        "they come with the repository, name their folder with --examples"
    )


def show_report(console: Console, report: "flows.IngestReport") -> None:
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
    from mneme.rows import Collection
    from serving.terminal.tables import episode_table, fact_table

    episodes = [record for row in index.scan(Collection.EPISODES) if isinstance(record := row.record(), mneme.Episode)]
    facts = [record for row in index.scan(Collection.FACTS) if isinstance(record := row.record(), mneme.AtomicFact)]
    by_place: dict[str, list[mneme.Episode]] = {}
    for episode in sorted(episodes, key=lambda one: (one.document_id is not None, one.started_at, one.id)):
        by_place.setdefault(_place(episode), []).append(episode)

    console.print(Rule("[bold]2 · Episodes[/]: each conversation is cut where its subject changes", align="left"))
    for place, members in by_place.items():
        first = members[0]
        console.print(Text.assemble((place, "bold"), (f" · {first.owner.type} {first.owner.id}", "dim")))
        if first.document_id is None:
            console.print(episode_table(members))
        else:
            console.print(f"A document: {count(len(members), 'section')}, found by everybody of the tenant.")
        console.print()

    console.print(Rule(f"[bold]3 · Facts[/]: what was said, quoted; some of {len(facts):,}", align="left"))
    for place in by_place:
        its = sorted((fact for fact in facts if _place(fact) == place), key=_order)
        console.print(Text(place, style="bold"))
        console.print(fact_table(_telling(its, _FACTS_OF_A_CONVERSATION)))
        console.print()


def show_answers(console: Console, memories: "queries.Memories", question: Question) -> None:
    """The best result of a hybrid search."""
    from queries.responses import FoundFact
    from serving.terminal.search_view import in_short, only_asks

    results = memories.search(question.text, filters=question.filters).ranked()
    best = next((item for item in results if not (isinstance(item, FoundFact) and only_asks(item))), None)
    console.print(Text.assemble((question.text, "bold"), (f"  {question.option} {question.owner}", "dim")))
    if best is not None:
        console.print(Padding(in_short(best), (0, 0, 0, 2)))
    console.print()


def show_hops(console: Console, memories: "queries.Memories", question: Question) -> None:
    """A question whose answer lies in several conversations: what the agent searched for, and the answer."""
    from serving.terminal.search_view import answer_view

    response = memories.ask(question.text, question.filters, method="agentic")
    console.print(Text.assemble((question.text, "bold"), (f"  {question.option} {question.owner}", "dim")))
    if response.found.metrics.agent is not None:
        for query in response.found.metrics.agent.queries:
            console.print(Padding(Text.assemble(("searched for  ", "dim"), query), (0, 0, 0, 2)))
    console.print(Padding(Group(Text(response.answer), answer_view(response)), (0, 0, 0, 2)))
    console.print()


def show_next(console: Console, data: Path) -> None:
    """Show what to try after the demo."""
    console.print(Rule("[bold]5 · Try next[/]: the same from the shell", align="left"))
    for line in (
        "export PATH=$PWD/.venv/bin:$PATH",
        f"export MNEME_DATA={data}",
        QUESTIONS[0].command,
        f"{QUESTIONS[2].command} --explain",
        f"{HOPS.command} --method agentic --explain",
        "mneme inspect jason-and-mira --user mira",
        "mneme history Jason --user mira",
        "mneme serve                       # the console, http://127.0.0.1:8765/console",
        "mneme ingest YOUR_CHAT.jsonl --user YOU",
    ):
        console.print(Text(f"  {line}", style="cyan"), soft_wrap=True)  # whole lines can be copied


def _place(record: "mneme.Episode | mneme.AtomicFact") -> str:
    return record.conversation_id or record.document_id or ""


def _order(fact: "mneme.AtomicFact") -> tuple[datetime, tuple[int, ...], str]:
    """As they were said, or as they stand in their document."""
    place = fact.citation.place if fact.citation else ""
    return fact.said_at, tuple(map(int, re.findall(r"\d+", place))), fact.id


def _telling(facts: Sequence["mneme.AtomicFact"], number: int) -> Sequence["mneme.AtomicFact"]:
    """Some that state something, evenly spaced: the first alone would tell of the first episode only."""
    telling = [fact for fact in facts if not re.search("[?？]", fact.quote.words if fact.quote else fact.atomic_fact)]
    stating = [fact for fact in telling if fact.claims]
    dated = [fact for fact in telling if fact.claims or fact.event_at]
    chosen = stating if len(stating) >= number else dated or telling
    return chosen[:: max(1, len(chosen) // number)][:number]
