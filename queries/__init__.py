"""Search and answers: understand -> recall -> fuse -> compete -> rerank -> shape, one file for each step.

``agents`` searches several times for one question, ``answers`` makes an answer of what was found.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from queries.agents.query import QueryPolicy
    from queries.answers.answer import AnswerResponse, AnswerStream, ContextResponse
    from queries.browsing.responses import (
        ConversationPage,
        ConversationSummary,
        DocumentList,
        History,
        Inspection,
        Memory,
        MemoryPage,
        OwnerSummary,
        Portrait,
        Receipt,
    )
    from queries.memories import Memories
    from queries.remote import RemoteMemories
    from queries.responses import Graph, SearchResponse

__all__ = [
    "AnswerResponse",
    "AnswerStream",
    "ContextResponse",
    "ConversationPage",
    "ConversationSummary",
    "DocumentList",
    "Graph",
    "History",
    "Inspection",
    "Memories",
    "Memory",
    "MemoryPage",
    "OwnerSummary",
    "Portrait",
    "QueryPolicy",
    "Receipt",
    "RemoteMemories",
    "SearchResponse",
]

_HOMES = {
    "queries.agents.query": ("QueryPolicy",),
    "queries.answers.answer": ("AnswerResponse", "AnswerStream", "ContextResponse"),
    "queries.memories": ("Memories",),
    "queries.remote": ("RemoteMemories",),
    "queries.responses": ("Graph", "SearchResponse"),
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that one step can be imported without the others."""
    if name in __all__:
        home = next((module for module, names in _HOMES.items() if name in names), "queries.browsing.responses")
        return getattr(import_module(home), name)
    raise AttributeError(f"module 'queries' has no attribute {name!r}")
