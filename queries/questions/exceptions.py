"""The exception that a question makes: "besides chess", "außer Schach", 除了国际象棋.

Its words name the very thing that is not asked for. So they are taken out before anything is searched: what only matches them
does not match the question. Where its end is not plain, the question stays as it is.
"""

import re

from mneme.text import tokenise

_VERBS = (
    "do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|works?|worked|lives?|lived|likes?|liked|loves?|loved"
    "|plays?|played|knows?|knew|eats?|ate|drinks?|drank|goes|went|comes?|came|speaks?|spoke|owns?|owned|wants?|needs?|visits"
    "|visited|bought|studies|studied|now|today|currently"
)
_NO_NOUN = (
    rf"(?:{_VERBS}|that|which|who|whom|whose|what|when|while|where|why|how|if|because|since|as|and|or|at|by|for|from|in|on|to"
    "|with)"
)
_WORD = rf"(?!{_NO_NOUN}\b)[\w'’-]+"
_PHRASE = rf"{_WORD}(?:\s{_WORD}){{0,3}}"  # a noun with what stands before it
_GERMAN = r"(?:[a-zäöüß]+\s+){0,3}[A-ZÄÖÜ][\w-]*"
_CHINESE_VERBS = "解删拆排清废免去消根扫切剔开铲破撤戒"  # 删除了 is a verb

_EXCEPTIONS = (
    re.compile(  # English, up to a comma, a verb of the question, or its end
        r"\b(?:besides|(?<!\blive )(?<!\blived )(?<!\bliving )(?<!\bgrow )(?<!\bgrew )(?<!\bgrown )apart from|aside from"
        r"|except(?: for)?|other than|in addition to)\s+"
        rf"(?P<english>{_PHRASE}(?:(?:,\s{_PHRASE})*,?\s(?:and|or)\s{_PHRASE})?)(?:,|(?=\s*(?:[.?!;]|$)|\s(?:{_VERBS})\b))",
        re.IGNORECASE,
    ),
    re.compile(  # German, up to its noun, and what is joined to that
        r"\b(?:[Aa]u(?:ß|ss)er(?!\s+(?:Betrieb|Haus|Gefahr|Dienst|Kraft|Atem|Landes|Kontrolle|Sicht|Konkurrenz)\b)"
        rf"|[Aa]bgesehen von)\s+(?P<german>{_GERMAN}"
        rf"(?:(?:,\s(?:(?:de[mnrs]|d[ai]e?s?|(?:k?ein|mein)\w*)\s)?[A-ZÄÖÜ][\w-]*)*\s(?:und|oder)\s{_GERMAN})?),?"
    ),
    re.compile(
        rf"(?<![{_CHINESE_VERBS}])除(?:了(?P<chinese>[^，,。？?]{{1,20}}?)(?:以外|之外|外)?(?:[，,]|(?=[还也都又。？?]))"
        "|(?P<outside>[^夕，,。？?]{1,20}?)(?:以外|之外)[，,]?)"
    ),
)


def without_exception(text: str) -> str:
    """A question without what it excepts; the same text if nothing else is in it.

    >>> without_exception("What does Mira like besides lentil soup?"), without_exception("Besides chess, what does Ben play?")
    ('What does Mira like ?', 'what does Ben play?')
    >>> without_exception("Was mag Jan außer Linsensuppe noch?"), without_exception("除了饺子，林悦还喜欢吃什么？")
    ('Was mag Jan noch?', '林悦还喜欢吃什么？')
    >>> without_exception("Who besides Ann?")
    'Who besides Ann?'
    """
    left = text
    for exception in _EXCEPTIONS:
        left = exception.sub("", left)
    left = " ".join(left.split())
    return left if left != text and tokenise(left) else text


def excepted(text: str) -> str:
    """The words that ``without_exception`` takes out, without the one that excepts them; empty where it takes out none.

    >>> excepted("Where do I live besides Rome?"), excepted("Where do I live?")
    ('Rome', '')
    """
    if without_exception(text) == text:
        return ""
    matches = (match for exception in _EXCEPTIONS for match in exception.finditer(text))
    return " ".join(group for match in matches for group in match.groups() if group)
