"""The language of a text, so that rules touch only the language that they were written for, and a model what it knows.

``py3langid`` tells it (Lui and Baldwin 2012, naive Bayes over byte n-grams; its model is in the wheel). A few words are too
few for it: a short message is in the language of its conversation.

Below stand the words of English and Chinese by which a sentence says that it may not be so.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from mneme.chinese_script import simplified
from mneme.patterns import Cue
from mneme.text import has_cjk

# Among languages that are seldom written, a few words of casual English look like one of them.
_KNOWN = (
    "af ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta te th "
    "tl tr uk ur vi zh"
).split()
_ENOUGH = 25  # letters from which a message tells its language by itself
_READ = 300  # characters of a message that tell its language
_MOST_READ = 1_000  # the same of a conversation
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_READING = (
    Lock()
)  # its arrays name their forms in Python, which threads that parse it at the same time may fail at (CPython 3.11)
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile("[\uac00-\ud7af]")
# Words by which a short text of names ("Kenji lives in Osaka") is English where all others in it have a capital.
_ENGLISH = frozenset(
    """live lives living lived moved settled works worked working studies studied stays staying grew met married visited bought
    sold the my and with from to now been have has""".split()
)
_ANYWHERE = frozenset("in at on a an is was am are for near of by".split())
_LOWER = re.compile(r"\b[a-z]+\b")
_CERTAIN = 10.0  # how much likelier another language than English is, in log-odds; of 3,759 English texts none is as likely
# Words that no other language has, in a text of its script: then nothing is counted.
_SURELY_ENGLISH = frozenset("the what where which does did who when how you with and".split())
_MOSTLY = 0.3  # share of the letters that are of a script from which a text is written in it
_SOME_KANA = 0.1  # share of Chinese characters and kana that are kana from which a text is Japanese


def languages_of(texts: Sequence[str]) -> list[str]:
    """The language of each message of one conversation: ISO 639-1, empty where there are no letters to tell it by."""
    whole = _identified("\n".join(text[:_READ] for text in texts)[:_MOST_READ])
    return [_language_of(text[:_READ], whole) for text in texts]


def foreign_language(text: str) -> str:
    """The language of a text that is certainly not English; else empty.

    >>> foreign_language("Wo arbeitet Anke?"), foreign_language("周玲在哪里上班？"), foreign_language("Hawaiian pizza")
    ('de', 'zh', '')
    """
    return _foreign(text[:_READ])


@lru_cache(maxsize=4_096)
def _foreign(text: str) -> str:
    letters = sum(map(str.isalpha, text))
    if (by_script := _by_script(text, letters)) or not letters:
        return by_script
    if text.isascii() and not _SURELY_ENGLISH.isdisjoint(_LOWER.findall(text)):
        return ""
    likely = dict(_ready().rank(text.encode(errors="replace")))
    first = next(iter(likely))
    return str(first) if likely[first] - likely["en"] > _CERTAIN else ""


def _language_of(text: str, of_conversation: str) -> str:
    letters = sum(map(str.isalpha, text))
    by_script = _by_script(text, letters)
    if not by_script and _is_english_with_names(text):
        return "en"
    if letters < _ENOUGH and by_script in ("", "zh") and of_conversation and (not by_script or of_conversation == "ja"):
        return of_conversation
    return by_script or _identified(text)


def _is_english_with_names(text: str) -> bool:
    words = set(_LOWER.findall(text)) if text.isascii() else set()
    return not words.isdisjoint(_ENGLISH) and words <= _ENGLISH | _ANYWHERE


@lru_cache(maxsize=4_096)
def _identified(text: str) -> str:
    letters = sum(map(str.isalpha, text))
    if (by_script := _by_script(text, letters)) or not letters:
        return by_script
    return str(_ready().classify(text.encode(errors="replace"))[0])


def _by_script(text: str, letters: int) -> str:
    """Chinese, Japanese or Korean by the characters of a text; empty for any other."""
    if text.isascii():
        return ""
    han, kana, hangul = (len(script.findall(text)) for script in (_HAN, _KANA, _HANGUL))
    if han + kana + hangul <= _MOSTLY * letters:
        return ""
    if hangul > han + kana:
        return "ko"
    return "ja" if kana > _SOME_KANA * (han + kana) else "zh"


def _ready() -> LanguageIdentifier:
    with _READING:
        return _identifier()


@cache
def _identifier() -> LanguageIdentifier:
    """The identifier, which is read when the first text asks for it."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(_KNOWN)
    return identifier


# Words by which a sentence says that it may not be so: a bet, hearsay, a joke. They serve claims, dates and foresights.
_DOUBT = Cue(
    r"\b(?:(?<!no )doubt(?:s|ed|ful)?(?! about)|(?:i|i['’]d|you) bet|bet (?:you|it|he|she|they|that|the)|no way|"
    r"supposedly|allegedly|reportedly|rumou?rs?|rumou?red|or so (?:they|he|she|i) \w+|said (?:nobody|no one)|"
    r"yeah,? right|just kidding|jk|joking|april fools?|in (?:my|your) dreams|who knows|for all i know|"
    r"fingers crossed (?:that )?(?:it|he|she|they|we|i)|tomorrow(?:['’]s| is) another day)\b",
    re.I,
)
_CHINESE_DOUBT = re.compile(
    "听说|据说|传说|传言|谣言|[我敢打]赌|我(?:才|可)?不信|谁信|才怪|骗你|开玩笑|做梦|我猜|来着|鬼知道|天知道|明天[^，。]{0,3}更好|会好起来"
)
# A doubt of something else, in a clause of its own: "Who knows why, but the party is on Friday".
_DOUBT_OF_ELSE = re.compile(r"^(?:i doubt (?!it\b|that\b)|no way (?!that\b|it\b|the\b)|who knows (?=why|how))[^,.;]+, ", re.I)
_CHINESE_DOUBT_OF_ELSE = re.compile("我(?:猜|敢?打?赌)你[^，。,]{0,4}(?:忘|不记得)[^，。,]*")


def is_doubted(sentence: str) -> bool:
    """Tell whether a sentence, English or Chinese, doubts what it says.

    >>> is_doubted("I doubt it's on Friday."), is_doubted("No doubt it's on Friday.")
    (True, False)
    """
    if has_cjk(sentence):
        return _CHINESE_DOUBT.search(_CHINESE_DOUBT_OF_ELSE.sub("", simplified(sentence))) is not None
    return _DOUBT.search(_DOUBT_OF_ELSE.sub("", sentence)) is not None
