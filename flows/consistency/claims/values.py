"""Values that are compared part by part: ``org=google;role=engineer`` says more than ``org=google``, and nothing else."""

import re
from enum import StrEnum

from mneme.text import has_cjk

MOVED = "moved"  # the last part of a plan's value whose statement says that its time or place changed
_PLAIN = ""
_NUMBER = re.compile("[\\d£$€一二三四五六七八九十百千万亿两零]")


class Agreement(StrEnum):
    """How the values of two claims about the same stand to one another."""

    EQUAL = "equal"  # the newer says nothing else
    DIFFERENT = "different"  # both cannot be
    COMPATIBLE = "compatible"  # each says something, both can be


def agreement(older: str, newer: str) -> Agreement:
    """Compare two values: different where a part that both have differs.

    >>> agreement("org=google;role=engineer", "org=google").value, agreement("org=google", "org=meta").value
    ('equal', 'different')
    """
    if older == newer:
        return Agreement.EQUAL
    before, after = parts(older), parts(newer)
    shared = before.keys() & after.keys()
    if any(not _fits(before[each], after[each]) for each in shared):
        return Agreement.DIFFERENT
    return Agreement.EQUAL if shared == after.keys() else Agreement.COMPATIBLE


def parts(value: str) -> dict[str, str]:
    """The parts of a value by name; a plain value is the part without a name."""
    named: dict[str, str] = {}
    for part in value.split(";"):
        name, equals, held = part.partition("=")
        if equals:
            named[name] = held
        elif part and part != MOVED:
            named[_PLAIN] = part
    return named


def is_moved(value: str) -> bool:
    """Whether a plan's value says that it changed."""
    return value.endswith(MOVED)


def _fits(one: str, other: str) -> bool:
    """Whether two names can be of the same: one has all words of the other ("google", "google germany")."""
    if one == other:
        return True
    if _NUMBER.match(one) or _NUMBER.match(other):
        return False
    if has_cjk(one):
        return one in other or other in one
    words, others = set(one.split()), set(other.split())
    return words <= others or others <= words
