"""Mneme and the floor, asked as the other systems are. They run in this process; the floor has no memories at all."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from rich.console import Console

from connectors.tokens import token_counter
from evaluation.metrics import Result
from evaluation.own_index import fresh_index
from evaluation.peers.candidate import DEPTH, Ask, Candidate, Ingest
from evaluation.retrieval.bench import ingest_set
from evaluation.retrieval.chunks import Chunk, Chunks
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.systems import open_systems, transcripts
from mneme.ports import Embedder
from mneme.settings import Settings
from mneme.text import tokenise
from queries.fuse import reciprocal_rank_fusion


def mneme(name: str, note: str, questions: QuestionSet, settings: Settings, folds: Path | None, console: Console) -> Candidate:
    """Hybrid search over an index of its own, with the defaults of the settings."""

    def opened(stack: ExitStack) -> Ingest:
        own = stack.enter_context(fresh_index(settings, "peers"))

        def ingest() -> Ask:
            ingest_set(questions, own, console)
            hybrid = stack.enter_context(open_systems(own, questions, ["hybrid"], None, console, folds))["hybrid"]
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
    count = token_counter().count

    def best(scores: np.ndarray) -> Sequence[str]:
        return [str(at) for at in np.argsort(-scores, kind="stable") if scores[at] > 0]

    def ask(question: Question) -> Sequence[Result]:
        meaning = vectors @ embedder.embed([question.text])[0]
        fused = reciprocal_rank_fusion([best(by_words.bm25(tokenise(question.text))), best(meaning)])
        found = [turns[int(at)] for at in list(fused)[:DEPTH]]
        return [Result(turn.messages, frozenset(turn.messages), count(turn.text)) for turn in found]

    return ask
