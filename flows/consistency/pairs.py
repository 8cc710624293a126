"""What a judge that reads statements makes of those that a model wrote. Blocks: for the pool.

Compared are statements that claim something of the same, and those that are near in meaning and related: the clusters of their
own words are linked. What is connected so is settled together (validity.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from flows.consistency.claims import is_plan
from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.joining import Said, by_model, clusters_of, own_cluster
from flows.consistency.statements import Judge, Relation, Statement, place
from flows.consistency.validity import judged_validities
from flows.consistency.view import View
from mneme.ids import episode_of
from mneme.ports import Filter, VectorLeg
from mneme.records import AtomicFact, Foresight, Stated, Validity
from mneme.rows import Collection, Key, Row

_MOST_MEMBERS = 200  # of a cluster: the first, for which the others stand, and the newest
_MOST_CONNECTED = 1000  # statements settled at once, should links ever chain through a whole memory
_HITS_FOR_A_NEIGHBOUR = 3  # repetitions of one statement are one neighbour


class Pairs:
    """The statements of an owner that a model wrote, within one unit of work.

    Args:
        view: the owner's records.
        clusters: the owner's clusters.
        judge: who compares them.
        deciders: how far it sees.
    """

    def __init__(self, view: View, clusters: Clusters, judge: Judge, deciders: Deciders) -> None:
        self._view = view
        self._clusters = clusters
        self._judge = judge
        self._scope = deciders.scope
        self._settings = deciders.settings.reconcile
        self._records: dict[str, Said] = {}
        self._clusters_of: dict[str, list[str]] = {}

    def settle(self, new: Iterable[str], clusters: Iterable[str]) -> dict[str, Validity]:
        """The validity of every statement that is connected with one of some clusters.

        Args:
            new: ids of statements that came; what is near them is looked for.
            clusters: what statements came to and left.

        Raises:
            ModelError: from a judge that calls a model.
            StoreUnavailable: the index does not answer.
        """
        self._link_near_ones(new)
        self._find_connected(clusters)
        statements = {identity: statement_of(record) for identity, record in self._records.items()}
        groups = [[statements[each] for each in group] for group in self._groups()]
        return judged_validities(groups, self._are_compared, self._judge, self._scope)

    def _are_compared(self, older: Statement, newer: Statement) -> bool:
        one, other = self._clusters_of[older.id], self._clusters_of[newer.id]
        if not set(one).isdisjoint(other):  # what one message says is not told twice, but a plan may be a fact and a foresight
            return set(older.message_ids).isdisjoint(newer.message_ids) or not _in_one_conversation(older.id, newer.id)
        # What one episode says in other words was told apart by who extracted it.
        links = self._clusters.links(own_cluster(self._records[older.id]))
        return own_cluster(self._records[newer.id]) in links and episode_of(older.id) != episode_of(newer.id)

    def _find_connected(self, clusters: Iterable[str]) -> None:
        """All statements of a model in some clusters and in those connected with them, near or far."""
        seen: set[str] = set()
        ahead = sorted(set(clusters))
        while ahead and len(self._records) < _MOST_CONNECTED:
            seen |= set(ahead)
            self._clusters.load(ahead)
            members = [each for cluster in ahead for each in _compared(self._clusters.statements(cluster))]
            links = {link for cluster in ahead for link in self._clusters.links(cluster)}
            for row in self._view.rows(statement_key(self._view, each) for each in members).values():
                record = self._known(row)
                self._records[row.id] = record
                self._clusters_of[row.id] = clusters_of(record)
                links |= set(self._clusters_of[row.id])
            ahead = sorted(links - seen)

    def _groups(self) -> Iterator[list[str]]:
        """The statements that are connected, directly or through others: none is compared with another group's."""
        inside: dict[str, list[str]] = defaultdict(list)
        for identity, clusters in self._clusters_of.items():
            for cluster in clusters:
                inside[cluster].append(identity)
        while inside:
            group: dict[str, None] = {}
            ahead = [next(iter(inside))]
            while ahead:
                cluster = ahead.pop()
                members = inside.pop(cluster, ())
                group |= dict.fromkeys(members)
                ahead += [each for member in members for each in self._clusters_of[member] if each in inside]
                ahead += [link for link in self._clusters.links(cluster) if link in inside]
            yield list(group)

    # --- near in meaning ----------------------------------------------------------------------------------------------

    def _link_near_ones(self, new: Iterable[str]) -> None:
        """Link the clusters of the new statements with those of statements near them that are related to them."""
        rows = self._view.rows((statement_key(self._view, each) for each in new), with_vectors=True)
        pairs: dict[tuple[str, str], tuple[Statement, Statement]] = {}
        for row, near in self._near([row for row in rows.values() if row.vector is not None and by_model(self._known(row))]):
            one, other = self._known(row), self._known(near)
            if own_cluster(other) in self._clusters.links(own_cluster(one)):
                continue
            older, newer = sorted((statement_of(one), statement_of(other)), key=lambda each: each.place)
            pairs.setdefault((own_cluster(one), own_cluster(other)), (older, newer))
        if pairs:
            relations = self._judge.judge(list(pairs.values()), self._scope)
            for (cluster, near_one), relation in zip(pairs, relations, strict=True):
                if relation is not Relation.NEITHER:
                    self._clusters.link(cluster, near_one)

    def _near(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Each new statement with the nearest one of other words, found by the index or written a moment ago."""
        owner = self._view.owner
        scope = Filter(owner.tenant_id, (owner.key,), (owner.id,), kinds=("fact", "repetition"), hidden=True)
        depth = _HITS_FOR_A_NEIGHBOUR * self._settings.neighbours + len(rows)  # the new ones may be found too
        legs = [VectorLeg(Collection.FACTS, scope, row.vector, depth) for row in rows if row.vector is not None]
        lately = self._view.lately(Collection.FACTS)
        for row, hits in zip(rows, self._view.index.recall(legs) if legs else (), strict=True):
            assert row.vector is not None
            own = set(clusters_of(self._known(row)))
            cosines = {hit.row.key: hit.score for hit in hits}
            cosines |= {each.key: float(row.vector @ each.vector) for each in lately if each.vector is not None}
            nearest: dict[str, Row] = {}
            for key in sorted(cosines, key=lambda each: (-cosines[each], each.id)):
                if len(nearest) == self._settings.neighbours or cosines[key] < self._settings.near:
                    break
                other = self._view.row(key)
                if other is None or other.parent_id == row.parent_id or not by_model(record := self._known(other)):
                    continue
                if own.isdisjoint(clusters_of(record)):
                    nearest.setdefault(own_cluster(record), other)
            yield from ((row, other) for other in nearest.values())

    def _known(self, row: Row) -> Said:
        record = self._view.record(row)
        assert isinstance(record, AtomicFact | Foresight)
        return record


def statement_of(record: Said) -> Statement:
    """A fact or a foresight as what it says."""
    if isinstance(record, AtomicFact):
        text, event_at = record.atomic_fact, record.event_at
    else:
        text, event_at = record.statement, record.start
    plan = any(is_plan(claim.about) for claim in record.claims)
    return Statement(record.id, record.kind, text, record.said_at, event_at, record.message_ids, plan, record.metadata)


def statement_key(view: View, identity: str) -> Key:
    """Where a statement lies: facts and foresights are told apart by their ids (mneme/ids.py)."""
    is_foresight = identity.rsplit("/", 2)[-2] == "s"
    return view.key(Collection.MEMORIES if is_foresight else Collection.FACTS, identity)


def _compared(statements: Iterable[Stated]) -> list[str]:
    """The ids of those that a model wrote; of very many the first and the newest."""
    in_order = sorted((each for each in statements if each.by_model), key=lambda each: place(each.said_at, each.id))
    return [each.id for each in (*in_order[:1], *in_order[1:][1 - _MOST_MEMBERS :])]


def _in_one_conversation(one: str, other: str) -> bool:
    return episode_of(one).rpartition("/")[0] == episode_of(other).rpartition("/")[0]
