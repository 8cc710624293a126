"""The relationships that sentences claim: each claim whose row of the table has an edge is one. Nothing else guesses. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from flows.cuts import ExtractedRelationship
from flows.extraction.spoken import Sentence
from mneme.records import Claim
from mneme.relations import Relation, relation_of

_MOST = 300  # edges of an episode; each is a row of its own
_TURNS = re.compile(r"\b(?:and|but|because|when|while|after|before|until|so|since then)\b|[;:—–]|，|；|后来|因为")


def relation(claim: Claim) -> Relation | None:
    """The row of a claim; None for one that no table knows."""
    try:
        return relation_of(claim.attribute)
    except KeyError:
        return None


def relationships_of(sentences: Sequence[Sentence]) -> tuple[ExtractedRelationship, ...]:
    """The edges of an episode, each once, in the order claimed, at most 300; nothing of artifacts and questions.

    The date is the one date of the sentence, where it stands in the clause of the value and is no longer ahead: when it began,
    or, of an edge that ended, when it ended.
    """
    edges: dict[tuple[str, str, str, bool], ExtractedRelationship] = {}
    for one in sentences:
        if one.artifact or one.is_question:
            continue
        for claim in one.claims:
            row = relation(claim)
            if row is None or not row.edge or not claim.value or claim.subject.casefold() == claim.value.casefold():
                continue
            key = (claim.subject.casefold(), row.edge, claim.value.casefold(), claim.ends)
            known = edges.get(key)
            if known is None:
                if len(edges) < _MOST:
                    edges[key] = ExtractedRelationship(
                        claim.subject, row.edge, claim.value, _since(one, claim), (one.index,), claim.ends
                    )
            else:
                sources = known.sources if one.index in known.sources else (*known.sources, one.index)
                edges[key] = replace(known, date=known.date or _since(one, claim), sources=sources)
    return tuple(edges.values())


def _since(one: Sentence, claim: Claim) -> datetime | None:
    """When what is claimed began or ended, where only one reading is left."""
    at = one.text.find(claim.value)
    if len(one.dates) != 1 or at < 0:
        return None
    [date] = one.dates
    first, last = sorted(((at, at + len(claim.value)), (date.start_index, date.end_index)))
    if date.since > one.said_at or _TURNS.search(one.text, first[1], last[0]):
        return None
    return date.since
