"""What becomes of facts and foresights, and of each of their claims. Blocks: for the pool.

1. A statement is in the clusters that follow from it (joining.py), and has what it says written there.
2. Of each attribute that a statement came to or left, what became of the claims is computed again (claims.py).
3. So is of the same words what only repeats (repetitions.py): what has ended is not repeated but said anew.
4. A statement as a whole holds no longer when all that it says has ended. Where a model judges, it compares the statements
   that a model wrote (pairs.py).

2 and 3 need the clusters alone: read and written are only the statements of which something changed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import TypeVar

from flows.consistency.claims import End, ends, is_plan
from flows.consistency.clusters import Clusters
from flows.consistency.deciders import Deciders
from flows.consistency.joining import Said, by_model, in_own_words, is_of_words, joined_by, normal, own_cluster, words_of
from flows.consistency.pairs import Pairs, statement_key
from flows.consistency.repetitions import Repetition, repetitions
from flows.consistency.view import View
from mneme.ids import cluster_id
from mneme.records import AtomicFact, Claim, Foresight, Stated, Validity
from mneme.relations import OPEN, SAID
from mneme.rows import revised

Became = TypeVar("Became")


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
        judge, is_judged = self._deciders.judge, self._deciders.judge is not None
        verdicts: Mapping[str, Validity] = {}
        if judge is not None:
            verdicts = Pairs(self._view, self._clusters, judge, self._deciders).settle(self._new, self._open)
        # 2.
        ended: dict[str, dict[str, Mapping[str, End]]] = defaultdict(dict)
        for cluster in self._open:
            about = self._clusters.about(cluster)
            if not is_of_words(about):
                for identity, its in self._changes(cluster, partial(ends, about, judged=is_judged)).items():
                    ended[identity][about] = its or {}
        records = {each: _with_ends(record, ended[each]) for each, record in self._records(ended).items()}
        # 3.
        self._clusters.load(own_cluster(record) for record in records.values())
        for record in records.values():
            cluster, stated = own_cluster(record), in_own_words(record)
            if any(each.id == record.id and each != stated for each in self._clusters.statements(cluster)):
                self._clusters.state(cluster, self._clusters.about(cluster), stated)
                self._open[cluster] = None
        repeated: dict[str, Repetition] = {}
        for cluster in self._open:
            if is_of_words(self._clusters.about(cluster)):
                changes = self._changes(cluster, partial(repetitions, judged=is_judged))
                repeated |= {identity: its or Repetition() for identity, its in changes.items()}
        # 4.
        records = self._records({*repeated, *verdicts} - records.keys()) | records
        after = {}
        for each, record in records.items():
            known = record.validity if is_judged and by_model(record) else None
            after[each] = _with_validity(record, repeated.get(each), verdicts.get(each, known))
        self._put(after)
        self._new.clear()
        self._open.clear()

    def _changes(self, cluster: str, became: Callable[[list[Stated]], Mapping[str, Became]]) -> dict[str, Became | None]:
        """What became of each statement of a cluster that is new in it, or of which it is not what it was."""
        read, now = self._clusters.statements_before(cluster), self._clusters.statements(cluster)
        after = became(now)
        # A job that is done again after a crash may find the cluster as it left it, and the statements not.
        without = [each for each in read if each.id not in self._new]
        before = [became(each) for each in ((read, without) if len(without) < len(read) else (read,))]
        changed = (each.id for each in now if each.id in self._new or any(b.get(each.id) != after.get(each.id) for b in before))
        return {identity: after.get(identity) for identity in changed}

    def _records(self, identities: Iterable[str]) -> dict[str, Said]:
        records: dict[str, Said] = {}
        for row in self._view.rows(statement_key(self._view, each) for each in identities).values():
            record = self._view.record(row)
            assert isinstance(record, AtomicFact | Foresight)
            records[row.id] = record
        return records

    def _put(self, records: Mapping[str, Said]) -> None:
        changed = {}
        for identity, now in records.items():
            key = statement_key(self._view, identity)
            before = self._view.record_at(key)
            if isinstance(before, AtomicFact | Foresight) and (now.claims, now.validity) != (before.claims, before.validity):
                changed[key] = now
        for key, row in self._view.rows(changed, with_vectors=True).items():
            self._view.put(revised(row, changed[key]), changed[key])


def _standing(record: Said) -> Said:
    claims = tuple(_ended(claim, None) for claim in record.claims)
    return record.model_copy(update={"claims": claims, "validity": Validity(valid_from=_begins(record))})


def _with_ends(record: Said, ended: Mapping[str, Mapping[str, End]]) -> Said:
    """A record with what became of its claims about some attributes."""
    claims = tuple(
        _ended(claim, ended[claim.about].get(claim.value)) if claim.about in ended else claim for claim in record.claims
    )
    return record.model_copy(update={"claims": claims})


def _with_validity(record: Said, repetition: Repetition | None, verdict: Validity | None) -> Said:
    """A record with what follows for it as a whole; of what is None nothing changed."""
    validity = verdict or record.validity
    if repetition is not None and verdict is None:
        validity = Validity(
            valid_from=_begins(record),
            merged_into=repetition.merged_into,
            repeated_by=repetition.repeated_by,
            also_said_in=repetition.also_said_in,
            also_metadata=repetition.also_metadata,
        )
    elif verdict is None:
        validity = validity.model_copy(update={"valid_to": None, "superseded_by": None})
    end = _end_of(record)
    if end is not None and validity.merged_into is None and (validity.valid_to is None or end.at < validity.valid_to):
        validity = validity.model_copy(update={"valid_to": end.at, "superseded_by": end.by})
    return record.model_copy(update={"validity": validity})


def _end_of(record: Said) -> End | None:
    """When a record as a whole ceased to hold: when the last of its claims did, and it says nothing else.

    A foresight is off with its plan, and what is corrected is over as a whole. What is said in passing is no whole.
    """
    stated = [claim for claim in record.claims if not claim.ends and not claim.attribute.startswith(OPEN)]
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
