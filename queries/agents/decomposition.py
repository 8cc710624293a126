"""The parts of a question: several questions in one text, and descriptions by relationships, one hop at a time. Pure.

"Where does Ann work, and what does Bob do?" are two questions; "which towns have Ann and Bob been to?" is one about two
people, and each is asked about alone. A pronoun that refers to the part before it becomes the name.

"The spouse of the CEO of Acme" is a description. Its innermost part has a name in it: "the CEO of Acme". Where the graph
knows who that is, the name takes the place of the description, and the question is one hop shorter. What the question asks
for itself ("what is the company of Lee?") is no description.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from mneme.text import has_cjk, tokenise
from queries.agents.planner import MOST_SUB_QUERIES
from queries.entities.naming import asked_by, folded
from queries.questions.people import likely_people
from queries.responses import Graph, GraphRelationship

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
_PERSON = r"\b[A-Z][a-z]+(?:[-'’][A-Z][a-z]+){0,2}(?: [A-Z][a-z]+){0,3}"  # limits: an endless list costs no square
_LIST = re.compile(
    rf"\b(?:both )?({_PERSON}(?:(?:, {_PERSON}){{1,4}},? and|,? and) {_PERSON})(?P<owns>['’]s)?(?:(?=\W|$)(?: both\b)?)"
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

_NAME = r"[A-Z][\w&-]*(?: [A-Z][\w&-]*){0,4}"
_ROLE = r"[a-zA-Z][\w-]*(?: (?!of\b)[a-z][\w-]*)?"
_OF = re.compile(rf"(?:\b[Tt]he )?\b(?P<role>{_ROLE}) of (?P<name>{_NAME})(?=\W|$)(?!['’]s)")
_OWNED = re.compile(rf"(?<![\w'’])(?P<name>{_NAME})['’]s (?P<role>[a-z][\w-]*)(?=['’]s|\W|$)")
_CHINESE = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9&-]{0,40}|[\u3400-\u9fff]{2,6}?)的(?P<role>[\u3400-\u9fff]{1,6}?)(?=的|在|是|喜|去|住|做|叫|有|和)"
)
_ASKED = re.compile(
    r"\b(?:who|what|which|where|when|how)(?:['’]s| is| was| are| were)(?: the)?(?: current| new| old| present)? ?$", re.I
)
_BEFORE = re.compile(r"\b([\w-]+) of (?:the )?$", re.IGNORECASE)
_BEHIND = re.compile(
    r"['’]s (?:[a-z]+ )??([\w-]+)|(?: [\w'-]+)? (works?|worked|working|lives?|lived|living|stud(?:y|ies|ied))\b"
    r"|的([\u3400-\u9fff]{1,3}?)(?=的|在|是|叫|有|[？?]|$)|在?(?:哪里|哪儿|哪家公司)?(工作|上班|公司)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"[^s]s$|children|people|们$", re.IGNORECASE)
TO_ONE = (
    "married_to engaged_to partner_of parent_of child_of sibling_of relative_of friend_of colleague_of neighbour_of "
    "roommate_of classmate_of tenant_of client_of taught_by treated_by "
    "reports_to ceo_of leads owns founded works_at studies_at has_pet lives_in"
).split()
"""Relations that lead to one person or thing, or may."""
_MOST_HOPS = 4
_NEAR = 60  # characters before and behind a description that tell whether it is one


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
    named = [parts[0]]
    for before, clause in pairwise(parts):
        named.append(_named_again(clause, likely_people(before) or likely_people(named[-1])))
    return [f"{each}?" for each in named]


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


@dataclass(frozen=True, slots=True)
class Description:
    """Somebody or something told by a relationship: from and to which character, of whom, and as what."""

    start: int
    end: int
    name: str
    role: str

    @property
    def question(self) -> str:
        """The description as a question."""
        return (
            f"{self.name}的{self.role}是谁？" if has_cjk(self.name + self.role) else f"Who is the {self.role} of {self.name}?"
        )


def descriptions(question: str, with_asked: bool = False) -> Iterator[Description]:
    """The innermost descriptions of a question: what is told by a relationship to a name; what is asked for itself if wanted.

    >>> [each.role for each in descriptions("What is the company of the spouse of the CEO of Acme?")]
    ['CEO']
    >>> [[each.name for each in descriptions("Who is the CEO of Acme?", asked)] for asked in (False, True)]
    [[], ['Acme']]
    """
    for pattern in (_CHINESE,) if has_cjk(question) else (_OF, _OWNED):
        for match in pattern.finditer(question):
            name, role = match["name"], match["role"]
            after = question[match.end() : match.end() + _NEAR].strip(" ?.!？。")
            is_asked = _ASKED.search(_ahead(question, match.start())) and not after.startswith(("'s", "’s"))
            if not _is_one(role) or ((is_asked or (pattern is _OWNED and not after)) and not with_asked):
                continue
            yield Description(match.start(), match.end(), name, role)


def is_chain(question: str) -> bool:
    """True if a question takes more than one relationship: what it describes has another in front of it, or behind.

    >>> is_chain("Where does Ann's husband work?"), is_chain("How old is Ann's husband now?")
    (True, False)
    """
    return any(
        _is_one(word)
        for each in descriptions(question)
        for around in (_BEFORE.search(_ahead(question, each.start)), _BEHIND.match(question, each.end))
        if around
        for word in around.groups()
        if word
    )


def shortened(question: str, graph: Graph) -> str:
    """The question with names for all descriptions that the graph knows, hop by hop; the same text where it knows none."""
    for _ in range(_MOST_HOPS):
        for each in descriptions(question):
            name = _reached(each, graph.relationships, question)
            if name:
                question = f"{question[: each.start]}{name}{question[each.end :]}"
                break
        else:
            return question
    return question


def _ahead(question: str, place: int) -> str:
    """The text right before a place."""
    return question[max(0, place - _NEAR) : place]


def _is_one(role: str) -> bool:
    """True if it tells of one person or thing by a relationship: "husband", and not "kids" or "dance"."""
    return not _PLURAL.search(role) and any(asked_by(relation, tokenise(role)) for relation in TO_ONE)


def _reached(each: Description, edges: Iterable[GraphRelationship], question: str) -> str | None:
    """The other end of a relationship of this kind; a current one before a former one."""
    asked = tokenise(each.role)
    ends = [
        (edge.valid_to is not None, end)
        for edge in edges
        if asked_by(edge.relation, asked)
        for here, end in ((edge.source, edge.target), (edge.target, edge.source))
        if _same(here, each.name) and folded(end) not in folded(question)
    ]
    return min(ends, key=lambda found: found[0])[1] if ends else None


def _same(known: str, named: str) -> bool:
    """True if a name of the graph is the one in the question, or one that begins with it ("Ann", "Ann Miller")."""
    return folded(known) == folded(named) or folded(known).startswith(f"{folded(named)} ")
