"""Embeddings apart and together again."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.recording.recordings import apart, request_for, texts_of, together

VALUES = st.lists(st.floats(allow_nan=False), max_size=4)


def answer(rows: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"object": "list", "model": "e", "data": rows, "usage": {"prompt_tokens": 7}, **more})


@given(st.lists(VALUES, min_size=1, max_size=5), st.randoms())
def test_what_is_taken_apart_comes_together_with_the_same_values(vectors: list[list[float]], random: Any) -> None:
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    shuffled = random.sample(rows, len(rows))
    singles = apart(answer(shuffled), len(rows))
    assert singles is not None
    assert json.loads(together(singles)) == {"object": "list", "model": "e", "data": rows}
    chosen = [0, len(rows) - 1, 0]
    again = json.loads(together([singles[at] for at in chosen]))["data"]
    assert [row["embedding"] for row in again] == [vectors[at] for at in chosen]


@pytest.mark.parametrize(
    "malformed",
    [
        "prose",
        "[]",
        "{}",
        answer([]),
        answer([{"index": 0, "embedding": [1]}]),
        answer([{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]),
        answer([{"index": 0, "embedding": [1]}, {"index": 1}]),
        answer([{"index": [], "embedding": [1]}]),
    ],
)
def test_an_answer_without_one_vector_for_each_text_is_none(malformed: str) -> None:
    assert apart(malformed, 2) is None


def test_only_requests_for_several_embeddings_have_texts() -> None:
    path = "/v1/embeddings"
    assert texts_of(path, {"input": ["a"]}) == ["a"]
    assert texts_of(path, {"input": [[1, 2], [3]]}) == [[1, 2], [3]]
    others: list[Any] = [{"input": "a"}, {"input": [1, 2]}, {"input": []}, {}, [], None]
    assert [texts_of(path, request) for request in others] == [None] * 6
    assert texts_of("/v1/responses", {"input": ["a"]}) is None
    assert request_for({"model": "e", "input": ["a", "b"]}, ["b"]) == {"model": "e", "input": ["b"]}
