"""The unit of work: an owner's records as if all writes had arrived, and what is to be written. Blocks: for the pool.

Records are read through it, put and removed. What changed becomes rows once, at the end (``changes``).

Clusters say which records are looked at together when one of them changes. They are rows in ``control``. The clusters of a
fact or foresight, and its statement there, follow from the record alone. It is in one for each subject and attribute that it
claims something of. It is in that of its own words too, unless they say so little that nobody asks for them.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from flows.consistency.aggregates.skills import SkillWriter
from flows.consistency.judge import Judge
from flows.items import NewRecord
from mneme.ids import cluster_id, long_hash
from mneme.ports import MemoryIndex
from mneme.records import AnyRecord, AtomicFact, Cluster, Entity, Owner, Relationship, Stated, Statement
from mneme.rows import Collection, Embedding, Key, Row, Vector, key_of, revised, row_of, statement_key
from mneme.settings import Settings
from mneme.text import tokenise

Node = TypeVar("Node", Entity, Relationship)


@dataclass(frozen=True, slots=True)
class Deciders:
    """The judge, the writer and the embedder that a revision asks, and its settings.

    ``judge`` compares the statements that a model wrote, None where claims alone decide; ``write_skill`` writes what cases
    have in common, None where a rule does.
    """

    judge: Judge | None
    write_skill: SkillWriter | None
    embed: Callable[[list[str]], "Future[Sequence[Embedding]]"]
    settings: Settings


class UnitOfWork:
    """The records of one owner.

    Args:
        owner: whose records these are.
        index: what was acknowledged.
        unrefreshed: what the owner's lane wrote and the index may not show yet; None for what it removed.
    """

    def __init__(self, owner: Owner, index: MemoryIndex, unrefreshed: Mapping[Key, Row | None]) -> None:
        self.owner = owner
        self.index = index
        self.clusters = Clusters(self)
        self._rows: dict[Key, Row | None] = dict(unrefreshed)  # as they were before
        self._without_vector: set[Key] = set()
        self._records: dict[Key, AnyRecord | None] = {}  # as they are now
        self._new: dict[Key, NewRecord] = {}
        self._changed: dict[Key, None] = {}

    def key(self, collection: Collection, identity: str) -> Key:
        """The key of a record of this owner."""
        return Key(collection, self.owner.key, identity)

    def get(self, keys: Iterable[Key]) -> dict[Key, AnyRecord]:
        """The records that are there.

        Raises:
            StoreUnavailable: the index does not answer.
        """
        wanted = list(dict.fromkeys(keys))
        self._read([key for key in wanted if key not in self._rows and key not in self._records], with_vectors=False)
        return {key: record for key in wanted if (record := self._record(key)) is not None}

    def statements(self, identities: Iterable[str]) -> dict[str, Statement]:
        """The facts and foresights that are there, by their ids."""
        records = self.get(statement_key(self.owner.key, each) for each in identities).values()
        return {record.id: record for record in records if isinstance(record, Statement)}

    def vectors(self, keys: Iterable[Key]) -> dict[Key, Vector]:
        """The vectors of the records that are there and have one. Raises as ``get``."""
        wanted = list(dict.fromkeys(keys))
        self._read_vectors(wanted)
        at_hand = self.known_vectors()
        return {key: at_hand[key] for key in wanted if key in at_hand}

    def known_vectors(self) -> dict[Key, Vector]:
        """The vectors that are at hand: a search of the index may not find their records yet."""
        vectors = {key: row.vector for key, row in self._rows.items() if row is not None}
        vectors |= {key: each.embedding.vector if each.embedding is not None else None for key, each in self._new.items()}
        there = {key: vector for key, vector in vectors.items() if self._records.get(key, key) is not None}
        return {key: vector for key, vector in there.items() if vector is not None}

    def put(self, record: AnyRecord) -> None:
        """Write a record, in place of one that is there. Of a statement all stays that is searched in it."""
        key = key_of(record)
        self._records[key], self._changed[key] = record, None

    def put_new(self, new: NewRecord) -> None:
        """Write a record with all that is searched in it."""
        self.put(new.record)
        self._new[key_of(new.record)] = new

    def holds(self, record: AnyRecord) -> bool:
        """Tell whether a record is there with the same content. Raises as ``get``."""
        key = key_of(record)
        before = self.get([key]).get(key)
        return before is not None and before.model_copy(update={"version": record.version}) == record

    def remove(self, key: Key) -> None:
        """Remove a record; none that is not there."""
        if self.get([key]):
            self._records[key] = self._changed[key] = None

    def changes(self) -> dict[Key, Row | None]:
        """The rows to write, without versions, and to remove (None), in order. Raises as ``get``."""
        self.clusters.put()
        self._read_vectors([key for key in self._changed if isinstance(self._records[key], Statement)])
        return {key: self._row(key) for key in self._changed}

    def _read(self, keys: Sequence[Key], with_vectors: bool) -> None:
        rows = self.index.get(keys, with_vectors) if keys else {}
        for key in keys:
            self._rows[key] = rows.get(key)
            (self._without_vector.discard if with_vectors else self._without_vector.add)(key)

    def _read_vectors(self, keys: Iterable[Key]) -> None:
        there = (key for key in keys if key not in self._new and self._records.get(key, key) is not None)
        self._read([key for key in there if key not in self._rows or key in self._without_vector], with_vectors=True)

    def _record(self, key: Key) -> AnyRecord | None:
        """A record as it is now; parsed once."""
        if key not in self._records:
            row = self._rows[key]
            self._records[key] = row.record() if row is not None else None
        return self._records[key]

    def _row(self, key: Key) -> Row | None:
        record, new, before = self._records[key], self._new.get(key), self._rows.get(key)
        if record is None:
            return None
        if new is not None:
            return row_of(record, new.embedding, new.context)
        return revised(before, record) if before is not None and isinstance(record, Statement) else row_of(record)


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
    """A record as a statement in the cluster of its own words. A statement of an end is news each time, unless it has a day."""
    repeats = record.happens_at is not None or not any(claim.ends for claim in record.claims)
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
    """Everything that a record says: who, to what question, of which day. Two events of the same words are two."""
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
    """The clusters of the owner of a unit of work, which puts them when it ends."""

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
            records = self._work.get(map(self._key, missing))
            for identity in missing:
                self._open[identity] = _opened(identity, records.get(self._key(identity)))
        return [self._open[each] for each in wanted]

    def filed(self, of: type[Node], kind: str, keys: Iterable[str]) -> list[Node]:
        """The nodes or edges of the graph that are filed under any of some keys of a kind, as they are now."""
        clusters = self.about(*(f"{kind}|{key}" for key in sorted(keys)))
        ids = sorted({member for cluster in clusters for member in cluster.members})
        records = self._work.get(self._work.key(Collection.GRAPH, each) for each in ids)
        return [record for record in records.values() if isinstance(record, of)]

    def put(self) -> None:
        """Put what changed; a cluster without members is deleted with its links."""
        for each in [each for each in self._open.values() if each.changed and each.is_empty]:
            for other in self.open(each.links):
                other.links.discard(each.id)
                other.changed = True
            each.links.clear()
        for each in self._open.values():
            if each.changed and each.is_empty:
                self._work.remove(self._key(each.id))
            elif each.changed and not self._work.holds(record := self._record(each)):
                self._work.put(record)
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
