"""``mneme bench peers``: Mneme side by side with what else could be chosen, and with the floor.

1. One conversation of a LoCoMo file, with the questions whose evidence is in it. One endpoint for all (stub.py): the vectors
   of Mneme's embedder, and a chat model that takes a set time, is counted, and answers each system's own form.
2. Each system, one after the other, from nothing: the messages go in through its public interface, with its own defaults,
   until it says that all can be found and asks the endpoint nothing more. Each other system is a process with an environment
   of its own (systems.py).
3. Every question, one at a time: the median time, and the first ten distinct turns that its results stand for. Which turns a
   text stands for is what the system says, or else is recognised by its words (candidates.py).

A system that cannot be installed or fails is a row with its reason. What a stub cannot show is how well a real model extracts:
its statements are the messages' own words, so that nothing is lost and nothing is understood.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from connectors.models import open_embedder
from connectors.tokens import token_counter
from evaluation.metrics import Result, distinct_messages, recall_at, recall_within_tokens, tokens_for_messages
from evaluation.options import FoldsOption
from evaluation.peers.candidates import Ask, Candidate, floor, mneme, other
from evaluation.peers.stub import MODEL, StubEndpoint
from evaluation.peers.systems import PEERS, Peer, PeerUnavailable
from evaluation.recording.local_endpoint import LocalEndpoint
from evaluation.report import Report, Row, embedder_of, plotted, print_table
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.sets import LOADERS
from mneme.errors import InputError
from mneme.settings import EmbedderSettings, Settings

QUIET = 15.0  # seconds without a request, after which a system has nothing more to do in the background
_FIRST, _BUDGET = 10, 600  # turns, tokens
_NOTES = {
    "mneme": "asks no chat model by default; its embedder runs in its process and gives vectors of tokens too, as no endpoint "
    "does; its coefficients were fitted on half of LoCoMo, perhaps with this conversation (--folds: without it)",
    "mneme-endpoint": "Mneme with the endpoint's vectors alone, as the others have them: no vectors of tokens, no scoring "
    "fitted for them",
}


def run_peers(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Your LoCoMo JSON.", show_default=False)],
    settings: Settings,
    console: Console,
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
    quiet: float = QUIET,
    peers: Sequence[Peer] = PEERS,
) -> Report:
    """Mneme beside mem0, Graphiti, EverOS, MemMachine and plain turns: one conversation, embedder and chat endpoint for all.

    Args:
        path, settings, console, conversation, only, latency, environments, python, patience, folds: as the options say.
        quiet: see ``QUIET``.
        peers: which systems there are.

    Raises:
        InputError: no such file, conversation or system.
        MnemeError: whatever Mneme's flow or search raises.
    """
    questions = one_conversation(LOADERS["locomo"]([path]), conversation)
    names = [*_NOTES, "floor", *(peer.name for peer in peers)]
    if unknown := set(only or ()) - set(names):
        raise InputError(f"only: {', '.join(sorted(unknown))} not known; accepted are {', '.join(names)}")
    with ExitStack() as stack:
        alone = {"multilingual": False, "token_vectors": False}  # what an endpoint gives: one model, one vector for a text
        embedder = open_embedder(settings.replace(embedder=alone))
        stack.callback(embedder.close)
        stub = StubEndpoint(embedder, token_counter(), latency / 1000)
        url = stack.enter_context(LocalEndpoint(stub)).base_url
        dimension = embedder.identity.dimension
        vectors = EmbedderSettings(provider="openai", base_url=url, model=MODEL, dimension=dimension)
        by_endpoint = settings.model_copy(update={"embedder": vectors})
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-peers-")))
        packages = environments or settings.data / "peers"
        candidates = [
            mneme("mneme", _NOTES["mneme"], questions, settings, folds, console),
            mneme("mneme-endpoint", _NOTES["mneme-endpoint"], questions, by_endpoint, None, console),
            floor(questions, embedder),
            *(other(peer, questions, url, dimension, packages, folder, python, patience) for peer in peers),
        ]
        rows = [_row(each, questions, stub, quiet, patience, console) for each in candidates if not only or each.name in only]
    print_table(console, "Side by side", rows, ["system", *_FIGURES, "reason"])
    for row in rows:
        console.print(f"{row['system']}: {row['note']}", highlight=False)
    return Report(
        bench="peers",
        settings={
            "conversation": questions.events[0]["conversation_id"],
            "messages": len(questions.events),
            "questions": len(questions.questions),
            "fingerprint": questions.fingerprint,
            "latency": latency / 1000,
            "packages": {peer.name: list(peer.requirements) for peer in peers},
            "embedder": embedder_of(settings),
        },
        rows=rows,
        headline={
            f"{row['system']}_{name.replace(' ', '_')}": row[name]
            for row in rows
            for name in ("ready s", "recall@10")
            if name in row
        },
        plot=partial(_plot, rows),
    )


_FIGURES = (
    "ready s",
    "calls/m",
    "prompt/m",
    "search ms",
    "calls/search",
    "recall@10",
    "recall@600tokens",
    "tokens@10",
    "unmatched",
)


def one_conversation(questions: QuestionSet, name: str | None) -> QuestionSet:
    """The events and questions of one conversation; of the first, without a name.

    Raises:
        InputError: there is none of that name with a question.
    """
    there = list(dict.fromkeys(each.conversation for each in questions.questions))
    chosen = name or there[0]
    if chosen not in there:
        raise InputError(f"conversation: {chosen} is not in the file; there are {', '.join(there)}")
    return replace(
        questions,
        events=tuple(event for event in questions.events if event["conversation_id"] == chosen),
        questions=tuple(each for each in questions.questions if each.conversation == chosen),
    )


def _row(
    candidate: Candidate, questions: QuestionSet, stub: StubEndpoint, quiet: float, patience: float, console: Console
) -> Row:
    """The figures of one system, or why there are none."""
    row: dict[str, str | float | int] = {"system": candidate.name}
    with ExitStack() as stack:
        try:
            with console.status(candidate.name):
                ingest = candidate.open(stack)
                before, started = stub.traffic, time.perf_counter()
                ask = ingest()
                row["ready s"] = max(time.perf_counter(), _settled(stub, quiet, patience)) - started
                taken, messages = stub.traffic.since(before), len(questions.events)
                row |= {"calls/m": taken.calls / messages, "prompt/m": taken.prompt_tokens / messages}
                before = stub.traffic
                answers = [_timed(ask, question) for question in questions.questions]
        except PeerUnavailable as error:
            console.print(f"{candidate.name}: {error}", highlight=False)
            return {**row, "reason": str(error), "note": candidate.note}
    found = [results for results, _ in answers]
    recalls = [
        recall_at(distinct_messages(results), question.evidence, _FIRST)
        for results, question in zip(found, questions.questions, strict=True)
    ]
    places = [result for results in found for result in results]
    return {
        **row,
        "search ms": 1000 * statistics.median(seconds for _, seconds in answers),
        "calls/search": stub.traffic.since(before).calls / len(answers),
        "recall@10": statistics.mean(recalls),
        "recall@600tokens": statistics.mean(
            recall_within_tokens(results, question.evidence, _BUDGET)
            for results, question in zip(found, questions.questions, strict=True)
        ),
        "tokens@10": statistics.mean(tokens_for_messages(results, _FIRST) for results in found),
        "unmatched": sum(not place.messages for place in places) / max(1, len(places)),
        "note": candidate.note,
    }


def _settled(stub: StubEndpoint, quiet: float, patience: float) -> float:
    """Return when the endpoint's last request ended, once there have been none for a while."""
    gives_up = time.perf_counter() + patience
    while (since := stub.quiet_since) is None or time.perf_counter() - since < quiet:
        if time.perf_counter() > gives_up:
            raise PeerUnavailable(f"it was still asking the endpoint {patience:.0f} s after it had taken all in")
        time.sleep(0.05)
    return since


def _timed(ask: Ask, question: Question) -> tuple[Sequence[Result], float]:
    started = time.perf_counter()
    return ask(question), time.perf_counter() - started


def _plot(rows: Sequence[Row], out: Path) -> None:
    """Draw recall over the seconds until all is found: a point for each system, larger the more tokens its ten turns take."""
    labels = {"xlabel": "seconds until all can be found", "ylabel": "recall@10, turns", "title": "Side by side"}
    with plotted(out, (7.2, 5.8), xscale="log", ylim=(0, 1), **labels) as axes:
        for row in rows:
            if "recall@10" in row:
                axes.scatter(
                    max(0.1, float(row["ready s"])),
                    float(row["recall@10"]),
                    s=20 + float(row["tokens@10"]) / 10,
                    label=f"{row['system']}, {float(row['calls/m']):.1f} calls a message",
                )
