"""What a newer statement may do to an older one about the same attribute, as far as its words say."""

import re
from functools import lru_cache

from flows.consistency.claims.values import is_moved, parts
from flows.consistency.claims.wording import told
from mneme.text import tokenise

_GENERIC = frozenset(
    """meet call class lesson train shift appoint practic dinner lunch breakfast exam game match session date coffe drink
    event""".split()
)
_CHINESE_GENERIC = re.compile("会议?$|聚餐|吃饭|课|约会|面试|考试|预约")
_CHANGES = re.compile(
    r"\b(?:now|new|moved|change[ds]?|instead|changed|switched|from now on|these days|no longer|any ?more|became|promoted|since|"
    r"recently|finally|turned|update|rescheduled|this time|not on|rather than|postponed|pushed|brought|delayed|extended)\b|"
    r"现在|改|换|新|变|推迟|提前|延|已经|升|转|目前|了"
)
_SAYS_LITTLE = frozenset(
    """work live love like enjoy ador hate dislik again still realli actual alway now current just know remind remind said say
    mention also job place home as my own name""".split()
)


def adds_nothing(older: str, newer: str) -> bool:
    """Whether a newer statement of the same claim has no word of content that the older has not."""
    return all(word in _SAYS_LITTLE for word in _words(newer) - _words(older))


@lru_cache(maxsize=8_192)  # a statement is compared with many, again whenever another comes
def _words(text: str) -> frozenset[str]:
    statement = told(text)
    words = {word for sentence in statement.sentences for word in tokenise(sentence)}
    if statement.chinese:
        words = {word for word in words if len(word) == 1 or word.isascii()} - set("很也还又再真仍都啊其实一名位个")
    return frozenset(words.union(tokenise(statement.speaker)))


def _is_generic(plan: str) -> bool:
    """Whether one can have several of it in the same week."""
    return not _GENERIC.isdisjoint(plan.split()) or _CHINESE_GENERIC.search(plan) is not None


def is_news(about: str, newer: str, before: str, after: str) -> bool:
    """Whether another value takes the place of the first: some need a word of change to be sure of it."""
    changes = _CHANGES.search(newer.lower()) is not None
    if about.startswith("plan|"):
        return is_moved(after) or changes or not _is_generic(about.removeprefix("plan|"))
    if about.endswith("|partner"):
        return "status" in parts(before).keys() & parts(after).keys()
    if about.endswith("|job"):
        return "org" in parts(before).keys() & parts(after).keys() or changes
    return True
