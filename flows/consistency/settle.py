"""What becomes of facts and foresights, and of each of their claims. Blocks: for the pool.

1. A statement is in the clusters that follow from it (joining.py), and has what it says written there.
2. Of each cluster that a statement came to or left, what became of its claims is computed again (claims.py) from the cluster
   alone; read and written are only the statements of which something changed.
3. Where a model judges, it compares the statements that a model wrote (pairs.py).
4. A statement as a whole holds no longer when all that it says has ended.
"""

from collections.abc import Mapping
from datetime import datetime

from flows.consistency.claims import Became, End, became, is_plan
from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.joining import Said, by_model, home_of, joined_by, normal, words_of
from flows.consistency.pairs import Pairs, statement_key
from flows.consistency.view import View
from mneme.ids import cluster_id
from mneme.records import AtomicFact, Claim, Foresight, Validity
from mneme.rows import revised


class Settlement:
    """Statements come and go; then ``settle``. One unit of work.

    Args:
        view: the owner's records.
        clusters: the owner's clusters.
        deciders: the judge, if a model is one, and how far it sees.
    """

    def __init__(self, view: View, clusters: Clusters, deciders: Deciders) -> None:
        self._view = view
        self._clusters = clusters
        self._deciders = deciders
        self._new: dict[str, None] = {}
        self._open: dict[str, None] = {}

    def comes(self, record: Said) -> Said:
        """A statement joins those about the same; returns it as it stands if none of them changes it."""
        for about, stated in joined_by(record):
            cluster = cluster_id(self._view.owner.key, about)
            self._clusters.state(cluster, about, stated)
            self._open[cluster] = None
        self._new[record.id] = None
        return _standing(record)

    def goes(self, record: Said) -> None:
        """A statement leaves."""
        for about, _ in joined_by(record):
            cluster = cluster_id(self._view.owner.key, about)
            self._clusters.leave(cluster, record.id)
            self._open[cluster] = None
        self._new.pop(record.id, None)

    def settle(self) -> None:
        """Put every statement of which something changed by what came and went.

        Raises:
            ModelError: from a judge that calls a model.
            StoreUnavailable: the index does not answer.
        """
        judge = self._deciders.judge
        judged: Mapping[str, Validity] = {}
        if judge is not None:
            judged = Pairs(self._view, self._clusters, judge, self._deciders).settle(self._new, self._open)
        changed: dict[str, dict[str, Became]] = {identity: {} for identity in judged}
        for cluster in self._open:
            about, read = self._clusters.about(cluster), self._clusters.statements_before(cluster)
            # A job that is done again after a crash may find the cluster as it left it, and the statements not.
            without = [each for each in read if each.id not in self._new]
            before = [became(about, each, judge is not None) for each in (read, without)]
            for identity, now in became(about, self._clusters.statements(cluster), judge is not None).items():
                if identity in self._new or any(each.get(identity) != now for each in before):
                    changed.setdefault(identity, {})[about] = now
        self._put(changed, judged)
        self._new.clear()
        self._open.clear()

    def _put(self, changed: Mapping[str, Mapping[str, Became]], judged: Mapping[str, Validity]) -> None:
        after = {}
        for key, row in self._view.rows(statement_key(self._view, each) for each in changed).items():
            record = self._view.record(row)
            assert isinstance(record, AtomicFact | Foresight)
            is_judged = self._deciders.judge is not None and by_model(record)
            verdict = judged.get(row.id, record.validity) if is_judged else None
            now = _with(record, changed[row.id], verdict)
            if (now.claims, now.validity) != (record.claims, record.validity):
                after[key] = now
        for key, row in self._view.rows(after, with_vectors=True).items():
            self._view.put(revised(row, after[key]), after[key])


def _standing(record: Said) -> Said:
    claims = tuple(_ended(claim, None) for claim in record.claims)
    return record.model_copy(update={"claims": claims, "validity": Validity(valid_from=_begins(record))})


def _with(record: Said, changed: Mapping[str, Became], judged: Validity | None) -> Said:
    """A record with what became of it in some of its clusters, and by a judge."""
    claims = tuple(
        _ended(claim, changed[claim.about].ends.get(claim.value)) if claim.about in changed and not claim.ends else claim
        for claim in record.claims
    )
    home = changed.get(home_of(record))
    if judged is not None:
        validity = judged
    elif home is not None:
        validity = Validity(
            valid_from=_begins(record),
            merged_into=home.merged_into,
            repeated_by=home.repeated_by,
            also_said_in=home.also_said_in,
            also_metadata=home.also_metadata,
        )
    else:
        validity = record.validity.model_copy(update={"valid_to": None, "superseded_by": None})
    end = _end_of(record, claims)
    if end is not None and validity.merged_into is None and (validity.valid_to is None or end.at < validity.valid_to):
        validity = validity.model_copy(update={"valid_to": end.at, "superseded_by": end.by})
    return record.model_copy(update={"claims": claims, "validity": validity})


def _end_of(record: Said, claims: tuple[Claim, ...]) -> End | None:
    """When a record as a whole ceased to hold: when the last of its claims did, and it says nothing else.

    A foresight is off with its plan.
    """
    stated = [claim for claim in claims if not claim.ends]
    ended = [(claim.valid_to, claim.superseded_by, claim.about) for claim in stated if claim.valid_to and claim.superseded_by]
    plans = [each for each in ended if is_plan(each[2])]
    if isinstance(record, Foresight) and plans:
        return End(*min(plans)[:2])
    if not ended or len(ended) < len(stated) or not _is_one_sentence(record):
        return None
    return End(*max(ended)[:2])


def _is_one_sentence(record: Said) -> bool:
    """Whether each of its claims is made by all of its words."""
    if isinstance(record, AtomicFact) and record.quote is not None and record.quote.artifact is not None:
        return False
    words = normal(words_of(record))
    if by_model(record):
        return all(not claim.evidence or normal(claim.evidence) == words for claim in record.claims)
    return all(normal(claim.evidence) == words for claim in record.claims)


def _ended(claim: Claim, end: End | None) -> Claim:
    at, by = (end.at, end.by) if end is not None else (None, None)
    if (claim.valid_to, claim.superseded_by) == (at, by):
        return claim
    return claim.model_copy(update={"valid_to": at, "superseded_by": by})


def _begins(record: Said) -> datetime:
    return (record.event_at if isinstance(record, AtomicFact) else record.start) or record.said_at
