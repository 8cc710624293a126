"""Clusters: what is looked at together when one of it changes. Rows in ``control``, of an owner. Blocks: for the pool.

Which clusters a fact or foresight is in, and what it says there, follows from the record alone: it is in one for each subject
and attribute that it claims something of, and in that of its own words, unless they say so little that nobody asks for them.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from flows.consistency.unit_of_work import UnitOfWork
from mneme.ids import cluster_id, long_hash
from mneme.records import AnyRecord, AtomicFact, Cluster, Stated, Statement
from mneme.rows import Collection, Key, row_of
from mneme.text import tokenise

_SAME_WORDS = "said|"  # begins what the cluster of the same words is about
_OF_SUBSTANCE = 2  # different tokens of a quote that is compared by its words: "Thanks!" is said often and says nothing
_EPOCH = datetime.fromtimestamp(0, UTC)  # a cluster has no date of its own


# --- the clusters of a statement -------------------------------------------------------------------------------------


def joined_by(record: Statement) -> Iterator[tuple[str, Stated]]:
    """Yield the subject of each cluster that a record is in, and its statement there."""
    if record.by_model or len(set(tokenise(record.words))) >= _OF_SUBSTANCE:
        yield _own_about(record), in_own_words(record)
    for about in dict.fromkeys(claim.about for claim in record.claims):
        claims = [claim for claim in record.claims if claim.about == about]
        values = tuple(claim.value for claim in claims if not claim.ends)
        ends = tuple(claim.value for claim in claims if claim.ends)
        yield about, _stated(record).model_copy(update={"values": values, "ends": ends})


def clusters_of(record: Statement) -> list[str]:
    """The ids of the clusters that a record is in."""
    return [cluster_id(record.owner.key, about) for about, _ in joined_by(record)]


def own_cluster(record: Statement) -> str:
    """The id of the cluster of a record's own words."""
    return cluster_id(record.owner.key, _own_about(record))


def in_own_words(record: Statement) -> Stated:
    """A record as a statement in the cluster of its own words. A statement of an end is news each time."""
    repeats = not any(claim.ends for claim in record.claims)
    until = min((claim.valid_to for claim in record.claims if claim.valid_to is not None), default=None)
    corrected = record.corrected if isinstance(record, AtomicFact) else None
    return _stated(record).model_copy(update={"repeats": repeats, "holds_until": until, "corrected": corrected})


def normal(text: str) -> str:
    """A text by which it is known again: without case, blanks and marks at its ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,!?…。！？、，~\"'")


def _stated(record: Statement) -> Stated:
    return Stated(
        id=record.id,
        said_at=record.said_at,
        event_at=record.happens_at,
        message_ids=record.message_ids if record.by_model else record.message_ids[:1],
        metadata=record.metadata,
        by_model=record.by_model,
    )


def _own_about(record: Statement) -> str:
    """By everything that a record says: who, to what question, of which day. Two events of the same words are two."""
    said = [record.words]
    if isinstance(record, AtomicFact) and record.quote is not None:
        around = (record.quote.behind, record.quote.question, record.quote.context)
        said += [record.quote.speaker, *(each.words if each is not None else "" for each in around)]
    day = record.happens_at.isoformat() if record.happens_at else ""
    return _SAME_WORDS + long_hash("\n".join((*map(normal, said), day)))


# --- the clusters of an owner ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class OpenCluster:
    """A cluster within the unit of work. ``before`` are its statements as they were read; ``members`` are no statements.

    ``links`` are the ids of clusters that are looked at together with it, for as long as both have members.
    """

    id: str
    about: str = ""
    before: tuple[Stated, ...] = ()
    statements: dict[str, Stated] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    changed: bool = False

    def state(self, about: str, statement: Stated) -> None:
        """Add a statement, in place of what it said before."""
        self.about, self.changed = about, True
        self.statements[statement.id] = statement

    def join(self, member: str) -> None:
        """Add a member that is no statement."""
        self.members.add(member)
        self.changed = True

    def leave(self, member: str) -> None:
        """Remove a statement or another member."""
        self.members.discard(member)
        self.statements.pop(member, None)
        self.changed = True

    def link(self, other: "OpenCluster") -> None:
        """Have two clusters looked at together from now on."""
        self.links.add(other.id)
        other.links.add(self.id)
        self.changed = other.changed = True

    @property
    def is_of_words(self) -> bool:
        """Tell whether it is one of the same words."""
        return self.about.startswith(_SAME_WORDS)

    @property
    def is_empty(self) -> bool:
        """Tell whether it has no member of any kind."""
        return not self.statements and not self.members


class Clusters:
    """The clusters of one owner, within one unit of work: change them, then ``put``."""

    def __init__(self, work: UnitOfWork) -> None:
        self._work = work
        self._open: dict[str, OpenCluster] = {}

    def about(self, *what: str) -> list[OpenCluster]:
        """The clusters about these: "ann|home", "name|ann"."""
        return self.open(cluster_id(self._work.owner.key, each) for each in what)

    def open(self, ids: Iterable[str]) -> list[OpenCluster]:
        """Clusters by their ids, read in one go."""
        wanted = list(dict.fromkeys(ids))
        if missing := [each for each in wanted if each not in self._open]:
            rows = self._work.rows(map(self._key, missing))
            for identity in missing:
                row = rows.get(self._key(identity))
                self._open[identity] = _opened(identity, row.record() if row is not None else None)
        return [self._open[each] for each in wanted]

    def put(self) -> None:
        """Put what changed; a cluster without members is none any more, and linked with nothing."""
        for each in [each for each in self._open.values() if each.changed and each.is_empty]:
            for other in self.open(each.links):
                other.links.discard(each.id)
                other.changed = True
            each.links.clear()
        for each in self._open.values():
            if each.changed and each.is_empty:
                self._work.remove(self._key(each.id))
            elif each.changed:
                self._work.put_if_changed(row_of(self._record(each)))
            each.changed = False

    def _record(self, cluster: OpenCluster) -> Cluster:
        return Cluster(
            id=cluster.id,
            owner=self._work.owner,
            created_at=_EPOCH,
            version=0,
            about=cluster.about,
            statements=tuple(cluster.statements[member] for member in sorted(cluster.statements)),
            member_ids=tuple(sorted(cluster.members)),
            linked_ids=tuple(sorted(cluster.links)),
        )

    def _key(self, cluster: str) -> Key:
        return self._work.key(Collection.CONTROL, cluster)


def _opened(identity: str, record: AnyRecord | None) -> OpenCluster:
    if not isinstance(record, Cluster):
        return OpenCluster(identity)
    statements = {each.id: each for each in record.statements}
    return OpenCluster(identity, record.about, record.statements, statements, {*record.member_ids}, {*record.linked_ids})
