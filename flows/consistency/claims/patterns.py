"""The form of the tables: which words of a clause claim what.

A pattern is tried on a clause that has one of its cue words. Its groups fill in what it is about and the value:
``{s}`` whose attribute it is, ``{v}`` a name or phrase, ``{o}`` a thing done or liked (compared by its stems).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from flows.consistency.claims.values import is_moved
from flows.consistency.statements import Claim

YES, NO = "yes", "no"
_ONE_OF_A_KIND = ("|job", "|home", "|partner")
_OPPOSITE = {YES: NO, NO: YES}
_FRAGMENT = re.compile(r"(?<!\?P)<(\w+)>")
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of a table. ``value`` lists parts, each ``name=…`` or plain; a part whose group is absent falls away."""

    shape: re.Pattern[str]
    about: str
    value: tuple[str, ...]
    ends: bool
    weak: bool  # "Ann left Google", "Ann left Berlin", "Ann left the party": what is surer goes before
    position: int  # in its table: of two patterns the earlier is tried first


Cleaner = Callable[[str], str | None]


def table(rows: Iterable[tuple[str, str, str, str]], fragments: Mapping[str, str]) -> dict[str, list[Pattern]]:
    """Patterns by cue, from rows of (cues, about, value, shape); a cue is a word or two, as ``is_a``.

    A value that begins with ``-`` ends; a ``?`` before it makes the pattern weak. In a shape ``<name>`` stands for a
    fragment, which may have others within.
    """
    by_cue: dict[str, list[Pattern]] = {}
    for position, (cues, about, value, shape) in enumerate(rows):
        while _FRAGMENT.search(shape):
            shape = _FRAGMENT.sub(lambda mark: fragments[mark[1]], shape)
        weak, value = value.startswith("?"), value.removeprefix("?")
        ends, value = value.startswith("-"), value.removeprefix("-")
        parts = tuple(part for part in value.split(";") if part)
        pattern = Pattern(re.compile(shape), about, parts, ends, weak, position)
        for cue in cues.split():
            by_cue.setdefault(cue, []).append(pattern)
    return by_cue


def filled(pattern: Pattern, match: re.Match[str], cleaners: Mapping[str, Cleaner], denied: bool) -> Claim | None:
    """The claim of a match; None where a group is nothing that can be claimed.

    Args:
        cleaners: by group; None from one rejects the match.
        denied: the clause denies what the pattern says: what it says ends, yes is no.
    """
    found: dict[str, str] = {}
    for name, text in match.groupdict().items():
        if text is None:
            continue
        cleaned = cleaners[name](text) if name in cleaners else text.strip()
        if not cleaned:
            return None
        found[name] = cleaned
    about = _FIELD.sub(lambda field: found.get(field[1], ""), pattern.about)
    parts = [_part(part, found) for part in pattern.value]
    value = ";".join(part for part in parts if part)
    if denied and value in _OPPOSITE:
        return Claim(about, _OPPOSITE[value])
    if denied and pattern.ends:
        return None  # "has not left Google"
    return Claim(about, value, pattern.ends or denied)


def _part(part: str, found: Mapping[str, str]) -> str:
    field = _FIELD.search(part)
    if field is None:
        return part
    return part.replace(field[0], found[field[1]]) if found.get(field[1]) else ""


def best(claims: Sequence[Claim], plans: Sequence[Claim]) -> Claim | None:
    """The one claim of a statement, by what it can tell of older statements.

    1. What a person has of a kind only once (job, home, partner), what is new before what is over.
    2. A plan that changed or is off: the rest of its statement says why.
    3. Another claim of a person or a thing, then a plan.
    """
    one_of_a_kind = [claim for claim in claims if claim.about.endswith(_ONE_OF_A_KIND)]
    changed = [plan for plan in plans if plan.ends or is_moved(plan.value)]
    for candidates in (one_of_a_kind, changed, claims, plans):
        if candidates:
            return next((claim for claim in candidates if not claim.ends), candidates[0])
    return None
