"""The relationships that sentences claim: each claim whose row of the table has an edge is one. Nothing else guesses. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from flows.cuts import ExtractedRelationship
from flows.extraction.sentences import Sentence
from mneme.chinese_script import simplified
from mneme.records import Claim
from mneme.relations import UNREAD, relation_of
from mneme.relations.chinese import is_proper_noun
from mneme.text import has_cjk

_ALWAYS = frozenset(
    """sibling_of parent_of child_of relative_of twin_of cousin_of friend_of colleague_of neighbour_of roommate_of classmate_of
    client_of tenant_of reports_to""".split()
)
"""Relations by which somebody is introduced: "my sister Lena moved on Friday" says nothing of when she became one."""
_MOST = 300  # edges of an episode; each is a row of its own
_LONGEST_NAME = 60  # characters
_SMALL = frozenset("of the de da del la van von and & in on at for to".split())
_ROLE_OF = re.compile(r"(?!former |ex-)(?P<role>[^\W\d_]+(?: [^\W\d_]+)?) of (?P<where>.+)")
_TURNS = re.compile(r"\b(?:and|but|because|when|while|where|who|after|before|until|so|since then)\b|[;:—–]|，|；|后来|因为")
_BEGINS_OR_ENDS = re.compile(
    r"\b(?:mov(?:e|ed|ing)|join(?:ed|ing)?|start(?:ed|ing)?|began|became|hired|promoted|marr(?:y|ied)|engaged|wedding|born|adopted|"
    r"left|leaving|quit|resigned|retired|fired|laid off|los[et]|divorced|separated|broke up|split up|died)\b|"
    "搬|加入|入职|开始|成为|结婚|订婚|出生|领养|离职|离开|辞职|退休|退出|换|跳槽|离婚|分手|去世"
)


def edge_of(claim: Claim) -> tuple[str, str]:
    """The relation and the target of the edge that a claim states; empty where it states none, or not between two with a name.

    A role in something with a name is an edge to it: of "CEO of Acme", ``("ceo_of", "Acme")``.
    """
    row, target = relation_of(claim.attribute), claim.value
    edge = row.edge if row is not None else ""
    if claim.attribute == "role" and (role := _ROLE_OF.fullmatch(claim.value)) is not None:
        edge, target = f"{'_'.join(role['role'].lower().split())}_of", role["where"]
    named = claim.subject.casefold() != target.casefold() and claim.value != UNREAD and _is_name(target)
    if not edge or not named or (has_cjk(target) and not is_proper_noun(claim.attribute, simplified(target))):
        return "", ""
    return edge, target


def _is_name(value: str) -> bool:
    """Tell whether all words of a value are written like those of a name; in a script without capitals all are."""
    words = [word.lstrip("\"“'‘(") for word in value.split() if word not in _SMALL]
    return bool(words) and len(value) <= _LONGEST_NAME and all(not word[:1].islower() for word in words)


def relationships_of(sentences: Sequence[Sentence]) -> tuple[ExtractedRelationship, ...]:
    """The edges of an episode, each once, in the order claimed, at most 300; nothing of artifacts and questions.

    The date is the one date of the sentence, where it stands in the clause of the value, that clause says that something began
    or ended, and it is a day that is not ahead: when it began, or, of an edge that ended, when it ended. A month or a year is
    none: not its first day.
    """
    edges: dict[tuple[str, str, str, bool], ExtractedRelationship] = {}
    for one in sentences:
        if one.artifact or one.is_question:
            continue
        for claim in one.claims:
            edge, target = edge_of(claim)
            if not edge:
                continue
            key = (claim.subject.casefold(), edge, target.casefold(), claim.ends)
            known = edges.get(key)
            if known is None:
                if len(edges) < _MOST:
                    edges[key] = ExtractedRelationship(
                        claim.subject, edge, target, _since(one, claim), (one.index,), claim.ends
                    )
            else:
                sources = known.sources if one.index in known.sources else (*known.sources, one.index)
                edges[key] = replace(known, date=known.date or _since(one, claim), sources=sources)
    return tuple(edges.values())


def _since(one: Sentence, claim: Claim) -> datetime | None:
    """The day on which a claimed relationship began or ended, if only one reading is left."""
    at = one.text.find(claim.value)
    if len(one.dates) != 1 or at < 0 or edge_of(claim)[0] in _ALWAYS:
        return None
    [date] = one.dates
    first, last = sorted(((at, at + len(claim.value)), (date.start_index, date.end_index)))
    if date.since > one.said_at or date.span.first != date.span.last or _TURNS.search(one.text, first[1], last[0]):
        return None
    begins = max((turn.end() for turn in _TURNS.finditer(one.text, 0, first[0])), default=0)
    ends = next((turn.start() for turn in _TURNS.finditer(one.text, last[1])), len(one.text))
    return date.since if _BEGINS_OR_ENDS.search(one.text[begins:ends]) else None
