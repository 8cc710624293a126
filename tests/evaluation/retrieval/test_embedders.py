"""Embedders by name."""

import pytest

from evaluation.retrieval.embedders import named_embedder
from mneme.errors import InputError
from mneme.settings import load_settings


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("local", {"provider": "local", "quantize": "none"}),
        ("local:int8", {"provider": "local", "quantize": "int8"}),
        ("hash", {"provider": "hash"}),
        ("openai", {"provider": "openai", "model": "text-embedding-3-small", "dimension": 1536}),
        ("openai:org/model:v2:768", {"provider": "openai", "model": "org/model:v2", "dimension": 768}),
    ],
)
def test_a_name_sets_what_makes_the_vectors(spec: str, expected: dict[str, object]) -> None:
    named = named_embedder(load_settings({}), spec).embedder
    assert {name: getattr(named, name) for name in expected} == expected


@pytest.mark.parametrize("spec", ["", "minilm", "local:fp16", "openai:model", "openai:model:0", "openai:model:many"])
def test_another_name_is_refused_with_those_there_are(spec: str) -> None:
    with pytest.raises(InputError, match="accepted are local, local:int8, hash, openai"):
        named_embedder(load_settings({}), spec)
