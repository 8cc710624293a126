"""Statements that a model wrote, compared pair by pair by a judge. Blocks: for the pool.

Compared are statements that claim something of the same, and those that are near in meaning and related: the clusters of their
own words are linked. Of those that are connected so, in the order in which they were said, each newer one is compared with
the newest 1,000 that stand:
1. ``REPLACES``: the older is no longer so from then on; it stays as history.
2. ``SAME``: the newer repeats the older, which stands for it; its sources join the older's. Compared with what stands
   only, so what is said again after it was replaced is news again.
3. Otherwise both stand.

Nothing else enters: no order of arrival, nothing that was decided before.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from flows.consistency.judge import Judge, Pair, Relation
from flows.consistency.unit_of_work import UnitOfWork, clusters_of, own_cluster
from flows.consistency.validity import in_one_conversation, is_plan, place
from mneme.ids import episode_of
from mneme.labels import joined
from mneme.ports import Filter, VectorLeg
from mneme.records import Stated, Statement, Validity
from mneme.rows import Collection, key_of
from mneme.settings import Reconcile

_MOST_COMPARED = 1_000  # statements that stand, beside those that just came
_MOST_MEMBERS = 200  # of a cluster: the first, for which the others stand, and the newest
_MOST_CONNECTED = 1000  # statements compared at once, should links ever chain through a whole memory
_HITS_FOR_A_NEIGHBOUR = 3  # repetitions of one statement are one neighbour


def validities(statements: Iterable[Statement], relation: Callable[[Statement, Statement], Relation]) -> dict[str, Validity]:
    """The validity of each statement, by its id.

    Args:
        statements: of one owner, in any order.
        relation: what a newer statement (second) does to an older one (first).
    """
    standing: dict[str, Statement] = {}
    became: dict[str, Validity] = {}
    for newer in sorted(statements, key=place):
        original: Statement | None = None
        replaced: list[str] = []
        for older in list(standing.values())[-_MOST_COMPARED:]:
            match relation(older, newer):
                case Relation.SAME:
                    original = original or older
                case Relation.REPLACES:
                    replaced.append(older.id)
        if original is not None and original.id in replaced:
            original = None
        became[newer.id] = Validity(
            valid_from=newer.happens_at or newer.said_at, merged_into=None if original is None else original.id
        )
        for identity in replaced:
            del standing[identity]
            end = {"valid_to": _replaces_from(newer), "superseded_by": (original or newer).id}
            became[identity] = became[identity].model_copy(update=end)
        if original is None:
            standing[newer.id] = newer
        else:
            became[original.id] = _repeated(became[original.id], original, newer)
    return became


def _repeated(before: Validity, original: Statement, newer: Statement) -> Validity:
    said_in = (*before.also_said_in, *(each for each in newer.message_ids if each not in original.message_ids))
    return before.model_copy(
        update={
            "repeated_by": (*before.repeated_by, newer.id),
            "also_said_in": tuple(dict.fromkeys(said_in)),
            "also_metadata": joined([before.also_metadata, newer.metadata]),
        }
    )


def _replaces_from(newer: Statement) -> datetime:
    """The time from which a statement replaces an older one: when it was said, or when it begins if that lies ahead.

    A plan changes the moment that it is said.
    """
    plans = any(is_plan(claim.about) for claim in newer.claims)
    return newer.said_at if plans else max(newer.said_at, newer.happens_at or newer.said_at)


def judged_validities(
    groups: Iterable[Sequence[Statement]], compared: Callable[[Statement, Statement], bool], judge: Judge, scope: str
) -> dict[str, Validity]:
    """``validities`` of several groups with one judge, which is asked about many pairs at once: it is paid by call.

    Which pairs are needed depends on the answers, so: fold as if unknown pairs were unrelated, take what the judge knows of
    those that came up, and fold the groups in which they did again; where it knows none, ask about all of them. So no pair is
    asked about that what is known makes needless, and a replay asks nothing, however episodes share jobs.

    Args:
        groups: statements of one owner, in any order; those of different groups are unrelated.
        compared: whether two statements of a group are compared at all; else they are unrelated too.
        judge: decides about the pairs.
        scope: see ``Judge.judge``.

    Raises:
        ModelError: from a judge that calls a model.
    """
    ahead = list(groups)
    became: dict[str, Validity] = {}
    relations: dict[tuple[str, str], Relation] = {}
    unknown: list[Pair] = []

    def relation(older: Statement, newer: Statement) -> Relation:
        if not compared(older, newer):
            return Relation.NEITHER
        found = relations.get((older.id, newer.id))
        if found is None:
            unknown.append((older, newer))
        return found or Relation.NEITHER

    while ahead:
        open_groups = []
        for group in ahead:
            asked = len(unknown)
            became |= validities(group, relation)
            if len(unknown) > asked:
                open_groups.append(group)
        if unknown:
            answers = judge.known(unknown, scope)
            if not any(answers):
                answers = [*judge.judge(unknown, scope)]
            for (older, newer), answer in zip(unknown, answers, strict=True):
                if answer is not None:
                    relations[older.id, newer.id] = answer
            unknown.clear()
        ahead = open_groups
    return became


class Pairs:
    """The statements of an owner that a model wrote, within one unit of work.

    Args:
        work: the owner's records.
        judge: who compares them.
        settings: how far it sees.
    """

    def __init__(self, work: UnitOfWork, judge: Judge, settings: Reconcile) -> None:
        self._work = work
        self._clusters = work.clusters
        self._judge = judge
        self._scope = work.owner.key
        self._settings = settings
        self._statements: dict[str, Statement] = {}
        self._clusters_of: dict[str, list[str]] = {}

    def validities(self, new: Iterable[str], clusters: Iterable[str]) -> dict[str, Validity]:
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
        groups = [[self._statements[each] for each in group] for group in self._groups()]
        return judged_validities(groups, self._are_compared, self._judge, self._scope)

    def _are_compared(self, older: Statement, newer: Statement) -> bool:
        one, other = self._clusters_of[older.id], self._clusters_of[newer.id]
        if not set(one).isdisjoint(other):  # what one message says is not told twice, but a plan may be a fact and a foresight
            return set(older.message_ids).isdisjoint(newer.message_ids) or not in_one_conversation(older, newer)
        # What one episode says in other words was told apart by who extracted it.
        links = self._clusters.open([own_cluster(older)])[0].links
        return own_cluster(newer) in links and episode_of(older.id) != episode_of(newer.id)

    def _find_connected(self, clusters: Iterable[str]) -> None:
        """All statements of a model in some clusters and in those connected with them, near or far."""
        seen: set[str] = set()
        ahead = sorted(set(clusters))
        while ahead and len(self._statements) < _MOST_CONNECTED:
            seen |= set(ahead)
            found = self._clusters.open(ahead)
            members = [each for cluster in found for each in _compared(cluster.statements.values())]
            links = {link for cluster in found for link in cluster.links}
            for identity, record in self._work.statements(members).items():
                self._statements[identity] = record
                self._clusters_of[identity] = clusters_of(record)
                links |= set(self._clusters_of[identity])
            ahead = sorted(links - seen)

    def _groups(self) -> Iterator[list[str]]:
        """The statements that are connected, directly or through others: none is compared with another group's."""
        inside: dict[str, list[str]] = defaultdict(list)
        for identity, joined_clusters in self._clusters_of.items():
            for each in joined_clusters:
                inside[each].append(identity)
        while inside:
            group: dict[str, None] = {}
            ahead = [next(iter(inside))]
            while ahead:
                [cluster] = self._clusters.open([ahead.pop()])
                members = inside.pop(cluster.id, ())
                group |= dict.fromkeys(members)
                ahead += [each for member in members for each in self._clusters_of[member] if each in inside]
                ahead += [link for link in cluster.links if link in inside]
            yield list(group)

    # --- near in meaning ----------------------------------------------------------------------------------------------

    def _link_near_ones(self, new: Iterable[str]) -> None:
        """Link the clusters of the new statements with those of statements near them that are related to them."""
        pairs: dict[tuple[str, str], Pair] = {}
        for one, other in self._near([each for each in self._work.statements(new).values() if each.by_model]):
            clusters = own_cluster(one), own_cluster(other)
            if clusters[1] not in self._clusters.open(clusters[:1])[0].links:
                older, newer = sorted((one, other), key=place)
                pairs.setdefault(clusters, (older, newer))
        if pairs:
            relations = self._judge.judge(list(pairs.values()), self._scope)
            for clusters, relation in zip(pairs, relations, strict=True):
                if relation is not Relation.NEITHER:
                    cluster, near_one = self._clusters.open(clusters)
                    cluster.link(near_one)

    def _near(self, new: Sequence[Statement]) -> Iterator[Pair]:
        """Each new statement with the nearest older ones of other words, found by the index or written a moment ago.

        So has each statement that is newer than one that came: which pairs there are does not hang on the order of arrival.
        """
        found = list(self._nearest(new))
        yield from ((record, older) for record, older in found if place(older) < place(record))
        came = {each.id for each in new}
        later = {newer.id: newer for record, newer in found if place(newer) > place(record) and newer.id not in came}
        yield from ((record, older) for record, older in self._nearest([*later.values()]) if place(older) < place(record))

    def _nearest(self, statements: Sequence[Statement]) -> Iterator[Pair]:
        """Each statement with the nearest of other words, older and newer ones, as many of each as the settings say."""
        owner = self._work.owner
        scope = Filter(owner.tenant_id, (owner.key,), (owner.id,), kinds=("fact", "repetition"), hidden=True)
        vectors = self._work.vectors(map(key_of, statements))
        embedded = [(each, vector) for each in statements if (vector := vectors.get(key_of(each))) is not None]
        depth = _HITS_FOR_A_NEIGHBOUR * self._settings.neighbours + len(embedded)  # the new ones may be found too
        legs = [VectorLeg(Collection.FACTS, scope, vector, depth) for _, vector in embedded]
        at_hand = {key: vector for key, vector in self._work.known_vectors().items() if key.collection is Collection.FACTS}
        for (statement, vector), hits in zip(embedded, self._work.index.recall(legs) if legs else (), strict=True):
            own = set(clusters_of(statement))
            cosines = {hit.row.key: hit.score for hit in hits}
            cosines |= {key: float(vector @ other) for key, other in at_hand.items()}
            nearest: dict[bool, dict[str, Statement]] = {True: {}, False: {}}
            for key in sorted(cosines, key=lambda each: (-cosines[each], each.id)):
                if cosines[key] < self._settings.near:
                    break
                record = self._work.statements([key.id]).get(key.id)
                if record is None or record.parent_episode_id == statement.parent_episode_id or not record.by_model:
                    continue
                its = nearest[place(record) < place(statement)]
                if len(its) < self._settings.neighbours and own.isdisjoint(clusters_of(record)):
                    its.setdefault(own_cluster(record), record)
            yield from ((statement, other) for its in nearest.values() for other in its.values())


def _compared(statements: Iterable[Stated]) -> list[str]:
    """The ids of those that a model wrote; of very many the first and the newest."""
    in_order = sorted((each for each in statements if each.by_model), key=place)
    return [each.id for each in (*in_order[:1], *in_order[1:][1 - _MOST_MEMBERS :])]
