"""Clusters: what is looked at together when one of it changes. Rows in ``control``, of an owner. Blocks: for the pool."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from flows.consistency.view import View
from mneme.records import Cluster
from mneme.rows import Collection, Key, row_of

_BEGINNING = datetime.fromisoformat("1970-01-01T00:00:00+00:00")  # a cluster has no date of its own


@dataclass(slots=True)
class _Open:
    """A cluster within one unit of work."""

    members: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    touched: bool = False


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
            self._clusters[identity] = (
                _Open(set(record.member_ids), set(record.linked_ids)) if isinstance(record, Cluster) else _Open()
            )

    def members(self, cluster: str) -> set[str]:
        """The ids of its members."""
        return self._open(cluster).members

    def links(self, cluster: str) -> set[str]:
        """The ids of the clusters linked with it."""
        return self._open(cluster).links

    def touched(self) -> list[str]:
        """The clusters that something joined or left."""
        return [identity for identity, each in self._clusters.items() if each.touched]

    def join(self, cluster: str, member: str) -> None:
        """A member comes."""
        found = self._open(cluster)
        found.members.add(member)
        found.touched = True

    def leave(self, cluster: str, member: str) -> None:
        """A member goes."""
        found = self._open(cluster)
        found.members.discard(member)
        found.touched = True

    def link(self, one: str, other: str) -> None:
        """Two clusters are looked at together from now on, for as long as both have members."""
        self._open(one).links.add(other)
        self._open(other).links.add(one)
        self._open(one).touched = self._open(other).touched = True

    def put(self) -> None:
        """Put what changed; a cluster without members is none any more, and linked with nothing."""
        for identity in self.touched():
            if not self._open(identity).members:
                self.load(self.links(identity))
                for other in self.links(identity):
                    self._open(other).links.discard(identity)
                    self._open(other).touched = True
        for identity in self.touched():
            each = self._open(identity)
            each.touched = False
            if each.members:
                self._view.put_if_changed(
                    row_of(
                        Cluster(
                            id=identity,
                            owner=self._view.owner,
                            created_at=_BEGINNING,
                            version=0,
                            member_ids=tuple(sorted(each.members)),
                            linked_ids=tuple(sorted(each.links)),
                        )
                    )
                )
            else:
                each.links.clear()
                self._view.remove(self._key(identity))

    def _open(self, cluster: str) -> _Open:
        if cluster not in self._clusters:
            self.load([cluster])
        return self._clusters[cluster]

    def _key(self, cluster: str) -> Key:
        return self._view.key(Collection.CONTROL, cluster)
