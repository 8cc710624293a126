"""The subject of an episode: the clause that stands for it best, in the words in which somebody said it. Pure.

1. Sentences are parted into clauses at their marks; of a chat with an assistant, those of the user.
2. A clause counts as much as its words come back in other messages and as its message is near the mean of all
   (centroid-based summarisation, Radev et al. 2004, on clauses); more, where it tells what somebody did or plans, less, where
   it needs the words before it.
3. The best is shown without what only leads to it ("Hey, can you help me understand") and cut at a word, with its speaker
   where it says "I"; of a talk between people, with a second one that is about something else and counts nearly as much.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import NamedTuple

from flows.extraction.spoken import Sentence
from flows.extraction.word_lists import word_list
from mneme.guarded import Guarded
from mneme.text import has_cjk, tokenise

_LONGEST, _LONGEST_CJK = 64, 24  # characters
_MOST_READ = 400  # sentences of an episode
_MOST_SPREAD = 6  # messages from which a word does not count more
_FEW, _ENOUGH = 3, 4  # words of content in a clause
_BRIEF = 3.0  # added to the number of words, so that two do not make a centre
_COMMON_WEIGHT = 0.25  # of a word that fits every conversation
_CLOSENESS = 1.0  # weight of the cosine against that of words, which reaches 1.5
_FIRST = 0.4  # more for what the user of an assistant asks first, or asks for at all
_NEWS_WEIGHT = 0.35  # more for what somebody tells of themselves, and half as much for a date and for a claim
_ASKING = 9  # characters of what leads to a clause from which it is a request
_LESS = 0.6  # share of its score that a clause has which leans on others, and a question between people
_CUT = 0.85  # the same of one that is too long to be shown whole
_SECOND, _LONGEST_PAIR = 0.8, 110  # a second clause: share of the best score, and characters of both

_MARKS = re.compile(
    r"(?<![.!?…,;:()\"“”«»])[.!?…,;:()\"“”«»]++(?=\s|$)|[。！？，；：、（）「」\n“”(]+|\s[-–—]+\s"
    r"|\s(?=(?:because|'cause|cause|although|which|but|so that)\b)"
)
_EDGES = " \t-–—*_#>~'’`)("
_SHOWN = re.compile(r"\[[^\]]*\]?")  # an attachment
_LEADS = Guarded(
    r"^(?:(?:hey|hi|hello|wow|woah|oh|yeah|yes|yep|yup|no|so|and|but|also|well|ok|okay|sure|right|btw|by the way|actually|"
    r"anyways?|just|plus|thanks?(?: you)?|please|definitely|absolutely|totally|kinda|sorry|like|guess what|then|now|"
    r"unfortunately|note|update|especially since|maybe|"
    r"i(?:['’]m| am)(?: (?:also|really|just|still|kinda))* (?:trying to(?: (?:figure out|understand|decide))?|curious about|"
    r"wondering (?:if|how|whether|about)|worried (?:about|that)|having trouble(?: (?:with|figuring out|understanding))?|"
    r"not sure (?:how to|if|about)|looking (?:for|to)|preparing for|glad|happy|sure)|"
    r"i(?: just| really)? (?:want(?:ed)? to(?: (?:know|understand|make sure|ask))?|wanna(?: know)?|need to|need help with|"
    r"was wondering (?:if|how)|think|guess|mean|know|hope)|i['’]d like to(?: know)?|"
    r"(?:can|could|would|will) you(?: please)?(?: (?:explain|give me|tell me(?: about)?|show me|recommend|suggest|"
    r"help me(?: (?:with|to|understand|figure out|create|make sure))?))?|help me(?: (?:with|to|understand|figure out))?|"
    r"do you (?:think|know|have)|let me|let['’]s|how (?:can|do|should) i|what(?:['’]s| is)(?: the best way to)?)\b[,!]? ?)+",
    re.I,
)
_POINTS = re.compile(
    r"\b(?:its?|it's|that|that's|this|these|those|they|them|he|she|him|her|his|there|ones?|you|you're|yours?)\b|"
    r"^(?:and|but|or|to|for|with|of|as|than|if|when|because|'?cause|since|like|who|which|[a-z]+ing)\b",
    re.I,
)
_CHINESE_POINTS = re.compile("[它他她这那你]|^(?:而|但|也|都|就|还|和|因为|所以|如果)")
_SELF = re.compile(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Mm]e|us)\b|I['’]|我")
_NO_NEWS = (
    r"(?!(?:love|like|think|feel|felt|know|hope|guess|want|wish|get|believe|agree|see|appreciate|remember|need|can|could|would|will|"
    r"should|am|are|was|were|do|did|had|have)\b)"
)
_NEWS = Guarded(
    rf"^(?:(?:i|we)(?:['’]ve| have)?(?: just| finally| recently| also)? {_NO_NEWS}[a-z]+\b|"
    r"(?:my|our) [a-z]+ |(?:i|we)['’](?:m|re) (?:\w+ )?(?:working|planning|starting|opening|moving|learning|"
    r"taking|writing|training|building|going|looking|getting|making|reading|playing|studying|preparing|organi[sz]ing)\b)",
    re.I,
)
_COMMON = frozenset(tokenise(" ".join(word_list("common"))))


class _Clause(NamedTuple):
    """A stretch of a sentence; ``order`` is its place among all, ``opens`` says that it begins its sentence, ``asks`` that
    it is what is asked for."""

    order: int
    one: Sentence
    opens: bool
    asks: bool
    words: str
    tokens: frozenset[str]


def subject_of(sentences: Sequence[Sentence], closeness: Sequence[float] = ()) -> str:
    """A clause of at most 64 characters or two of 110, as said; empty where nothing was said but small talk.

    Args:
        sentences: of the episode, in order.
        closeness: for each utterance of the cut the cosine with the mean of the episode; none where there are no vectors.
    """
    own = [one for one in sentences if not one.artifact] or list(sentences)
    with_assistant = any(one.role == "assistant" for one in sentences)
    read = ([one for one in own if one.role == "user"] if with_assistant else own)[:_MOST_READ] or own[:_MOST_READ]
    spread = _spread(sentences[:_MOST_READ])
    names = {token for one in read for token in tokenise(f"{one.speaker} {one.listener}")}
    scored: list[tuple[float, _Clause]] = []
    for order, (one, opens, asks, words) in enumerate(_clauses(read)):
        clause = _Clause(order, one, opens, asks, words, frozenset(tokenise(words)) - names)
        if clause.tokens <= _COMMON:
            continue
        score = _score(clause, spread) * (_asked(clause, read[0].index) if with_assistant else _told(clause))
        scored.append((score + (_CLOSENESS * closeness[one.index] if closeness else 0.0), clause))
    if not scored:
        return ""
    score, best = max(scored, key=_rank)
    chosen = [best]
    others = [
        each
        for each in scored
        if each[1].one.index != best.one.index
        and each[0] >= _SECOND * score
        and len(each[1].words) + len(best.words) <= _LONGEST_PAIR
        and not (each[1].tokens & best.tokens) - _COMMON
    ]
    if others and not with_assistant:
        chosen = sorted((best, max(others, key=_rank)[1]), key=lambda clause: clause.order)
    several = len({one.speaker for one in sentences if one.role == "user"}) > 1
    return "; ".join(_shown(each, several) for each in chosen)


def _rank(scored: tuple[float, _Clause]) -> tuple[float, int]:
    return scored[0], -scored[1].order


def _spread(sentences: Sequence[Sentence]) -> Counter[str]:
    """In how many messages each word stands."""
    words: dict[int, set[str]] = {}
    for one in sentences:
        words.setdefault(one.index, set()).update(tokenise(one.text))
    return Counter(token for tokens in words.values() for token in tokens)


def _score(clause: _Clause, spread: Counter[str]) -> float:
    """How much of the episode a clause holds, and how well it stands alone."""
    text, chinese = clause.words, has_cjk(clause.words)
    weights = (
        log(1 + min(spread[token], _MOST_SPREAD)) * (_COMMON_WEIGHT if token in _COMMON else 1.0)
        for token in sorted(clause.tokens)
    )
    score = sum(weights) / (len(clause.tokens) + _BRIEF)
    telling = len(clause.tokens - _COMMON) / (4 if chinese else 1)
    score *= 0.4 if telling < _FEW else 1.0 if telling >= _ENOUGH else 0.85
    if (_CHINESE_POINTS if chinese else _POINTS).search(text):
        score *= _LESS
    if not clause.opens and not _SELF.match(text):
        score *= _LESS
    return score * (_CUT if len(text) > (_LONGEST_CJK if chinese else _LONGEST) else 1.0)


def _asked(clause: _Clause, first: int) -> float:
    """What a user asks an assistant first counts more."""
    return 1 + _FIRST * ((clause.one.index == first) + clause.asks)


def _told(clause: _Clause) -> float:
    """What somebody tells of themselves counts more, what they ask less."""
    if clause.one.is_question:
        return _LESS
    news = bool(_NEWS.search(clause.words)) + 0.5 * bool(clause.one.dates) + 0.5 * bool(clause.one.claims)
    return 1 + _NEWS_WEIGHT * news


def _shown(clause: _Clause, several: bool) -> str:
    words = clause.words
    longest = _LONGEST_CJK if has_cjk(words) else _LONGEST
    if len(words) > longest:
        cut = words[: longest - 1]
        words = f"{cut[: cut.rfind(' ')] if ' ' in cut[longest // 2 :] else cut}…"
    words = words[:1].upper() + words[1:]
    return f"{clause.one.speaker}: {words}" if several and clause.one.speaker and _SELF.search(words) else words


def _clauses(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, bool, bool, str]]:
    """The clauses of each sentence without what leads to them, with whether each begins its sentence and whether it is asked
    for; neighbours are one as long as they are short."""
    for one in sentences:
        longest = _LONGEST_CJK if has_cjk(one.text) else _LONGEST
        start = end = 0
        opens, asks = True, False
        for first, last in _parts(one.text):
            lead = _LEADS.match(one.text[first:last]) if one.language == "en" else None
            first += len(lead[0]) if lead and not (end and last - start <= longest) else 0
            if first >= last:
                continue
            if end and last - start <= longest:
                end = last
                continue
            if end:
                yield one, opens, asks, one.text[start:end]
                opens = False
            start, end = first, last
            asks = one.is_question or (lead is not None and len(lead[0]) > _ASKING)
        if end:
            yield one, opens, asks, one.text[start:end]


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """The places between the marks of a sentence, without blanks around them; an attachment is no part."""
    at, text = 0, _SHOWN.sub(lambda shown: " " * len(shown[0]), text)
    for mark in (*_MARKS.finditer(text), None):
        end = mark.start() if mark else len(text)
        words = text[at:end]
        if any(map(str.isalnum, words)):
            yield at + len(words) - len(words.lstrip(_EDGES)), at + len(words.rstrip(_EDGES))
        at = mark.end() if mark else end
