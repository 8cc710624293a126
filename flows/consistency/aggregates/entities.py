"""Entities: built again from their mentions, and across conversations: which of them are the same. Pure.

Each name is a node of its own, made from its mentions alone. Where two names mean the same (names.py),
one node is the entity and the other is ``merged_into`` it; which one is computed from the names that there are, so that
names part again when a longer one is gone or a second one comes.

What a name means depends on few others. So every entity is filed under a few keys (``filed_under``), and ``resolved``
asks for what it needs by key: its work does not grow with the number of entities, only with the number of those whose names
are alike, of which it looks at 100 for each key.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from heapq import nsmallest

from flows.consistency.aggregates import names
from flows.consistency.aggregates.mentions import commonest, in_order, joined, kept, newest
from flows.consistency.aggregates.names import Heads, Name, family_of, parsed
from mneme.records import Entity, Mention, Owner
from mneme.word_lists import PET

Named = Callable[[Collection[str]], Sequence[Entity]]

_MOST_ALIKE = 100  # entities under a key that a name is compared with; "Ann" means none of so many in any case


def entity_of(
    row_id: str, owner: Owner, old: Entity | None, episode_ids: Collection[str], new: Iterable[Mention]
) -> Entity | None:
    """An entity after episodes said ``new`` about it; what it is merged with stays as it was, see ``resolved``."""
    mentions, until = kept(old, episode_ids, new)
    if not mentions:
        return None
    types = [mention.type for mention in mentions if mention.type]
    return Entity(
        id=row_id,
        owner=owner,
        created_at=newest(mentions),
        version=0,
        name=commonest([mention.name for mention in mentions]),
        # A pet is told as one, a person may be by the name alone; and a known type stands before "object".
        type=PET if PET in types else commonest([each for each in types if family_of(each)] or types),
        summary=joined(mentions),
        mentions=mentions,
        left_out_until=until,
        aliases=old.aliases if old else (),
        merged_into=old.merged_into if old else None,
    )


def filed_under(entity: Entity | None) -> tuple[str, ...]:
    """The keys under which an entity is to be found; none for one that is gone. They depend on its name and type."""
    return names.filed_under(_name(entity)) if entity is not None else ()


def resolved(changed: Collection[Entity], named: Named) -> list[Entity]:
    """The entities whose aliases, ``merged_into`` or summary are no longer right, as they are to be.

    1. Find every entity whose meaning may depend on what changed, and decide anew what it means.
    2. What it meant before and what it means now are built again, with all names that mean them.

    Args:
        changed: every entity that came, went or was built again, both as it was and as it is, where it was and is.
        named: the entities as they are now, filed under any of the given keys (``filed_under``); keys that nothing is filed
            under are common.

    Returns:
        Whole entities with version 0, by id. Applied to the result again, nothing changes.
    """
    known = _Known(named)
    # 1.
    touched = {each.id: each for each in known.depending_on(changed)}
    known.load_what_decides([*changed, *touched.values()])
    again: dict[str, Entity] = {each.id: touched[each.id] for each in changed if each.id in touched}
    for entity in touched.values():
        head = known.head(entity)
        if entity.id in again or entity.merged_into != (head.id if head.id != entity.id else None):
            again |= {each.id: each for each in (entity, head)}
    for entity in (*changed, *list(again.values())):
        again |= {each.id: each for each in known.former_heads(entity)}
    # 2.
    known.load_what_decides(known.depending_on(list(again.values())))
    after = [known.merged(entity) for entity in again.values()]
    return sorted((each for each in after if each != again[each.id]), key=lambda each: each.id)


class _Known:
    """Entities by key, each key asked for once, and what their names mean."""

    def __init__(self, named: Named) -> None:
        self._named = named
        self._asked: set[str] = set()
        self._entities: dict[str, Entity] = {}
        self._filed: dict[str, dict[str, None]] = {}
        self._heads: dict[str, Entity] = {}

    def depending_on(self, entities: Iterable[Entity]) -> list[Entity]:
        """The entities whose meaning may depend on one of these; each of these too, where it is."""
        keys = {key for entity in entities for key in names.meaning(_name(entity))}
        return [each for each in self._under(keys) if names.depends(_name(each), keys)]

    def load_what_decides(self, entities: Iterable[Entity]) -> None:
        """Ask at once for everything that ``head`` needs to know about these."""
        self._under({key for entity in entities for key in names.deciding(_name(entity))})

    def head(self, entity: Entity) -> Entity:
        """The entity that the name of this one means: itself, if it is merged with none."""
        if entity.id not in self._heads:
            around = {_name(each): each for each in (*self._under(names.deciding(_name(entity))), entity)}
            self._heads[entity.id] = around[Heads(list(around)).of(_name(entity))]
        return self._heads[entity.id]

    def former_heads(self, entity: Entity) -> list[Entity]:
        """The entities that this one was merged into, or that still say so."""
        around = self._under(names.deciding(_name(entity)))
        return [each for each in around if each.id == entity.merged_into or entity.name in each.aliases]

    def merged(self, entity: Entity) -> Entity:
        """An entity with what follows from the names around it."""
        head = self.head(entity)
        if head.id != entity.id:
            return _with(entity, (), head.id)
        others = [each for each in self.depending_on([entity]) if each.id != entity.id]
        return _with(entity, [each for each in others if self.head(each).id == entity.id], None)

    def _under(self, keys: Collection[str]) -> list[Entity]:
        """The entities filed under any of the keys, by id; of a key that very many have, the first."""
        if missing := sorted(key for key in set(keys) if key not in self._asked):
            self._asked.update(missing)
            for entity in self._named(missing):
                self._entities[entity.id] = entity
                for key in filed_under(entity):
                    self._filed.setdefault(key, {})[entity.id] = None
        ids = {each for key in keys for each in nsmallest(_MOST_ALIKE, self._filed.get(key, ()))}
        return [self._entities[identity] for identity in sorted(ids)]


def _with(entity: Entity, aliases: Sequence[Entity], merged_into: str | None) -> Entity:
    mentions = in_order([mention for each in (entity, *aliases) for mention in each.mentions])
    changes = {
        "version": 0,
        "created_at": newest(mentions),
        "summary": joined(mentions),
        "aliases": tuple(sorted(each.name for each in aliases)),
        "merged_into": merged_into,
    }
    same = all(getattr(entity, field) == value for field, value in changes.items() if field != "version")
    return entity if same else entity.model_copy(update=changes)


def _name(entity: Entity) -> Name:
    return parsed(entity.name, entity.type)
