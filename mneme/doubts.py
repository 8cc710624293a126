"""Words by which a sentence says that it may not be so: a bet, hearsay, a joke. For claims, dates and foresights. Pure."""

import re

from mneme.chinese_script import simplified
from mneme.pattern_index import Cue
from mneme.text import has_cjk

_ENGLISH = Cue(
    r"\b(?:(?<!no )doubt(?:s|ed|ful)?(?! about)|(?:i|i['’]d|you) bet|bet (?:you|it|he|she|they|that|the)|no way|"
    r"supposedly|allegedly|reportedly|rumou?rs?|rumou?red|or so (?:they|he|she|i) \w+|said (?:nobody|no one)|"
    r"yeah,? right|just kidding|jk|joking|april fools?|in (?:my|your) dreams|who knows|for all i know|"
    r"fingers crossed (?:that )?(?:it|he|she|they|we|i)|tomorrow(?:['’]s| is) another day)\b",
    re.I,
)
_CHINESE = re.compile(
    "听说|据说|传说|传言|谣言|[我敢打]赌|我(?:才|可)?不信|谁信|才怪|骗你|开玩笑|做梦|我猜|来着|鬼知道|天知道|明天[^，。]{0,3}更好|会好起来"
)
# A doubt of something else, in a clause of its own: "Who knows why, but the party is on Friday".
_OF_ELSE = re.compile(r"^(?:i doubt (?!it\b|that\b)|no way (?!that\b|it\b|the\b)|who knows (?=why|how))[^,.;]+, ", re.I)
_CHINESE_OF_ELSE = re.compile("我(?:猜|敢?打?赌)你[^，。,]{0,4}(?:忘|不记得)[^，。,]*")


def is_doubted(sentence: str) -> bool:
    """Tell whether a sentence, English or Chinese, doubts what it says.

    >>> is_doubted("I doubt it's on Friday."), is_doubted("No doubt it's on Friday.")
    (True, False)
    """
    if has_cjk(sentence):
        return _CHINESE.search(_CHINESE_OF_ELSE.sub("", simplified(sentence))) is not None
    return _ENGLISH.search(_OF_ELSE.sub("", sentence)) is not None
