"""What one sentence says of two: the step before a relationship of the episode."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """``source relation target``; ``target_type`` is what the target is by its place in the sentence.

    ``source_type`` is set where the source is no person; ``dated``: a date in the sentence is that of the edge, as in "we
    moved to Oslo in May", and not in "my sister called in May".
    """

    source: str
    relation: str
    target: str
    target_type: str
    ended: bool = False
    source_type: str = "person"
    dated: bool = False
