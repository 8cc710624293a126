"""Run the tests that frameworks publish for their own stores against ours.

    python -m tests.serving.adapters.published NAME FOLDER

The folder holds checkouts of their repositories (``langgraph``, ``openai-agents-python``). Their files run as they stand, in a
pytest of its own: only the class under test is another. What is skipped is about the inside of theirs, and says so.
"""

import asyncio
import inspect
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest

from serving.service.service import Service
from tests.serving.embedded_service import embedded_settings, opened

_BATCHING = "is about LangGraph's own batching, with a stub in place of a store"
_VECTORS = "asserts the cosines of LangGraph's test embedder; ours has one of its own"
_SQLITE = "is about the tables, locks and connections of SQLite"
_SDK = "is about a class of the SDK, no session"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework's published tests.

    Attributes:
        root: of the checkout, below the folder; the tests' own imports start there.
        files: of its tests.
        replaced: where the class under test is looked up: (module, name).
        made: our class in place of it.
        skipped: why a test is left out, by the start of its name.
    """

    root: str
    files: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...]
    made: Callable[[Service], type]
    skipped: Mapping[str, str]


def _store(service: Service) -> type:
    from serving.adapters.langgraph import MnemeStore

    class Store(MnemeStore):
        """A store as LangGraph's in-memory one is made."""

        def __init__(self, *, index: Mapping[str, Any] | None = None) -> None:
            self.index_config = index
            fields = (index or {}).get("fields")
            super().__init__(service.memories, service.publisher, user_id=uuid4().hex, fields=fields)

    return Store


def _session(service: Service) -> type:
    from serving.adapters.openai_agents import MnemeSession

    class Session(MnemeSession):
        """A session as the SDK's on SQLite is made: one file, one owner."""

        def __init__(self, session_id: str, db_path: str | Path = "", **options: Any) -> None:
            super().__init__(service.memories, service.publisher, session_id, user_id=str(db_path) or uuid4().hex, **options)

        def close(self) -> None:
            """Nothing: what it stands on is closed apart."""

    return Session


FRAMEWORKS = {
    "langgraph": Framework(
        "langgraph/libs/checkpoint",
        ("tests/test_store.py",),
        (("langgraph.store.memory", "InMemoryStore"),),
        _store,
        {
            "test_async_batch_store": _BATCHING,
            "test_embed_with_path": _VECTORS,
            "test_get_text_at_path": "is about a function of LangGraph, no store",
            "test_vector_search_with_filters": _VECTORS,
            "test_async_vector_search_with_filters": _VECTORS,
        },
    ),
    "openai-agents": Framework(
        "openai-agents-python",
        ("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        (("agents", "SQLiteSession"), ("agents.memory", "SQLiteSession")),
        _session,
        {
            "test_await_mutation": _SQLITE,
            "test_session_settings_resolve": _SDK,
            "test_sqlite_session_close": _SQLITE,
            "test_sqlite_session_closed": _SQLITE,
            "test_sqlite_session_failed": _SQLITE,
            "test_sqlite_session_file_lock": _SQLITE,
            "test_sqlite_session_get_items_limit_skips": _SQLITE,
            "test_sqlite_session_get_items_session_settings_limit_skips": _SQLITE,
            "test_sqlite_session_pop_item_": _SQLITE,
            "test_sqlite_session_post_commit": _SQLITE,
            "test_sqlite_session_rollback": _SQLITE,
        },
    ),
}


class Plugin:
    """Skips what is left out, awaits what is to be awaited, and counts."""

    def __init__(self, skipped: Mapping[str, str]) -> None:
        self._skipped = skipped
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.reasons: dict[str, int] = {}
        self.failed: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "asyncio: of a plugin that is not needed here")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            reason = next((self._skipped[each] for each in self._skipped if item.name.startswith(each)), None)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
                self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        if not inspect.iscoroutinefunction(pyfuncitem.obj):
            return None
        names = inspect.signature(pyfuncitem.obj).parameters
        asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.counts[report.outcome] += 1
        if report.failed:
            self.failed.append(report.nodeid)


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Their package ``tests`` in place of ours."""
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "tests"}
    for name in ours:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    if "pytest_mock" not in sys.modules:  # which LangGraph's file imports for two tests that are skipped
        sys.modules["pytest_mock"] = ModuleType("pytest_mock")
        sys.modules["pytest_mock"].MockerFixture = object  # type: ignore[attr-defined]
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.update(ours)


def run(framework: Framework, folder: Path, *arguments: str) -> Plugin:
    """Run the tests of a framework; ``arguments`` are pytest's."""
    root = (folder / framework.root).resolve()
    plugin = Plugin(framework.skipped)
    with tempfile.TemporaryDirectory() as data, opened(embedded_settings(Path(data))) as service:
        ours = framework.made(service)
        for module, name in framework.replaced:
            setattr(import_module(module), name, ours)
        with _beside(root):
            files = [str(root / each) for each in framework.files]
            options = ["-c", "/dev/null", "--rootdir", str(root), "-q", "-p", "no:cacheprovider", "--timeout", "120"]
            pytest.main([*options, *arguments, *files], plugins=[plugin])
    return plugin


if __name__ == "__main__":
    done = run(FRAMEWORKS[sys.argv[1]], Path(sys.argv[2]), *sys.argv[3:])
    print(json.dumps({**done.counts, "reasons": done.reasons, "failures": done.failed}))
    sys.exit(bool(done.failed) or not done.counts["passed"])
