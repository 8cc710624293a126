"""A name taken apart: what it is without case, punctuation, title and legal form. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flows.consistency.aggregates.name_tables import (
    CHINESE_LEGAL_FORMS,
    CHINESE_PLACE_FORMS,
    CHINESE_TITLE_OF,
    COMPOUND_SURNAMES,
    FAMILY_OF,
    LEGAL_FORMS,
    PERSON,
    PLACE_OF,
    SURNAMES,
    TITLE_OF,
)

FAMILIAR = ("小", "老", "阿")
_PUNCTUATION = re.compile(r"[.,;:!?\"“”()（），。·`]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_SOMEBODYS = re.compile(r"\w['’]s \w")
_DESCRIBED = "described"  # a family of its own: "Jason's sister" is not Jason
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")


def family_of(kind: str) -> str:
    """Which types of entity can be the same: persons, organisations, places, or those of one open type; "" if unknown."""
    word = kind.strip().casefold()
    return FAMILY_OF.get(word, word)


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
        """Whether it is a Chinese person's name in Chinese characters."""
        return self.family == PERSON and is_han(self.key)


@lru_cache(maxsize=8_192)
def parsed(written: str, kind: str) -> Name:
    """A name taken apart; ``kind`` is the type of the entity."""
    family = family_of(kind)
    folded = " ".join(unicodedata.normalize("NFKC", written).casefold().split())
    plain = _POSSESSIVE.sub("", " ".join(_PUNCTUATION.sub(" ", folded).split())) or folded
    gender = ""
    if family in (PERSON, "") and _SOMEBODYS.search(folded):
        family = _DESCRIBED
    if family == PERSON:
        plain, gender = _untitled(plain)
    else:
        plain = _plain_thing(plain)
    return Name(written, family, folded, tuple(plain.split()) or (folded,), gender)


def is_han(name: str) -> bool:
    """Whether a name is two or more Chinese characters and nothing else."""
    return _HAN.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def chinese_parts(name: str) -> tuple[str, str]:
    """Surname and given name of a Chinese full name; only the surname for 老王 or 王先生; neither for 小明."""
    if len(name) == 2 and name.startswith(FAMILIAR) and name[1] in SURNAMES:
        return name[1], ""
    surname = name[:2] if name[:2] in COMPOUND_SURNAMES else name[:1] if name[:1] in SURNAMES else ""
    rest = name[len(surname) :]
    if surname and rest in CHINESE_TITLE_OF:
        return surname, ""
    return (surname, rest) if surname and 1 <= len(rest) <= 2 else ("", "")


def _untitled(name: str) -> tuple[str, str]:
    """A person's name without its titles, and what they say."""
    gender = ""
    words = name.split()
    while len(words) > 1 and words[0] in TITLE_OF:
        gender = gender or TITLE_OF[words.pop(0)]
    plain = " ".join(words)
    for title, says in CHINESE_TITLE_OF.items():
        full = plain.removesuffix(title)
        if full != plain and is_han(full) and all(chinese_parts(full)):  # 王小明先生; 王先生 stays
            return full, says
    return plain, gender


def _plain_thing(name: str) -> str:
    """The name of an organisation, a place or a thing without article and legal form, and by its usual name."""
    words = name.split()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and words[-1] in LEGAL_FORMS:
        words = words[:-1]
    plain = " ".join(words)
    for form in (*CHINESE_LEGAL_FORMS, *CHINESE_PLACE_FORMS):
        if plain.endswith(form) and len(plain) - len(form) >= 2 and is_han(plain):
            plain = plain.removesuffix(form)
            break
    return PLACE_OF.get(plain, plain)
