"""Family, friends and pets in English sentences: "my sister Eva", "we adopted a puppy, Max", "his name is Max"."""

import re
from collections.abc import Iterator
from dataclasses import replace

from flows.extraction.graph.edges import Edge
from flows.extraction.graph.kinship import PERSON, PET, RELATION, SAYS_SOMETHING
from flows.extraction.wording.names import is_name
from flows.extraction.wording.people import People, relation_of
from mneme.guarded import Guarded
from mneme.text import STOP_WORDS

KIN = rf"(?:{'|'.join(sorted(RELATION, key=len, reverse=True)).replace('guinea-pig', 'guinea[ -]pig')})"
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]*[a-z](?:(?: [A-Z]\.)? [A-Z][a-z]+(?!['’]s))?"
_NAMES = rf"(?P<o>{_NAME}(?:(?:, {_NAME}){{0,6}},? (?:and|&) {_NAME})?)"  # "Mrs Ann" reads in two ways, ten in a thousand
_POSSESSOR = rf"\b(?P<p>[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[A-Z][\w-]+(?=['’]))(?:['’]s?)?(?: (?P<between>{KIN})['’]s)?"
_OF_SOMEONE = Guarded(
    rf"{_POSSESSOR}(?: (?P<adjectives>(?:[a-z]+(?:-[a-z]+)* ){{0,2}}?)|-)(?P<ex>(?:ex|late)[- ])?(?P<kin>{KIN})\b(?!-)"
    rf"(?:(?:,? |['’]s? names?(?:['’]s| is| are| was| were) |,? (?:is |are |was )?(?:named|called) |"
    rf" is (?={_NAME}(?:[.,;!]|$))){_NAMES})?"
)
_MARRIED = Guarded(rf"\b(?P<one>{_NAME}) and (?P<other>I|{_NAME}) (?:have |just |finally )*(?:got|are|were) married\b")
_ALONE = r"(?P<o>[A-Z][\w-]+(?: [A-Z][a-z]+)?)"
_IS_SOMEONE = Guarded(rf"\b{_ALONE}(?:,| is| was|['’]s) {_POSSESSOR} (?:[a-z]+ ){{0,2}}?(?P<kin>{KIN})\b")
_IS_OF_SOMEONE = Guarded(rf"\b{_ALONE}(?:,| is| was) (?:the |an? )?(?:[a-z]+ ){{0,2}}?(?P<kin>{KIN}) of (?P<p>{_NAME})")
_GETS = Guarded(
    r"(?:(?P<who>\b(?:[Ii]|[Ww]e|[Hh]e|[Ss]he|[A-Z][a-z]+))(?:['’]ve|['’]s)?|^)"
    r"(?: (?:just|also|now|both|actually|finally|recently|already|even|do|got|have|has))*\s*"
    r"\b(?P<verb>have|has|had|got|adopted|[Aa]dopted|[Gg]ot|bought|rescued|welcomed|own|owns)"
    r"(?: (?:just|also|a|an|another|one|two|three|four|five|\d|some|this|these|new|got)){1,3} (?:[a-z]+(?:-[a-z]+)* ){0,2}?"
    rf"(?P<kin>{KIN})\b(?!-)(?:(?:,| named| called|,? whose names? (?:is|are)) {_NAMES})?"
)
NAMED = Guarded(
    rf"\b(?:(?:[Hh]is|[Hh]er|[Ii]ts|[Tt]heir) names?(?:['’]s| is| are| was)|(?:I|[Ww]e|[Tt]hey|[Hh]e|[Ss]he)(?:['’]ve|['’]s)? "
    rf"(?:just |decided to )?(?:named?|call(?:ed)?) (?:him|her|it|them)) {_NAMES}"
)
_ANSWER = re.compile(rf"^(?:(?:[Ii]t|[Hh]e|[Ss]he|[Tt]hey)(?:['’]s|['’]re| is| are) )?{_NAMES}[.!]*$")
_PARTED = Guarded(
    r"\b(?:broke up|broken up|break up|split up|split|separated|divorced|broke it off|got a divorce)(?: (?:with|from))? "
    rf"(?:(?P<p>[Mm]y|[Hh]is|[Hh]er) (?:[a-z]+ )?(?P<kin>{KIN}),? ?)?(?P<o>{_NAME})?"
    rf"|\b(?P<p2>[Mm]y|[Hh]is|[Hh]er) (?P<kin2>{KIN}) and (?:I|he|she)(?: (?:have|just|recently|finally))* "
    r"(?:broke up|broken up|split up|split|separated|divorced|got divorced|parted)"
)
_DIED = re.compile(r"(?: [a-z]+){0,2} (?:passed away|died|crossed the rainbow bridge)\b")
_DENIED_BEFORE = re.compile(r"(?:n['’]t|\bnot) (?:really |actually )?$")  # "Tom isn't my brother"
_NO_KIN_BEFORE = frozenset(
    "business dance dancing training gym study workout running writing book hot work stuffed toy imaginary "
    "gaming accountability".split()
)
_NO_KIN_AFTER = re.compile(
    r"^[ -](?:park|food|store|shop|videos?|tank|bed|toys?|walk(?:s|ing)?|treats?|person|lovers?|sitter|"
    r"sitting|training|shows?|breeds?|"
    r"stuff|shelter|house|friendly|owners?|riding|in crime|painting|drawing|picture|photo|for you)\b"
)
_HAS = frozenset("have has had own owns".split())
_MANY = frozenset("kids children sons daughters".split())


def kin_edges(sentence: str, people: People) -> Iterator[Edge]:
    """The edges between people, and to pets, that a sentence states; ``people`` learns who is spoken of.

    Someone without a name has an edge where having one says something ("my husband"); friends and parents everybody has.
    """
    parted = [edge for match in _PARTED.finditer(sentence) for edge in _parted(match, people)]
    yield from parted
    left = {edge.target for edge in parted}
    for match in _MARRIED.finditer(sentence):
        one, other = people.meant_by(match["one"]), people.meant_by(match["other"])
        if one is not None and other is not None:
            yield Edge(one, "married_to", other, PERSON, dated=True)
    for match in _matches(sentence):
        owner = people.meant_by(match["p"])
        if owner is None or not _is_kin(match, sentence) or _DENIED_BEFORE.search(sentence, 0, match.start()):
            continue
        if match["between"]:
            owner = people.kin(owner, match["between"])[0]
        ended = bool(match["ex"]) or (match["o"] is None and _DIED.match(sentence, match.end("kin")) is not None)
        ended = ended or (match["o"] is not None and _DIED.match(sentence, match.end("o")) is not None)
        yield from (
            edge for edge in _edges(owner, match["kin"], _names(match["o"], people), people, ended) if edge.target not in left
        )
    for match in _GETS.finditer(sentence):
        owner = people.meant_by(match["who"] or "I")
        if owner is not None and _NO_KIN_AFTER.match(sentence[match.end("kin") :]) is None:
            edges = _edges(owner, match["kin"], _names(match["o"], people), people, ended=False)
            yield from (replace(edge, dated=match["verb"].lower() not in _HAS) for edge in edges)
    for match in _IS_SOMEONE.finditer(sentence):
        named = _names(match["o"], people, present=match[0][len(match["o"])] != ",")
        owner = people.meant_by(match["p"])
        if owner is not None and match["between"]:  # "Jo, my neighbour's son"
            owner = people.kin(owner, match["between"])[0]
        if owner is not None and named:
            yield from _edges(owner, match["kin"], named, people, ended=False)
    for match in _IS_OF_SOMEONE.finditer(sentence):
        owner, named = people.meant_by(match["p"]), _names(match["o"], people, present=True)
        if owner is not None and named:
            yield from _edges(owner, match["kin"], named, people, ended=False)


def naming_edges(sentence: str, asked_for_a_name: bool, people: People) -> Iterator[Edge]:
    """ "His name is Max": an edge for the one spoken of before; with ``asked_for_a_name`` "Max!" alone says it too."""
    match = NAMED.search(sentence) or (_ANSWER.match(sentence) if asked_for_a_name else None)
    names = _names(match["o"], people) if match else []
    named = people.name_last(names, match[0].split()[0].lower()) if match and names else None
    if named:
        unnamed, given = named
        owner, _, word = unnamed.rpartition("'s ")
        for name in given:
            yield Edge(owner, relation_of(word), name, _kind(word))


def kin_before(words: str, people: People) -> str | None:
    """Whom "my sister" or "Ann's brother Bo" means, at the end of ``words``."""
    match = None
    for found in _OF_SOMEONE.finditer(words):
        match = found
    if match is None or match.end() < len(words.rstrip(" ,")):
        return None
    owner = people.meant_by(match["p"])
    return people.kin(owner, match["kin"], _names(match["o"], people))[-1] if owner and _is_kin(match, words) else None


def _matches(sentence: str) -> Iterator[re.Match[str]]:
    """Everybody's kin: in "my sister Anna's husband" both hers and Anna's."""
    at = 0
    while match := _OF_SOMEONE.search(sentence, at):
        yield match
        at = match.end("kin")


def _edges(owner: str, word: str, names: list[str], people: People, ended: bool) -> Iterator[Edge]:
    relation = relation_of(word)
    if (
        word in ("parents", "kids", "children", "friends", "siblings", "grandparents", "grandkids", "cousins")
        and len(names) == 1
    ):
        names = []  # "my kids, Tom": somebody is called by name
    for target in people.kin(owner, word, names):
        if names or relation in SAYS_SOMETHING:
            yield Edge(owner, relation, target, _kind(word), ended)


def _parted(match: re.Match[str], people: People) -> Iterator[Edge]:
    names = _names(match["o"], people)
    if not match["kin"] and not match["kin2"] and not names:
        return
    word = match["kin"] or match["kin2"] or "partner"
    if relation_of(word) in ("married_to", "partner_of"):
        owner = people.meant_by(match["p"] or match["p2"] or "I")
        if owner is not None:
            for target in people.kin(owner, word, names):
                yield Edge(owner, relation_of(word), target, PERSON, ended=True, dated=True)


def _kind(word: str) -> str:
    return PET if relation_of(word) == "has_pet" else PERSON


def _is_kin(match: re.Match[str], sentence: str) -> bool:
    words = (match["adjectives"] or "").split()
    if any(word in STOP_WORDS or word in _NO_KIN_BEFORE or word in RELATION for word in words):
        return False
    if match["p"].lower() == "our" and match["kin"] in _MANY and not words and not match["o"]:
        return False  # "our kids are our future"
    return match["o"] is not None or _NO_KIN_AFTER.match(sentence[match.end("kin") :]) is None


def _names(captured: str | None, people: People, present: bool = False) -> list[str]:
    """The names in "Tom, Ann and Bo"; those who take part are called, rather than spoken of, unless ``present``."""
    names = re.split(r", and |, | and | & ", captured) if captured else []
    plain = [re.sub(r"['’]s?$", "", name.strip()) for name in names]
    return [name for name in plain if is_name(name) and (present or not people.is_present(name))]
