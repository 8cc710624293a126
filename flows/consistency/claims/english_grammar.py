"""Clauses of an English statement, prepared for the tables: adverbs away, denial and "used to" taken out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mneme.text import tokenise

_LEADING = re.compile(
    r"^(?:(?:and|but|so|then|well|oh|ok|okay|yes|yeah|no|also|plus|update|heads up|(?:big|great|good|bad|sad) news|news|"
    r"guess what|turns out(?: that)?|change of plans?|fun fact|by the way|anyway|finally|in fact|as of (?:today|now)|today|"
    r"yesterday|(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|weekend)|reminder(?: to [^:,]+)?|"
    r"(?:in|from|since) (?:january|february|march|april|may|june|july|august|september|october|november|december)(?: "
    r"\d{4})?)\b[,:]? )+"
)
_ADVERBS = re.compile(
    r" ?\b(?:now|currently|still|just|really|recently|finally|actually|already|basically|officially|nowadays|again|honestly|"
    r"totally|definitely|simply|these days|at the moment|right now|at last|for now|from now on|anyway|absolutely|so far|"
    r"any ?more|after all|also|too|as well|always|mostly|mainly|happily|truly|kind of|kinda|sort of|completely|fully|"
    r"apparently|entirely|temporarily|permanently|once more|and others|instead|them(?:self|selves)|himself|herself)\b"
)
CONDITION = re.compile(r"\b(?:if|unless|whether)\b")
UNSURE = re.compile(
    r"\b(?:might|could|would|should|maybe|perhaps|probably|possibly|hopefully|wish(?:es)?|hop(?:es?|ing)|"
    r"thinking|thought|considers?|considering|considered|dream\w*|wants?|wanted|wanna|almost|nearly|imagine\w*|"
    r"pretend\w*|wonder\w*|someday|one day|promis\w+|suppos\w+|tempted|like to|lik(?:es|ed) (?:the idea|to think)|"
    r"rumou?rs?|joked|joking|offer(?:s|ed)?|appl(?:y|ied|ying|ies)|interview(?:ed|ing)|must|try(?:ing)? to|tried to)\b"
    r"|(?<!in )(?<!of )(?<!since )(?<!last )(?<!next )(?<!until )(?<!this )(?<!by )(?<!\d )\bmay\b(?! \d)(?=.)"
)
_SEVERAL = re.compile(r"\b(?:also|too|as well|another|second|part-time|on the side|besides|other)\b")
_COUPLE = re.compile(
    r"\b(?P<one>[^\s,]+) and (?P<other>(?!others\b)[^\s,]+) (?P<verb>(?:is|are|got|have|has|have been|were|started)(?: "
    r"(?:now|finally|getting|got|officially|not))? )?"
    r"(?P<bond>engaged|married|dating|seeing each other|together|broke up|broken up|split up|separated|divorced|a divorce|"
    r"(?:called|broke) off (?:the|their) engagement)\b"
    r"(?! (?:with|to)\b)"
)
_CLAUSES = re.compile(r"\s*(?:,\s*(?:and|but|so|because|since|while|where|who|which|as)?\s+|;\s*|:\s+(?!\+?\d)| [–—-] )")
_JOINED = re.compile(r" (?:and|but|so|then|because) ")
_USED_TO = re.compile(r"\bused to (?P<verb>[a-z]+)")
_DENIAL = re.compile(
    r"\b(?:(?:does|do) not|no longer)(?: (?:really|even|actually))? (?P<verb>[a-z]+)|(?:(?<=is )|(?<=are ))not\b(?! only| sure)"
)
_IRREGULAR = {"go": "goes", "do": "does", "have": "has", "be": "is", "teach": "teaches"}
_DENIED_PAST = re.compile(
    r"\b(?:did|has|have|had|was|were|will|can|could|would|should|must|does|do|is|are) not\b|\bnever\b|\bhardly\b"
)
_STOPPED = re.compile(
    r"\b(?:has |have )?(?:stopped|quit|gave up|given up) (?=(?:working|driving|living|dating|seeing|renting|using)\b)"
)
_PERFECT = re.compile(
    r"\b(?:has|have) (?=(?:just |finally |now |already |recently )?(?:started|begun|moved|joined|changed|switched|quit|"
    r"left|lost|found|bought|sold|adopted|become|come|resigned|retired|relocated|settled|landed|accepted|taken up)\b)"
)
_KIN = frozenset(
    """mother mum mom father dad parents brother sister son daughter wife husband partner boyfriend girlfriend friend boss
    colleague coworker cousin uncle aunt neighbour neighbor grandma grandpa grandmother grandfather niece nephew roommate
    flatmate kid child baby twin fiancé fiancée fiance fiancee ex""".split()
)
_PRONOUN = re.compile(r"(?:he|she) (?=is|has|works|lives|moved|got|started|loves|hates|likes|quit|left)")
_BLANKS = re.compile(r"  +")
_PLURAL_POSSESSIVE = re.compile(r"(?<=\ws)'(?= )")
_BAD_SUBJECT = frozenset(
    """it he she they we i you who which that this these those there here what where when how why not is are was were be been
    has have had do does did will of to for from with at in on by about if as than then because everyone everybody nobody people
    some many most all both each any anyone someone somebody one ones his her their its my our your him them me us and or but a
    an since means meant once even though although while plus yet knows says said sounds looks seems feels felt more most
    today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday""".split()
)
_DETERMINER = re.compile(r"^(?:the|an?|his|her|their|its|my|our|your|some|any|this|that|another|one of)\s+")
_NO_NAME = frozenset(
    """it this that them him her me us you how what when where everything something anything nothing home here there fun free
    well both all each fear hope peace harmony sync silence style luxury hours nights night day days long weeks months years
    time charge love touch trouble order general advance front real""".split()
)
_TIME = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december)|next|last|this|tomorrow|today|tonight|early|late|noon|midnight|spring|summer|autumn|winter)\b"
)
_LIGHT = frozenset(
    """drink eat play go listen watch do make take have get learn studi practis practic read be lesson class cours day
    week morn""".split()
)
_REASON = re.compile(r" (?:because|since|but|so|which|ever since|'cause|cause) .*$")
_TAIL = re.compile(
    r"\s+(?:in|on|at|with|for|from|every|each|because|since|before|after|when|while|as|but|and|so|which|who|that|"
    r"this|last|next|until|about|too|than|three|two|one|a|\d).*$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in the present: ``denied`` when it says that it is not so (any more)."""

    text: str
    subject: str
    denied: bool
    several: bool


def clauses(sentence: str, speaker: str) -> Iterator[Clause]:
    """The clauses of a sentence that assert something; one without a subject takes that of the clause before.

    What a couple does is told of the ``speaker`` where that is one of them, else of the first: "Ann is engaged to Bo".
    """
    if CONDITION.search(sentence):
        return
    sentence = _COUPLE.sub(lambda couple: _told_of_one(couple, speaker), _PLURAL_POSSESSIVE.sub("'s", sentence))
    subject = ""
    for part in _CLAUSES.split(sentence):
        if not part:
            continue
        whole = _prepared(part, subject)
        if whole is None:
            continue  # what follows "and" in it is as unsure
        yield whole
        pieces = _JOINED.split(part)
        first = _prepared(pieces[0], subject)
        subject = _first_words(first.text) if first else subject
        if len(pieces) > 1:
            for piece in pieces[1:]:
                if prepared := _prepared(piece, subject):
                    yield prepared


def _asserted(denial: re.Match[str]) -> str:
    """What is denied as if it were so: "does not like" as "likes"."""
    verb = denial["verb"] or ""
    if not verb or verb.endswith(("s", "ing", "ed")):
        return verb
    return _IRREGULAR.get(verb) or (verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeo" else f"{verb}s")


def _told_of_one(couple: re.Match[str], speaker: str) -> str:
    one, other = couple["one"], couple["other"]
    if other == speaker:
        one, other = other, one
    bond = couple["bond"]
    if bond.endswith("engagement"):
        return f"{one} {bond}"
    preposition = "to" if bond in ("engaged", "married") else "" if bond in ("dating", "seeing each other") else "with"
    verb = (couple["verb"] or "").replace("are ", "is ")
    return f"{one} {verb}{bond.removesuffix(' each other')} {preposition} {other}".replace("  ", " ")


def _prepared(part: str, subject: str) -> Clause | None:
    text = _LEADING.sub("", part.strip())
    if UNSURE.search(text):
        return None
    text = text.replace("can not stand", "hates").replace("can not bear", "hates").replace(" for good", " to stay")
    denied = False
    if " used to " in text:
        text, denied = _USED_TO.sub(_asserted, text), True
    if _STOPPED.search(text):
        text, denied = _STOPPED.sub("is ", text), not denied
    if " not" in text or "no longer" in text or "never" in text:
        bare, count = _DENIAL.subn(_asserted, text)
        if count > 1 or _DENIED_PAST.search(bare):
            return None
        text, denied = bare, denied != (count == 1)
    if subject and (pronoun := _PRONOUN.match(text)):
        owner, _, thing_owned = subject.partition("'s ")
        text = f"{subject if thing_owned in _KIN else owner} {text[pronoun.end() :]}"
    several = bool(_SEVERAL.search(text))
    text = _PERFECT.sub("", text)
    text = _BLANKS.sub(" ", _ADVERBS.sub("", text)).strip()
    return Clause(text, subject, denied, several) if text else None


def _first_words(text: str) -> str:
    """The subject that a clause begins with, for the clause after it: its first word, or a possessive with its noun."""
    words = text.split(" ", 3)
    if len(words) > 1 and words[0].endswith("'s"):
        return " ".join(words[:2])
    return words[0]


@lru_cache(maxsize=8_192)
def subject(text: str) -> str | None:
    """A person or thing with an attribute of its own; None for a pronoun, or for what is no name."""
    words = text.removeprefix("the ").split()
    owners = [at for at, word in enumerate(words) if "'" in word]
    if not words or len(words) > (owners[-1] + 4 if owners else 2) or not _BAD_SUBJECT.isdisjoint(words):
        return None
    return None if any(not words[at].endswith("'s") for at in owners) or words[-1].endswith("'s") else " ".join(words)


@lru_cache(maxsize=8_192)
def phrase(text: str) -> str | None:
    """The name of a place, an organisation or a person, without its article."""
    bare = _DETERMINER.sub("", text.strip(" .,'\""))
    if bare.count(" ") > 5:
        return None
    return None if not bare or bare in _NO_NAME or bare.split()[0] in _NO_NAME else bare


@lru_cache(maxsize=8_192)
def name(text: str) -> str | None:
    """As ``phrase``, but nothing that begins with an article or a number: "in a flat", "to the next level"."""
    return None if _DETERMINER.match(text) or text[:1].isdigit() or _TIME.match(text) else phrase(text)


@lru_cache(maxsize=8_192)
def thing(text: str) -> str | None:
    """What is done or liked, by its stems: "drinking coffee" and "coffee" are one, "cold coffee" is another."""
    bare = _TAIL.sub("", _DETERMINER.sub("", text.removeprefix("to ").strip()))
    if not bare or bare.split()[0] in _NO_NAME or bare.split()[0] in _BAD_SUBJECT:
        return None
    stems = [stem for stem in tokenise(bare) if stem not in _LIGHT]
    return " ".join(stems) if 1 <= len(stems) <= 4 else None


@lru_cache(maxsize=8_192)
def liking(text: str) -> str | None:
    """What is liked: as ``thing``, but whole, as coffee in the morning is another thing than coffee."""
    bare = _REASON.sub("", text)
    return thing(bare) if _TAIL.sub("", bare) == bare else stems(bare) if len(bare.split()) <= 5 else None


@lru_cache(maxsize=8_192)
def stems(text: str) -> str | None:
    """Words of content by their stems, in the order of the alphabet: "the deadline for the grant" is "the grant deadline"."""
    return " ".join(sorted(set(tokenise(text)))) or None
