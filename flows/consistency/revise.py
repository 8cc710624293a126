"""Episodes join what is known of their owner: everything that a revision of some episodes changes. Blocks: for the pool.

1. Read what the index holds of the episodes, and of what they were made into.
2. Withdraw: what an earlier revision had and this one has not is removed; it leaves its clusters and aggregates.
3. Put what the episodes say now.
4. Compute again what becomes of every claim that is about the same as one that came or went (statements.py).
5. Entities, relationships, profiles and skills follow: those that are mentioned are built again from their mentions
   (aggregates/), once for all episodes at hand, most of which speak of the same few. Then what depends on several of them
   follows: which names mean the same entity, which edge ended which, what of a profile still holds, what cases have in
   common. They are found through clusters: entities by their names, edges by source and relation, cases by agent.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from flows.consistency.aggregates.entities import entity_of, filed_under, resolved
from flows.consistency.aggregates.profiles import portrayed, profile_of
from flows.consistency.aggregates.relationships import relationship_of, revalidated, slots
from flows.consistency.aggregates.skills import skills_of
from flows.consistency.statements import Statements
from flows.consistency.unit_of_work import Deciders, Node, OpenCluster, UnitOfWork, clusters_of
from flows.items import AggregateMention, NewRecord
from mneme.ids import profile_id, skill_id
from mneme.records import AgentCase, Entity, Episode, Mention, Owner, Profile, ProfileItem, Relationship, Statement
from mneme.rows import Collection as Place
from mneme.rows import Key

Aggregate = Entity | Relationship | Profile


@dataclass(frozen=True, slots=True, eq=False)
class Revision:
    """An episode (first) as it is now, with what was made from it; without records it is gone."""

    episode_id: str
    made: tuple[NewRecord, ...] = ()
    mentions: tuple[AggregateMention, ...] = ()


def revise(work: UnitOfWork, revisions: Sequence[Revision], deciders: Deciders) -> None:
    """Take revisions, in order, into the unit of work.

    Args:
        work: the owner's records.
        revisions: of the owner's episodes.
        deciders: who decides what becomes of what is known.

    Raises:
        ModelError: from a judge that calls a model.
        StoreUnavailable: the index does not answer.
    """
    statements, aggregates = Statements(work, deciders), Aggregates(work, deciders)
    # 1. In as few round trips as there are kinds of things.
    keys = [work.key(Place.EPISODES, each.episode_id) for each in revisions]
    before = [each for each in work.get(keys).values() if isinstance(each, Episode)]
    children = work.get([key for episode in before for key in _children(work, episode)]).values()
    mentioned = [each for episode in before for each in episode.aggregate_ids]
    mentioned += [mention.row_id for each in revisions for mention in each.mentions]
    work.get([aggregates.key(each) for each in mentioned])
    records = [*children, *(new.record for each in revisions for new in each.made)]
    work.clusters.open([each for record in records if isinstance(record, Statement) for each in clusters_of(record)])
    for key, revision in zip(keys, revisions, strict=True):
        old = work.get([key]).get(key)
        assert old is None or isinstance(old, Episode)
        # 2.
        kept = {new.record.id for new in revision.made}
        for child_key, child in work.get(_children(work, old)).items() if old is not None else ():
            if isinstance(child, Statement):
                statements.remove(child)
            elif isinstance(child, AgentCase):
                aggregates.remove_case(child)
            if child.id not in kept:
                work.remove(child_key)
        if not revision.made:
            work.remove(key)
        # 3.
        for new in revision.made:
            record = new.record
            if isinstance(record, Statement):
                new = replace(new, record=statements.add(record))
            elif isinstance(record, AgentCase):
                aggregates.add_case(record)
            work.put_new(new)
        aggregates.mention(revision.episode_id, old, revision.mentions)
    # 4.
    statements.revalidate()
    # 5.
    aggregates.rebuild()


def _children(work: UnitOfWork, episode: Episode) -> list[Key]:
    """Everything that lies in the index because of one episode and belongs to it alone."""
    memories = (*episode.foresight_ids, *((episode.case_id,) if episode.case_id else ()))
    facts = [work.key(Place.FACTS, each) for each in episode.fact_ids]
    return facts + [work.key(Place.MEMORIES, each) for each in memories]


class Aggregates:
    """The aggregates of one owner, within one unit of work.

    Args:
        work: the owner's records.
        deciders: who writes skills, and how much they and a profile hold.
    """

    def __init__(self, work: UnitOfWork, deciders: Deciders) -> None:
        self._work = work
        self._clusters = work.clusters
        self._deciders = deciders
        self._mentions: dict[str, dict[str, list[AggregateMention]]] = {}  # by aggregate, then by episode
        self._agents: dict[str, set[str]] = {}

    def key(self, identity: str) -> Key:
        """The key of an aggregate."""
        is_profile = identity == profile_id(self._work.owner.key)
        return self._work.key(Place.MEMORIES if is_profile else Place.GRAPH, identity)

    def mention(self, episode_id: str, old: Episode | None, mentions: Iterable[AggregateMention]) -> None:
        """Have an episode speak of what it mentions now, and no longer of what only its old revision did."""
        said: dict[str, list[AggregateMention]] = {identity: [] for identity in (old.aggregate_ids if old else ())}
        for mention in mentions:
            said.setdefault(mention.row_id, []).append(mention)
        for identity, of_aggregate in said.items():
            self._mentions.setdefault(identity, {})[episode_id] = of_aggregate

    def add_case(self, case: AgentCase) -> None:
        """Have an episode tell of a task that an agent did."""
        self._cases(case).join(case.id)

    def remove_case(self, case: AgentCase) -> None:
        """Have an episode tell no longer of it."""
        self._cases(case).leave(case.id)

    def rebuild(self) -> None:
        """Put what follows from everything that was mentioned.

        Raises:
            ModelError: from a writer of skills that calls a model.
            StoreUnavailable: the index does not answer.
        """
        entities = list[tuple[Entity | None, Entity | None]]()
        edges = list[tuple[Relationship | None, Relationship | None]]()
        for identity, by_episode in self._mentions.items():
            key = self.key(identity)
            before = self._work.get([key]).get(key)
            assert before is None or isinstance(before, Aggregate)
            after = rebuilt(identity, self._work.owner, before, by_episode)
            if isinstance(after, Profile):
                after = portrayed(after, self._deciders.settings.profiles)
            if after is None:
                self._work.remove(key)
            elif not self._work.holds(after):
                self._work.put(after)
            match (before, after):
                case (Entity() | None, Entity() | None):
                    entities.append((before, after))
                case (Relationship() | None, Relationship() | None):
                    edges.append((before, after))
        for entity in resolved(self._filed(entities, filed_under, "name"), partial(self._clusters.filed, Entity, "name")):
            self._work.put(entity)
        for edge in revalidated(self._filed(edges, slots, "edge"), partial(self._clusters.filed, Relationship, "edge")):
            self._work.put(edge)
        for agent_id, case_ids in self._agents.items():
            self._learn(agent_id, case_ids)

    def _cases(self, case: AgentCase) -> OpenCluster:
        self._agents.setdefault(case.agent_id, set()).add(case.id)
        [cluster] = self._clusters.about(f"cases|{case.agent_id}")
        return cluster

    def _filed(
        self, changed: Sequence[tuple[Node | None, Node | None]], keys: Callable[[Node | None], tuple[str, ...]], kind: str
    ) -> list[Node]:
        """Keep what changed where it is looked for; returns it as it was and as it is."""
        self._clusters.about(*(f"{kind}|{key}" for pair in changed for each in pair for key in keys(each)))
        for before, after in changed:
            was, now = set(keys(before)), set(keys(after))
            for cluster in self._clusters.about(*(f"{kind}|{key}" for key in sorted(was - now))):
                assert before is not None
                cluster.leave(before.id)
            for cluster in self._clusters.about(*(f"{kind}|{key}" for key in sorted(now - was))):
                assert after is not None
                cluster.join(after.id)
        return [each for pair in changed for each in pair if each is not None]

    def _learn(self, agent_id: str, changed: Collection[str]) -> None:
        """Draw the skills of an agent anew from its cases."""
        [cluster] = self._clusters.about(f"cases|{agent_id}")
        ids = {*cluster.members, *changed}
        keys = [self._work.key(Place.MEMORIES, each) for each in sorted(ids)]
        found, vectors = self._work.get(keys), self._work.vectors(keys)
        cases = [(case, vectors.get(key)) for key, case in found.items() if isinstance(case, AgentCase)]
        skills = skills_of(cases, self._deciders.settings.skills, self._deciders.write_skill)
        learnt = [each for each in skills if not self._work.holds(each)]
        texts = [f"{each.name}. {each.description}" for each in learnt]
        embeddings = self._deciders.embed(texts).result() if texts else ()
        for skill, text, embedding in zip(learnt, texts, embeddings, strict=True):
            self._work.put_new(NewRecord(skill, text, embedding))
        for gone in {skill_id(each) for each in ids} - {each.id for each in skills}:
            self._work.remove(self._work.key(Place.MEMORIES, gone))


def rebuilt(
    row_id: str, owner: Owner, old: Aggregate | None, by_episode: Mapping[str, Sequence[AggregateMention]]
) -> Aggregate | None:
    """An aggregate after episodes spoke of it, or no longer do. Pure.

    What depends on other aggregates is computed afterwards: ``entities.resolved``, ``relationships.revalidated``,
    ``profiles.portrayed``.

    Args:
        row_id: the aggregate's id.
        owner: whose it is.
        old: the aggregate before, None if there was none.
        by_episode: for each episode that is new, revised or gone, by its id, everything that it says about the aggregate now.

    Returns:
        The aggregate with version 0, or None when no mention is left.
    """
    mentions = [mention for of_episode in by_episode.values() for mention in of_episode]
    lines = [each.said for each in mentions if isinstance(each.said, ProfileItem)]
    said = [each.said for each in mentions if isinstance(each.said, Mention)]
    edge = next((each.edge for each in mentions if each.edge is not None), None)
    if lines or isinstance(old, Profile):
        return profile_of(row_id, owner, old if isinstance(old, Profile) else None, by_episode, lines)
    if edge is not None or isinstance(old, Relationship):
        return relationship_of(row_id, owner, old if isinstance(old, Relationship) else None, by_episode, edge, said)
    return entity_of(row_id, owner, old, by_episode, said)
