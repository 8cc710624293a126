"""The examples in the docstrings of the adapters and in docs/agents.md run as they stand."""

import asyncio
import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.serving.adapters.conftest import Connection
from tests.serving.adapters.test_langchain import tell

ADAPTERS = ["langchain", "langgraph", "llama_index", "mem0", "openai_agents"]
SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def told(service) -> Connection:  # type: ignore[no-untyped-def]
    connection = Connection(service.memories, service.publisher, "mira")
    tell(connection, "Mira is allergic to penicillin.")
    return connection


@pytest.mark.parametrize("name", ADAPTERS)
def test_examples_in_docstrings_run(told: Connection, name: str):
    module = import_module(f"serving.adapters.{name}")
    names = {**vars(module), "asyncio": asyncio, "memories": told.memories, "publisher": told.publisher}
    tests = [each for each in doctest.DocTestFinder(recurse=True).find(module, extraglobs=names) if each.examples]
    assert tests, f"{name} has an example"
    for test in tests:
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("place", range(len(SNIPPET.findall(Path("docs/agents.md").read_text()))))
def test_snippets_of_the_page_run(told: Connection, place: int, monkeypatch: pytest.MonkeyPatch):
    snippet = SNIPPET.findall(Path("docs/agents.md").read_text())[place]
    monkeypatch.setattr("queries.Memories.connect", lambda: Unclosed(told.memories))
    monkeypatch.setattr("connectors.Publisher.connect", lambda: Unclosed(told.publisher))
    monkeypatch.setattr("serving.adapters.mem0.Memory._opened", lambda memory: (told.memories, told.publisher))
    exec(compile(snippet, f"docs/agents.md, snippet {place + 1}", "exec"), {"__name__": "snippet"})


class Unclosed:
    """What a snippet opens, for all of them: its ``with`` block closes nothing."""

    def __init__(self, opened: object) -> None:
        self._opened = opened

    def __enter__(self) -> object:
        return self._opened

    def __exit__(self, *error: object) -> None:
        pass
