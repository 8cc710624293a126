"""Relationships that English sentences state, by pattern.

A pattern begins at its verb ("works at", "moved from"); who does it is looked for before the verb. What is only wished,
planned or denied has other words between the two and is none; what is over ("used to work at", "no longer") is an
ended one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from flows.extraction.graph.edges import Edge
from flows.extraction.graph.kin_sentences import NAMED, kin_before, kin_edges, naming_edges
from flows.extraction.graph.kinship import LOCATION, ORGANISATION, PERSON, RELATION
from flows.extraction.graph.roles import WORDS, role_edges
from flows.extraction.wording.name_lists import GIVEN_NAMES, PLACES
from flows.extraction.wording.names import is_name, is_organisation, is_place
from flows.extraction.wording.people import People
from mneme.caseless import Caseless
from mneme.guarded import Guarded, words_of

_O = r"(?P<o>[A-Z][\w&'’-]*(?:(?: (?:of|the|de|da|del|la|&|and the)){0,2} [A-Z][\w&'’-]*){0,4})"
_TO = r"(?:the )?"
_SOME = r"(?: [a-z][a-z-]*){0,3}?"
_NEAR = (
    r"(?:(?:an?|the) (?:[a-z]+ )?(?:suburb|town|village|city|farm|outskirts|part|area|house|countryside) (?:of|in|"
    r"near|outside) )?"
)
_POSSESSED = r"\b(?P<p>[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[A-Z][\w-]+(?=['’]))(?:['’]s?)? (?:[a-z-]+ ){0,2}?"
_DOCTOR = r"(?P<o>Dr\.? [A-Z][\w-]+)"
_ROLE = (
    r"(?:[a-z]+(?:er|or|ist|ian|ant|ect)|nurse|chef|coach|intern|clerk|pilot|guide|assistant|trainee|lead|"
    r"apprentice|rep|analyst|"
    r"executive|cook|vet|temp)"
)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A pattern from its verb on, under the words that may begin it.

    ``subject``: ``before`` is who stands before the verb, ``speaker`` the speaker, ``traveller`` too where the sentence tells
    of the past, ``owner`` the group ``p``, ``object`` the group ``s``.
    ``ended``: True, False, or ``past`` where the simple past tells that it is over.
    """

    relation: str
    kind: str
    words: str
    pattern: str
    subject: str = "before"
    ended: bool | str = False
    known: bool = False  # only where the target is known for what it must be


_SHAPES = (
    _Shape("works_at", ORGANISATION, "work works working interning intern employed teach teaches teaching freelancing",
           rf"\b(?:work(?:s|ing)?|intern(?:s|ing)?|employed|teach(?:es|ing)?|freelancing){_SOME} (?:at|for|by) {_TO}{_O}"),
    _Shape("works_at", ORGANISATION, "worked interned taught",
           rf"\b(?:worked|interned|taught){_SOME} (?:at|for) {_TO}{_O}", ended="past"),
    _Shape("works_at", ORGANISATION, "job position role internship gig",
           rf"\b(?:got|landed|took|started|found|accepted|have|has|had|love|like|enjoy){_SOME} (?:job|position|"
           rf"role|internship|gig)"
           rf"(?: as an? (?:[a-z-]+ ){{1,3}}?)? ?(?:at|with) {_TO}{_O}"),
    _Shape("works_at", ORGANISATION, "job position role internship gig",
           rf"\b(?:lost|left|quit){_SOME} (?:job|position|role|internship|gig)(?: as an? (?:[a-z-]+ "
           rf"){{1,3}}?)? ?(?:at|with) {_TO}{_O}",
           ended=True),
    _Shape("works_at", ORGANISATION, "at for",
           rf"(?:['’]m|['’]s|\bam|\bis|\bas) an? (?:[a-z-]+ ){{0,3}}?{_ROLE} (?:at|for) {_TO}{_O}"),
    _Shape("works_at", ORGANISATION,
    "job day week shift boss internship role position office manager career contract months years",
           rf"{_POSSESSED}(?:job|(?:first |last )?(?:day|week|shift|months?|years?)|boss|internship|role|"
           rf"position|office|manager|"
           rf"career|contract) (?:at|with) {_TO}{_O}", subject="owner"),
    _Shape("works_at", ORGANISATION, "signed", rf"\bsigned{_SOME} with {_TO}{_O}"),
    _Shape("works_at", ORGANISATION, "hired headhunted", rf"\b(?:hired|headhunted) (?:by|at) {_TO}{_O}"),
    _Shape("works_at", ORGANISATION, "hired employed promoted transferred recruited",
           rf"\b{_O} (?:just |has |recently )*(?:hired|employed|promoted|transferred|recruited) (?P<s>me|us|"
           rf"him|her)\b", subject="object"),
    _Shape("works_at", ORGANISATION, "started", rf"\bstarted (?:working )?at {_TO}{_O}"),
    _Shape("works_at", ORGANISATION, "joined", rf"\bjoined {_TO}{_O}(?:['’]s? team| as an? )"),
    _Shape("works_at", ORGANISATION, "off fired resigned retired quit",
           rf"\b(?:laid off|fired|let go|resigned|retired|quit)(?: (?:by|from|at))? {_TO}{_O}", ended=True),
    _Shape("works_at", ORGANISATION, "left", rf"\bleft {_O}", ended=True, known=True),
    _Shape("owns", ORGANISATION,
    "company business store shop studio restaurant cafe café startup bakery brand firm agency charity",
           rf"\b(?:founded|co-founded|opened|launched|started|run|own|runs|owns|running){_SOME} (?:company|"
           rf"business|store|shop|studio|"
           rf"restaurant|café|cafe|startup|bakery|brand|firm|agency|charity),? (?:called |named )?{_O}"),
    _Shape("owns", ORGANISATION, "company business store shop studio restaurant cafe café startup bakery brand firm agency",
           rf"{_POSSESSED}(?:company|business|store|shop|studio|restaurant|café|cafe|startup|bakery|brand|firm|agency)"
           rf"(?:,? (?:called|named|is called))?,? {_O}", subject="owner"),
    _Shape("founded", ORGANISATION, "founded cofounded founder", rf"\b(?:co-?)?(?:founded|founder of) {_TO}{_O}"),
    _Shape("lives_in", LOCATION, "live lives living based resides settled",
           rf"\b(?:lives?|living|based|resides?|settled)(?: [a-z]+)? (?:in|near|on) {_NEAR}{_TO}{_O}"),
    _Shape("lives_in", LOCATION, "lived", rf"\blived{_SOME} (?:in|near|on) {_NEAR}{_TO}{_O}", ended="past"),
    _Shape("lives_in", LOCATION, "moved relocated emigrated",
           rf"\b(?:moved|relocated|emigrated){_SOME}(?: from [A-Z]\w+(?: [A-Z]\w+)?)? to {_TO}{_O}"),
    _Shape("lives_in", LOCATION, "moved relocated emigrated",
    rf"\b(?:moved|relocated|emigrated){_SOME} (?:from|out of) {_TO}{_O}",
           ended=True),
    _Shape("lives_in", LOCATION, "flat apartment house home condo cottage place",
           rf"{_POSSESSED}(?:flat|apartment|house|home|condo|cottage|place) in {_TO}{_O}", subject="owner"),
    _Shape("from", LOCATION, "from",
           rf"(?:['’]m|['’]s|['’]re|\bam|\bis|\bare|\bcomes?|\bhails?)(?: (?:originally|actually|also|both|"
           rf"all))? from {_TO}{_O}"),
    _Shape("from", LOCATION, "grew raised", rf"\b(?:grew up|raised) (?:in|on|near) {_NEAR}{_TO}{_O}"),
    _Shape("from", LOCATION, "hometown town country city homeland birthplace",
           rf"\b(?P<p>[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er) (?:home ?town|home country|home city|home state|homeland|birthplace)"
           rf"(?:,| is| of| was)? {_O}", subject="owner"),
    _Shape("born_in", LOCATION, "born", rf"\bborn(?: and raised)? in {_TO}{_O}"),
    _Shape("visited", LOCATION, "visited toured", rf"\b(?:visited|toured) {_TO}{_O}"),
    _Shape("visited", LOCATION, "traveled travelled flew hiked trip vacation holiday tour getaway honeymoon visit",
           rf"\b(?:(?:travel(?:l)?ed|flew|hiked)|(?:took|had|went on|got back from|back from|returned from) "
           rf"(?:an?|our|my|the|this|that)"
           rf"{_SOME} (?:trip|vacation|holiday|tour|getaway|honeymoon|visit))(?: [a-z]+)? (?:to|in|through|"
           rf"around|across) {_TO}{_O}"),
    _Shape("visited", LOCATION, "back returned", rf"\b(?:back|returned)(?: home)? from {_TO}{_O}", known=True),
    _Shape("visited", LOCATION, "went been gone",
    rf"\b(?:went|been|gone)(?! [a-z]+ing){_SOME} (?:to|in) {_TO}{_O}", known=True),
    _Shape("visited", LOCATION, "was were", rf"\b(?:was|were) (?:just |once |recently )?in {_TO}{_O}", known=True),
    _Shape("visited", LOCATION, "trip trips vacation holiday roadtrip",
           rf"\b(?:trips?|vacations?|holidays?|roadtrip){_SOME} (?:to|in) {_TO}{_O}", subject="traveller", known=True),
    _Shape("visited", LOCATION, "trip trips vacation", rf"{_POSSESSED}{_O} (?:trip|vacation|honeymoon) (?:last|was|in)\b",
           subject="owner", known=True),
    _Shape("visited", LOCATION, "trip vacation visit",
           rf"{_POSSESSED}(?:trip|vacation|visit|honeymoon|holiday) (?:to|in) {_TO}{_O},? (?:last|was|in|"
           rf"when)\b", subject="owner"),
    _Shape("volunteers_at", ORGANISATION, "volunteer volunteers volunteered volunteering",
           rf"\bvolunteer(?:s|ed|ing)?{_SOME}(?: (?:every|on|each) [A-Z][a-z]+)? (?:at|for|with) {_TO}{_O}"),
    _Shape("member_of", ORGANISATION, "joined member plays play",
           rf"\b(?:joined|(?:a |new |proud )*member of|plays?(?: [a-z]+)? for) {_TO}{_O}"),
    _Shape("member_of", ORGANISATION, "joined member part",
           rf"\b(?:joined|part of|member of) (?:an?|the|my|our)(?: [a-z-]+){{0,4}} (?:called|named) {_TO}{_O}"),
    _Shape("studies_at", ORGANISATION, "study studies studying studied enrolled student",
           rf"\b(?:stud(?:y|ies|ying|ied)|enrolled|student)(?: [a-z]+){{0,4}}? (?:at|in) {_TO}{_O}", known=True),
    _Shape("studies_at", ORGANISATION, "graduated degree", rf"\b(?:graduated|degree)(?: [a-z]+){{0,4}}? (?:from|at) {_TO}{_O}"),
    _Shape("studies_at", ORGANISATION, "attend attends attended attending into",
           rf"\b(?:attend(?:s|ed|ing)?|(?:got|accepted|admitted) into) {_TO}{_O}", known=True),
    _Shape("married_to", PERSON, "married", rf"\bmarried(?: to)? {_O}"),
    _Shape("partner_of", PERSON, "engaged dating",
    rf"\b(?:engaged to|dating) (?:an? (?:[a-z]+ ){{1,3}}(?:named|called) )?{_O}"),
    _Shape("colleague_of", PERSON, "work works working worked",
    rf"\bwork(?:s|ing|ed)?{_SOME} (?:with|alongside) {_O}", known=True),
    _Shape("treated_by", PERSON, "dr",
    rf"\b{_DOCTOR} (?:says?|said|told|recommends?|recommended|prescribed|thinks|checked|did)\b",
           subject="speaker"),
    _Shape("treated_by", PERSON, "dr",
    rf"\b(?:saw|see|seeing|visited|appointment with|check-?up with|called) {_DOCTOR}", subject="speaker"),
    _Shape("likes", "object", "favorite favourite",
           rf"{_POSSESSED}favou?rite (?:[a-z]+ ){{1,3}}(?:is|was|are) {_TO}[\"“]?{_O}", subject="owner"),
    _Shape("likes", "object", "favorite favourite favorites favourites fave faves top",
           rf"[\"“]?\b{_O}[\"”]?(?: is| was| are|,)(?: (?:definitely|probably|always|also|still))* (?:one of "
           rf")?(?P<p>[Mm]y|[Hh]is|[Hh]er)"
           r" (?:all-time |absolute |[a-z]+ )?(?:fav(?:ou?rite|e)s?|top pick)\b", subject="owner"),
    _Shape("likes", "object", "fan", rf"\bfan of {_TO}[\"“]?{_O}"),
    _Shape("likes", "object", "love loves loved enjoy enjoys adore like likes",
           rf"\b(?:loves?|loved(?= [a-z]*ing| [\"“])|enjoys?|adores?|(?<=\b[Ii] )like|(?<=e )likes?)(?: "
           rf"(?:reading|watching|playing|listening to))?(?: the (?:book|movie|film|song|series|"
           rf"show|game|band)s?)? [\"“]?{_O}"),
)  # fmt: skip
_LOCATED = Guarded(rf"^(?P<s>[A-Z][\w-]+(?: [A-Z][\w-]+){{0,3}}) (?:is|lies)(?: located| a [a-z ]+?)? in {_O}")
_UNNAMED_BUSINESS = Guarded(
    r"\b(?P<p>[Mm]y|[Hh]is|[Hh]er) (?:own |new |online |little |small |[a-z]+ )?(?P<what>store|shop|studio|"
    r"bakery|business|restaurant)\b(?! (?:idea|plan|card)s?\b)"
)

_BY_WORD: dict[str, list[tuple[_Shape, re.Pattern[str]]]] = defaultdict(list)
for _shape in _SHAPES:
    for _word in _shape.words.split():
        _BY_WORD[_word].append((_shape, re.compile(_shape.pattern)))

_WORD = re.compile(r"[a-zé]+")
_CAPITAL = re.compile(r"(?<=[\w,'’\"“.] )[\"“]?[A-Z]\w|^[A-Z]\w+ ")
_VERB_CUES = frozenset(_BY_WORD)
_KIN_WORDS = frozenset(RELATION) | frozenset("name names named call called married divorced broke split".split())

_AUXILIARY = (
    r"(?:am|is|are|was|were|been|have|has|had|got|gotten|also|just|still|now|currently|recently|actually|"
    r"really|originally|finally|once|"
    r"both|always|already|even|first|then|soon|officially|proudly|happily|lately|only|used to|no longer|"
    r"don['’]t|doesn['’]t|started|"
    r"stopped|quit|began|do|absolutely|especially|truly|big|huge|a)"
)
_SUBJECT = re.compile(
    r"(?P<who>(?:\b[Mm]y|\b[Oo]ur|\b[Yy]our|\b[Hh]is|\b[Hh]er|\b[A-Z][\w-]+['’]s)(?: [a-z-]+){1,3}(?:,? "
    r"[A-Z][\w-]+)?|\b(?:I|[Ww]e|[Yy]ou|"
    r"[Hh]e|[Ss]he)|\b[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:['’](?:m|s|re|ve))?,?(?: who)?(?:['’]s)?"
    rf"(?: an? (?:[a-z-]+ ){{0,3}}?{_ROLE})?"
    rf"(?P<auxiliaries>(?: {_AUXILIARY})*)\s*$"
)
_COORDINATED = re.compile(rf"(?:,|\band|\bthen|\bbut|&)(?P<auxiliaries>(?: {_AUXILIARY})*)\s*$")
_OPENS = Caseless(rf"^(?:\W|(?:and|but|so|oh|yes|yeah|btw|also|well|plus|{_AUXILIARY})\b)*$")
_CLAUSE = re.compile(r"[.;:!?—–(]|, but\b")
_LED = re.compile(r"^.*?\b(?P<who>I|[Ww]e|[Hh]e|[Ss]he)\b|^(?P<name>[A-Z][\w-]+)\b")
_OVER = re.compile(r"\b(?:used to|no longer|any ?more)\b|\b(?:stopped|quit) (?=\w+ing\b|$)")
_DENIED = re.compile(
    r"\b(?:not|never|without)\b|n['’]t\b|\b(?:if|wish|could|would|might|want|hope|maybe|doubts?|refuse[sd]?)\b"
)
_TRAVELLED = re.compile(
    r"\b(?:[Ii]|[Ww]e|[Mm]y|[Oo]ur)\b.*\b(?:took|had|got|went|last|ago|was|were|been|back|pics?|picture|photo)\b"
    r"|\b(?:took|had|last|ago|was|were|back|from (?:that|my|our|a|one))\b.*\b(?:[Ii]|[Ww]e|[Mm]y|[Oo]ur)\b|^[Tt]ook\b"
)
_PLANNED = re.compile(
    r"\b(?:plan|planning|planned|want|going|next|would|will|hope|hoping|your|his|her|their|considering|thinking|like)\b"
)
_GIVEN_UP = re.compile(r"\b(?:lost|left|quit|sold|closed|leaving|resigned from)\s*$")
_STAYED = re.compile(r"\b(?:have|has|['’]ve|['’]s)(?: \w+)? $|since\b")
_BRIEFLY = re.compile(r"\b(?:yesterday|today|tonight|last (?:night|week|weekend|month)|this (?:morning|week|weekend))\b")
_JOB = re.compile(r"\b(?:job|work|worked|working|team|company|role|career|years)\b")


def english_edges(sentence: str, asked_for_a_name: bool, people: People) -> list[Edge]:
    """All that an English sentence states of two; ``asked_for_a_name``: a name alone answers the sentence before it."""
    if sentence.isascii() and not asked_for_a_name and words_of(sentence).isdisjoint(_needed()):
        return []  # most sentences have none of the words
    return [*edges_in(sentence, people), *naming_edges(sentence, asked_for_a_name, people), *located_edges(sentence)]


@cache
def _needed() -> frozenset[str]:
    return _KIN_WORDS | WORDS | _VERB_CUES | _UNNAMED_BUSINESS.needed | NAMED.needed | _LOCATED.needed


def edges_in(sentence: str, people: People) -> Iterator[Edge]:
    """The relationships that an English sentence states, as it was said; nothing from one that denies."""
    words = words_of(sentence) if sentence.isascii() else frozenset(_WORD.findall(sentence.lower()))
    if not words.isdisjoint(_KIN_WORDS):
        yield from kin_edges(sentence, people)
    if not words.isdisjoint(WORDS):
        yield from role_edges(sentence, people)
    for match in _UNNAMED_BUSINESS.finditer(sentence):
        owner = people.meant_by(match["p"])
        if owner is not None:
            yield Edge(owner, "owns", f"{owner}'s {match['what']}", ORGANISATION)
    cues = words & _VERB_CUES
    if not cues or not _CAPITAL.search(sentence):
        return
    first = sentence.split(" ", 1)[0]
    if first.lower() in cues:
        sentence = sentence[0].lower() + sentence[1:]  # "Moved to Oslo last week!"
    shapes = dict.fromkeys(entry for cue in sorted(cues) for entry in _BY_WORD[cue])
    for shape, pattern in shapes:
        for match in pattern.finditer(sentence):
            yield from _edge(shape, match, sentence, people)


def _edge(shape: _Shape, match: re.Match[str], sentence: str, people: People) -> Iterator[Edge]:
    name = re.sub(r"['’]s?$", "", match["o"])
    before = sentence[: match.start()]
    clause = _CLAUSE.split(before)[-1]
    source = _source(shape, match, before, people)
    around = f"{clause}{match[0]}"
    over = _OVER.search(around) is not None or "anymore" in sentence or "any more" in sentence
    if source is None or name.lower() == source.lower() or (not over and _DENIED.search(around)):
        return
    if not _fits(shape, name, sentence, people):
        return
    ended = shape.ended is True or over or (shape.subject == "owner" and _GIVEN_UP.search(clause) is not None)
    if shape.ended == "past" and not over:
        if _BRIEFLY.search(sentence):
            return
        ended = _STAYED.search(before[-12:]) is None and " since " not in sentence
    yield Edge(
        source, shape.relation, name, shape.kind, ended, dated=(shape.relation != "likes" and shape.subject != "owner") or ended
    )


def _fits(shape: _Shape, name: str, sentence: str, people: People) -> bool:
    """Whether a name can be what a pattern wants in its place."""
    first = name.split()[0].lower()
    if not is_name(name) or any(people.is_present(part) for part in name.split()):
        return False
    someone = first in GIVEN_NAMES and first not in PLACES and not is_organisation(name) and not is_place(name)
    if shape.kind == PERSON:
        return not shape.known or someone
    if shape.kind == LOCATION:
        return not someone and not is_organisation(name) and (not shape.known or is_place(name))
    if shape.kind == ORGANISATION:
        if shape.relation == "works_at" and shape.known:
            return not someone and not is_place(name) and _JOB.search(sentence) is not None
        return not someone and (not shape.known or is_organisation(name))
    return True


def _source(shape: _Shape, match: re.Match[str], before: str, people: People) -> str | None:
    match shape.subject:
        case "speaker":
            return people.speaker
        case "traveller":
            around = f"{before}{match[0]}{match.string[match.end() :]}"
            return people.speaker if _TRAVELLED.search(around) and not _PLANNED.search(before) else None
        case "owner":
            return people.meant_by(match["p"])
        case "object":
            return people.meant_by(match["s"])
    subject = _SUBJECT.search(before)
    if subject:
        return _someone(subject["who"], people)
    if _OPENS.match(before) and re.match(r"(?:['’]|[a-z]+(?:ed|ing)\b|left|quit|got|lost|went|took|been)", match[0]):
        return people.speaker
    if _COORDINATED.search(before):
        led = _LED.search(_CLAUSE.split(before)[-1].strip())
        return people.meant_by(led["who"] or led["name"]) if led else None
    return None


def _someone(who: str, people: People) -> str | None:
    """Who a subject is: a pronoun, a name, or "my sister Eva"."""
    last = who.split()[-1]
    if last.lower() in ("i", "we", "you", "he", "she"):
        return people.meant_by(last)
    if re.match(r"(?:my|our|your|his|her)\b|[A-Z][\w-]+['’]s ", who, re.I):
        return kin_before(who, people)
    return people.meant_by(who) or people.meant_by(last)


def located_edges(sentence: str) -> Iterator[Edge]:
    """ "Reine is a village in Lofoten": where a place, or what happens there, is."""
    match = _LOCATED.match(sentence)
    if match and is_name(match["s"]) and is_place(match["o"]) and match["s"].split()[0].lower() not in GIVEN_NAMES:
        yield Edge(match["s"], "located_in", match["o"], LOCATION, source_type=LOCATION)
