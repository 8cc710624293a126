"""How a question finds its memories: understand -> recall -> fuse -> compete -> rerank -> shape, one file for each step."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from queries.memories import Memories
    from queries.responses import SearchResponse

__all__ = ["Memories", "SearchResponse"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that one step can be imported without the others."""
    if name == "Memories":
        from queries.memories import Memories

        return Memories
    if name == "SearchResponse":
        from queries.responses import SearchResponse

        return SearchResponse
    raise AttributeError(f"module 'queries' has no attribute {name!r}")
