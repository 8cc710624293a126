"""supplement: a question in other words, with what the first search brought: three styles of query. Pure.

- key words: the question's own, and those that the best of what was found has in common (relevance feedback; Rocchio,
  "Relevance feedback in information retrieval", 1971, without the negative part);
- a question, as those whom it names would put it;
- a statement as the memory might say it (Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023,
  whose statement a model writes; here it is the question turned round).
"""

import re
from collections import Counter

from mneme.text import STOP_WORDS, has_cjk, tokenise
from queries.agents.evidence import Evidence, parent_of
from queries.agents.joint.features import forms, named

_LOOKED_AT = 5
_MOST_WORDS = 3
_WORD = re.compile(r"[A-Za-z][\w'’-]{2,}")
_TURNED = re.compile(
    r"^\W*(?P<preposition>(?:in|on|at|to|from|for|with) )?(?:what|which|who|where|when|how many|how|why)(?P<asked>.*?) "
    r"(?P<auxiliary>do|does|did|has|have|had|is|are|was|were|can|will) "
    r"(?P<subject>I|my \w+|we|our \w+|(?-i:[A-Z])\w+(?:['’]s \w+)?) "
    r"(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_CHINESE_ASKS = re.compile("什么|哪些|哪个|哪里|哪儿|谁|几[个次本种]?|多少|怎么|吗|呢|[？?]")


def queries(question: str, found: Evidence, count: int) -> tuple[str, ...]:
    """The first ``count`` of the three styles, without those that say the same."""
    _, spoken, words, _ = forms(question, named(question, found))
    told = (" ".join((words, *feedback(question, found))), spoken, statement(spoken))
    return tuple(dict.fromkeys(each for each in told if each and each != question))[:count]


def feedback(question: str, found: Evidence) -> tuple[str, ...]:
    """Words that the best facts of different episodes share, and the question has not."""
    known = set(tokenise(question))
    people = {token for each in found.episodes().values() for person in each.participants for token in tokenise(person)}
    shared: Counter[str] = Counter()
    form: dict[str, str] = {}
    episodes: set[str] = set()
    for place in found.places(4 * _LOOKED_AT):
        episode = parent_of(place.item) or place.item.id
        if episode in episodes:
            continue
        episodes.add(episode)
        words = {token: word for word in _WORD.findall(place.item.text) for token in tokenise(word)}
        new = [token for token in words if token not in known | people and words[token].lower() not in STOP_WORDS]
        shared.update(new)
        form |= {token: words[token] for token in new if token not in form}
        if len(episodes) == _LOOKED_AT:
            break
    return tuple(form[token] for token, times in shared.most_common(_MOST_WORDS) if times > 1)


def statement(question: str) -> str:
    """A question turned into a statement, as far as its words allow; empty where they do not.

    >>> statement("Which books has Ann read?"), statement("小雨喜欢什么？")
    ('Ann has read books', '小雨喜欢')
    """
    if has_cjk(question):
        return _CHINESE_ASKS.sub("", question).strip()
    turned = _TURNED.match(question)
    if turned is None:
        return ""
    auxiliary = "" if turned["auxiliary"].lower() in ("do", "does", "did") else turned["auxiliary"]
    parts = (turned["subject"], auxiliary, turned["rest"], turned["preposition"] or "", turned["asked"])
    return " ".join(" ".join(parts).split())
