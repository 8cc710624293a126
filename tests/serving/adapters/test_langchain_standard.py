"""LangChain's own standard tests of retrievers (package ``langchain-tests``), where that is installed."""

from typing import Any

import pytest

from serving.adapters.langchain import MnemeRetriever
from tests.serving.adapters.conftest import Connection
from tests.serving.adapters.test_langchain import tell

standard = pytest.importorskip("langchain_tests.integration_tests", reason="langchain-tests is not installed")


class TestRetriever(standard.RetrieversIntegrationTests):  # type: ignore[name-defined,misc]
    @pytest.fixture(autouse=True)
    def remembered(self, here: Connection) -> None:
        self.here = here
        tell(here, "I am allergic to penicillin.", "My sister lives in Bremen.", "I keep three bees.", "The bees are fine.")

    @property
    def retriever_constructor(self) -> type[MnemeRetriever]:
        return MnemeRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memories": self.here.memories, "filters": {"user_id": self.here.user_id}}

    @property
    def retriever_query_example(self) -> str:
        return "what is kept in the garden?"
