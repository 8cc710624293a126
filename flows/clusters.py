"""Which statements are compared: those about the same, and those near in meaning. Blocks: for the pool.

A cluster is a row in ``control`` that lists its members; a statement lists its clusters (``cluster_ids``):
- one for what it claims (flows/claims/): all statements with the same ``about``;
- where the judge looks around, one for each older or newer statement that is near in meaning and related to it: a pair.

Statements that share a cluster are compared; those connected through clusters are settled together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from flows.claims import claim_of
from flows.statements import Judge, Relation, Statement
from flows.validity import judged_validities
from flows.view import View
from mneme.ids import cluster_id
from mneme.ports import Filter, VectorLeg
from mneme.records import AtomicFact, Cluster, Foresight, Validity
from mneme.rows import Collection, Key, Row, revised, row_of
from mneme.settings import Reconcile

_MOST_MEMBERS = 200  # of a cluster: the first, for which the others stand, and the newest


class Clusters:
    """The clusters of one owner, within one unit of work.

    1. ``join`` and ``leave`` note what came and went.
    2. ``settle`` computes the validity of everything connected with it, and puts what changed.
    """

    def __init__(self, view: View, judge: Judge, settings: Reconcile, scope: str) -> None:
        self._view = view
        self._judge = judge
        self._settings = settings
        self._scope = scope
        self._members: dict[str, dict[str, None]] = {}
        self._touched: dict[str, datetime] = {}

    # --- 1. what came and went ------------------------------------------------------------------------------------

    def load(self, cluster_ids: Iterable[str]) -> None:
        """Read clusters in one go."""
        missing = [each for each in dict.fromkeys(cluster_ids) if each not in self._members]
        rows = self._view.rows(self._key(each) for each in missing)
        for identity in missing:
            row = rows.get(self._key(identity))
            record = row.record() if row is not None else None
            self._members[identity] = dict.fromkeys(record.member_ids) if isinstance(record, Cluster) else {}

    def members(self, cluster: str) -> tuple[str, ...]:
        """The ids of a cluster's members."""
        self.load([cluster])
        return tuple(self._members[cluster])

    def join(self, cluster: str, member: str, at: datetime) -> None:
        """A member comes; ``at`` dates the cluster."""
        self.load([cluster])
        self._members[cluster][member] = None
        self._touched[cluster] = at

    def leave(self, cluster: str, member: str, at: datetime) -> None:
        """A member goes."""
        self.load([cluster])
        self._members[cluster].pop(member, None)
        self._touched[cluster] = at

    # --- 2. what becomes of it --------------------------------------------------------------------------------------

    def settle(self, new: Sequence[str]) -> None:
        """Find what is near the new statements, compare, and put every statement whose validity changed, and the clusters.

        Args:
            new: ids of facts and foresights that this unit of work put.

        Raises:
            ModelError: from a judge that calls a model.
            StoreUnavailable: the index does not answer.
        """
        if self._judge.looks_around and new:
            self._pair_with_near_ones(new)
        statements, shared = self._connected()
        became = judged_validities(
            statements,
            lambda older, newer: not shared[older.id].isdisjoint(shared[newer.id]),
            self._judge,
            self._scope,
        )
        self._put_validities(became)
        by_id = {each.id: each for each in statements}
        for cluster, at in self._touched.items():
            self._put_cluster(cluster, at, by_id)
        self._touched.clear()

    def _connected(self) -> tuple[list[Statement], dict[str, frozenset[str]]]:
        """All statements connected with the touched clusters, and the clusters of each."""
        statements: dict[str, Statement] = {}
        shared: dict[str, frozenset[str]] = {}
        open_clusters = list(self._touched)
        seen = set(open_clusters)
        while open_clusters:
            self.load(open_clusters)
            members = [m for cluster in open_clusters for m in self._members[cluster] if m not in statements]
            open_clusters = []
            for row in self._view.rows(statement_key(self._view, each) for each in members).values():
                record = _record(row)
                statements[record.id] = statement_of(record)
                shared[record.id] = frozenset(record.cluster_ids)
                for cluster in record.cluster_ids:
                    if cluster not in seen:
                        seen.add(cluster)
                        open_clusters.append(cluster)
        return list(statements.values()), shared

    def _put_validities(self, became: Mapping[str, Validity]) -> None:
        keys = {identity: statement_key(self._view, identity) for identity in became}
        rows = self._view.rows(keys.values())
        changed = []
        for identity, validity in became.items():
            record = _record(rows[keys[identity]])
            if record.validity != validity:
                changed.append(record.model_copy(update={"validity": validity}))
        whole = self._view.rows((keys[record.id] for record in changed), with_vectors=True)
        for record in changed:
            self._view.put(revised(whole[keys[record.id]], record))

    def _put_cluster(self, cluster: str, at: datetime, statements: Mapping[str, Statement]) -> None:
        members = self._members[cluster]
        if len(members) == 1:
            self._part(cluster, next(iter(members)))
        if len(members) > _MOST_MEMBERS:
            known = sorted((each for each in members if each in statements), key=lambda each: statements[each].place)
            members = self._members[cluster] = dict.fromkeys((known[0], *known[-_MOST_MEMBERS + 1 :]))
        if members:
            record = Cluster(id=cluster, owner=self._view.owner, created_at=at, version=0, member_ids=tuple(sorted(members)))
            self._view.put_if_changed(row_of(record))
        else:
            self._view.remove(self._key(cluster))

    def _part(self, cluster: str, member: str) -> None:
        """A pair of which one is gone is none any more."""
        key = statement_key(self._view, member)
        record = _record(self._view.rows([key], with_vectors=True)[key])
        if cluster != about_cluster(self._view.owner.key, record):
            left = tuple(each for each in record.cluster_ids if each != cluster)
            self._view.put(revised(self._view.rows([key])[key], record.model_copy(update={"cluster_ids": left})))
            self._members[cluster].clear()

    # --- near in meaning ----------------------------------------------------------------------------------------------

    def _pair_with_near_ones(self, new: Sequence[str]) -> None:
        """A cluster for each new statement and one near it that are related: so they are compared for as long as both are."""
        rows = self._view.rows((statement_key(self._view, each) for each in new), with_vectors=True)
        pairs: dict[tuple[str, str], tuple[Statement, Statement]] = {}
        for row, near in self._near([row for row in rows.values() if row.vector is not None]):
            one, other = _record(row), _record(near)
            if one.parent_episode_id == other.parent_episode_id or set(one.cluster_ids) & set(other.cluster_ids):
                continue
            older, newer = sorted((statement_of(one), statement_of(other)), key=lambda each: each.place)
            pairs[older.id, newer.id] = (older, newer)
        if not pairs:
            return
        relations = self._judge.judge(list(pairs.values()), self._scope)
        for (older, newer), relation in zip(pairs.values(), relations, strict=True):
            if relation is not Relation.NEITHER:
                pair = cluster_id(self._view.owner.key, f"pair|{older.id}|{newer.id}")
                for each in (older, newer):
                    self._add_to(pair, statement_key(self._view, each.id), newer.said_at)

    def _near(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Each new row with the facts near it, found by the index or written a moment ago."""
        owner = self._view.owner
        scope = Filter(owner.tenant_id, (owner.key,))
        depth = self._settings.neighbours + len(rows)  # the new ones may be found too
        legs = [VectorLeg(Collection.FACTS, scope, row.vector, depth) for row in rows if row.vector is not None]
        lately = [row for row in self._view.lately(Collection.FACTS) if row.kind == "fact"]
        for row, hits in zip(rows, self._view.index.recall(legs), strict=True):
            assert row.vector is not None
            near = {hit.row.id: (hit.score, hit.row) for hit in hits if not self._view.is_gone(hit.row.key)}
            near |= {each.id: (float(row.vector @ each.vector), each) for each in lately if each.vector is not None}
            near.pop(row.id, None)
            best = sorted(near.values(), key=lambda each: (-each[0], each[1].id))[: self._settings.neighbours]
            for cosine, other in best:
                if cosine >= self._settings.near:
                    yield row, self._view.rows([other.key]).get(other.key, other)

    def _add_to(self, cluster: str, key: Key, at: datetime) -> None:
        row = self._view.rows([key], with_vectors=True)[key]
        record = _record(row)
        self._view.put(revised(row, record.model_copy(update={"cluster_ids": (*record.cluster_ids, cluster)})))
        self.join(cluster, record.id, at)

    def _key(self, cluster: str) -> Key:
        return self._view.key(Collection.CONTROL, cluster)


def about_cluster(owner_key: str, record: AtomicFact | Foresight) -> str:
    """The id of the cluster of all statements that are about the same as this one."""
    return cluster_id(owner_key, statement_of(record).claim.about)


def statement_of(record: AtomicFact | Foresight) -> Statement:
    """A fact or a foresight as what it says."""
    if isinstance(record, AtomicFact):
        text, event_at = record.atomic_fact, record.event_at
    else:
        text, event_at = record.statement, record.start
    claim = claim_of(text, event_at)
    return Statement(record.id, record.kind, text, record.said_at, event_at, record.message_ids, claim)


def statement_key(view: View, identity: str) -> Key:
    """Where a statement lies: facts and foresights are told apart by their ids (mneme/ids.py)."""
    is_foresight = identity.rsplit("/", 2)[-2] == "s"
    return view.key(Collection.MEMORIES if is_foresight else Collection.FACTS, identity)


def _record(row: Row) -> AtomicFact | Foresight:
    record = row.record()
    assert isinstance(record, AtomicFact | Foresight)
    return record
