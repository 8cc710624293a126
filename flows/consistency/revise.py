"""Episodes join what is known of their owner: everything that a revision of some episodes changes. Blocks: for the pool.

1. Read what the index holds of the episodes, and of what they were made into.
2. Withdraw: what an earlier revision had and this one has not is removed; it leaves its clusters and aggregates.
3. Put what the episodes say now.
4. Settle: what becomes of every claim that is about the same as one that came or went (flows/consistency/settle.py).
5. Entities, relationships, profiles and skills follow (flows/consistency/rebuild.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.joining import clusters_of
from flows.consistency.rebuild import Rebuilding
from flows.consistency.settle import Settlement
from flows.consistency.view import View
from flows.items import AggregateMention
from mneme.records import AgentCase, AtomicFact, Episode, Foresight
from mneme.rows import Collection, Key, Row, revised

_JOINING = ("fact", "repetition", "foresight", "case")  # kinds of rows that join something beyond their episode


@dataclass(frozen=True, slots=True, eq=False)
class Revision:
    """An episode as it is now; without rows it is gone. The first row is the episode, the others were made from it."""

    episode_id: str
    rows: tuple[Row, ...] = ()
    mentions: tuple[AggregateMention, ...] = ()


def revise(view: View, revisions: Sequence[Revision], deciders: Deciders) -> None:
    """Take revisions, in order, into the view.

    Args:
        view: the owner's records.
        revisions: of the owner's episodes.
        deciders: who decides what becomes of what is known.

    Raises:
        ModelError: from a judge that calls a model.
        StoreUnavailable: the index does not answer.
    """
    clusters = Clusters(view)
    settlement = Settlement(view, clusters, deciders)
    rebuilding = Rebuilding(view, clusters, deciders)
    # 1. In as few round trips as there are kinds of things.
    episodes = view.rows(view.key(Collection.EPISODES, each.episode_id) for each in revisions)
    view.rows(key for row in episodes.values() for key in _children(view, _episode(view, row)))
    view.rows(rebuilding.key(each) for each in _aggregates(view, revisions, episodes.values()))
    clusters.load(_clusters(view, revisions, episodes.values()))
    for revision in revisions:
        row = view.row(view.key(Collection.EPISODES, revision.episode_id))
        old = _episode(view, row) if row is not None else None
        # 2.
        if old is not None:
            _withdraw(view, settlement, rebuilding, old, revision)
        # 3.
        _tell(view, settlement, rebuilding, revision)
        rebuilding.tells(revision.episode_id, old, revision.mentions)
    # 4.
    settlement.settle()
    # 5.
    rebuilding.settle()
    clusters.put()


def _withdraw(view: View, settlement: Settlement, rebuilding: Rebuilding, old: Episode, revision: Revision) -> None:
    """Remove what the old revision had and the new has not."""
    kept = {row.id for row in revision.rows}
    rows = view.rows(_children(view, old))
    for key, row in rows.items():
        record = view.record(row)
        if isinstance(record, AtomicFact | Foresight):
            settlement.goes(record)
        elif isinstance(record, AgentCase):
            rebuilding.case_goes(record)
        if key.id not in kept:
            view.remove(key)
    if not revision.rows:
        view.remove(view.key(Collection.EPISODES, old.id))


def _tell(view: View, settlement: Settlement, rebuilding: Rebuilding, revision: Revision) -> None:
    """Put what an episode says."""
    for row in revision.rows:
        record = view.record(row) if row.kind in _JOINING else None
        if isinstance(record, AtomicFact | Foresight):
            record = settlement.comes(record)
            row = revised(row, record)
        elif isinstance(record, AgentCase):
            rebuilding.case_comes(record)
        view.put(row, record)


def _clusters(view: View, revisions: Iterable[Revision], old: Iterable[Row]) -> Iterator[str]:
    """The clusters that these revisions may touch."""
    for row in view.rows(key for each in old for key in _children(view, _episode(view, each))).values():
        child = view.record(row)
        if isinstance(child, AtomicFact | Foresight):
            yield from clusters_of(child)
    for revision in revisions:
        for row in revision.rows:
            record = view.record(row) if row.kind in _JOINING else None
            if isinstance(record, AtomicFact | Foresight):
                yield from clusters_of(record)


def _aggregates(view: View, revisions: Iterable[Revision], old: Iterable[Row]) -> Iterator[str]:
    for row in old:
        yield from _episode(view, row).aggregate_ids
    for revision in revisions:
        yield from (mention.row_id for mention in revision.mentions)


def _episode(view: View, row: Row) -> Episode:
    record = view.record(row)
    assert isinstance(record, Episode)
    return record


def _children(view: View, episode: Episode) -> Iterator[Key]:
    """Everything that lies in the index because of one episode and belongs to it alone."""
    for identity in episode.fact_ids:
        yield view.key(Collection.FACTS, identity)
    for identity in (*episode.foresight_ids, *((episode.case_id,) if episode.case_id else ())):
        yield view.key(Collection.MEMORIES, identity)
