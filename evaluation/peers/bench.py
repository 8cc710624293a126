"""``mneme bench peers``: Mneme side by side with what else could be chosen, and with the floor.

1. One conversation of a LoCoMo file, with the questions whose evidence is in it. One endpoint for all (stub.py): the vectors
   of Mneme's embedder, and a chat model that takes a set time, is counted, and answers each system's own form.
2. Each system, one after the other, from nothing: the messages go in through its public interface, with its own defaults,
   until it says that all can be found and asks the endpoint nothing more. Each other system is a process with an environment
   of its own (systems.py).
3. Every question, one at a time: the median time, and the first ten distinct turns that its results stand for (candidates.py).

A system that cannot be installed or fails is a row with its reason.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from connectors.models import open_embedder
from connectors.tokens import token_counter
from evaluation.metrics import Result, measure
from evaluation.options import FoldsOption
from evaluation.peers.candidates import Run, floor, mneme, other
from evaluation.peers.stub import MODEL, StubEndpoint
from evaluation.peers.systems import NOTES, PEERS, Peer, PeerUnavailable, started
from evaluation.recording.local_endpoint import local_endpoint
from evaluation.report import Report, Row, embedder_of, plotted, print_table
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import LOADERS
from mneme.errors import InputError
from mneme.settings import Settings

_MEASURED = ("recall@10", "recall@600tokens", "tokens@10")
_FIGURES = ("ready s", "calls/m", "prompt/m", "search ms", "calls/search", *_MEASURED, "unmatched")


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
    folds: FoldsOption = None,
    patience: float = 1800.0,  # seconds for which a system may take it all in
    quiet: float = 15.0,  # seconds without a request, after which it has nothing more to do in the background
    peers: Sequence[Peer] = PEERS,
) -> Report:
    """Mneme beside mem0, Graphiti, EverOS, MemMachine and plain turns: one conversation, embedder and chat endpoint for all.

    Raises:
        InputError: no such file, conversation or system.
        MnemeError: whatever Mneme's flow or search raises.
    """
    every = LOADERS["locomo"]([path])
    there = list(dict.fromkeys(each.conversation for each in every.questions))
    if (chosen := conversation or there[0]) not in there:
        raise InputError(f"conversation: {chosen} is not in the file; there are {', '.join(there)}")
    questions = every.with_only([each for each in every.questions if each.conversation == chosen])
    with ExitStack() as stack:
        alone = {"multilingual": False, "token_vectors": False}  # what an endpoint gives: one model, one vector for a text
        embedder = open_embedder(settings.replace(embedder=alone))
        stack.callback(embedder.close)
        stub = StubEndpoint(embedder, token_counter(), latency / 1000)
        url = stack.enter_context(local_endpoint(stub.answer))
        endpoint = {"base_url": url, "model": MODEL, "dimension": embedder.identity.dimension}
        by_endpoint = settings.replace(embedder={"provider": "openai", **endpoint})
        homes = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-peers-")))
        runs: dict[str, Callable[[], Run]] = {
            "mneme": lambda: mneme(questions, settings, folds, console),
            "mneme-endpoint": lambda: mneme(questions, by_endpoint, None, console),
            "floor": lambda: floor(questions, embedder),
        }
        for peer in peers:
            runs[peer.name] = partial(other, questions, started(peer, settings.data / "peers", homes, endpoint), patience)
        if unknown := set(only or ()) - set(runs):
            raise InputError(f"only: {', '.join(sorted(unknown))} not known; accepted are {', '.join(runs)}")
        notes, rows = {**NOTES, **{peer.name: peer.note for peer in peers}}, []
        for name in only or runs:
            with console.status(name):
                rows.append({"system": name, "note": notes[name], **_figures(runs[name](), questions, stub, quiet, patience)})
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


def _figures(run: Run, questions: QuestionSet, stub: StubEndpoint, quiet: float, patience: float) -> Row:
    """The figures of one system, or why there are none."""
    found: list[Sequence[Result]] = []
    milliseconds: list[float] = []
    with closing(run):
        try:
            next(run)
            before, began = stub.traffic.copy(), time.perf_counter()
            ask = next(run)
            assert ask is not None
            seconds = max(time.perf_counter(), _settled(stub, quiet, patience)) - began
            settled = stub.traffic.copy()
            for question in questions.questions:
                began = time.perf_counter()
                found.append(ask(question))
                milliseconds.append(1000 * (time.perf_counter() - began))
        except PeerUnavailable as error:
            return {"reason": str(error)}
    taken, messages = settled - before, len(questions.events)
    evidence = [question.evidence for question in questions.questions]
    figures = [measure(results, each) for results, each in zip(found, evidence, strict=True)]
    places = [result for results in found for result in results]
    return {
        "ready s": seconds,
        "calls/m": taken["calls"] / messages,
        "prompt/m": taken["prompt"] / messages,
        "search ms": statistics.median(milliseconds),
        "calls/search": (stub.traffic - settled)["calls"] / len(found),
        **{name: statistics.mean(each[name] for each in figures) for name in _MEASURED},
        "unmatched": sum(not place.messages for place in places) / max(1, len(places)),
    }


def _settled(stub: StubEndpoint, quiet: float, patience: float) -> float:
    """Return when the endpoint's last request ended, once there have been none for a while."""
    gives_up = time.perf_counter() + patience
    while (since := stub.quiet_since) is None or time.perf_counter() - since < quiet:
        if time.perf_counter() > gives_up:
            raise PeerUnavailable(f"it was still asking the endpoint {patience:.0f} s after it had taken all in")
        time.sleep(0.05)
    return since


def _plot(rows: Sequence[Row], out: Path) -> None:
    """Draw recall over the seconds until all is found: a point for each system, larger the more tokens its ten turns take."""
    labels = {"xlabel": "seconds until all can be found", "ylabel": "recall@10, turns", "title": "Side by side"}
    with plotted(out, (7.2, 5.8), xscale="log", ylim=(0, 1), **labels) as axes:
        for row in rows:
            if "recall@10" in row:
                at, size = (max(0.1, float(row["ready s"])), float(row["recall@10"])), 20 + float(row["tokens@10"]) / 10
                axes.scatter(*at, s=size, label=f"{row['system']}, {float(row['calls/m']):.1f} calls a message")
