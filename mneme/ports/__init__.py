"""The seams of the house: what flows and queries ask of the outside, and what connectors promise.

Every implementation passes the contract tests of its port (tests/contracts/), one class each. All methods are
synchronous and may be called from several threads at once. They raise the errors of mneme/errors.py and no others.
"""

from mneme.ports.documents import (
    DocumentParser,
    ParsedDocument,
    References,
    Section,
    Transcriber,
)
from mneme.ports.index import (
    Create,
    EmbedderIdentity,
    Filter,
    Generations,
    Hit,
    MemoryIndex,
    Outcome,
    Put,
    Remove,
    Scored,
    Selection,
    TextLeg,
    VectorLeg,
    Write,
    WriteResult,
)
from mneme.ports.models import (
    Answer,
    ChatModel,
    Embedder,
    Prompt,
    QueryChat,
    RememberingChat,
    Reranker,
    Role,
    Spent,
    Usage,
)
from mneme.ports.stream import (
    Change,
    ChangeFeed,
    DeadLetter,
    DeadLetters,
    Incoming,
    Scope,
)

__all__ = [
    "Answer",
    "Change",
    "ChangeFeed",
    "ChatModel",
    "Create",
    "DeadLetter",
    "DeadLetters",
    "DocumentParser",
    "Embedder",
    "EmbedderIdentity",
    "Filter",
    "Generations",
    "Hit",
    "Incoming",
    "MemoryIndex",
    "Outcome",
    "ParsedDocument",
    "Prompt",
    "Put",
    "QueryChat",
    "References",
    "RememberingChat",
    "Remove",
    "Reranker",
    "Role",
    "Scope",
    "Scored",
    "Section",
    "Selection",
    "Spent",
    "TextLeg",
    "Transcriber",
    "Usage",
    "VectorLeg",
    "Write",
    "WriteResult",
]
