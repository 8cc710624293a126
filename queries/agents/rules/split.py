"""split: a question that asks for several things in so many words, as one question for each. Pure.

"Where does Ann work, and what does Bob do?" are two questions; "which towns have Ann and Bob been to?" is one about two
people, and each is asked about alone. What a part leaves to the part before it ("and where does she live?") is said again:
the name for the pronoun. Words that ask for nothing themselves ("both") are left out; all others are in one of the parts.
"""

import re
from itertools import pairwise

from mneme.text import has_cjk
from queries.agents.planner import MOST_SUB_QUERIES
from queries.questions.viewpoint import likely_people

_WH = (
    r"(?:(?:in|on|at|to|from|for|with|by|of|near|since|until) )?(?:what|which|who|whom|whose|when|where|why|how)\b|"
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would) (?:I|you|he|she|it|we|they|(?-i:[A-Z][\w'’-]+)) \w"
)
_GAP = r"\s{0,8}"  # a limit, since each blank of an endless run would begin it anew
_CLAUSE = re.compile(
    rf"{_GAP}(?<![?;!])[?;!]++\s++(?:(?:and|or|but|also|then) )*(?={_WH})|{_GAP},? (?:and|or|but)(?: (?:also|then))? (?={_WH})"
    rf"|{_GAP}, (?={_WH})",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(rf"^\W*(?:(?:and|or|but|also|then|so|please) )*(?:{_WH})", re.IGNORECASE)
_CHINESE_ASKS = re.compile("什么|谁|哪|几|多少|多久|多大|怎么|怎样|为什么|为何|如何|何时|吗|呢")
_CHINESE_CLAUSE = re.compile(
    "[，；？。,;?]+(?:还有|以及|另外|并且|然后|而且|而)?|(?<=[^，；？。])(?:以及|还有)(?=[^，；？。]*(?:什么|谁|哪|几|多少|怎么))"
)
_NAME = r"\b[A-Z][a-z]+(?:[-'’][A-Z][a-z]+){0,2}(?: [A-Z][a-z]+){0,3}"  # limits: an endless list costs no square
_LIST = re.compile(
    rf"\b(?:both )?({_NAME}(?:(?:, {_NAME}){{1,4}},? and|,? and) {_NAME})(?P<owns>['’]s)?(?:(?=\W|$)(?: both\b)?)"
)
_CHINESE_LIST = re.compile(
    r"(?:^|(?<=[，。？；]))(?P<names>[^，。？；、和跟与的了是在有]{1,6}(?:、[^，。？；、和跟与的了是在有]{1,6})*[和跟与][^，。？；、和跟与的了是在有]{1,4}?)"
    "(?P<each>都|分别|各自|各)"
)
_TOGETHER = re.compile(r"\btogether\b|\bbetween\b|\beach other\b|\bmeet\b|\bmet\b", re.IGNORECASE)  # one answer for all
_BETWEEN = re.compile(r",? and |, |、|和|跟|与")
_PRONOUN = re.compile(r"\b(?:(?P<subject>she|he|they)|(?P<owner>her|his|their)(?= \w))\b", re.IGNORECASE)
_PLURAL_VERB = {"have": "has", "do": "does", "are": "is", "were": "was"}
_SHORTEST_CLAUSE = 2  # words, or two Chinese characters


def split_question(question: str) -> tuple[str, ...]:
    """Two to ``MOST_SUB_QUERIES`` questions that together ask what the question asks; none where it is one.

    >>> split_question("Where does Ann live, and what does she paint?")
    ('Where does Ann live?', 'what does Ann paint?')
    >>> split_question("Which towns have both Ann and Bob seen?")
    ('Which towns has Ann seen?', 'Which towns has Bob seen?')
    """
    parts = [part for clause in clauses(question) for part in _people(clause)]
    parts = list(dict.fromkeys(parts))[:MOST_SUB_QUERIES]
    return tuple(parts) if len(parts) > 1 else ()


def clauses(question: str) -> list[str]:
    """The questions in a text, each with what it is about; the whole text where there is one."""
    text = " ".join(question.split())
    if has_cjk(text):
        parts = [each.strip() for each in _CHINESE_CLAUSE.split(text) if each.strip()]
        return parts if len(parts) > 1 and all(_CHINESE_ASKS.search(each) for each in parts) else [text]
    cuts = [match.span() for match in _CLAUSE.finditer(text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    parts = [text[start:end].strip(" ?;.!,") for start, end in zip(starts, ends, strict=True)]
    if len(parts) < 2 or not all(_ASKS_FIRST.search(each) and len(each.split()) >= _SHORTEST_CLAUSE for each in parts):
        return [text]
    told = [parts[0]]
    for before, clause in pairwise(parts):
        told.append(_named_again(clause, likely_people(before) or likely_people(told[-1])))
    return [f"{each}?" for each in told]


def _named_again(clause: str, people: tuple[str, ...]) -> str:
    """With the name for the first pronoun, where the clause names nobody and only one can be meant."""
    if len(people) != 1 or likely_people(clause):
        return clause
    return _PRONOUN.sub(lambda match: f"{people[0]}'s" if match["owner"] else people[0], clause, count=1)


def _people(clause: str) -> list[str]:
    """One question for each of those that are listed; the clause where nobody is."""
    if has_cjk(clause):
        listed = _CHINESE_LIST.search(clause)
        if listed is None:
            return [clause]
        return [
            clause[: listed.start("names")] + name + clause[listed.end("each") :] for name in _BETWEEN.split(listed["names"])
        ]
    listed = _LIST.search(clause)
    if listed is None or _TOGETHER.search(clause):
        return [clause]
    before, after = clause[: listed.start()], clause[listed.end() :]
    owns = listed["owns"] or ""
    if not owns:  # "have Ann and Bob" is "has Ann"
        before = re.sub(
            r"\b(have|do|are|were)(?= $)", lambda match: _PLURAL_VERB[match[1].lower()], before, flags=re.IGNORECASE
        )
    names = _BETWEEN.split(listed[1])
    return [" ".join(f"{before}{name}{owns}{after}".replace(" both ", " ").split()) for name in names if name]
