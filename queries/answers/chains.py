"""Chains of relationships that answer a question by themselves. Pure.

"The current company of the spouse of the CEO of Acme" leads by ``ceo_of`` from Acme to Clara, by ``married_to`` to Anton, and
by ``works_at`` to his company. Each word of the question leads one step, and only over what holds: what was, will be or is not
so no chain tells. In English alone: Chinese has no words by themselves.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from mneme.text import tokenise
from queries.answers.support import question_words
from queries.entities.naming import asked_by
from queries.questions.people import names_person
from queries.questions.tense import asks_about_past
from queries.responses import GraphRelationship

_LONGEST = 4  # steps
_ASKS_WHAT = re.compile(r"\W*(?:(?:and|at|in|for|with|to|from|of) )*(?:what|who|whose|whom|where|which)\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:did|was|were|had|will|would|not|never|without)\b|n['’]t\b|['’]ll\b", re.IGNORECASE
)  # than it is now
_NOW = frozenset(tokenise("current currently now today present presently still"))  # asked of everything: what holds


@dataclass(frozen=True, slots=True)
class Chain:
    """A path through the graph that a question asks for: its ``end``, and its connected ``steps``."""

    end: str
    steps: tuple[GraphRelationship, ...]


def chain_of(question: str, relationships: Sequence[GraphRelationship], asked_at: datetime) -> Chain | None:
    """The chain that answers a question; None where there is none, or where two end differently.

    It answers only if nothing else is asked: every word of the question leads a step, or names where it begins.

    Args:
        question: what is asked.
        relationships: of the graph around it.
        asked_at: what no longer holds then leads nowhere.
    """
    holding = [each for each in relationships if each.valid_to is None or each.valid_to > asked_at]
    if not _ASKS_WHAT.match(question) or _OTHERWISE.search(question) or asks_about_past(question):
        return None
    best: list[Chain] = []
    for edge in holding:
        for begin, end in ((edge.source, edge.target), (edge.target, edge.source)):
            if names_person(question, begin) and not names_person(question, end):
                words = question_words(question, [begin]) - _NOW
                best += _onwards(Chain(begin, ()), edge, end, holding, words)
    ends = {chain.end.casefold() for chain in best}
    return best[0] if len(ends) == 1 else None


def _onwards(
    chain: Chain, edge: GraphRelationship, end: str, edges: Sequence[GraphRelationship], words: frozenset[str]
) -> Iterator[Chain]:
    """The chains over this step whose steps take all of the words."""
    asked = asked_by(edge.relation, words)
    if not asked:
        return
    longer = Chain(end, (*chain.steps, edge))
    if words == asked:
        yield longer
    if len(longer.steps) == _LONGEST:
        return
    for each in edges:
        if each in longer.steps:
            continue
        for begin, beyond in ((each.source, each.target), (each.target, each.source)):
            if _same(begin, end):
                yield from _onwards(longer, each, beyond, edges, words - asked)


def _same(one: str, other: str) -> bool:
    """True if two names may be of one: all words of the shorter are in the longer."""
    words = frozenset(one.casefold().split()), frozenset(other.casefold().split())
    return words[0] <= words[1] or words[1] <= words[0]
