"""Which statements are compared with which, and what becomes of them. Blocks: for the pool.

A statement is compared with all that claim something about the same (claims/): they are one cluster. Where the
judge looks around, the clusters of statements that are near in meaning and related are linked, and what is in linked
clusters is compared too. What is connected so is settled together (validity.py).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from flows.consistency.claims import claim_of
from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.statements import Relation, Statement
from flows.consistency.validity import judged_validities, standing
from flows.consistency.view import View
from mneme.ids import cluster_id, episode_of
from mneme.ports import Filter, VectorLeg
from mneme.records import AtomicFact, Foresight, Validity
from mneme.rows import Collection, Key, Row, revised

_MOST_MEMBERS = 200  # of a cluster: the first, for which the others stand, and the newest
_MOST_CONNECTED = 1000  # statements settled at once, should links ever chain through a whole memory
_HITS_FOR_A_NEIGHBOUR = 3  # repetitions of one statement are one neighbour


class Settlement:
    """Statements come and go; then ``settle``. One unit of work.

    Args:
        view: the owner's records.
        clusters: the owner's clusters.
        deciders: the judge, and how far one that looks around sees.
    """

    def __init__(self, view: View, clusters: Clusters, deciders: Deciders) -> None:
        self._view = view
        self._clusters = clusters
        self._deciders = deciders
        self._settings = deciders.settings.reconcile
        self._new: dict[str, None] = {}
        self._open: dict[str, None] = {}

    def comes(self, record: AtomicFact | Foresight) -> AtomicFact | Foresight:
        """A statement joins those about the same; returns it with its cluster, and as it stands if none of them changes it."""
        statement = statement_of(record)
        cluster = cluster_of(self._view, statement)
        self._clusters.join(cluster, record.id)
        self._new[record.id] = self._open[cluster] = None
        return record.model_copy(update={"cluster_id": cluster, "validity": standing(statement)})

    def goes(self, record: AtomicFact | Foresight) -> None:
        """A statement leaves."""
        self._clusters.leave(record.cluster_id, record.id)
        self._new.pop(record.id, None)
        self._open[record.cluster_id] = None

    def settle(self) -> None:
        """Put every statement whose validity changed by what came and went.

        Raises:
            ModelError: from a judge that calls a model.
            StoreUnavailable: the index does not answer.
        """
        if self._deciders.judge.looks_around and self._new:
            self._link_near_ones()
        records = self._connected()
        statements = {identity: statement_of(record) for identity, record in records.items()}

        def compared(older: Statement, newer: Statement) -> bool:
            one, other = records[older.id].cluster_id, records[newer.id].cluster_id
            if one == other:  # what one message says is not told twice, but a plan may be a fact and a foresight
                return set(older.message_ids).isdisjoint(newer.message_ids) or not _in_one_conversation(older.id, newer.id)
            # What one episode says in other words was told apart by who extracted it.
            return other in self._clusters.links(one) and episode_of(older.id) != episode_of(newer.id)

        groups = list(self._grouped(records, statements))
        became = judged_validities(groups, compared, self._deciders.judge, self._deciders.scope)
        self._put(records, became)
        for cluster in self._open:
            self._shorten(cluster, statements)
        self._new.clear()
        self._open.clear()

    def _connected(self) -> dict[str, AtomicFact | Foresight]:
        """All statements in the clusters at hand and in those linked with them, near or far."""
        records: dict[str, AtomicFact | Foresight] = {}
        seen: set[str] = set()
        ahead = list(self._open)
        while ahead and len(records) < _MOST_CONNECTED:
            seen |= set(ahead)
            self._clusters.load(ahead)
            members = [member for cluster in ahead for member in sorted(self._clusters.members(cluster))]
            for row in self._view.rows(statement_key(self._view, each) for each in members).values():
                records[row.id] = self._record(row)
            ahead = sorted({link for cluster in ahead for link in self._clusters.links(cluster)} - seen)
        return records

    def _grouped(
        self, records: Mapping[str, AtomicFact | Foresight], statements: Mapping[str, Statement]
    ) -> Iterator[list[Statement]]:
        """The statements of clusters that are linked, directly or through others: none is compared with another group's."""
        inside: dict[str, list[Statement]] = defaultdict(list)
        for identity, statement in statements.items():
            inside[records[identity].cluster_id].append(statement)
        while inside:
            group: list[Statement] = []
            ahead = [next(iter(inside))]
            while ahead:
                cluster = ahead.pop()
                group += inside.pop(cluster, ())
                ahead += [link for link in self._clusters.links(cluster) if link in inside]
            yield group

    def _put(self, records: Mapping[str, AtomicFact | Foresight], became: Mapping[str, Validity]) -> None:
        changed = {
            statement_key(self._view, identity): record.model_copy(update={"validity": became[identity]})
            for identity, record in records.items()
            if record.validity != became[identity]
        }
        for key, row in self._view.rows(changed, with_vectors=True).items():
            self._view.put(revised(row, changed[key]), changed[key])

    def _shorten(self, cluster: str, statements: Mapping[str, Statement]) -> None:
        members = self._clusters.members(cluster)
        if len(members) > _MOST_MEMBERS:
            by_time = sorted((each for each in members if each in statements), key=lambda each: statements[each].place)
            for member in by_time[1 : 1 - _MOST_MEMBERS]:
                self._clusters.leave(cluster, member)

    # --- near in meaning ----------------------------------------------------------------------------------------------

    def _link_near_ones(self) -> None:
        """Link the clusters of the new statements with those of statements near them that are related to them."""
        rows = self._view.rows((statement_key(self._view, each) for each in self._new), with_vectors=True)
        pairs: dict[tuple[str, str], tuple[Statement, Statement]] = {}
        for row, near in self._near([row for row in rows.values() if row.vector is not None]):
            new, other = self._record(row), self._record(near)
            if other.cluster_id in self._clusters.links(new.cluster_id):
                continue
            older, newer = sorted((statement_of(new), statement_of(other)), key=lambda each: each.place)
            pairs.setdefault((new.cluster_id, other.cluster_id), (older, newer))
        if pairs:
            relations = self._deciders.judge.judge(list(pairs.values()), self._deciders.scope)
            for (cluster, near_one), relation in zip(pairs, relations, strict=True):
                if relation is not Relation.NEITHER:
                    self._clusters.link(cluster, near_one)

    def _near(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Each new statement with the nearest one of each other cluster, found by the index or written a moment ago."""
        owner = self._view.owner
        scope = Filter(owner.tenant_id, (owner.key,), (owner.id,), kinds=("fact", "repetition"), hidden=True)
        depth = _HITS_FOR_A_NEIGHBOUR * self._settings.neighbours + len(rows)  # the new ones may be found too
        legs = [VectorLeg(Collection.FACTS, scope, row.vector, depth) for row in rows if row.vector is not None]
        lately = self._view.lately(Collection.FACTS)
        for row, hits in zip(rows, self._view.index.recall(legs), strict=True):
            assert row.vector is not None
            new = self._record(row)
            cosines = {hit.row.key: hit.score for hit in hits}
            cosines |= {each.key: float(row.vector @ each.vector) for each in lately if each.vector is not None}
            nearest: dict[str, Row] = {}
            for key in sorted(cosines, key=lambda each: (-cosines[each], each.id)):
                other = self._view.row(key) if cosines[key] >= self._settings.near else None
                if other is not None and other.parent_id != row.parent_id and self._record(other).cluster_id != new.cluster_id:
                    nearest.setdefault(self._record(other).cluster_id, other)
                if len(nearest) == self._settings.neighbours or cosines[key] < self._settings.near:
                    break
            yield from ((row, other) for other in nearest.values())

    def _record(self, row: Row) -> AtomicFact | Foresight:
        record = self._view.record(row)
        assert isinstance(record, AtomicFact | Foresight)
        return record


def cluster_of(view: View, statement: Statement) -> str:
    """The id of the cluster of all statements that are about the same as this one."""
    return cluster_id(view.owner.key, statement.claim.about)


def statement_of(record: AtomicFact | Foresight) -> Statement:
    """A fact or a foresight as what it says."""
    if isinstance(record, AtomicFact):
        text, event_at = record.atomic_fact, record.event_at
    else:
        text, event_at = record.statement, record.start
    claim = claim_of(text, event_at)
    return Statement(record.id, record.kind, text, record.said_at, event_at, record.message_ids, claim, record.metadata)


def statement_key(view: View, identity: str) -> Key:
    """Where a statement lies: facts and foresights are told apart by their ids (mneme/ids.py)."""
    is_foresight = identity.rsplit("/", 2)[-2] == "s"
    return view.key(Collection.MEMORIES if is_foresight else Collection.FACTS, identity)


def _in_one_conversation(one: str, other: str) -> bool:
    return episode_of(one).rpartition("/")[0] == episode_of(other).rpartition("/")[0]
