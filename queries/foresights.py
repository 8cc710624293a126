"""Which foresights may take places: those that fit the question, and are not told by a fact that holds a place. Pure.

The nearest neighbours of a question always include some foresights, however far they are, and a foresight is a
sentence of a message whose fact mostly says the same. Both would push out what answers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from mneme.records import AtomicFact, Foresight
from mneme.text import tokenise
from queries.recall import Candidate

_BRACKETED = re.compile(r"\s*[(\[（【][^()\[\]（）【】]*[)\]）】]")  # the date that a relative one was resolved to


def fitting(others: Iterable[Candidate], facts: Iterable[Candidate]) -> list[Candidate]:
    """What competes beside episodes, without the foresights that do not fit the question.

    A foresight fits if it shares a word with the question, or if its cosine is in the upper half of the scale from
    the farthest to the nearest of the facts looked at. Without such facts there is no scale, and all fit.
    """
    cosines = [each.cosine for each in facts if each.cosine is not None]
    middle = (min(cosines) + max(cosines)) / 2 if cosines else -1.0

    def fits(candidate: Candidate) -> bool:
        near = candidate.cosine is not None and candidate.cosine >= middle
        return near or bool(candidate.bm25) or not _is_foresight(candidate)

    return [each for each in others if fits(each)]


def repeated(held: Iterable[str], others: Iterable[Candidate], facts: Mapping[str, Sequence[Candidate]]) -> frozenset[str]:
    """The ids of foresights that hold a place and only repeat a fact that holds one as well.

    A foresight repeats a fact of its episode that comes from the same message and has all its words, dates in
    brackets aside.

    Args:
        held: the ids of all who hold a place.
        others: candidates that are no episodes and no facts.
        facts: the facts of each episode.
    """
    holders = frozenset(held)
    found = set()
    for candidate in others:
        foresight = candidate.row.record() if candidate.row.id in holders and _is_foresight(candidate) else None
        if isinstance(foresight, Foresight):
            inside = (fact.row.record() for fact in facts.get(foresight.parent_episode_id, ()) if fact.row.id in holders)
            if any(repeats(foresight, fact) for fact in inside if isinstance(fact, AtomicFact)):
                found.add(foresight.id)
    return frozenset(found)


def repeats(foresight: Foresight, fact: AtomicFact) -> bool:
    """Whether a foresight only says what a fact of its episode says."""
    if not set(foresight.message_ids) & set(fact.message_ids):
        return False
    return _words(foresight.statement) <= _words(fact.atomic_fact)


def _words(statement: str) -> frozenset[str]:
    return frozenset(tokenise(_BRACKETED.sub("", statement)))


def _is_foresight(candidate: Candidate) -> bool:
    return candidate.row.kind == "foresight"
