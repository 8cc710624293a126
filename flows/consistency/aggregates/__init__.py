"""What is built again from mentions whenever one comes or goes: entities, relationships, profiles, skills. Pure.

An aggregate keeps the mentions it was made from, at most one set for each episode. So a revision of an episode
replaces what the episode said, a replay changes nothing, and the order in which episodes come makes no difference. Of an
aggregate that is spoken of very often only the newest mentions are kept: with those that are gone, older ones do not return.

- entities.py, names.py: nodes of the graph, and which names mean the same.
- relationships.py: its edges, and until when they hold.
- profiles.py: portraits, with what was added, updated and deleted.
- skills.py: what an agent learnt from several cases.
"""

from collections.abc import Mapping, Sequence

from flows.consistency.aggregates.entities import entity_of
from flows.consistency.aggregates.mentions import LONGEST_SUMMARY
from flows.consistency.aggregates.profiles import profile_of
from flows.consistency.aggregates.relationships import relationship_of
from flows.items import AggregateMention
from mneme.records import Entity, Owner, Profile, ProfileItem, Relationship

__all__ = ["LONGEST_SUMMARY", "Aggregate", "rebuilt"]

Aggregate = Entity | Relationship | Profile


def rebuilt(
    row_id: str, owner: Owner, old: Aggregate | None, told: Mapping[str, Sequence[AggregateMention]]
) -> Aggregate | None:
    """An aggregate after episodes told of it, or no longer do.

    What depends on other aggregates is computed afterwards: ``entities.resolved``, ``relationships.revalidated``,
    ``profiles.portrayed``.

    Args:
        row_id: the aggregate's id.
        owner: whose it is.
        old: the aggregate before, None if there was none.
        told: for each episode that is new, revised or gone, by its id, everything that it says about the aggregate now.

    Returns:
        The aggregate with version 0, or None when no mention is left.
    """
    mentions = [mention for of_episode in told.values() for mention in of_episode]
    kind = mentions[0].kind if mentions else (old.kind if old else None)
    said = [each.mention for each in mentions]
    match kind:
        case "entity":
            return entity_of(row_id, owner, old if isinstance(old, Entity) else None, told, said)
        case "relationship":
            edge = (mentions[0].fields[0], mentions[0].fields[1], mentions[0].fields[2]) if mentions else None
            return relationship_of(row_id, owner, old if isinstance(old, Relationship) else None, told, edge, said)
        case "profile":
            items = [_profile_item(each) for each in mentions]
            return profile_of(row_id, owner, old if isinstance(old, Profile) else None, told, items)
        case _:
            return None


def _profile_item(said: AggregateMention) -> ProfileItem:
    about, category, how = said.fields
    mention = said.mention
    return ProfileItem(about=about, statement=mention.text, category=category, implicit=how == "implicit", evidence=(mention,))
