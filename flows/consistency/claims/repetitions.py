"""A statement of which no attribute is known: about its own words, in order, so that only its repetitions meet it."""

import re
from datetime import datetime
from functools import lru_cache

from flows.consistency.claims.wording import Told
from mneme.text import tokenise

_SAID_BEFORE = re.compile(
    r"^(?:as (?:[^,]{1,40} )?(?:said|mentioned|told)(?: \w+)?(?: before)?|by the way|just so \w+ knows?|well|and|but|so|"
    r"reminder(?: to [^:]{1,30})?)[,:] |, \w+ knows?$|, you know$|, as (?:\w+ ){1,2}(?:said|mentioned)$"
)
_SAID_AGAIN = frozenset(
    "again still really also actually honestly truly definitely absolutely just simply very so too btw anyway the a an".split()
)
_CHINESE_SAID_AGAIN = re.compile(
    "真的|确实|其实|还是|仍然|依然|依旧|一直|非常|特别|还|也|又|再|很|挺|都|啊|呀|哦|呢|吧|啦|嘛|的"
)
_SHORT_IS = re.compile(r"'s(?= (?:called|named|an?|the|not|in|on|at|been|going)\b)")
_WORD = re.compile(r"[^\W_]+(?:['.,:][^\W_]+)*")


@lru_cache(maxsize=8_192)
def _stem(word: str) -> str:
    return "".join(tokenise(word)) or word


def own_words(told: Told, event_at: datetime | None) -> str:
    """What a statement is about when only its words are known; statements that say the same get the same.

    All its words count, "it" and "them" too: what stands for something cannot be known again by half. Two events of the
    same words on different days are two.
    """
    if told.chinese:
        words = ["".join(_WORD.findall(_CHINESE_SAID_AGAIN.sub("", told.whole)))]
    else:
        said = _WORD.findall(_SHORT_IS.sub(" is", _SAID_BEFORE.sub("", told.whole)))
        words = [_stem(word) for word in said if word not in _SAID_AGAIN]
    speaker = told.speaker.replace("的", "") if told.chinese else " ".join(tokenise(told.speaker))
    own = " ".join(words)
    day = f" {event_at:%Y-%m-%dT%H:%MZ}" if event_at else ""
    return f"{'' if own.startswith(speaker) else speaker + ' '}{own}{day}"
