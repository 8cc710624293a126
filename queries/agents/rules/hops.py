"""hops: what a question describes ("the spouse of the CEO of Acme") is put by name, one relationship at a time. Pure.

The innermost description has a name in it: "the CEO of Acme". Where the graph that a search came upon knows who that is, the
name takes the place of the description, and the question is one hop shorter; where it does not, who that is is asked for
first. What the question asks for itself ("what is the company of Lee?") is no description.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mneme.text import has_cjk, tokenise
from queries.entities.naming import folded
from queries.entities.relations import asked_by
from queries.responses import Graph, GraphRelationship

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
_SEVERAL = re.compile(r"[^s]s$|children|people|们$", re.IGNORECASE)
TO_ONE = (
    "married_to engaged_to partner_of parent_of child_of sibling_of relative_of friend_of colleague_of neighbour_of "
    "roommate_of taught_by treated_by reports_to ceo_of leads owns founded works_at studies_at has_pet lives_in"
).split()
"""Relations that lead to one person or thing, or may."""
_MOST_HOPS = 4
_NEAR = 60  # characters before and behind a description that tell whether it is one


@dataclass(frozen=True, slots=True)
class Description:
    """Somebody or something told by a relationship: from and to which character, of whom, and as what."""

    start: int
    end: int
    name: str
    role: str

    @property
    def question(self) -> str:
        """Who or what that is, as a question."""
        return (
            f"{self.name}的{self.role}是谁？" if has_cjk(self.name + self.role) else f"Who is the {self.role} of {self.name}?"
        )


def descriptions(question: str) -> list[Description]:
    """The innermost descriptions of a question: what is told by a relationship to a name, and is not what is asked for.

    >>> [each.role for each in descriptions("What is the company of the spouse of the CEO of Acme?")]
    ['CEO']
    """
    return list(_descriptions(question))


def is_chain(question: str) -> bool:
    """Whether a question takes more than one relationship: what it describes has another in front of it, or behind.

    >>> is_chain("Where does Ann's husband work?"), is_chain("How old is Ann's husband now?")
    (True, False)
    """
    return any(
        _is_one(word)
        for each in _descriptions(question)
        for around in (_BEFORE.search(_ahead(question, each.start)), _BEHIND.match(question, each.end))
        if around
        for word in around.groups()
        if word
    )


def shortened(question: str, graph: Graph) -> str:
    """The question with names for all descriptions that the graph knows, hop by hop; the same text where it knows none."""
    for _ in range(_MOST_HOPS):
        for each in _descriptions(question):
            name = _reached(each, graph.relationships, question)
            if name:
                question = f"{question[: each.start]}{name}{question[each.end :]}"
                break
        else:
            return question
    return question


def all_descriptions(question: str) -> list[Description]:
    """The innermost descriptions, also the one that is asked for itself.

    >>> [each.name for each in all_descriptions("Who is the CEO of Acme?")], descriptions("Who is the CEO of Acme?")
    (['Acme'], [])
    """
    return list(_descriptions(question, with_asked=True))


def _descriptions(question: str, with_asked: bool = False) -> Iterator[Description]:
    for pattern in (_CHINESE,) if has_cjk(question) else (_OF, _OWNED):
        for match in pattern.finditer(question):
            name, role = match["name"], match["role"]
            after = question[match.end() : match.end() + _NEAR].strip(" ?.!？。")
            is_asked = _ASKED.search(_ahead(question, match.start())) and not after.startswith(("'s", "’s"))
            if not _is_one(role) or ((is_asked or (pattern is _OWNED and not after)) and not with_asked):
                continue
            yield Description(match.start(), match.end(), name, role)


def _ahead(question: str, place: int) -> str:
    """What stands right before a place."""
    return question[max(0, place - _NEAR) : place]


def _is_one(role: str) -> bool:
    """Whether it tells of one person or thing by a relationship: "husband", and not "kids" or "dance"."""
    return not _SEVERAL.search(role) and any(asked_by(relation, tokenise(role)) for relation in TO_ONE)


def _reached(each: Description, edges: Iterable[GraphRelationship], question: str) -> str | None:
    """Who is at the other end of a relationship of this kind; who still is before who was."""
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
    """Whether a name of the graph is the one in the question, or one that begins with it ("Ann", "Ann Miller")."""
    return folded(known) == folded(named) or folded(known).startswith(f"{folded(named)} ")
