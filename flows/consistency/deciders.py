"""Who decides, in one unit of work, and how far it goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flows.consistency.aggregates.skills import Writer
from flows.consistency.statements import Judge
from mneme.rows import Embedding
from mneme.settings import Settings


@dataclass(frozen=True, slots=True)
class Deciders:
    """What the steps of reconcile ask.

    ``judge`` compares the statements that a model wrote, None where claims alone decide; ``write_skill`` writes what cases
    have in common, None where a rule does. ``embed`` blocks until the vectors (texts, dimension) are there. ``scope`` is what
    an erase of the owner removes from the caches of models.
    """

    judge: Judge | None
    write_skill: Writer | None
    embed: Callable[[list[str]], Sequence[Embedding]]
    settings: Settings
    scope: str
