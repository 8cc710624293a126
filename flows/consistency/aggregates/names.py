"""Names that mean the same thing. Pure.

Two rules, both over the names of one owner:
1. *The same name*: equal but for case, spacing, punctuation, a title ("Dr. Ann Miller"), a legal form ("Google Inc."), a
   known short form of a place ("NYC"). The plain one stands for the others.
2. *Part of a name*, persons only: a name that is found as whole words in exactly one longer name means that one ("Ann" is
   "Ann Miller" while there is no other Ann; "tom" is not in "tomato"). One that is part of none may be a short form of one
   first name ("Mel", "Caro", "Bob"), or in Chinese a given name (小明), a familiar form (老王) or a surname with a title
   (王先生). Parts under 3 letters (2 characters in Chinese) never do. Where two longer names come into question, the part
   stays apart.

Names are compared only if what they name is of the same kind. A name of unknown kind joins the one kind that its name has,
and may be a person's first name, in full or by a known short form, but no other part.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from flows.consistency.aggregates.name_forms import FAMILIAR, Name, chinese_parts, is_han, parsed
from flows.consistency.aggregates.name_tables import CHINESE_TITLE_OF, FORMAL_OF, NICKNAMES_OF, PERSON, UNKNOWN, WHOLE_NAMES

_MOST_WORDS = 5  # of a person's name that others can be a part of
_SHORTEST, _LONGEST_SHORT_FORM, _FEWEST_LEFT_OUT = 3, 5, 2  # letters: Mel for Melanie, but Ann is not Anna
_DIMINUTIVES = ("小", "阿")


def merged_names(names: Collection[tuple[str, str]]) -> dict[str, str]:
    """Which names stand for another: the alias, and the name that it means.

    Args:
        names: of one owner, each with the type of its entity.

    Returns:
        Only names that are merged; what they map to is never merged itself. The order of ``names`` makes no difference.
    """
    heads = Heads([parsed(*each) for each in dict.fromkeys(names)])
    meant = {name.written: heads.of(name).written for name in heads.names}
    return {alias: name for alias, name in meant.items() if alias != name}


class Heads:
    """What each of some names means, computed where it is asked for."""

    def __init__(self, names: Sequence[Name]) -> None:
        self.names = names
        self._group_of = {name: group for group in _groups(names) for name in group.names}
        self._persons = [g for g in dict.fromkeys(self._group_of.values()) if g.family == PERSON and not g.apart]
        self._contested = _contested(self._persons)
        self._heads: dict[_Group, _Group] = {}

    def of(self, name: Name) -> Name:
        """The name that this one means: itself, if it stands for itself."""
        group = self._group_of[name]
        return (self._head(group) if group.family in (PERSON, UNKNOWN) and not group.apart else group).head

    def _head(self, part: "_Group") -> "_Group":
        if part not in self._heads:
            others = [] if part.key in self._contested else self._persons
            if part.family == UNKNOWN:
                others = [each for each in others if _is_first_name(part, each)]
            longer = [each for each in others if _is_part(part, each)] or [each for each in others if _is_short(part, each)]
            meant = {self._head(each) for each in longer}
            self._heads[part] = meant.pop() if len(meant) == 1 else part
        return self._heads[part]


# --- where names are found ---------------------------------------------------------------------------------------------


def filed_under(name: Name) -> tuple[str, ...]:
    """The keys under which a name is kept, so that every name that may be merged with it finds it."""
    keys = [name.key]
    if name.is_han:
        surname, given = chinese_parts(name.key)
        keys += [f"{surname}*"] if surname else []
        keys += [given] if given else []
    elif name.family == PERSON:
        for word in name.words:
            keys += [word] if len(word) >= _SHORTEST else []
            keys += [f"{word[:_SHORTEST]}*"] if len(word) >= _SHORTEST + _FEWEST_LEFT_OUT else []
    return tuple(dict.fromkeys(keys))


def deciding(name: Name) -> tuple[str, ...]:
    """The keys under which everything is kept on which the meaning of a name depends."""
    keys = [name.key]
    if name.family not in (PERSON, UNKNOWN):
        return tuple(keys)
    if is_han(name.key):
        surname, _ = chinese_parts(name.key)
        keys += [f"{surname}*"] if surname else []
        keys += [name.key[1:]] if name.key.startswith(_DIMINUTIVES) else []
    else:
        first = name.words[0]
        keys += [word for word in name.words if len(word) >= _SHORTEST]
        keys += [f"{first[:_SHORTEST]}*"] if _may_be_short(first) else []
        keys += FORMAL_OF.get(first, ())
    return tuple(dict.fromkeys(keys))


def meaning(name: Name) -> tuple[str, ...]:
    """The keys under which every name is kept whose meaning may depend on this one: itself, and its parts and short forms."""
    keys = [name.key]
    if name.is_han:
        surname, given = chinese_parts(name.key)
        keys += [f"{surname}*"] if surname else []
        keys += [given, *(f"{familiar}{given}" for familiar in _DIMINUTIVES)] if given else []
    elif name.family == PERSON and len(name.words) <= _MOST_WORDS:
        for start in range(len(name.words)):
            for end in range(start + 1, len(name.words) + 1):
                first, *rest = name.words[start:end]
                keys += [" ".join((form, *rest)) for form in (first, *_short_forms(first))]
    return tuple(dict.fromkeys(keys))


def depends(name: Name, keys: Collection[str]) -> bool:
    """Whether the meaning of a name may depend on one with these keys of ``meaning``."""
    surname, given = chinese_parts(name.key) if name.is_han else ("", "")
    return name.key in keys or (surname != "" and not given and f"{surname}*" in keys)


# --- 1. the same name -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Group:
    """Names that are the same. ``apart``: one of several with this name, so that it can be no other's part."""

    names: tuple[Name, ...]
    family: str
    apart: bool = False

    @cached_property
    def head(self) -> Name:
        """The name that stands for the others: the plain one, else the longest."""
        return min(self.names, key=lambda each: (each.folded != each.key, -len(each.folded), each.folded, each.written))

    @property
    def words(self) -> tuple[str, ...]:
        """Those of each of them."""
        return self.names[0].words

    @property
    def key(self) -> str:
        """That of each of them."""
        return self.names[0].key


def _groups(names: Sequence[Name]) -> Iterator[_Group]:
    by_key: dict[str, list[Name]] = defaultdict(list)
    for name in sorted(names, key=lambda each: (each.folded, each.written, each.family)):
        by_key[name.key].append(name)
    for same in by_key.values():
        families = {name.family for name in same} - {UNKNOWN}
        if len(families) == 1:
            yield from _by_gender(same, families.pop())
            continue
        for family in sorted({name.family for name in same}):
            yield from _by_gender([name for name in same if name.family == family], family)


def _by_gender(same: Sequence[Name], family: str) -> Iterator[_Group]:
    """Mr. and Mrs. Miller are two."""
    genders = {name.gender for name in same}
    if {"m", "f"} <= genders:
        for gender in sorted(genders):
            yield _Group(tuple(name for name in same if name.gender == gender), family, apart=True)
    else:
        yield _Group(tuple(same), family)


# --- 2. part of a name ------------------------------------------------------------------------------------------------------


# Neither of these ever holds both ways, so that there is no circle.


def _is_first_name(part: _Group, whole: _Group) -> bool:
    """Whether what nobody called a person may be one: by a first name, in full or by a known short form."""
    return len(part.words) == 1 and (part.key == whole.words[0] or part.key in NICKNAMES_OF.get(whole.words[0], ()))


def _is_part(part: _Group, whole: _Group) -> bool:
    """Whether a name is found in a longer one, as whole words."""
    if len(whole.words) > _MOST_WORDS or all(len(word) < _SHORTEST for word in part.words):
        return False
    starts = range(len(whole.words) - len(part.words) + 1)
    return len(part.words) < len(whole.words) and any(whole.words[at : at + len(part.words)] == part.words for at in starts)


def _is_short(part: _Group, whole: _Group) -> bool:
    """Whether a name may be another one with a short form of the first name, or a familiar form of a Chinese name."""
    if is_han(part.key) or is_han(whole.key):
        return part.key != whole.key and _is_familiar_form(part.key, whole.key)
    (first, *rest), (whole_first, *whole_rest) = part.words, whole.words
    return len(whole.words) <= _MOST_WORDS and first in _short_forms(whole_first) and (not rest or rest == whole_rest)


def _short_forms(first: str) -> Iterator[str]:
    """Beginnings of a first name, unless they are names of their own, and known short forms."""
    yield from NICKNAMES_OF.get(first, ())
    if first not in FORMAL_OF:
        for length in range(_SHORTEST, min(_LONGEST_SHORT_FORM, len(first) - _FEWEST_LEFT_OUT) + 1):
            if _may_be_short(first[:length]):
                yield first[:length]


def _may_be_short(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST_SHORT_FORM and word not in WHOLE_NAMES and word not in FORMAL_OF


def _is_familiar_form(part: str, whole: str) -> bool:
    surname, given = chinese_parts(whole)
    if not given:  # not a full name
        return False
    if part == given:
        return len(part) > 1
    if part[1:] == given and part.startswith(_DIMINUTIVES):
        return True
    called, rest = chinese_parts(part)
    return bool(called) and not rest and called == surname


def _contested(persons: Sequence[_Group]) -> set[str]:
    """Familiar Chinese forms of one surname that cannot be the same person: 老王 and 小王, 王先生 and 王女士."""
    calls: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for person in persons:
        for name in person.names:
            surname, given = chinese_parts(name.key) if is_han(name.key) else ("", "")
            if surname and not given:
                how = name.key[0] if name.key.startswith(FAMILIAR) else CHINESE_TITLE_OF.get(name.key[len(surname) :], "")
                calls[surname].append((how, name.key))
    contested = set()
    for called in calls.values():
        ways = {how for how, _ in called}
        if {"老", "小"} <= ways or {"m", "f"} <= ways:
            contested |= {key for _, key in called}
    return contested
