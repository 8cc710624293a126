"""The compared systems: Mneme, the floor, and the others. Each takes a conversation in and then answers questions.

A text that a system returns stands for turns of the conversation. Where the system does not say which, those are the turns
whose words all stand in the text, in one run, or in whose words the text stands (``turns_of``).
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

from connectors.files.chat_events import text_of
from connectors.tokens import token_counter
from evaluation.metrics import Result
from evaluation.own_index import fresh_index
from evaluation.peers.systems import Asked
from evaluation.retrieval.bench import ingest_set
from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.systems import found_by, open_memories
from mneme.ports import Embedder
from mneme.settings import Settings
from mneme.text import tokenise
from queries.fuse import reciprocal_rank_fusion

DEPTH = 20  # results that are asked for, so that ten distinct turns are among them
_SEARCH_SECONDS = 120.0
_K1, _B = 1.2, 0.75  # as both indices have them
_FEWEST_WORDS = 4  # of a run that says which turn it is: "Thanks, Mel!" stands in many texts

Ask = Callable[[Question], Sequence[Result]]
"""The results of a question, best first, each with the turns that it stands for; none where nothing was recognised."""

Run = Generator[Ask | None, None, None]
"""A run of a system in two steps: it starts, which takes no time that counts, and yields nothing; it takes the conversation in,
until all of it can be found, and yields how it is asked. Closing the run ends the system."""


def mneme(questions: QuestionSet, settings: Settings, folds: Path | None, console: Console) -> Run:
    """Hybrid search over an index of its own, with the defaults of the settings."""
    with fresh_index(settings, "peers") as own, ExitStack() as stack:
        yield None
        ingest_set(questions, own, console)
        search = found_by("hybrid", open_memories(own, questions, folds, stack))
        yield lambda question: search(question).results[:DEPTH]


def floor(questions: QuestionSet, embedder: Embedder) -> Run:
    """Turns as they are, by BM25 and by cosine, fused by reciprocal rank."""
    count = token_counter()
    yield None
    turns = {event["message_id"]: f"{event['sender_name']}: {text_of(event['content'])}" for event in questions.events}
    vectors, by_words, ids = embedder.embed(list(turns.values())), WordScores(list(turns.values())), list(turns)

    def best(scores: np.ndarray) -> Sequence[str]:
        return [str(at) for at in np.argsort(-scores, kind="stable") if scores[at] > 0]

    def ask(question: Question) -> Sequence[Result]:
        meaning = vectors @ embedder.embed([question.text])[0]
        fused = reciprocal_rank_fusion([best(by_words.of(tokenise(question.text))), best(meaning)])
        found = [ids[int(at)] for at in list(fused)[:DEPTH]]
        return [Result((turn,), frozenset((turn,)), count(turns[turn])) for turn in found]

    yield ask


class WordScores:
    """BM25 of texts (Robertson and Zaragoza 2009, with the idf of Lucene); a token of a question counts once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(tokenise(text)) for text in texts]
        lengths = np.array([counts.total() for counts in self._counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0))

    def of(self, tokens: Sequence[str]) -> npt.NDArray[np.float64]:
        """The score of each text."""
        scores = np.zeros(len(self._counts))
        for token in dict.fromkeys(tokens):
            frequency = np.array([counts[token] for counts in self._counts], dtype=np.float64)
            having = int(np.count_nonzero(frequency))
            if having:
                rarity = math.log(1 + (len(self._counts) - having + 0.5) / (having + 0.5))
                scores += rarity * frequency / (frequency + self._norm)
        return scores


def other(questions: QuestionSet, process: AbstractContextManager[Asked], patience: float) -> Run:
    """A system that is measured through its adapter; it may take ``patience`` seconds to take the messages in."""
    said = {event["message_id"]: text_of(event["content"]) for event in questions.events}
    messages = [
        {"id": event["message_id"], "speaker": event["sender_name"], "text": text, "sent_at": event["sent_at"]}
        for event, text in zip(questions.events, said.values(), strict=True)
    ]
    runs, count = {turn: run_of(text) for turn, text in said.items()}, token_counter()

    def result(found: Mapping[str, Any]) -> Result:
        turns = tuple(found.get("turns") or turns_of(found["text"], runs))
        return Result(turns, frozenset(turns), count(found["text"]))

    with process as asked:
        yield None
        asked({"do": "ingest", "messages": messages}, patience)

        def ask(question: Question) -> Sequence[Result]:
            answer = asked({"do": "search", "query": question.text, "limit": DEPTH}, _SEARCH_SECONDS)
            return list(map(result, answer["found"]))

        yield ask


def turns_of(text: str, runs: Mapping[str, str]) -> tuple[str, ...]:
    """The turns, by their runs of words, that a text stands for, in the text's order; empty where none is recognised."""
    run, places = run_of(text), {}
    for turn, said in runs.items():
        shorter, longer = sorted((said, run), key=len)
        if len(shorter.split()) >= _FEWEST_WORDS and shorter in longer:
            places[turn] = max(0, run.find(said))
    return tuple(sorted(places, key=places.__getitem__))


def run_of(text: str) -> str:
    """The words of a text in lower case, between single blanks."""
    return " ".join(["", *re.findall(r"\w+", text.lower()), ""])
