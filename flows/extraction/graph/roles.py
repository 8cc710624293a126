"""Who leads or owns what, in English: "Dana is the CEO of Acme", "Acme's new director, Lin"."""

import re
from collections.abc import Iterator

from flows.extraction.graph.edges import Edge
from flows.extraction.graph.kinship import ORGANISATION
from flows.extraction.wording.names import is_name
from flows.extraction.wording.people import People

_RELATIONS = {
    "ceo_of": "CEO, chief executive, chief executive officer",
    "cto_of": "CTO",
    "cfo_of": "CFO",
    "coo_of": "COO",
    "director_of": "director, managing director",
    "president_of": "president",
    "chair_of": "chair, chairman, chairwoman",
    "captain_of": "captain",
    "editor_of": "editor",
    "founded": "founder, co-founder",
    "owns": "owner",
}
_RELATION = {role.lower(): relation for relation, roles in _RELATIONS.items() for role in roles.split(", ")}
WORDS = frozenset(word for role in _RELATION for word in re.findall("[a-z]+", role))
"""Without one of these a sentence states no role."""

_ROLE = rf"(?P<role>(?i:{'|'.join(sorted(_RELATION, key=len, reverse=True))}))"
_AGE = r"(?:(?P<former>former|ex|previous)[ -]|new |current |first )?"
_WHO = r"(?P<who>I|[Ww]e|[Hh]e|[Ss]he|[A-Z][\w-]*(?: [A-Z][\w-]+)?)"
_MADE = r"(?:named|made|appointed|chosen|elected)"
_ITS = r"(?:as |to be )?(?:the |its |their )?"
_IS = rf"(?:['’](?:m|s)|,| am| is| became| has become| took over as| (?:was|has been) {_MADE}(?: as)?)(?: now)?"
_THEM = r"(?P<who>[A-Z][\w-]*(?: [A-Z][\w-]+)?)"
_WHAT = r"(?:the )?(?P<what>[A-Z][\w&-]*(?: [A-Z][\w&-]+){0,3})"
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        rf"\b{_WHO}{_IS} (?:the |an? )?{_AGE}{_ROLE} (?:of|at) {_WHAT}",
        rf"\b{_WHO}{_IS} {_WHAT}['’]s? {_AGE}{_ROLE}\b",
        rf"\b{_AGE}{_ROLE} (?:of|at) {_WHAT}(?:,| is)(?: now)?(?: called| named)? {_THEM}",
        rf"\b{_WHAT}['’]s? {_AGE}{_ROLE}(?:,| is(?: now)?)? {_THEM}",
        rf"\b{_WHAT}(?: has| have)?(?: just| now)? (?:{_MADE}|chose) {_THEM} {_ITS}{_AGE}{_ROLE}\b",
        rf"\b{_WHAT} (?:has|have|has got|got) an? {_AGE}{_ROLE}(?:,|:)?(?: called| named)? {_THEM}",
    )
)
_DENIED = re.compile(r"\b(?:not|never|wants?|wish|could|would|might|if|almost|nearly|no longer)\b|n['’]t\b")


def role_edges(sentence: str, people: People) -> Iterator[Edge]:
    """Who is what of which organisation, as a sentence states it; nothing from one that denies or wishes."""
    if _DENIED.search(sentence):
        return
    for match in (found for shape in _SHAPES for found in shape.finditer(sentence)):
        who, what = people.meant_by(match["who"]), match["what"]
        if who is not None and is_name(what) and not people.is_present(what):
            ended = match["former"] is not None
            yield Edge(who, _RELATION[match["role"].lower()], what, ORGANISATION, ended, dated=not ended)
