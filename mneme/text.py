"""Tokens of texts: those of keyword search, by one tokeniser for both indices and for every query, and how many a model counts.

Tokens of keyword search are in lower case, possessives and punctuation stripped, English stop words dropped, Porter2 stems.
Chinese, Japanese and Korean runs, and those of other scripts without blanks between words, become their characters and their
bigrams, traditional characters as simplified ones. Both backends index these tokens, joined by blanks, with a whitespace
analyser, so that both rank alike. A change here is a change of the index (``TOKENISER``).
"""

import math
import re
import threading
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from operator import add

import snowballstemmer

from mneme.chinese_script import folded

TOKENISER = "mneme-3"
# Characters of a text that is remembered, or whose words are: with longer ones anybody could fill the memory.
LONGEST_REMEMBERED = 4_000

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before being below between both
    but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further had
    hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's i i'd
    i'll i'm i've if in into is isn't it it's its itself just let's me more most mustn't my myself no nor not of off on once
    only or other ought our ours ourselves out over own same shan't she she'd she'll she's should shouldn't so some such
    than that that's the their theirs them themselves then there there's these they they'd they'll they're they've this
    those through to too under until up very was wasn't we we'd we'll we're we've were weren't what what's when when's
    where where's which while who who's whom why why's will with won't would wouldn't you you'd you'll you're you've your
    yours yourself yourselves""".split()
)

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002fa1f"
_PIECES = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['’][^\W\d_{_CJK}]+)*")
_ASCII_PIECES = re.compile(r"[a-z0-9]+(?:'[a-z]+)*")  # the same where a text has no other characters, in half the time
_IS_CJK = re.compile(rf"[{_CJK}]")
_CJK_RUNS = re.compile(rf"[{_CJK}]+")
# Thai, Lao, Burmese, Khmer: their letters and marks
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
_IS_UNSPACED = re.compile(rf"[{_CJK}{_THAI}]")
# With or without them a word is the same: the dot of an İ in lower case, hyphens and joiners that are not seen, the points of
# Hebrew, the vowels of Arabic and its longer lines, and what selects the form of a character.
_OPTIONAL = "\u0307\u00ad\u200c\u200d\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670\ufe00-\ufe0f"
_OPTIONALS = re.compile(rf"[{_OPTIONAL}]+")
# Scripts and blocks with marks, and what is optional: few texts have any, and the patterns that they need take longer
_MARKED = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0590-\u1dff\u200c\u200d\u20d0-\u20f0\u2cef-\u2dff\ua66f-\uabff\ufe00-\ufe0f]"
)
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff]")
_HANGUL = re.compile("[\u1100-\u11ff\uac00-\ud7af]")
_CJK_STOP_CHARACTERS = frozenset("的了是在和与也就都而及吗呢吧啊嘛呀着过")

_local = threading.local()


def ends_in_question(text: str) -> bool:
    """Return whether the last mark of a text is a question mark."""
    return text.rstrip().endswith(("?", "？"))


def tokenise(text: str) -> list[str]:
    """The tokens of a text, in order, with repetitions.

    >>> tokenise("Caroline's dogs were running in 2023")
    ['carolin', 'dog', 'run', '2023']
    >>> tokenise("我喜欢咖啡")
    ['我', '喜', '欢', '咖', '啡', '我喜', '喜欢', '欢咖', '咖啡']
    >>> tokenise("喝過臺灣")
    ['喝', '台', '湾', '喝过', '过台', '台湾']
    """
    tokens: list[str] = []
    for piece in _pieces(_composed(text).lower()):
        if piece[0] >= "ก" and _IS_UNSPACED.match(piece):  # most letters of the world come before the first of Thai
            characters = folded(piece) if _IS_CJK.match(piece) else _patterns_with_marks()[1].findall(piece)
            tokens += [character for character in characters if character not in _CJK_STOP_CHARACTERS]
            tokens += map(add, characters, characters[1:])
        elif token := _token(piece) if _is_short(piece) else _token.__wrapped__(piece):
            tokens.append(token)
    return tokens


def _pieces(text: str) -> list[str]:
    """The words of a composed text in lower case, and its runs of scripts without blanks."""
    if text.isascii():
        return _ASCII_PIECES.findall(text)
    if _MARKED.search(text):
        return _patterns_with_marks()[0].findall(_OPTIONALS.sub("", text))
    return _PIECES.findall(text)


@cache  # most processes never need them, and they take 10 ms
def _patterns_with_marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The pattern of pieces and that of a character. Both go on through marks (of vowels, mostly), which are no ``\\w``."""
    marks = "".join(mark for mark in map(chr, range(0x0300, 0xAC00)) if unicodedata.category(mark) in ("Mn", "Mc"))
    word = rf"[^\W_{_CJK}{_THAI}]"
    pieces = rf"[{_CJK}]+|[{_THAI}]+|{word}+(?:[{marks}]+{word}*|['’][^\W\d_{_CJK}{_THAI}]+)*"
    return re.compile(pieces), re.compile(rf".[{marks}]*")


def index_tokens(weighted: Iterable[tuple[str, int]]) -> str:
    """The tokens that the index stores for keyword search: those of texts, each text repeated by its weight.

    Repetition weighs a field inside the term frequency, before BM25 saturates it (BM25F, Robertson et al. 2004),
    and means the same in both backends.
    """
    lines = ((text.split("\n"), weight) for text, weight in weighted if text)
    return " ".join(" ".join([" ".join(filter(None, map(_joined, each)))] * weight) for each, weight in lines).strip()


def _joined(line: str) -> str:
    return _cached_tokens_of_line(line) if _is_short(line) else " ".join(tokenise(line))


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST_REMEMBERED


@lru_cache(maxsize=1_024)  # a message is in its own row, and in those of its neighbours
def _cached_tokens_of_line(line: str) -> str:
    return " ".join(tokenise(line))


def has_cjk(text: str) -> bool:
    """Return whether a text contains Chinese, Japanese or Korean characters."""
    return not text.isascii() and bool(_IS_CJK.search(_composed(text)))


def cjk_share(text: str) -> float:
    """The share of Chinese, Japanese and Korean characters among the letters of a text, 0 to 1."""
    if text.isascii():
        return 0.0
    composed = _composed(text)
    letters = sum(map(str.isalpha, composed))
    return sum(map(str.isalpha, "".join(_CJK_RUNS.findall(composed)))) / letters if letters else 0.0


def cjk_languages(text: str) -> frozenset[str]:
    """The languages among Chinese, Japanese and Korean (ISO 639-1) that the scripts of a text allow; none without them.

    >>> sorted(cjk_languages("寿司が好き")), sorted(cjk_languages("寿司"))
    (['ja'], ['ja', 'zh'])
    """
    text = _composed(text)
    if _HANGUL.search(text):
        return frozenset({"ko"})
    if _KANA.search(text):
        return frozenset({"ja"})
    return frozenset({"zh", "ja"}) if has_cjk(text) else frozenset()


def _composed(text: str) -> str:
    """A text with one way of writing: no full and half widths, no letters of a syllable or voicing marks by themselves."""
    return unicodedata.normalize("NFKC", text)


# Words; a few thousand make most of any text, and what is kept for all words grows for months. The longest message may have
# thirty thousand unlike ones, of which its rows ask for each several times, and a stem takes 25 us.
@lru_cache(maxsize=32_768)
def _token(piece: str) -> str:
    """The stem of a lower-case word; empty for a stop word."""
    word = piece.replace("’", "'")
    if word in STOP_WORDS:
        return ""
    word = word.removesuffix("'s").replace("'", "")
    if not word.isascii() or word.isdigit():
        return word
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a stemmer keeps state while it works: one for each thread
        stemmer = _local.stemmer = snowballstemmer.stemmer("english")
    return str(stemmer.stemWord(word))


# --- tokens of a model ------------------------------------------------------------------------------------------------

# A model's tokens without its ranks. connectors/tokens.py counts exactly where tiktoken's ranks are installed. This estimate
# needs nothing and is within 15 to 20 % of o200k on English, code, JSON, Chinese, German, Russian and emoji; budget with that
# margin. (Four characters a token, the usual guess, is three times too low on Chinese.)

# Blanks weigh nothing and are no pieces. Those before a line break are passed over, and not looked through for it: a run of
# blanks without one would be looked through again from each of its places.
_MODEL_TOKENS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+|\d{1,3}|[^\w\s]+|\n\s*|_")


def estimate_tokens(text: str) -> int:
    """About how many o200k tokens a text has.

    >>> estimate_tokens("The quick brown fox jumps over the lazy dog.")
    10
    """
    weight = _weight if len(text) <= LONGEST_REMEMBERED else _weight.__wrapped__
    return math.ceil(sum(map(weight, _MODEL_TOKENS.findall(text))))


@lru_cache(maxsize=8192)  # as with stems, a few thousand make most of any text
def _weight(piece: str) -> float:
    first = piece[0]
    if "\u3040" <= first <= "\u9fff" or "\uac00" <= first <= "\ud7af":
        return 0.85
    if first.isalpha():
        if piece.isascii():
            return 1.0 if len(piece) <= 7 else 1.0 + (len(piece) - 7) / 6
        return max(1.0, len(piece) / 3.2)
    if first.isdigit():
        return 1.0
    if first.isspace():
        return 0.6  # a line break; a blank is part of the token behind it
    return max(1.0, len(piece.encode(errors="replace")) / 2.6)  # half a surrogate pair is no text
