"""By which names a person or a thing goes, and which texts name it. Pure.

A name is found as a whole: "Tom" is not in "tomato". Of a person a part of the name is enough ("Ann" for "Ann Miller"),
if it has more than two letters and nobody else goes by it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mneme.records import Entity
from mneme.text import has_cjk

_SHORTEST_PART = 3  # characters
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True)
class Naming:
    """One person or thing.

    ``entity`` is None where the graph does not know it. ``names`` are all it goes by, the fullest first, ``parts`` the parts
    of names that mean nobody else. ``others`` are entities that the name asked for may mean as well.
    """

    asked: str
    entity: Entity | None
    names: tuple[str, ...]
    parts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        """Whether a text names it."""
        return bool(self._pattern.search(text))

    def is_called(self, name: str) -> bool:
        """Whether this is one of its names."""
        return _folded(name) in {_folded(each) for each in (*self.names, *self.parts)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(self._whole(name) for name in (*self.names, *self.parts)))

    def _whole(self, name: str) -> str:
        """A name as a whole. One word with a capital is told from the same word without ("May", "Will"), if it is known."""
        if has_cjk(name):
            return re.escape(name)
        exact = self.entity is not None and " " not in name
        return rf"(?<!\w){'' if exact else '(?i:'}{re.escape(name)}{'' if exact else ')'}(?!\w)"


def naming(asked: str, entities: Sequence[Entity]) -> Naming:
    """Who is meant by a name.

    1. The entity that goes by it, whatever its case.
    2. Else the only one of whose names it is a part.
    3. Else nobody that the graph knows: texts are searched for the name as it was asked for.
    """
    asked = " ".join(asked.split())
    meant = [each for each in entities if _folded(asked) in {_folded(name) for name in _names(each)}]
    partly = [each for each in entities if any(_is_part(asked, name) for name in _names(each))]
    if not meant and len(partly) == 1:
        meant = partly
    if not meant:
        return Naming(asked, None, (asked,), others=tuple(sorted({each.name for each in partly})))
    entity = max(meant, key=lambda each: (len(each.mentions), each.id))
    names = sorted(set(_names(entity)), key=lambda name: (-len(name), name))
    others = [each for each in entities if each.id != entity.id]
    parts = _own_parts(names, others) if entity.type == "person" else ()
    return Naming(asked, entity, tuple(names), parts, tuple(sorted({each.name for each in meant} - {entity.name})))


def _own_parts(names: Iterable[str], others: Iterable[Entity]) -> tuple[str, ...]:
    """The words of names over two letters that are in nobody else's name."""
    taken = {_folded(word) for other in others for name in _names(other) for word in _WORDS.findall(name)}
    whole = {_folded(name) for name in names}
    words = {word for name in names if not has_cjk(name) for word in _WORDS.findall(name) if len(word) >= _SHORTEST_PART}
    return tuple(sorted(word for word in words if _folded(word) not in taken | whole))


def _is_part(asked: str, name: str) -> bool:
    if has_cjk(asked):
        return len(asked) > 1 and asked in name
    return len(asked) >= _SHORTEST_PART and bool(re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", name, re.IGNORECASE))


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
