"""The names by which a person or a thing goes, and the words that ask for a relationship. Pure.

A name is found as a whole: "Tom" is not in "tomato". Of a person a part of the name is enough ("Ann" for "Ann Miller"), if it
has more than two letters and nobody else goes by it. A relationship is asked for by words of a table (relation_words.toml:
"husband" for ``married_to``) and by its own words, so that one that no table knows ("sponsor_of") can be.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from mneme import ids
from mneme.records import Entity
from mneme.text import has_cjk, tokenise
from queries.questions.people import occurrences

_SHORTEST_PART = 3  # characters
_SHORTEST_CJK = 2
_OF_SOMEBODY = re.compile("['’]s |的")
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
        """True if a text names it."""
        return bool(self._pattern.search(text))

    def is_called(self, name: str) -> bool:
        """True if this is one of its names."""
        return folded(name) in {folded(each) for each in (*self.names, *self.parts)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(self._whole(name) for name in (*self.names, *self.parts)))

    def _whole(self, name: str) -> str:
        """One word with a capital is told from the same word without ("May", "Will"), if it is known."""
        return _whole(name, exact=self.entity is not None and " " not in name)


def naming(asked: str, entities: Sequence[Entity]) -> Naming:
    """Find the person or thing that a name means.

    1. The entity that goes by it, whatever its case.
    2. Else the only one of whose names it is a part.
    3. Else nobody that the graph knows: texts are searched for the name as it was asked for.
    """
    asked = " ".join(asked.split())
    meant = [each for each in entities if folded(asked) in {folded(name) for name in _names(each)}]
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


def named_in(text: str, bearers: Mapping[str, Iterable[str]], people: Collection[str]) -> list[str]:
    """Those whom a text names, in the order of the text.

    1. Every name is looked for as a whole, and the names of people in parts as well (queries/questions/people.py). A thing that
       is written with a capital is found with one, unless the text is written without any.
    2. A part of a name that may mean several, or has less than three letters, names nobody; nor does a name within a longer
       one ("York" in "New York").

    Args:
        text: in which they are looked for.
        bearers: by which names each of them goes.
        people: those of whom a part of a name is enough.
    """
    # 1.
    exact, lower = _has_capitals(text), text.casefold()
    spans: dict[tuple[int, int], dict[str, bool]] = {}  # whom it may mean, and whether as a whole
    for bearer, names in bearers.items():
        for name in names:
            if not _may_be_in(lower, name):
                continue  # to look for it takes a pattern of its own
            for start, end in _occurrences(text, name, bearer in people, exact):
                meant = spans.setdefault((start, end), {})
                meant[bearer] = meant.get(bearer, False) or folded(text[start:end]) == folded(name)
    # 2.
    named: dict[str, None] = {}
    for (start, end), meant in sorted(spans.items()):
        whole = [bearer for bearer, is_whole in meant.items() if is_whole]
        clear = len(meant) == 1 and (end - start >= _SHORTEST_PART or has_cjk(text[start:end]))
        inside = any(first <= start and end <= last and last - first > end - start for first, last in spans)
        named |= dict.fromkeys([] if inside else whole or (meant if clear else []))
    return list(named)


def _occurrences(text: str, name: str, is_person: bool, exact: bool) -> list[tuple[int, int]]:
    if is_person and not _OF_SOMEBODY.search(name):  # of "Ann's husband" no part is a name
        return occurrences(text, name)
    if has_cjk(name) and len(name) < _SHORTEST_CJK:
        return []
    return [found.span() for found in re.finditer(_whole(name, exact and " " not in name), text)]


def _may_be_in(lower: str, name: str) -> bool:
    for piece in _pieces(name):  # noqa: SIM110  # a generator takes twice as long, for each name of the graph
        if piece in lower:
            return True
    return False


@lru_cache(8192)  # names of all searches
def _pieces(name: str) -> tuple[str, ...]:
    """Pieces of a name; a text that names it, or a part of it, has one of them."""
    return tuple(name if has_cjk(name) else name.casefold().split())


def _has_capitals(text: str) -> bool:
    """True if names in a text are told by their capital: one of its words but the first has one, "I" aside."""
    return any(word[0].isupper() and word.partition("'")[0] != "I" for word in _WORDS.findall(text.replace("’", "'"))[1:])


def _whole(name: str, exact: bool) -> str:
    """The pattern of a name as a whole."""
    if has_cjk(name):
        return re.escape(name)
    return rf"(?<!\w){'' if exact else '(?i:'}{re.escape(name)}{'' if exact else ')'}(?!\w)"


def _own_parts(names: Iterable[str], others: Iterable[Entity]) -> tuple[str, ...]:
    """The words of names over two letters that are in nobody else's name."""
    taken = {folded(word) for other in others for name in _names(other) for word in _WORDS.findall(name)}
    whole = {folded(name) for name in names}
    words = {word for name in names if not has_cjk(name) for word in _WORDS.findall(name) if len(word) >= _SHORTEST_PART}
    return tuple(sorted(word for word in words if folded(word) not in taken | whole))


def _is_part(asked: str, name: str) -> bool:
    if has_cjk(asked):
        return len(asked) > 1 and asked in name
    return len(asked) >= _SHORTEST_PART and bool(re.search(rf"(?<!\w){re.escape(asked)}(?!\w)", name, re.IGNORECASE))


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


folded = lru_cache(8192)(ids.folded)  # names of all searches


def asked_by(relation: str, tokens: Iterable[str]) -> frozenset[str]:
    """Those of a question's tokens that ask for a relation.

    >>> asked_by("married_to", tokenise("Where does Ann's husband work?"))
    frozenset({'husband'})
    """
    return _tokens_of(relation).intersection(tokens)


@lru_cache(maxsize=1024)
def _tokens_of(relation: str) -> frozenset[str]:
    words = f"{relation.replace('_', ' ')} {_relation_words().get(relation, '')}"
    return frozenset(token for token in tokenise(words) if len(token) > 1 or not has_cjk(token))


@cache
def _relation_words() -> dict[str, str]:
    return tomllib.loads((files("queries.entities") / "relation_words.toml").read_text(encoding="utf-8"))
