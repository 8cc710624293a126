"""The exception that a question makes: "besides chess", "außer Schach", 除了国际象棋.

Its words name the very thing that is not asked for. So they are taken out before anything is searched: what only matches them
does not match the question.
"""

import re

from mneme.text import tokenise

_EXCEPTIONS = (
    re.compile(  # English, up to a comma, a verb of the question, or its end
        r"\b(?:besides|apart from|aside from|except(?: for)?|other than|in addition to)\s+[^,.?!;]{1,80}?"
        r"(?:,|(?=[.?!;]|$|\s(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should)\b))",
        re.IGNORECASE,
    ),
    re.compile(  # German, up to its noun, and what is joined to that
        r"\b(?:[Aa]u(?:ß|ss)er|[Aa]bgesehen von)\s+(?:[a-zäöüß]+\s+){0,3}[A-ZÄÖÜ][\w-]*"
        r"(?:\s(?:und|oder)\s(?:[a-zäöüß]+\s+){0,2}[A-ZÄÖÜ][\w-]*)*,?"
    ),
    re.compile(
        "除了[^，,。？?]{1,20}?(?:以外|之外|外)?(?:[，,]|(?=[还也都又。？?]))|除[^夕，,。？?]{1,20}?(?:以外|之外)[，,]?"
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
