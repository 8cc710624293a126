"""Sentences that tell of nothing real: a condition, a possibility, a wish, a work of fiction. Pure.

"I might move to Oslo" tells where nobody lives. By the words of these four classes, in English, German and Chinese.
"""

import re
from collections.abc import Sequence

from mneme.relations import relation_of
from queries.answers.features import matters_of

_SENTENCE = re.compile(r"[^.!?。！？;；\n]+[.!?。！？;；\n]*")
_WORK = "(?:book|novel|film|movie|story|game|series|show|play|song|comic|tale|dream)"
_GERMAN_WORK = "(?:Buch|Roman|Film|Spiel|Serie|Geschichte|Lied|Comic|Märchen|Traum)"
_UNREAL = re.compile(
    r"\b(?:if|unless|might|would|could|wish(?:es|ed)?|imagine|pretend\w*|maybe|perhaps|possibly|novel|fiction\w*|fairy ?tale)\b"
    rf"|\b(?:i|we|you|s?he|they)(?:['’]d|d)\b|\bid (?=[a-z])"
    rf"|\b(?:in|into|of|saw|seen|watch\w*|read\w*) (?:an?|the|this|that|my|her|his|their) (?:\w+ )?{_WORK}\b"
    r"|\b(?:würde[nst]*|wäre[nst]*|hätte[nst]*|könnte[nst]*|vielleicht|möglicherweise|womöglich|falls|wünsch\w+|träum\w+)\b"
    rf"|\b(?:im|in|aus) (?:(?:dem|der|einem|einer|diesem|dieser|meinem|meiner) )?{_GERMAN_WORK}\b|\broman(?:s|en)?\b"
    r"|如果|要是|假如|假设|万一|可能|也许|或许|说不定|没准|希望|但愿|幻想|梦想|梦见|梦到|小说|童话|(?:电影|书|剧|游戏|故事|梦)[里中]",
    re.IGNORECASE,
)


def asks_for_real(question: str, attributes: Sequence[tuple[str, str]]) -> bool:
    """True if a question for a state asks for one of which there is one at a time, and for nothing unreal itself.

    Where no attribute is known, as in German, it asks for an everyday matter.

    >>> asks_for_real("Where does Ann live?", [("ann", "home")]), asks_for_real("Where might Ann live?", [("ann", "home")])
    (True, False)
    """
    if _UNREAL.search(question):
        return False
    if not attributes:
        return bool(matters_of(question))
    relations = (relation_of(attribute) for _, attribute in attributes if not attribute.startswith("plan:"))
    return any(relation.single for relation in relations if relation is not None)


def without_unreal(text: str) -> str:
    """The sentences of a text that tell of what is real.

    >>> without_unreal("I might move to Oslo. The cat is fine.")
    ' The cat is fine.'
    """
    return "".join(sentence for sentence in _SENTENCE.findall(text) if not _UNREAL.search(sentence))
