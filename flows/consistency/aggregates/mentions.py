"""Mentions, of which every aggregate is made: which survive, in which order, and what they say together. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from mneme.records import Aggregate, Entity, Mention, Relationship

LONGEST_SUMMARY = 500  # characters, DESIGN section 3
_MOST_MENTIONS = 200  # of an entity or relationship: the newest; a document of the index stays small


def kept(
    old: Entity | Relationship | None, episode_ids: Collection[str], new: Iterable[Mention]
) -> tuple[tuple[Mention, ...], datetime | None]:
    """The mentions after episodes said ``new``, in place of all that they said before: the newest 200, oldest first.

    And until when mentions are left out.
    """
    others = [mention for mention in (old.mentions if old else ()) if mention.episode_id not in episode_ids]
    mentions = in_order((*others, *new))
    return mentions[-_MOST_MENTIONS:], left_out_until(old, mentions[:-_MOST_MENTIONS])


def left_out_until(old: Aggregate | None, left_out: Iterable[Mention]) -> datetime | None:
    """The time of the newest mention that an aggregate leaves out, now or before; None if it has them all."""
    times = [mention.at for mention in left_out]
    if old is not None and old.left_out_until is not None:
        times.append(old.left_out_until)
    return max(times, default=None)


def in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Each once, in the order said; of what was said at the same moment an end comes last."""
    return tuple(dict.fromkeys(sorted(mentions, key=_place)))


def _place(mention: Mention) -> tuple[datetime, bool, str, str, str, str]:
    date = mention.date.isoformat() if mention.date else ""
    return mention.at, mention.ended, mention.episode_id, mention.text, mention.name, date


def joined(mentions: Sequence[Mention]) -> str:
    """The newest different texts that fit into a summary, oldest first."""
    texts: list[str] = []
    length = 0
    for text in dict.fromkeys(mention.text.strip() for mention in reversed(mentions)):
        if not text or length + len(text) + 1 > LONGEST_SUMMARY:
            continue
        texts.append(text)
        length += len(text) + 1
    return " ".join(reversed(texts))[:LONGEST_SUMMARY]


def newest(mentions: Sequence[Mention]) -> datetime:
    """The time of the newest."""
    return max(mention.at for mention in mentions)


def commonest(values: Iterable[str]) -> str:
    """The commonest value, ties by the alphabet so that every order gives the same; empty for none."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else ""
