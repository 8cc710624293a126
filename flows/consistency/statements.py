"""What is compared when memories are kept consistent: statements, reduced to what their truth depends on.

A fact, a foresight and a line of a profile are all statements. What a statement claims (claims/) says with which
others it is compared; what two of them do to one another is a ``Relation``, decided by a ``Judge``: by rule, or by a
model (judges/). What becomes of each is computed from the relations (validity.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from mneme.records import Metadata


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says, in a form that can be compared.

    ``about`` names subject and attribute ("ann|employer"): statements about the same are compared, and of those that
    give it different values the newer holds. ``value`` is what it says of that ("google"), normalised. ``ends`` says
    that the value holds no longer ("Ann left Google"); with no value that none does ("Ann quit her job"). A statement of
    which no attribute is known is about its own words, so that only its repetitions are compared with it.
    """

    about: str
    value: str
    ends: bool = False

    @property
    def is_plan(self) -> bool:
        """Whether it is about a plan ("ann|plan|dentist"): that changes the moment it is said, however far ahead it lies."""
        return "|plan|" in self.about


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an owner. ``event_at`` is when what it tells happens, where that is known."""

    id: str
    kind: Literal["fact", "foresight", "profile"]
    text: str
    said_at: datetime
    event_at: datetime | None
    message_ids: tuple[str, ...]
    claim: Claim
    metadata: Metadata = field(default_factory=dict, compare=False)

    @property
    def place(self) -> tuple[datetime, str]:
        """Its place among the statements of its owner: by when it was said, then by id."""
        return self.said_at, self.id


class Relation(StrEnum):
    """What a newer statement does to an older one."""

    SAME = "same"  # it says the same again
    REPLACES = "replaces"  # after it the older is no longer so
    NEITHER = "neither"  # both stand


Pair = tuple[Statement, Statement]  # the older, the newer


class Judge(Protocol):
    """Decides what newer statements do to older ones. The same pair always gets the same answer."""

    @property
    def looks_around(self) -> bool:
        """Whether statements that are near in meaning are compared too, beside those about the same attribute."""

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        """One relation for each pair, in order. ``scope`` is what an erase removes from caches.

        Raises:
            ModelError: from a judge that calls a model.
        """
