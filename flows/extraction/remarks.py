"""Remarks: messages that are no facts themselves stand with the fact that they were made about."""

from collections.abc import Sequence
from dataclasses import replace

from flows.cuts import ExtractedFact
from flows.extraction.reports import reported
from flows.extraction.retelling import Kind, Retelling
from flows.extraction.selection import Reader
from mneme.text import has_cjk

_REACH = 3  # messages between a fact and a remark about it, or between two remarks
_MOST = 5  # messages of a fact
_LONGEST = 700  # characters; a small embedder reads little more
_SOMETHING = 1.0  # substance of a sentence; what the other says to it, "Sounds great!", mostly has none


def with_remarks(facts: Sequence[ExtractedFact], retellings: Sequence[Retelling], read: Reader) -> list[ExtractedFact]:
    """The facts, each with the remarks that follow it; those before the first fact stand in front of that.

    Args:
        facts: in the order of the conversation.
        retellings: the messages of the episode.
        read: judges what a remark says.
    """
    if not facts:
        return []
    joined = list(facts)
    told = {source for fact in facts for source in fact.sources}
    places = {fact.sources[0]: at for at, fact in enumerate(facts)}
    order = [retelling.index for retelling in retellings]
    first = order.index(facts[0].sources[0])
    speakers = {retelling.index: retelling.speaker for retelling in retellings}
    for position in reversed(range(max(0, first - _REACH), first)):
        if order[position] not in told:
            joined[0] = _with(joined[0], retellings[position], read, speakers, in_front=True)
    latest, last = -1, 0
    for position, retelling in enumerate(retellings[first:], start=first):
        if retelling.index in told:
            latest, last = places.get(retelling.index, latest), position
        elif latest >= 0 and position - last <= _REACH:
            fact = _with(joined[latest], retelling, read, speakers)
            last = last if fact is joined[latest] else position
            joined[latest] = fact
    return joined


def _with(
    fact: ExtractedFact, retelling: Retelling, read: Reader, speakers: dict[int, str], in_front: bool = False
) -> ExtractedFact:
    """A fact with a remark, where the remark says something and there is room."""
    least = 0.0 if speakers[fact.sources[0]] == retelling.speaker else _SOMETHING
    said = [one for one in retelling.said if one.informative and one.kind is not Kind.QUESTION and read.substance(one) >= least]
    remark = reported(retelling, said)
    if not said or len(fact.sources) >= _MOST or len(fact.statement) + len(remark) > _LONGEST:
        return fact
    pieces = (remark, fact.statement) if in_front else (fact.statement, remark)
    blank = "" if has_cjk(pieces[0][-4:]) else " "
    main, *others = fact.sources
    others = sorted((*others, retelling.index), key=lambda other: (other < main, other))  # what explains it comes last
    return replace(fact, statement=blank.join(pieces), sources=(main, *others), same_as_source=False)
