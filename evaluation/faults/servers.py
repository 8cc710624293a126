"""Servers that a scenario may harm. Whoever owns them hands them over: the tests do, and nobody else's are touched."""

from dataclasses import dataclass
from typing import Protocol


class Server(Protocol):
    """A broker or an index. What it acknowledged is there again after every one of these."""

    def start(self) -> object:
        """Start it again after ``kill``; it answers on return."""

    def kill(self) -> None:
        """SIGKILL: a crash."""

    def pause(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""

    def resume(self) -> None:
        """SIGCONT after ``pause``."""


@dataclass(frozen=True, slots=True)
class Servers:
    """What may be harmed; None for what belongs to somebody else."""

    broker: Server | None = None
    index: Server | None = None
