"""Entities, relationships and profiles: built again from their mentions whenever one comes or goes. Pure.

An aggregate keeps the mentions it was made from, at most one set for each episode. So a revision of an episode
replaces what the episode said, and a replay changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from flows.items import AggregateMention
from mneme.records import Entity, Mention, Owner, Profile, ProfileItem, Relationship

Aggregate = Entity | Relationship | Profile

LONGEST_SUMMARY = 500  # characters, DESIGN section 3
_MOST_MENTIONS = 200  # of an entity or relationship: the newest; a document of the index stays small
_MOST_PROFILE_ITEMS = 200


def rebuilt(
    row_id: str, owner: Owner, old: Aggregate | None, episode_id: str, mentions: Sequence[AggregateMention]
) -> Aggregate | None:
    """An aggregate after an episode said ``mentions`` about it (nothing: after it no longer speaks of it).

    Args:
        row_id: the aggregate's id.
        owner: whose it is.
        old: the aggregate before, None if there was none.
        episode_id: the episode that is new, revised or gone.
        mentions: everything that this episode says about the aggregate now.

    Returns:
        The aggregate with version 0, or None when no mention is left.
    """
    kind = mentions[0].kind if mentions else (old.kind if old else None)
    match kind:
        case "entity":
            return _entity(row_id, owner, old if isinstance(old, Entity) else None, episode_id, mentions)
        case "relationship":
            return _relationship(row_id, owner, old if isinstance(old, Relationship) else None, episode_id, mentions)
        case "profile":
            return _profile(row_id, owner, old if isinstance(old, Profile) else None, episode_id, mentions)
        case _:
            return None


def _entity(row_id: str, owner: Owner, old: Entity | None, episode_id: str, new: Sequence[AggregateMention]) -> Entity | None:
    mentions = _kept(old.mentions if old else (), episode_id, (item.mention for item in new))
    if not mentions:
        return None
    names = Counter(mention.name for mention in mentions)
    types = Counter(mention.type for mention in mentions if mention.type)
    return Entity(
        id=row_id,
        owner=owner,
        created_at=_newest(mentions),
        version=0,
        name=_most(names),
        type=_most(types),
        summary=_joined(mentions),
        mentions=mentions,
    )


def _relationship(
    row_id: str, owner: Owner, old: Relationship | None, episode_id: str, new: Sequence[AggregateMention]
) -> Relationship | None:
    mentions = _kept(old.mentions if old else (), episode_id, (item.mention for item in new))
    edge = new[0].fields[:3] if new else (old.source, old.relation, old.target) if old else None
    if not mentions or edge is None:
        return None
    source, relation, target = edge
    dates = [mention.date for mention in mentions if mention.date and not mention.ended]
    return Relationship(
        id=row_id,
        owner=owner,
        created_at=_newest(mentions),
        version=0,
        source=source,
        relation=relation,
        target=target,
        date=min(dates, default=None),
        mentions=mentions,
    )


def _profile(
    row_id: str, owner: Owner, old: Profile | None, episode_id: str, new: Sequence[AggregateMention]
) -> Profile | None:
    items = [item for item in (old.evidence if old else ()) if item.evidence[0].episode_id != episode_id]
    for mention in new:
        about, category, how = mention.fields
        said = mention.mention
        items.append(
            ProfileItem(about=about, statement=said.text, category=category, implicit=how == "implicit", evidence=(said,))
        )
    items.sort(key=lambda item: (item.evidence[0].at, item.evidence[0].episode_id, item.about, item.statement))
    items = items[-_MOST_PROFILE_ITEMS:]
    if not items:
        return None
    return Profile(
        id=row_id,
        owner=owner,
        created_at=max(item.evidence[0].at for item in items),
        version=0,
        explicit=tuple(item for item in items if not item.implicit),
        implicit=tuple(item for item in items if item.implicit),
        evidence=tuple(items),
    )


def _kept(old: Iterable[Mention], episode_id: str, new: Iterable[Mention]) -> tuple[Mention, ...]:
    mentions = [mention for mention in old if mention.episode_id != episode_id]
    mentions += new
    mentions.sort(key=lambda mention: (mention.at, mention.episode_id, mention.text))
    return tuple(dict.fromkeys(mentions))[-_MOST_MENTIONS:]


def _joined(mentions: Sequence[Mention]) -> str:
    """The newest different texts that fit, oldest first."""
    texts: list[str] = []
    length = 0
    for text in dict.fromkeys(mention.text.strip() for mention in reversed(mentions)):
        if not text or length + len(text) + 1 > LONGEST_SUMMARY:
            continue
        texts.append(text)
        length += len(text) + 1
    return " ".join(reversed(texts))[:LONGEST_SUMMARY]


def _newest(mentions: Sequence[Mention]) -> datetime:
    return max(mention.at for mention in mentions)


def _most(counts: Counter[str]) -> str:
    """The commonest value, ties by the alphabet so that every order gives the same."""
    return min(counts, key=lambda value: (-counts[value], value)) if counts else ""
