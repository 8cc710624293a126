"""Facts and foresights come and go, and what becomes of each and of its claims is computed again. Blocks: for the pool.

1. A statement is in the clusters that follow from it (unit_of_work.py), and has what it says written there.
2. Of each attribute that a statement came to or left, what became of the claims is computed again (validity.py).
3. So is of the same words what only repeats: what has ended is not repeated but said anew.
4. A statement as a whole holds no longer when all that it says has ended. Where a model judges, it compares the statements
   that a model wrote (pairs.py).

2 and 3 need the clusters alone: read and written are only the statements of which something changed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TypeVar

from flows.consistency.pairs import Pairs
from flows.consistency.unit_of_work import (
    Deciders,
    OpenCluster,
    UnitOfWork,
    in_own_words,
    joined_by,
    normal,
    own_cluster,
)
from flows.consistency.validity import End, ends, is_plan, repetitions
from mneme.records import AtomicFact, Claim, Foresight, Stated, Statement, Validity
from mneme.relations import SAID

Became = TypeVar("Became")


class Statements:
    """The facts and foresights of one owner, within one unit of work: ``add`` and ``remove`` them, then ``revalidate``.

    Args:
        work: the owner's records.
        deciders: the judge, if a model is one, and how far it sees.
    """

    def __init__(self, work: UnitOfWork, deciders: Deciders) -> None:
        self._work = work
        self._clusters = work.clusters
        self._deciders = deciders
        self._new: dict[str, None] = {}  # in order: so judges are asked in one order
        self._open: dict[str, OpenCluster] = {}

    def add(self, record: Statement) -> Statement:
        """Have a statement join those about the same; returns it as it stands if none of them changes it."""
        for about, stated in joined_by(record):
            [cluster] = self._clusters.about(about)
            cluster.state(about, stated)
            self._open[cluster.id] = cluster
        self._new[record.id] = None
        claims = tuple(_ended(claim, None) for claim in record.claims)
        over = _end_of(record)
        ended = (over.at, over.by) if over is not None else (None, None)
        validity = Validity(valid_from=_began(record, ended[0]), valid_to=ended[0], superseded_by=ended[1])
        return record.model_copy(update={"claims": claims, "validity": validity})

    def remove(self, record: Statement) -> None:
        """Have a statement leave its clusters."""
        for cluster in self._clusters.about(*(about for about, _ in joined_by(record))):
            cluster.leave(record.id)
            self._open[cluster.id] = cluster
        self._new.pop(record.id, None)

    def revalidate(self) -> None:
        """Put every statement of which something changed by what came and went.

        Raises:
            ModelError: from a judge that calls a model.
            StoreUnavailable: the index does not answer.
        """
        judge, settings = self._deciders.judge, self._deciders.settings.reconcile
        is_judged, verdicts = judge is not None, dict[str, Validity]()
        if judge is not None:
            verdicts = Pairs(self._work, judge, settings).validities(self._new, self._open)
        # 2.
        ended: dict[str, dict[str, Mapping[str, End]]] = defaultdict(dict)
        for cluster in self._open.values():
            if not cluster.is_of_words:
                for identity, its in self._changes(cluster, partial(ends, cluster.about, judged=is_judged)).items():
                    ended[identity][cluster.about] = its or {}
        records = {each: _with_ends(record, ended[each]) for each, record in self._work.statements(ended).items()}
        # 3.
        self._clusters.open([own_cluster(record) for record in records.values()])
        for record in records.values():
            [cluster], stated = self._clusters.open([own_cluster(record)]), in_own_words(record)
            if cluster.statements.get(record.id, stated) != stated:
                cluster.state(cluster.about, stated)
                self._open[cluster.id] = cluster
        repeated: dict[str, Validity] = {}
        for cluster in self._open.values():
            if cluster.is_of_words:
                changes = self._changes(cluster, partial(repetitions, judged=is_judged))
                repeated |= {identity: its or Validity() for identity, its in changes.items()}
        # 4.
        records = self._work.statements([each for each in {**repeated, **verdicts} if each not in records]) | records
        for identity, record in records.items():
            earlier = record.validity if is_judged and record.by_model else None
            validity = _validity(record, repeated.get(identity), verdicts.get(identity, earlier))
            records[identity] = record.model_copy(update={"validity": validity})
        before = self._work.statements(records)
        for identity, now in records.items():
            if (now.claims, now.validity) != (before[identity].claims, before[identity].validity):
                self._work.put(now)

    def _changes(
        self, cluster: OpenCluster, became: Callable[[list[Stated]], Mapping[str, Became]]
    ) -> dict[str, Became | None]:
        """Compute a cluster again, and return the results of new statements and those that changed."""
        read, now = [*cluster.before], [*cluster.statements.values()]
        after = became(now)
        # A job that is done again after a crash may find the cluster as it left it, and the statements not.
        without = [each for each in read if each.id not in self._new]
        before = [became(each) for each in ((read, without) if len(without) < len(read) else (read,))]
        changed = (each.id for each in now if each.id in self._new or any(b.get(each.id) != after.get(each.id) for b in before))
        return {identity: after.get(identity) for identity in changed}


def _with_ends(record: Statement, ended: Mapping[str, Mapping[str, End]]) -> Statement:
    """A record with what became of its claims about some attributes."""
    claims = tuple(
        _ended(claim, ended[claim.about].get(claim.value)) if claim.about in ended else claim for claim in record.claims
    )
    return record.model_copy(update={"claims": claims})


def _ended(claim: Claim, end: End | None) -> Claim:
    at, by = (end.at, end.by) if end is not None else (None, None)
    if (claim.valid_to, claim.superseded_by) == (at, by):
        return claim
    return claim.model_copy(update={"valid_to": at, "superseded_by": by})


def _validity(record: Statement, repetition: Validity | None, verdict: Validity | None) -> Validity:
    """The validity of a record as a whole; of what is None nothing changed."""
    if verdict is not None:
        validity = verdict
    elif repetition is not None:
        validity = repetition
    else:
        validity = record.validity.model_copy(update={"valid_to": None, "superseded_by": None})
    end = _end_of(record)
    if end is not None and validity.merged_into is None and (validity.valid_to is None or end.at < validity.valid_to):
        validity = validity.model_copy(update={"valid_to": end.at, "superseded_by": end.by})
    return validity.model_copy(update={"valid_from": _began(record, validity.valid_to)})


def _began(record: Statement, ended_at: datetime | None) -> datetime:
    """The time from which a record held; what is off before it happens held from when it was said."""
    began = record.happens_at or record.said_at
    return began if ended_at is None or began <= ended_at else min(record.said_at, ended_at)


def _end_of(record: Statement) -> End | None:
    """The end of a record as a whole: that of its last claim, if it says nothing else.

    A foresight is off with its plan, and what is corrected is over as a whole.
    """
    if isinstance(record, AtomicFact) and record.corrected is not None:
        return End(record.corrected.at, record.corrected.by)
    stated = [claim for claim in record.claims if not claim.ends]
    ended = [(claim.valid_to, claim.superseded_by, claim.about) for claim in stated if claim.valid_to and claim.superseded_by]
    plans = [each for each in ended if is_plan(each[2])]
    if isinstance(record, Foresight) and plans:
        return End(*min(plans)[:2])
    corrected = [each for each in ended if each[2].endswith(f"|{SAID}")]
    if corrected and _is_one_sentence(record):
        return End(*min(corrected)[:2])
    off = {about.rpartition("|")[2] for *_, about in plans}  # of a plan and one's part in it one is enough
    stated = [claim for claim in stated if claim.valid_to or claim.attribute not in off]
    if not ended or len(ended) < len(stated) or not _is_one_sentence(record):
        return None
    return End(*max(ended)[:2])


def _is_one_sentence(record: Statement) -> bool:
    """Tell whether each of its claims is made by all of its words."""
    if isinstance(record, AtomicFact) and record.quote is not None and record.quote.artifact is not None:
        return False
    evidence = {normal(claim.evidence) for claim in record.claims if claim.evidence or not record.by_model}
    return evidence <= {normal(record.words)}
