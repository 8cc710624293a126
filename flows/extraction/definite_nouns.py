"""Definite nouns that only an earlier message explains: "The book was great.", "since the accident", "those dates"."""

import re
from functools import lru_cache

from flows.extraction.vague_words import substance_of
from flows.extraction.word_classes import is_adjective, is_adverb, is_measure

_MENTIONED = (  # what is spoken of before it is "the": events, works, things shown, and what is at issue
    """accident adventure album announcement answer article artist artwork audience author award band board book bracelet
    breakup bridge cake campaign celebration ceremony change character chapter charity collection color colour comment
    company competition concept concert conference contest convention conversation convo costume couple crowd date deal
    decision decoration description design detail dessert dish drawing dress email ending event experience feedback
    festival figure figurine film flavor flower funding fundraiser game gift gig guest guy hike house idea image incident
    ingredient injury instructor interview issue item job journey lady lesson letter lighting lyric man match meal medal
    meeting meetup memory message movie necklace note novel offer orchestra organisation organization outcome outfit
    page painting participant party performance photo pic picture piece place play plot poem pose position poster
    present presentation problem process product program project quote race recipe recording rejection rescue response
    result ride ring role room scene scenery screenplay script sculpture sequel series session show sign site situation
    song sound speech spot statue store story stuff style sunset surgery task technique tour tournament trail treat trek
    trip trophy venue vibe video view visit wall waterfall whiteboard win woman word workshop writing"""
).split()
_FORMS = "|".join(sorted({f"{word}s?" if word[-1] not in "sy" else word for word in _MENTIONED} | {"stories", "parties"}))
_DEFINITE = re.compile(rf"\bthe ((?:[^\W\d_][\w-]* ){{0,2}})({_FORMS})\b(?![\w-])", re.I)
_POINTED = re.compile(r"\b(?:this|these) ((?:[^\W\d_][\w-]* ){0,2}?)([^\W\d_]{3,})\b(?=[^\w\s]|$| (?:is|was|are|were|has|have|had)\b)", re.I)
_EXPLAINED = re.compile(  # "the book about whales", "the trip to Oslo", "the photo Ann took", "the book "Emma""
    r"(?:['’]s)? ?(?:,? ?\b(?:of|that|which|who|where|when|about|from|for|called|named|between|against|to|at|in|with)\b|"
    r" (?-i:[A-Z])|[:\"“])",
    re.I,
)
_KNOWN_SPANS = frozenset(
    "week weekend year month morning afternoon evening summer winter spring fall autumn time day moment point season way".split()
)
_SINGLING = re.compile(r"^(?:best|worst|first|second|third|last|next|only|same|most|main|whole|right|latest|\w{2,}est)$", re.I)


@lru_cache(maxsize=8_192)
def unexplained_noun(sentence: str) -> str | None:
    """The first noun with "the" or "this" that the sentence does not explain; None when all are explained.

    "The" is explained by what follows ("the trip to Oslo"), by a name or noun before ("the charity run"), by a superlative,
    and by the same noun earlier in the sentence.
    """
    for match in _DEFINITE.finditer(sentence):
        if not _explained(sentence, match):
            return match[2].lower()
    for match in _POINTED.finditer(sentence):
        noun = match[2].lower()
        if noun not in _KNOWN_SPANS and not is_measure(noun) and not is_adverb(noun) and not _explained(sentence, match):
            return noun
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
