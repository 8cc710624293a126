"""The compared systems: Mneme, the floor, and the others. Each takes a conversation in and then answers questions.

A text that a system returns stands for turns of the conversation. Where the system does not say which (``TurnFinder``):

1. A turn whose words all stand in the text, in one run, is in it; or the text stands in the turn. Those, in the text's order.
2. Otherwise the one turn that shares the most words with it, if it has most of the text's words.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from connectors.files.chat_events import text_of
from connectors.tokens import token_counter
from evaluation.metrics import Result
from evaluation.own_index import fresh_index
from evaluation.peers.stub import MODEL
from evaluation.peers.systems import Peer, PeerProcess, environment_of
from evaluation.retrieval.bench import ingest_set
from evaluation.retrieval.chunks import Chunk, Chunks
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.systems import open_systems, transcripts
from mneme.ports import Embedder
from mneme.settings import Settings
from mneme.text import tokenise
from queries.fuse import reciprocal_rank_fusion

DEPTH = 20  # results that are asked for, so that ten distinct turns are among them
_START_SECONDS, _SEARCH_SECONDS = 600.0, 120.0
_WORD = re.compile(r"\w+")
_FEWEST_WORDS = 4  # of a run that says which turn it is: "Thanks, Mel!" stands in many texts
_MOST = 0.6  # of the words of a text are in the turn that it tells again

Ask = Callable[[Question], Sequence[Result]]
"""The results of a question, best first, each with the turns that it stands for; none where nothing was recognised."""

Ingest = Callable[[], Ask]
"""Takes the conversation in, and returns when all of it can be found."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row: ``open`` starts the system, which takes no time that counts; what it opens, the stack closes.

    ``note`` says what to know beside its figures.
    """

    name: str
    note: str
    open: Callable[[ExitStack], Ingest]


def mneme(name: str, note: str, questions: QuestionSet, settings: Settings, folds: Path | None, console: Console) -> Candidate:
    """Hybrid search over an index of its own, with the defaults of the settings."""

    def opened(stack: ExitStack) -> Ingest:
        own = stack.enter_context(fresh_index(settings, "peers"))

        def ingest() -> Ask:
            ingest_set(questions, own, console)
            hybrid = stack.enter_context(open_systems(own, questions, ["hybrid"], folds))["hybrid"]
            return lambda question: hybrid(question).results[:DEPTH]

        return ingest

    return Candidate(name, note, opened)


def floor(questions: QuestionSet, embedder: Embedder) -> Candidate:
    """Turns as they are, by BM25 and by cosine, fused by reciprocal rank."""
    note = "turns as they were said, ranked by BM25 and by cosine: nothing is extracted, dated, merged or ended"
    return Candidate("floor", note, lambda stack: lambda: _turns(questions, embedder))


def _turns(questions: QuestionSet, embedder: Embedder) -> Ask:
    said = [each for lines in transcripts(questions).values() for each in lines]
    turns = [Chunk(f"{each.speaker}: {each.text}", (each.message_id,)) for each in said]
    vectors = embedder.embed([turn.text for turn in turns])
    by_words = Chunks(turns, vectors)
    count = token_counter()

    def best(scores: np.ndarray) -> Sequence[str]:
        return [str(at) for at in np.argsort(-scores, kind="stable") if scores[at] > 0]

    def ask(question: Question) -> Sequence[Result]:
        meaning = vectors @ embedder.embed([question.text])[0]
        fused = reciprocal_rank_fusion([best(by_words.bm25(tokenise(question.text))), best(meaning)])
        found = [turns[int(at)] for at in list(fused)[:DEPTH]]
        return [Result(turn.messages, frozenset(turn.messages), count(turn.text)) for turn in found]

    return ask


def other(
    peer: Peer,
    questions: QuestionSet,
    base_url: str,
    dimension: int,
    environments: Path,
    folder: Path,
    python: str | None,
    patience: float,
) -> Candidate:
    """A system that is measured through its adapter.

    Args:
        peer: the system.
        questions: of one conversation.
        base_url: of the endpoint that it is given.
        dimension: of the endpoint's vectors.
        environments: where packages are installed.
        folder: its home.
        python: see ``environment_of``.
        patience: seconds for which it may take the messages in.
    """
    messages = [_message(event) for event in questions.events]
    finder = TurnFinder({message["id"]: message["text"] for message in messages})
    count = token_counter()

    def opened(stack: ExitStack) -> Ingest:
        interpreter = environment_of(peer, environments, python)
        process = stack.enter_context(PeerProcess(peer, interpreter, folder / peer.name, base_url))
        process.ask({"do": "open", "base_url": base_url, "model": MODEL, "dimension": dimension}, _START_SECONDS)

        def ask(question: Question) -> Sequence[Result]:
            answer = process.ask({"do": "search", "query": question.text, "limit": DEPTH}, _SEARCH_SECONDS)
            return [_result(found) for found in answer["found"]]

        def _result(found: Mapping[str, Any]) -> Result:
            turns = tuple(found.get("turns") or finder.turns_of(found["text"]))
            return Result(turns, frozenset(turns), count(found["text"]))

        def ingest() -> Ask:
            process.ask({"do": "ingest", "messages": messages}, patience)
            return ask

        return ingest

    return Candidate(peer.name, peer.handicaps, opened)


def _message(event: Mapping[str, Any]) -> dict[str, str]:
    return {
        "id": event["message_id"],
        "speaker": event["sender_name"],
        "text": text_of(event["content"]),
        "sent_at": event["sent_at"],
        "session": event["conversation_id"],
    }


class TurnFinder:
    """The turns of one conversation, ready to be recognised; ``turns`` are texts by id."""

    def __init__(self, turns: Mapping[str, str]) -> None:
        self._runs = {turn: f" {' '.join(words(text))} " for turn, text in turns.items()}
        self._words = {turn: frozenset(words(text)) for turn, text in turns.items()}

    def turns_of(self, text: str) -> tuple[str, ...]:
        """The ids of the turns that a text stands for; empty where none is recognised."""
        run = f" {' '.join(words(text))} "
        found = {}
        for turn, said in self._runs.items():
            shorter, longer = sorted((said, run), key=len)
            if len(shorter.split()) >= _FEWEST_WORDS and shorter in longer:
                found[turn] = max(0, run.find(said))
        if found:
            return tuple(sorted(found, key=lambda turn: found[turn]))
        own = frozenset(words(text))
        shared = {turn: len(own & said) for turn, said in self._words.items()}
        best = max(shared, key=lambda turn: (shared[turn], -len(self._words[turn])), default=None)
        return (best,) if best is not None and own and shared[best] >= _MOST * len(own) else ()


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())
