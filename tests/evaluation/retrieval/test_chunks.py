"""The flat baseline."""

from itertools import pairwise

import numpy as np
import pytest

from evaluation.retrieval.chunks import Chunk, Chunks, Said, chunked
from mneme.text import tokenise


def said(number: int, text: str, day: str = "2026-03-02") -> Said:
    return Said(f"m{number}", "Ada", text, day)


def test_a_chunk_has_the_day_in_front_and_no_chunk_holds_two_days() -> None:
    chunks = chunked([said(1, "I grow beans."), said(2, "And maize."), said(3, "It rains.", "2026-03-03")])
    assert chunks == [
        Chunk("# Memories from 2026-03-02\n\nAda: I grow beans.\nAda: And maize.", ("m1", "m2")),
        Chunk("# Memories from 2026-03-03\n\nAda: It rains.", ("m3",)),
    ]


def test_chunks_are_cut_at_sentences_and_overlap() -> None:
    transcript = [said(number, f"This is sentence number {number} of many. It goes on.") for number in range(40)]
    chunks = chunked(transcript, size=400, overlap=80)
    bodies = [chunk.text.removeprefix("# Memories from 2026-03-02\n\n") for chunk in chunks]
    assert all(len(body) <= 400 for body in bodies)
    assert all(body.endswith(".") for body in bodies)
    for before, after in pairwise(bodies):
        shared = next(length for length in range(80, 0, -1) if before.endswith(after[:length]))
        assert shared >= 40
    assert {message for chunk in chunks for message in chunk.messages} == {each.message_id for each in transcript}


def test_a_chunk_does_not_stand_for_the_tail_of_a_message() -> None:
    first, second = "one two three four five six seven.", "Here is a second message that is long enough."
    before, after = chunked([said(1, first), said(2, second)], size=70, overlap=10)
    assert before.messages == ("m1",)
    assert "seven." in after.text
    assert after.messages == ("m2",)


def test_of_a_message_longer_than_a_chunk_every_chunk_stands_for_it() -> None:
    chunks = chunked([said(1, "word " * 60)], size=100, overlap=10)
    assert len(chunks) > 2
    assert {chunk.messages for chunk in chunks} == {("m1",)}


def store(*texts: str, vectors: list[list[float]] | None = None) -> Chunks:
    rows = np.array(vectors or [[0.0, 1.0]] * len(texts), dtype=np.float32)
    return Chunks([Chunk(text, (f"m{at}",)) for at, text in enumerate(texts)], rows)


def found(chunks: Chunks, question: str, vector: list[float] | None, top_k: int = 10) -> list[str]:
    asked = None if vector is None else np.array(vector, dtype=np.float32)
    return [chunk.messages[0] for chunk in chunks.search(tokenise(question), asked, top_k)]


def test_bm25_is_what_the_formula_says() -> None:
    chunks = store("kayak lake", "kayak kayak river sun", "basil")
    # df 2 of 3: idf ln(1 + 1.5/2.5); lengths 2, 4, 1, mean 7/3.
    rarity = np.log(1 + 1.5 / 2.5)
    norms = [1.2 * (0.25 + 0.75 * length / (7 / 3)) for length in (2, 4)]
    assert chunks.bm25(["kayak", "kayak"]).tolist() == pytest.approx([rarity / (1 + norms[0]), rarity * 2 / (2 + norms[1]), 0])


def test_words_count_three_tenths_of_the_best_and_meaning_seven() -> None:
    # Words favour m0 by .3; meaning favours m1 by .7 times the difference of the cosines.
    near = store("kayak", "basil", vectors=[[0.5, 0.0], [0.9, 0.0]])
    assert found(near, "kayak", [1.0, 0.0]) == ["m0", "m1"]  # .3 + .35 against .63
    far = store("kayak", "basil", vectors=[[0.5, 0.0], [0.95, 0.0]])
    assert found(far, "kayak", [1.0, 0.0]) == ["m1", "m0"]  # .65 against .665


def test_without_a_vector_words_alone_decide_and_nothing_else_is_returned() -> None:
    assert found(store("kayak lake", "basil", "kayak"), "the kayak", None) == ["m2", "m0"]
    assert found(store("kayak"), "basil", None) == []


def test_no_more_is_returned_than_is_asked_for_and_equals_stay_in_order() -> None:
    assert found(store("kayak", "kayak", "kayak"), "kayak", None, top_k=2) == ["m0", "m1"]


def test_only_the_best_forty_of_a_leg_are_candidates() -> None:
    everything = store(*[f"kayak {'lake ' * number}" for number in range(60)])
    assert len(found(everything, "kayak", None, top_k=100)) == 40
