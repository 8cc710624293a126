"""Whether a sentence can be read alone, or needs the one before it: "It still hurts.", "There as well.", "Yes."

A sentence too many beside a quote is no harm, one too few leaves it dark: so what may lean does.
"""

import re

from flows.extraction.spoken import Sentence
from mneme.text import STOP_WORDS

_LEAST_WORDS = 4  # of content; a sentence with fewer says too little by itself
_LEAST_CHARACTERS = 8  # the same in Chinese and Japanese
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_POINTS_BACK = frozenset(
    "it its it's that that's this this's these those they them their theirs he him his she her hers there here one ones both "
    "same such here's there's then so too also either neither another others latter former".split()
)
_LOOKED_AT = 6  # words at the beginning in which a word that points back has nothing before it to point to
_CHINESE = re.compile(r"^[\W_]*(?:它|他|她|这|那|其|该|此|也|还|都|是的|不是|对|嗯|好|没有|可以|当然|因为|所以|但|不过|而且)")
_JAPANESE = re.compile(r"^[\W_]*(?:それ|これ|あれ|そこ|ここ|その|この|あの|はい|いいえ|うん|ええ|でも|だから|そう)")


def leans(sentence: Sentence) -> bool:
    """Whether a sentence needs the one before it to be understood."""
    text = sentence.text
    if sentence.language in ("zh", "ja"):
        pattern = _CHINESE if sentence.language == "zh" else _JAPANESE
        return sum(map(str.isalnum, text[: 4 * _LEAST_CHARACTERS])) < _LEAST_CHARACTERS or pattern.match(text) is not None
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text[:400])]
    if sentence.language != "en":
        return len(words) < _LEAST_WORDS
    if sum(word not in STOP_WORDS for word in words) < _LEAST_WORDS - 1:
        return True
    return any(word in _POINTS_BACK for word in words[:_LOOKED_AT])
