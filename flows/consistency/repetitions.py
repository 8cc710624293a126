"""Which statements of the same words only repeat another. Pure.

In the order said, each repeats the first that still holds then: what is said again after it ended is news again. Facts repeat
facts, and foresights foresights.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from flows.consistency.statements import place
from mneme.labels import joined
from mneme.records import Metadata, Stated

_MOST_NAMED = 200  # by the statement that stands for them: the newest


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a statement is to those of its words, in the words of ``Validity``."""

    merged_into: str | None = None
    repeated_by: tuple[str, ...] = ()
    also_said_in: tuple[str, ...] = ()
    also_metadata: Metadata = field(default_factory=dict)


def repetitions(statements: Collection[Stated], judged: bool = False) -> dict[str, Repetition]:
    """What each statement of a cluster is to the others, by its id; it is missing where it is nothing.

    Args:
        statements: of the same words, in any order.
        judged: a model compares what a model wrote: of such statements none repeats another here.
    """
    originals: dict[str, Stated] = {}  # by kind
    repeated: dict[str, list[Stated]] = {}
    found: dict[str, Repetition] = {}
    for newer in sorted(statements, key=lambda each: place(each.said_at, each.id)):
        if not newer.repeats or (judged and newer.by_model):
            continue
        kind = newer.id.rpartition("/")[0].rpartition("/")[2]
        original = originals.get(kind)
        if original is None or (original.holds_until is not None and original.holds_until <= newer.said_at):
            originals[kind] = newer
            continue
        repeated.setdefault(original.id, []).append(newer)
        found[newer.id] = Repetition(merged_into=original.id)
    by_id = {each.id: each for each in statements}
    for identity, again in repeated.items():
        named = again[-_MOST_NAMED:]
        said_in = dict.fromkeys(message for each in named for message in each.message_ids)
        found[identity] = Repetition(
            repeated_by=tuple(each.id for each in named),
            also_said_in=tuple(message for message in said_in if message not in by_id[identity].message_ids),
            also_metadata=joined(each.metadata for each in named),
        )
    return found
