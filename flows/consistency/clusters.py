"""Clusters: what is looked at together when one of it changes. Rows in ``control``, of an owner. Blocks: for the pool."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from flows.consistency.view import View
from mneme.records import Cluster, Stated
from mneme.rows import Collection, Key, row_of

_BEGINNING = datetime.fromisoformat("1970-01-01T00:00:00+00:00")  # a cluster has no date of its own


@dataclass(slots=True)
class _Open:
    """A cluster within one unit of work."""

    about: str = ""
    before: tuple[Stated, ...] = ()  # its statements as they were read
    statements: dict[str, Stated] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    touched: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.statements and not self.members


class Clusters:
    """The clusters of one owner, within one unit of work: change them, then ``put``."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._clusters: dict[str, _Open] = {}

    def load(self, ids: Iterable[str]) -> None:
        """Read clusters in one go."""
        missing = [each for each in dict.fromkeys(ids) if each not in self._clusters]
        rows = self._view.rows(self._key(each) for each in missing) if missing else {}
        for identity in missing:
            row = rows.get(self._key(identity))
            record = self._view.record(row) if row is not None else None
            self._clusters[identity] = _opened(record) if isinstance(record, Cluster) else _Open()

    def about(self, cluster: str) -> str:
        """What its statements are about."""
        return self._open(cluster).about

    def statements(self, cluster: str) -> list[Stated]:
        """Its statements."""
        return [*self._open(cluster).statements.values()]

    def statements_before(self, cluster: str) -> list[Stated]:
        """Its statements when it was read."""
        return [*self._open(cluster).before]

    def members(self, cluster: str) -> set[str]:
        """The ids of its members that are no statements."""
        return self._open(cluster).members

    def links(self, cluster: str) -> set[str]:
        """The ids of the clusters linked with it."""
        return self._open(cluster).links

    def state(self, cluster: str, about: str, statement: Stated) -> None:
        """A statement comes, in place of what it said before."""
        found = self._open(cluster)
        found.about, found.touched = about, True
        found.statements[statement.id] = statement

    def join(self, cluster: str, member: str) -> None:
        """A member comes that is no statement."""
        found = self._open(cluster)
        found.members.add(member)
        found.touched = True

    def leave(self, cluster: str, member: str) -> None:
        """A statement or another member goes."""
        found = self._open(cluster)
        found.members.discard(member)
        found.statements.pop(member, None)
        found.touched = True

    def link(self, one: str, other: str) -> None:
        """Two clusters are looked at together from now on, for as long as both have members."""
        self._open(one).links.add(other)
        self._open(other).links.add(one)
        self._open(one).touched = self._open(other).touched = True

    def put(self) -> None:
        """Put what changed; a cluster without members is none any more, and linked with nothing."""
        for identity in self._touched():
            if self._open(identity).is_empty:
                self.load(self.links(identity))
                for other in self.links(identity):
                    self._open(other).links.discard(identity)
                    self._open(other).touched = True
        for identity in self._touched():
            each = self._open(identity)
            each.touched = False
            if each.is_empty:
                each.links.clear()
                self._view.remove(self._key(identity))
                continue
            cluster = Cluster(
                id=identity,
                owner=self._view.owner,
                created_at=_BEGINNING,
                version=0,
                about=each.about,
                statements=tuple(each.statements[member] for member in sorted(each.statements)),
                member_ids=tuple(sorted(each.members)),
                linked_ids=tuple(sorted(each.links)),
            )
            self._view.put_if_changed(row_of(cluster), cluster)

    def _touched(self) -> list[str]:
        return [identity for identity, each in self._clusters.items() if each.touched]

    def _open(self, cluster: str) -> _Open:
        if cluster not in self._clusters:
            self.load([cluster])
        return self._clusters[cluster]

    def _key(self, cluster: str) -> Key:
        return self._view.key(Collection.CONTROL, cluster)


def _opened(record: Cluster) -> _Open:
    statements = {each.id: each for each in record.statements}
    return _Open(record.about, record.statements, statements, {*record.member_ids}, {*record.linked_ids})
