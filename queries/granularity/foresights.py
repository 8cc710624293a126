"""Select the foresights that may take places: they fit the question, and no fact with a place says the same. Pure.

The nearest neighbours of a question always include some foresights, however far they are, and a foresight is a
sentence of a message whose fact mostly says the same. Both would push out what answers.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from mneme.dates import DateMention
from mneme.records import AtomicFact, Foresight
from mneme.rows import Row
from mneme.text import tokenise
from queries.compete import Standing
from queries.recall import Candidate
from queries.records import record_of

_WHOLE_DAY = timedelta(days=1)
_BRACKETED = re.compile(r"(?<!\s)\s*+[(\[（【][^()\[\]（）【】]*[)\]）】]")  # the date that a relative one was resolved to


def fitting(others: Iterable[Candidate], facts: Iterable[Candidate], ahead: Sequence[DateMention] = ()) -> list[Candidate]:
    """The candidates beside episodes, without the foresights that do not fit the question.

    A foresight fits if it shares a word with the question, if it falls into the days ``ahead`` that the question names, or if
    its cosine is in the upper half of the scale from the farthest to the nearest of the facts looked at. Without such
    facts there is no scale, and all fit.
    """
    middle = middle_cosine(facts)

    def fits(candidate: Candidate) -> bool:
        near = candidate.cosine is not None and candidate.cosine >= middle
        return near or bool(candidate.bm25) or not _is_foresight(candidate) or falls_into(candidate.row, ahead)

    return [each for each in others if fits(each)]


def middle_cosine(facts: Iterable[Candidate]) -> float:
    """The middle between the nearest and the farthest of the facts; -1 without a vector."""
    cosines = [each.cosine for each in facts if each.cosine is not None]
    return (min(cosines) + max(cosines)) / 2 if cosines else -1.0


def falls_into(foresight: Row, days: Iterable[DateMention]) -> bool:
    """True if what is expected, or the days, lie in one another by half or more.

    Half, since days begin at the midnight of whoever speaks, and the one who asks may live elsewhere.
    """
    start = foresight.event_at
    if start is None:
        return False
    end = foresight.until or start + _WHOLE_DAY
    shortest = ((min(end, each.until) - max(start, each.since), min(end - start, each.until - each.since)) for each in days)
    return any(2 * common >= shorter for common, shorter in shortest)


def duplicate_results(
    standings: Sequence[Standing],
    others: Iterable[Candidate],
    facts: Mapping[str, Sequence[Candidate]],
    favoured: Collection[str] = (),
) -> frozenset[str]:
    """For each foresight and fact that hold places and say the same, the id of the one that gives its place back.

    It is the foresight; but if the question asks for this foresight, it is the fact, and that only if it says no more.

    Args:
        standings: all who hold a place.
        others: candidates that are no episodes and no facts.
        facts: the facts of each episode.
        favoured: the ids of what the question asks for.
    """
    holders = frozenset(each.id for each in standings)
    found: set[str] = set()
    for candidate in others:
        foresight = record_of(candidate.row) if candidate.row.id in holders and _is_foresight(candidate) else None
        if isinstance(foresight, Foresight):
            inside = (record_of(fact.row) for fact in facts.get(foresight.parent_episode_id, ()) if fact.row.id in holders)
            same = [fact for fact in inside if isinstance(fact, AtomicFact) and repeats(foresight, fact)]
            if foresight.id in favoured:
                found.update(fact.id for fact in same if not _says_more(fact, foresight))
            elif same:
                found.add(foresight.id)
    return frozenset(found)


def repeats(foresight: Foresight, fact: AtomicFact) -> bool:
    """True if a foresight only says what a fact of its episode says.

    Then the fact comes from the same message and has all its words, dates in brackets aside.
    """
    if not set(foresight.message_ids) & set(fact.message_ids):
        return False
    return _words(foresight.statement) <= _words(fact.atomic_fact)


def _says_more(fact: AtomicFact, foresight: Foresight) -> bool:
    """True if a fact says more than a foresight, who said it aside."""
    said = " ".join((foresight.statement, foresight.evidence, *fact.speakers, "said 说"))
    return not _words(fact.atomic_fact) <= _words(said)


def _words(statement: str) -> frozenset[str]:
    return frozenset(tokenise(_BRACKETED.sub("", statement)))


def _is_foresight(candidate: Candidate) -> bool:
    return candidate.row.kind == "foresight"
