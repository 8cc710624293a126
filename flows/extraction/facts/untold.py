"""What no fact tells: the messages left over, so that each that says something can be found by itself."""

from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedFact, ExtractedRemark
from flows.extraction.facts.messages import event_time
from flows.extraction.wording.retelling import Retelling


def untold(retellings: Sequence[Retelling], facts: Sequence[ExtractedFact]) -> Iterator[ExtractedRemark]:
    """A remark for each message that says more than small talk, and that is the source of no fact."""
    told = {source for fact in facts for source in fact.sources}
    for retelling in retellings:
        said = [one for one in retelling.said if one.informative]
        if said and retelling.index not in told:
            meant = " ".join(one.told for one in said)
            yield ExtractedRemark(retelling.index, f"{retelling.speaker}: {meant}", *event_time(said))
