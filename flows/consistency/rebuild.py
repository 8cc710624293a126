"""Entities, relationships, profiles and skills follow what episodes say. Blocks: for the pool.

1. ``tells``: an episode speaks of aggregates, or no longer does.
2. ``settle``, once for all episodes at hand, most of which speak of the same few: these are built again from their mentions
   (aggregates/), and then what depends on several aggregates. Which names mean the same entity, which edge
   ended which, what of a profile still holds, what cases have in common. Those that are looked at together are found
   through clusters: entities by their names, edges by source and relation, cases by agent.
"""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from flows.consistency.aggregates import Aggregate, rebuilt
from flows.consistency.aggregates.entities import filed_under, resolved
from flows.consistency.aggregates.profiles import portrayed
from flows.consistency.aggregates.relationships import revalidated, slots
from flows.consistency.aggregates.skills import skills_of
from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.view import View
from flows.items import AggregateMention
from mneme.ids import cluster_id, profile_id, skill_id
from mneme.records import AgentCase, Entity, Episode, Profile, Relationship
from mneme.rows import Collection as Place
from mneme.rows import Key, row_of

Node = TypeVar("Node", Entity, Relationship)


class Rebuilding:
    """The aggregates of one owner, within one unit of work.

    Args:
        view: the owner's records.
        clusters: the owner's clusters.
        deciders: who writes skills, and how much they and a profile hold.
    """

    def __init__(self, view: View, clusters: Clusters, deciders: Deciders) -> None:
        self._view = view
        self._clusters = clusters
        self._deciders = deciders
        self._told: dict[str, dict[str, list[AggregateMention]]] = {}  # by aggregate, then by episode
        self._agents: dict[str, set[str]] = {}

    def key(self, identity: str) -> Key:
        """Where an aggregate lies."""
        is_profile = identity == profile_id(self._view.owner.key)
        return self._view.key(Place.MEMORIES if is_profile else Place.GRAPH, identity)

    def tells(self, episode_id: str, old: Episode | None, mentions: Iterable[AggregateMention]) -> None:
        """An episode speaks of what it mentions now, and no longer of what only its old revision did."""
        said: dict[str, list[AggregateMention]] = {identity: [] for identity in (old.aggregate_ids if old else ())}
        for mention in mentions:
            said.setdefault(mention.row_id, []).append(mention)
        for identity, of_aggregate in said.items():
            self._told.setdefault(identity, {})[episode_id] = of_aggregate

    def settle(self) -> None:
        """Put what follows from everything that was told.

        Raises:
            ModelError: from a writer of skills that calls a model.
            StoreUnavailable: the index does not answer.
        """
        changed = []
        for identity, told in self._told.items():
            before = self._aggregate(identity)
            after = rebuilt(identity, self._view.owner, before, told)
            self._put(identity, portrayed(after, self._deciders.settings.profiles) if isinstance(after, Profile) else after)
            changed.append((before, after))
        self._told.clear()
        entities = [(_as(Entity, one), _as(Entity, other)) for one, other in changed]
        edges = [(_as(Relationship, one), _as(Relationship, other)) for one, other in changed]
        for entity in resolved(self._filed(entities, filed_under, "name"), self._finder(Entity, "name")):
            self._view.put(row_of(entity), entity)
        for edge in revalidated(self._filed(edges, slots, "edge"), self._finder(Relationship, "edge")):
            self._view.put(row_of(edge), edge)
        for agent_id, case_ids in self._agents.items():
            self._learn(agent_id, case_ids)
        self._agents.clear()

    def case_comes(self, case: AgentCase) -> None:
        """An episode tells of a task that an agent did."""
        self._clusters.join(self._cluster("cases", case.agent_id), case.id)
        self._agents.setdefault(case.agent_id, set()).add(case.id)

    def case_goes(self, case: AgentCase) -> None:
        """An episode tells no longer of it."""
        self._clusters.leave(self._cluster("cases", case.agent_id), case.id)
        self._agents.setdefault(case.agent_id, set()).add(case.id)

    def _filed(
        self, changed: Iterable[tuple[Node | None, Node | None]], keys: Callable[[Node | None], tuple[str, ...]], kind: str
    ) -> list[Node]:
        """Keep what changed where it is looked for; returns it as it was and as it is."""
        changed, versions = list(changed), list[Node]()
        self._clusters.load(self._cluster(kind, key) for pair in changed for each in pair for key in keys(each))
        for before, after in changed:
            versions += [each for each in (before, after) if each is not None]
            was, now = set(keys(before)), set(keys(after))
            for key in sorted(was - now):
                assert before is not None
                self._clusters.leave(self._cluster(kind, key), before.id)
            for key in sorted(now - was):
                assert after is not None
                self._clusters.join(self._cluster(kind, key), after.id)
        return versions

    def _finder(self, of: type[Node], kind: str) -> Callable[[Collection[str]], list[Node]]:
        """Finds what is filed under any of some keys, as it is now."""

        def find(keys: Collection[str]) -> list[Node]:
            clusters = [self._cluster(kind, key) for key in sorted(keys)]
            self._clusters.load(clusters)
            ids = sorted({member for cluster in clusters for member in self._clusters.members(cluster)})
            rows = self._view.rows(self.key(identity) for identity in ids)
            return [record for row in rows.values() if isinstance(record := self._view.record(row), of)]

        return find

    def _learn(self, agent_id: str, changed: Collection[str]) -> None:
        """Draw the skills of an agent anew from its cases."""
        ids = {*self._clusters.members(self._cluster("cases", agent_id)), *changed}
        rows = self._view.rows((self._view.key(Place.MEMORIES, each) for each in sorted(ids)), with_vectors=True).values()
        cases = [(record, row.vector) for row in rows if isinstance(record := self._view.record(row), AgentCase)]
        skills = skills_of(cases, self._deciders.settings.skills, self._deciders.write_skill)
        embeddings = self._deciders.embed([f"{each.name}. {each.description}" for each in skills]) if skills else ()
        for skill, embedding in zip(skills, embeddings, strict=True):
            self._view.put_if_changed(row_of(skill, embedding))
        for gone in {skill_id(each) for each in ids} - {each.id for each in skills}:
            self._view.remove(self._view.key(Place.MEMORIES, gone))

    def _put(self, identity: str, aggregate: Aggregate | None) -> None:
        if aggregate is not None:
            self._view.put_if_changed(row_of(aggregate), aggregate)
        else:
            self._view.remove(self.key(identity))

    def _aggregate(self, identity: str) -> Aggregate | None:
        record = self._view.record_at(self.key(identity))
        assert record is None or isinstance(record, Entity | Relationship | Profile)
        return record

    def _cluster(self, kind: str, key: str) -> str:
        return cluster_id(self._view.owner.key, f"{kind}|{key}")


def _as(of: type[Node], aggregate: Aggregate | None) -> Node | None:
    return aggregate if isinstance(aggregate, of) else None
