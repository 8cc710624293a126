"""Definite nouns that only an earlier message explains: "The book was great.", "since the accident", "those dates"."""

import re
from functools import lru_cache

from flows.extraction.facts.vague_words import substance_of
from flows.extraction.wording.substance import carries
from flows.extraction.wording.word_classes import is_adjective, is_adverb, is_measure, is_verb
from mneme.caseless import Caseless

_MENTIONED = (  # what is spoken of before it is "the": events, works, things shown, and what is at issue
    """accident adventure album announcement answer article artist artwork audience author award band building board book
    bracelet breakup bridge cake campaign celebration ceremony change character chapter charity city collection color
    colour comment company competition concept concert conference contest convention conversation convo costume couple
    crowd date deal decision decoration description design detail dessert dish drawing dress email ending event experience
    feedback festival figure figurine film flavor flower funding fundraiser game gift gig guest guy hike idea image
    incident ingredient injury instructor interview issue item journey lady language lesson letter lighting lyric man
    match meal medal meeting meetup memory message movie necklace note novel offer orchestra organisation organization
    outcome outfit page painting participant party performance photo pic picture piece place play plot poem pose position
    poster present presentation problem process product program project quote race recipe recording rejection rescue
    response result ride ring role room scene scenery screenplay script sculpture sequel series session show sign site
    situation song sound speech spot statue store story stuff style sunset surgery task technique tour tournament trail
    treat trek trip trophy venue vibe video view visit wall waterfall whiteboard win woman word workshop writing"""
).split()
_FORMS = "|".join(sorted({f"{word}s?" if word[-1] not in "sy" else word for word in _MENTIONED} | {"stories", "parties"}))
_DEFINITE = Caseless(
    rf"\bthe ((?:(?!(?:the|an?|in|of|at|on|for|to|with|by|from|is|was|are|were|that|my|his|her) )[^\W\d_][\w-]* ){{0,3}})"
    rf"({_FORMS})\b(?![\w-])",
)
_POINTED = Caseless(r"\b(?:this|these|those)((?: [^\W\d_][\w-]*){1,4})")
_EXPLAINED = re.compile(  # "the book about whales", "the trip to Oslo", "the photo Ann took", "the book "Emma""
    r"(?:['’]s)? ?(?:,? ?\b"
    r"(?:of|that|which|who|where|when|about|behind|on|from|for|called|named|between|against|to|at|in|with)\b|"
    r"(?:,? | and )(?-i:[A-Z])|[:\"“])",
    re.I,
)
_NAMED = re.compile(r" (?:of|that|which|who|where|called|named|about|from)\b|,? (?-i:[A-Z])|[:\"“]", re.I)
_SPANS = frozenset(
    """week weekend year month morning afternoon evening summer winter spring fall autumn time day moment point season
    way""".split()
)
_IDIOM = Caseless(r"(?:get|getting|spread\w*|put) the word|on the spot|the whole story|this way|the other \w+")
_NEW = Caseless(r"^(?:amazing|awesome|cool|great|super|really|inspiring|incredible|new|one|crazy|nice|wonderful|fun)$")
_SINGLING = Caseless(r"^(?:best|worst|first|second|third|last|next|only|same|most|main|whole|right|latest|\w{2,}est)$")


@lru_cache(maxsize=8_192)
def unexplained_noun(sentence: str) -> str | None:
    """The first noun with "the" or "this" that the sentence does not explain; None when all are explained.

    "The" is explained by what follows ("the trip to Oslo"), by a name or noun before ("the guitar lesson"), by a superlative,
    and by the same noun earlier in the sentence. "This amazing book" is new.
    """
    lowered = sentence.lower()
    if "the " not in lowered and "this " not in lowered and "these " not in lowered and "those " not in lowered:
        return None
    sentence = _IDIOM.sub("", sentence)
    for match in _DEFINITE.finditer(sentence):
        if not _explained(sentence, match):
            return match[2].lower()
    return next(filter(None, (_pointed_at(sentence, match) for match in _POINTED.finditer(sentence))), None)


def _pointed_at(sentence: str, match: re.Match[str]) -> str | None:
    """The noun of "this old ball"; None for a time, for what is new ("this amazing book"), and for what is explained."""
    at = match.start(1)
    for word in match[1].split():
        at += 1 + len(word)
        lowered = word.lower()
        if word[0].isupper() or _NEW.match(word) or lowered in _SPANS or is_measure(lowered):
            return None
        if is_adjective(lowered):
            continue
        known = not carries(lowered) or is_adverb(lowered) or is_verb(lowered) or _NAMED.match(sentence, at)
        return None if known or mentions(sentence[: match.start()], lowered) else lowered
    return None


def mentions(text: str, noun: str) -> bool:
    """Whether a text has a noun, in the singular or the plural."""
    stem = noun.removesuffix("s")
    return re.search(rf"\b{re.escape(stem)}(?:s|es)?\b", text, re.I) is not None


def _explained(sentence: str, match: re.Match[str]) -> bool:
    if _EXPLAINED.match(sentence, match.end()) or mentions(sentence[: match.start()], match[2]):
        return True
    return any(
        word[0].isupper() or _SINGLING.match(word) or (substance_of(word.lower()) == 1 and not is_adjective(word.lower()))
        for word in match[1].split()
    )
