"""Names that mean the same thing; names.toml has what is known of them. Pure.

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

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

_TABLES = tomllib.loads((Path(__file__).parent / "names.toml").read_text(encoding="utf-8"))


def _row_of(table: Mapping[str, str], separator: str = " ") -> dict[str, str]:
    """For each word of a table the row in which it stands."""
    return {word: row for row, words in table.items() for word in words.split(separator)}


_UNKNOWN, _PERSON = "", "person"
_FAMILY_OF, _PLACE_OF = _row_of(_TABLES["families"]), _row_of(_TABLES["places"], "|")
_TITLE_OF, _CHINESE_TITLE_OF = _row_of(_TABLES["titles"]), _row_of(_TABLES["chinese_titles"])
_LEGAL_FORMS, _CHINESE_FORMS = frozenset(_TABLES["words"]["legal_forms"].split()), _TABLES["words"]["chinese_forms"].split()
_SURNAMES, _COMPOUND_SURNAMES = frozenset(_TABLES["words"]["surnames"]), _TABLES["words"]["compound_surnames"].split()
NICKNAMES_OF = {formal: tuple(shorts.split()) for formal, shorts in _TABLES["nicknames"].items()}
FORMAL_OF = {
    short: tuple(formal for formal, forms in NICKNAMES_OF.items() if short in forms)
    for shorts in NICKNAMES_OF.values()
    for short in shorts
}
_WHOLE_NAMES = frozenset((*NICKNAMES_OF, *_TABLES["words"]["whole_names"].split()))
_MOST_WORDS = 5  # of a person's name that others can be a part of
_SHORTEST, _LONGEST_SHORT_FORM, _FEWEST_LEFT_OUT = 3, 5, 2  # letters: Mel for Melanie, but Ann is not Anna
_DIMINUTIVES = ("小", "阿")
_FAMILIAR = ("小", "老", "阿")
_PUNCTUATION = re.compile(r"[.,;:!?\"“”()（），。·`]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_SOMEBODYS = re.compile(r"\w['’]s \w")
_DESCRIBED = "described"  # a family of its own: "Jason's sister" is not Jason
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")


def family_of(kind: str) -> str:
    """The family of a type: entities of one family can be the same (persons, places, ..., an open type); "" if unknown."""
    word = kind.strip().casefold()
    return _FAMILY_OF.get(word, word)


@dataclass(frozen=True)
class Name:
    """A name, taken apart. ``words`` are without title and legal form; a Chinese name is one word.

    ``gender`` is what its title says ("m", "f" or "").
    """

    written: str
    family: str
    folded: str
    words: tuple[str, ...]
    gender: str = ""

    @cached_property
    def key(self) -> str:
        """Equal for names that differ in case, spacing, title, legal form and the like only."""
        return " ".join(self.words)

    @cached_property
    def is_han(self) -> bool:
        """Tell whether it is a Chinese person's name in Chinese characters."""
        return self.family == _PERSON and is_han(self.key)


@lru_cache(maxsize=8_192)
def parsed(written: str, kind: str) -> Name:
    """A name taken apart; ``kind`` is the type of the entity."""
    family = family_of(kind)
    folded = " ".join(unicodedata.normalize("NFKC", written).casefold().split())
    plain = _POSSESSIVE.sub("", " ".join(_PUNCTUATION.sub(" ", folded).split())) or folded
    gender = ""
    if family in (_PERSON, "") and _SOMEBODYS.search(folded):
        family = _DESCRIBED
    if family == _PERSON:
        plain, gender = _untitled(plain)
    else:
        plain = _plain_thing(plain)
    return Name(written, family, folded, tuple(plain.split()) or (folded,), gender)


def is_han(name: str) -> bool:
    """Tell whether a name is two or more Chinese characters and nothing else."""
    return _HAN.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def chinese_parts(name: str) -> tuple[str, str]:
    """Surname and given name of a Chinese full name; only the surname for 老王 or 王先生; neither for 小明."""
    if len(name) == 2 and name.startswith(_FAMILIAR) and name[1] in _SURNAMES:
        return name[1], ""
    surname = name[:2] if name[:2] in _COMPOUND_SURNAMES else name[:1] if name[:1] in _SURNAMES else ""
    rest = name[len(surname) :]
    if surname and rest in _CHINESE_TITLE_OF:
        return surname, ""
    return (surname, rest) if surname and 1 <= len(rest) <= 2 else ("", "")


def _untitled(name: str) -> tuple[str, str]:
    """A person's name without its titles, and what they say."""
    gender = ""
    words = name.split()
    while len(words) > 1 and words[0] in _TITLE_OF:
        gender = gender or _TITLE_OF[words.pop(0)]
    plain = " ".join(words)
    for title, says in _CHINESE_TITLE_OF.items():
        full = plain.removesuffix(title)
        if full != plain and is_han(full) and all(chinese_parts(full)):  # 王小明先生; 王先生 stays
            return full, says
    return plain, gender


def _plain_thing(name: str) -> str:
    """The name of an organisation, a place or a thing without article and legal form, and by its usual name."""
    words = name.split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words = words[:-1]
    plain = " ".join(words)
    for form in _CHINESE_FORMS:
        if plain.endswith(form) and len(plain) - len(form) >= 2 and is_han(plain):
            plain = plain.removesuffix(form)
            break
    return _PLACE_OF.get(plain, plain)


# --- what names mean --------------------------------------------------------------------------------------------------


class Heads:
    """The meaning of each of some names, computed when it is asked for."""

    def __init__(self, names: Sequence[Name]) -> None:
        self.names = names
        self._group_of = {name: group for group in _groups(names) for name in group.names}
        self._persons = [g for g in dict.fromkeys(self._group_of.values()) if g.family == _PERSON and not g.apart]
        self._contested = _contested(self._persons)
        self._heads: dict[_Group, _Group] = {}

    def of(self, name: Name) -> Name:
        """The name that this one means: itself, if it stands for itself."""
        group = self._group_of[name]
        return (self._head(group) if group.family in (_PERSON, _UNKNOWN) and not group.apart else group).head

    def _head(self, part: "_Group") -> "_Group":
        if part not in self._heads:
            others = [] if part.key in self._contested else self._persons
            if part.family == _UNKNOWN:
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
    elif name.family == _PERSON:
        for word in name.words:
            keys += [word] if len(word) >= _SHORTEST else []
            keys += [f"{word[:_SHORTEST]}*"] if len(word) >= _SHORTEST + _FEWEST_LEFT_OUT else []
    return tuple(dict.fromkeys(keys))


def deciding(name: Name) -> tuple[str, ...]:
    """The keys under which everything is kept on which the meaning of a name depends."""
    keys = [name.key]
    if name.family not in (_PERSON, _UNKNOWN):
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
    elif name.family == _PERSON and len(name.words) <= _MOST_WORDS:
        for start in range(len(name.words)):
            for end in range(start + 1, len(name.words) + 1):
                first, *rest = name.words[start:end]
                keys += [" ".join((form, *rest)) for form in (first, *_short_forms(first))]
    return tuple(dict.fromkeys(keys))


def depends(name: Name, keys: Collection[str]) -> bool:
    """Tell whether the meaning of a name may depend on one with these keys of ``meaning``."""
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
        families = {name.family for name in same} - {_UNKNOWN}
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
    """Tell whether what nobody called a person may be one: by a first name, in full or by a known short form."""
    return len(part.words) == 1 and (part.key == whole.words[0] or part.key in NICKNAMES_OF.get(whole.words[0], ()))


def _is_part(part: _Group, whole: _Group) -> bool:
    """Tell whether a name is found in a longer one, as whole words."""
    if len(whole.words) > _MOST_WORDS or all(len(word) < _SHORTEST for word in part.words):
        return False
    starts = range(len(whole.words) - len(part.words) + 1)
    return len(part.words) < len(whole.words) and any(whole.words[at : at + len(part.words)] == part.words for at in starts)


def _is_short(part: _Group, whole: _Group) -> bool:
    """Tell whether a name may be another one with a short form of the first name, or a familiar form of a Chinese name."""
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
    return _SHORTEST <= len(word) <= _LONGEST_SHORT_FORM and word not in _WHOLE_NAMES and word not in FORMAL_OF


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
                how = name.key[0] if name.key.startswith(_FAMILIAR) else _CHINESE_TITLE_OF.get(name.key[len(surname) :], "")
                calls[surname].append((how, name.key))
    contested = set()
    for called in calls.values():
        ways = {how for how, _ in called}
        if {"老", "小"} <= ways or {"m", "f"} <= ways:
            contested |= {key for _, key in called}
    return contested
