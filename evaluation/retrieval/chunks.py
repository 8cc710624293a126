"""The flat baseline: no memories, only the transcript in chunks that overlap, ranked by words and by meaning.

1. The messages of a day are one text; it is cut at sentence ends into chunks of 1,600 characters, each beginning with the
   last 320 of the one before, under the header ``# Memories from YYYY-MM-DD`` (as flows/reading/editions.py
   cuts documents).
2. BM25 and cosine of every chunk; the best 40 of either leg are candidates.
3. Score: 0.3 x BM25 as a share of the best + 0.7 x cosine. A candidate of one leg has its score of the other too, which is
   kinder to the baseline than a zero.

It is how memory in plain files is searched by widely used agents, and what extraction has to be worth its cost against.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from flows.reading.editions import spans
from mneme.rows import Vector
from mneme.text import tokenise

SIZE, OVERLAP = 1600, 320  # characters
WORDS, MEANING = 0.3, 0.7
OVERFETCH = 40
_K1, _B = 1.2, 0.75  # as both indices have them

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a transcript; ``day`` is ``YYYY-MM-DD``."""

    message_id: str
    speaker: str
    text: str
    day: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a transcript with its header, and the messages it stands for, in order."""

    text: str
    messages: tuple[str, ...]


def chunked(transcript: Sequence[Said], size: int = SIZE, overlap: int = OVERLAP) -> list[Chunk]:
    """Step 1: the chunks of a transcript, day by day.

    A chunk stands for a message if it holds at least half of it, or if at least half of the chunk is of that message.
    """
    chunks = []
    for day, said in groupby(transcript, key=lambda each: each.day):
        lines = list(said)
        text = "\n".join(f"{each.speaker}: {each.text}" for each in lines)
        for start, end in spans(text, size, overlap):
            if piece := text[start:end].strip():
                chunks.append(Chunk(f"# Memories from {day}\n\n{piece}", _messages(lines, start, end)))
    return chunks


class Chunks:
    """The chunks of one memory, ready to be searched.

    ``vectors`` has a row of length 1 for each chunk.
    """

    def __init__(self, chunks: Sequence[Chunk], vectors: Vector) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._counts = [Counter(tokenise(chunk.text)) for chunk in chunks]
        lengths = np.array([counts.total() for counts in self._counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0)) if chunks else lengths

    def search(self, tokens: Sequence[str], vector: Vector | None, top_k: int) -> list[Chunk]:
        """Steps 2 and 3: the best chunks, best first. Without a vector words alone decide.

        Ties go to the earlier chunk; a chunk that neither leg finds is not returned.
        """
        words = self.bm25(tokens)
        legs = [words]
        scores = WORDS * words / words.max(initial=1e-9)
        if vector is not None and len(self._chunks):
            meaning = (self._vectors @ vector).astype(np.float64)
            legs.append(meaning)
            scores = scores + MEANING * meaning
        candidates = {int(at) for leg in legs for at in np.argsort(-leg, kind="stable")[:OVERFETCH] if leg[at] > 0}
        return [self._chunks[at] for at in sorted(candidates, key=lambda at: (-scores[at], at))[:top_k]]

    def bm25(self, tokens: Sequence[str]) -> Scores:
        """BM25 (Robertson and Zaragoza 2009, with the idf of Lucene) of each chunk; a token counts once."""
        scores = np.zeros(len(self._chunks))
        for token in dict.fromkeys(tokens):
            frequency = np.array([counts[token] for counts in self._counts], dtype=np.float64)
            having = int(np.count_nonzero(frequency))
            if having:
                rarity = math.log(1 + (len(self._chunks) - having + 0.5) / (having + 0.5))
                scores += rarity * frequency / (frequency + self._norm)
        return scores


def _messages(lines: Sequence[Said], start: int, end: int) -> tuple[str, ...]:
    held = []
    at = 0
    for each in lines:
        length = len(each.speaker) + 2 + len(each.text)
        shared = min(end, at + length) - max(start, at)
        if shared > 0 and 2 * shared >= min(length, end - start):
            held.append(each.message_id)
        at += length + 1
    return tuple(held)
