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


PEERS: tuple[Peer, ...] = ()
