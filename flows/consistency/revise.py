"""Episodes join what is known of their owner: everything that a revision of some episodes changes. Blocks: for the pool.

1. Read what the index holds of the episodes, and of what they were made into.
2. Withdraw: what an earlier revision had and this one has not is removed; it leaves its clusters and aggregates.
3. Put what the episodes say now.
4. Compute again what becomes of every claim that is about the same as one that came or went (statements.py).
5. Entities, relationships, profiles and skills follow (rebuild.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.consistency.clusters import Clusters, clusters_of
from flows.consistency.rebuild import Aggregates
from flows.consistency.statements import Statements
from flows.consistency.unit_of_work import Deciders, UnitOfWork
from flows.items import AggregateMention
from mneme.records import AgentCase, Episode, Statement
from mneme.rows import Collection, Key, Row, revised


@dataclass(frozen=True, slots=True, eq=False)
class Revision:
    """An episode as it is now; without rows it is gone. The first row is the episode, the others were made from it."""

    episode_id: str
    rows: tuple[Row, ...] = ()
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
    clusters = Clusters(work)
    statements = Statements(work, clusters, deciders)
    aggregates = Aggregates(work, clusters, deciders)
    # 1. In as few round trips as there are kinds of things.
    keys = [work.key(Collection.EPISODES, each.episode_id) for each in revisions]
    before = [_episode(work, row) for row in work.rows(keys).values()]
    children = work.rows(key for episode in before for key in _children(work, episode))
    mentioned = [each for episode in before for each in episode.aggregate_ids]
    mentioned += [mention.row_id for each in revisions for mention in each.mentions]
    work.rows(map(aggregates.key, mentioned))
    records = [work.record(row) for rows in (children.values(), *(each.rows for each in revisions)) for row in rows]
    clusters.open(each for record in records if isinstance(record, Statement) for each in clusters_of(record))
    for key, revision in zip(keys, revisions, strict=True):
        row = work.row(key)
        old = _episode(work, row) if row is not None else None
        # 2.
        kept = {row.id for row in revision.rows}
        for child_key, child in work.rows(_children(work, old)).items() if old is not None else ():
            record = work.record(child)
            if isinstance(record, Statement):
                statements.remove(record)
            elif isinstance(record, AgentCase):
                aggregates.remove_case(record)
            if child.id not in kept:
                work.remove(child_key)
        if not revision.rows:
            work.remove(key)
        # 3.
        for row in revision.rows:
            record = row.record()
            if isinstance(record, Statement):
                row = revised(row, statements.add(record))
            elif isinstance(record, AgentCase):
                aggregates.add_case(record)
            work.put(row)
        aggregates.mention(revision.episode_id, old, revision.mentions)
    # 4.
    statements.revalidate()
    # 5.
    aggregates.rebuild()
    clusters.put()


def _episode(work: UnitOfWork, row: Row) -> Episode:
    record = work.record(row)
    assert isinstance(record, Episode)
    return record


def _children(work: UnitOfWork, episode: Episode) -> Iterator[Key]:
    """Everything that lies in the index because of one episode and belongs to it alone."""
    for identity in episode.fact_ids:
        yield work.key(Collection.FACTS, identity)
    for identity in (*episode.foresight_ids, *((episode.case_id,) if episode.case_id else ())):
        yield work.key(Collection.MEMORIES, identity)
