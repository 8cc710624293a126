"""How a question finds its memories: understand -> recall -> fuse -> compete -> rerank -> shape, one file for each step.

``agents`` searches several times for one question, ``answers`` makes an answer of what was found.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from queries.agents.query import QueryPolicy
    from queries.answers.answer import AnswerResponse, AnswerStream
    from queries.memories import Memories
    from queries.responses import SearchResponse

__all__ = ["AnswerResponse", "AnswerStream", "Memories", "QueryPolicy", "SearchResponse"]

_HOMES = {
    "AnswerResponse": "queries.answers.answer",
    "AnswerStream": "queries.answers.answer",
    "Memories": "queries.memories",
    "QueryPolicy": "queries.agents.query",
    "SearchResponse": "queries.responses",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that one step can be imported without the others."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'queries' has no attribute {name!r}")
