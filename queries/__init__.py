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
    "AnswerResponse": "queries.answers.answer",
    "AnswerStream": "queries.answers.answer",
    "ContextResponse": "queries.answers.answer",
    "ConversationPage": "queries.browsing.responses",
    "ConversationSummary": "queries.browsing.responses",
    "DocumentList": "queries.browsing.responses",
    "Graph": "queries.responses",
    "History": "queries.browsing.responses",
    "Inspection": "queries.browsing.responses",
    "Memories": "queries.memories",
    "Memory": "queries.browsing.responses",
    "MemoryPage": "queries.browsing.responses",
    "OwnerSummary": "queries.browsing.responses",
    "Portrait": "queries.browsing.responses",
    "QueryPolicy": "queries.agents.query",
    "Receipt": "queries.browsing.responses",
    "RemoteMemories": "queries.remote",
    "SearchResponse": "queries.responses",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that one step can be imported without the others."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'queries' has no attribute {name!r}")
