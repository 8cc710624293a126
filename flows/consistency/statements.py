"""What is compared when memories are kept consistent, and what says how.

- By its claims, certain and without a model (claims.py): the claim is the unit, and ends alone.
- By a model's reading, pair by pair (``Judge``, judges/, validity.py): facts and foresights that a model wrote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from mneme.records import Metadata


def place(said_at: datetime, identity: str) -> tuple[datetime, str, int, str]:
    """The place of a statement among its owner's: by when it was said, then by id; the tenth fact comes after the ninth."""
    episode, _, number = identity.rpartition("/")
    return said_at, episode, len(number), number


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact or foresight as a judge reads it. ``event_at`` is when what it tells happens, where that is known.

    A plan (``is_plan``) changes the moment that it is said, however far ahead it lies.
    """

    id: str
    kind: Literal["fact", "foresight"]
    text: str
    said_at: datetime
    event_at: datetime | None
    message_ids: tuple[str, ...]
    is_plan: bool = False
    metadata: Metadata = field(default_factory=dict, compare=False)

    @property
    def place(self) -> tuple[datetime, str, int, str]:
        """See ``place``."""
        return place(self.said_at, self.id)


class Relation(StrEnum):
    """What a newer statement does to an older one."""

    SAME = "same"  # it says the same again
    REPLACES = "replaces"  # after it the older is no longer so
    NEITHER = "neither"  # both stand


Pair = tuple[Statement, Statement]  # the older, the newer


class Judge(Protocol):
    """Decides what newer statements do to older ones. The same pair always gets the same answer."""

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        """One relation for each pair, in order. ``scope`` is what an erase removes from caches.

        Raises:
            ModelError: from a judge that calls a model.
        """
