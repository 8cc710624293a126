"""What callers import from ``queries``, pinned: a change here is a change for those who use Mneme."""

import inspect
import subprocess
import sys

import pytest

import queries

CLIENTS = (
    *("kafka", "opensearchpy", "lancedb", "pyarrow", "onnxruntime", "httpx", "bytewax", "opentelemetry"),
    *("fastapi", "uvicorn", "nicegui", "mcp", "langchain_core", "langgraph", "llama_index", "agents"),
)


def test_the_public_names_are_these() -> None:
    assert queries.__all__ == sorted(queries.__all__)
    assert set(queries.__all__) == {
        *("Memories", "RemoteMemories", "QueryPolicy"),
        *("SearchResponse", "AnswerResponse", "AnswerStream", "ContextResponse", "Graph"),
        *("ConversationPage", "ConversationSummary", "MemoryPage", "Memory", "OwnerSummary", "Portrait", "Receipt"),
        *("DocumentList", "History", "Inspection"),
    }
    assert [name for name in queries.__all__ if getattr(queries, name).__name__ != name] == []


def test_any_other_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memoirs'"):
        _ = queries.Memoirs


def test_every_public_name_and_method_is_explained() -> None:
    for name in queries.__all__:
        public = getattr(queries, name)
        own = [each for attribute, each in vars(public).items() if not attribute.startswith("_") and inspect.isfunction(each)]
        assert all(inspect.getdoc(each) for each in (public, *own)), name


@pytest.mark.parametrize("imported", ["import mneme", "import connectors, queries", "from queries import Memories"])
def test_importing_loads_no_client_library_and_warns_of_nothing(imported: str) -> None:
    program = f"import sys\n{imported}\nprint([name for name in {CLIENTS!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
