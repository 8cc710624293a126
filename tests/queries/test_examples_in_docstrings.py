"""The examples in docstrings are run, over the example of several hops in an embedded index."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import queries
from flows import ingest
from mneme.settings import load_settings
from queries import Memories

EXAMPLE = Path(__file__).parents[2] / "examples" / "acme.jsonl"
MODULES = [module.name for module in pkgutil.walk_packages(queries.__path__, "queries.")]


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memories]:
    """Memories of the example, which ``Memories.connect()`` finds, too."""
    data = tmp_path_factory.mktemp("acme")
    ingest([EXAMPLE], load_settings({}, data=data, embedder={"provider": "hash"}))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MNEME_DATA", str(data))
        environment.setenv("MNEME_EMBEDDER__PROVIDER", "hash")
        environment.delenv("MNEME_SERVICE__URL", raising=False)
        with Memories.connect() as opened:
            yield opened


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_right(name: str, memories: Memories) -> None:
    result = doctest.testmod(importlib.import_module(name), extraglobs={"memories": memories})
    assert result.failed == 0


def test_every_call_of_memories_but_waiting_has_an_example() -> None:
    calls = [name for name in dir(Memories) if not name.startswith("_") and callable(getattr(Memories, name))]
    without = {"connect", "open", "close", "gather", "wait_for_flush", "receipt"}
    for name in set(calls) - without:
        assert ">>>" in (getattr(Memories, name).__doc__ or ""), name
