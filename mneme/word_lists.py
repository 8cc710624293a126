"""The lists of words.txt, each under its name, and the types of names; a word of several is written with ``_`` between them."""

from functools import cache
from importlib.resources import files

PERSON, ORGANISATION, LOCATION, PET = "person", "organisation", "location", "pet"
WORK, PRODUCT = "work", "product"
OTHER = "other"
"""The type of a name of which nothing tells what it is: it may be a composer, a film or a site."""


def word_list(name: str) -> frozenset[str]:
    """The words of a list, in small letters.

    Raises:
        KeyError: there is none of this name.
    """
    return _lists()[name]


def _types_of_words(place: str) -> dict[str, str]:
    """The types that words give to a name: words ``within`` it, or ``before`` it ("university": "organisation")."""
    return {
        word: name.removeprefix(f"{place} ")
        for name, words in _lists().items()
        if name.startswith(f"{place} ")
        for word in words
    }


@cache
def _lists() -> dict[str, frozenset[str]]:
    lists: dict[str, list[str]] = {}
    name = ""
    for line in (files("mneme") / "words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            lists[name] = []
        elif not line.startswith("#"):
            lists[name] += [word.replace("_", " ") for word in line.split()]
    return {name: frozenset(words) for name, words in lists.items()}


NO_NAMES, PLAIN_WORDS, CALENDAR = word_list("none"), word_list("words"), word_list("calendar")
GIVEN, PLACES, ORGANISATIONS = word_list("given"), word_list("places"), word_list("organisations")
TYPES_BEFORE, TYPES_WITHIN = _types_of_words("before"), _types_of_words("within")
