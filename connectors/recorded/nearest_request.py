"""Why a request is not among the recorded ones: where it differs from the one that is most like it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_MISSING = "(missing)"
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """The first field in which two requests differ: ``messages[1].content``, from the character ``at``.

    ``asked`` and ``recorded`` are what stands there, a few words long.
    """

    field: str
    at: int
    asked: str
    recorded: str


def nearest(asked: Any, recorded: Iterable[Any]) -> Difference | None:
    """How a request differs from the most similar one of others: of the most equal fields, then of the longest equal
    beginning of the first other one; None without others, or where one has the same fields.
    """
    mine = dict(_leaves(asked))
    best: tuple[tuple[int, int], Difference] | None = None
    for request in recorded:
        other = dict(_leaves(request))
        differing = [name for name in [*mine, *(name for name in other if name not in mine)] if _differs(name, mine, other)]
        if not differing:
            continue
        difference = _difference(differing[0], mine, other)
        rank = (-len(differing), difference.at)
        if best is None or rank > best[0]:
            best = rank, difference
    return best[1] if best else None


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{name}[{index}]")
    else:
        yield name, str(value)


def _differs(name: str, mine: dict[str, str], other: dict[str, str]) -> bool:
    return mine.get(name, _MISSING) != other.get(name, _MISSING)


def _difference(name: str, mine: dict[str, str], other: dict[str, str]) -> Difference:
    asked, recorded = mine.get(name, _MISSING), other.get(name, _MISSING)
    at = _equal_characters(asked, recorded) if name in mine and name in other else 0
    shown = slice(at, at + _SHOWN_CHARACTERS)
    return Difference(name, at, asked[shown], recorded[shown])


def _equal_characters(one: str, other: str) -> int:
    """How long the beginning is that two texts share."""
    return next((at for at, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its), min(len(one), len(other)))
