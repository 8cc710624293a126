"""The systems beside Mneme: which package in which version, its adapter, and what its row does not show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_ADAPTERS = Path(__file__).parent / "adapters"


@dataclass(frozen=True, slots=True)
class Peer:
    """A system and how it is run: ``adapter`` is a script for its own environment, which has ``requirements``.

    ``handicaps`` are said beside its row. ``least_python`` is that of its package.
    """

    name: str
    requirements: Sequence[str]
    adapter: Path
    handicaps: str
    least_python: tuple[int, int] = (3, 10)
    environment: Mapping[str, str] = field(default_factory=dict)


PEERS = (
    Peer(
        "mem0",
        ("mem0ai==2.2.1", "openai==3.57.0"),
        _ADAPTERS / "mem0_adapter.py",
        "without its spaCy model and without Qdrant/bm25, which want downloads: cosine alone ranks; statements carry no ids of "
        "messages, so that turns are recognised by their words",
        environment={"MEM0_TELEMETRY": "false"},
    ),
    Peer(
        "Graphiti",
        ("graphiti-core[kuzu]==0.31.2", "openai==3.57.0", "httpx==0.28.1"),
        _ADAPTERS / "graphiti_adapter.py",
        "on Kuzu, which needs no server and which it calls deprecated; its own full-text statements are run for it; no "
        "group_id, which that driver does not bear; each message names two things at most; an episode is "
        "awaited before the next, as its documentation asks",
        environment={"GRAPHITI_TELEMETRY_ENABLED": "false"},
    ),
    Peer(
        "EverOS",
        ("everos==1.5.1", "litellm==1.110.2"),
        _ADAPTERS / "everos_adapter.py",
        "without a reranker; a memory belongs to one speaker, so that both are asked; its episodes are whole sessions, since "
        "the stub sees no boundary; statements carry no ids of messages",
        least_python=(3, 12),
    ),
    Peer(
        "MemMachine",
        ("memmachine-server==0.4.0",),
        _ADAPTERS / "memmachine_adapter.py",
        "on SQLite, without Neo4j; BM25 with its simple tokenizer, since the default one wants a download; it finds messages "
        "as they were said, at once, and works at profiles afterwards, which no question here counts",
        least_python=(3, 12),
    ),
)
