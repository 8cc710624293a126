"""What the indices of the flow's benchmarks have in common: nobody searches them, and no server stands behind them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mneme.ports import EmbedderIdentity, Filter, Group, Hit, Owned, Place, Scored, Selection, TextLeg, VectorLeg
from mneme.rows import Collection, Key, Row, Vector


class UnsearchedIndex:
    """The part of a ``MemoryIndex`` that finds and lists nothing, and has no files; its metadata is kept in this process."""

    def __init__(self) -> None:
        self._metadata: dict[str, str] = {}

    def prepare(self, embedder: EmbedderIdentity) -> None:
        """Nothing to make."""

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        """Nothing is found."""
        return [[] for _ in legs]

    def score(
        self, collection: Collection, filter: Filter, tokens: Sequence[str], vector: Vector | None, limit: int
    ) -> list[Scored]:
        """Nothing is found."""
        return []

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        """Nothing is found."""
        return [[] for _ in legs], [[] for _ in selections]

    def token_vectors(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Nothing is found."""
        return {}

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        """Nothing is listed."""
        return []

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        """Nothing is listed."""
        return []

    def owners(self, tenant_id: str, limit: int) -> list[Owned]:
        """Nothing is listed."""
        return []

    def refresh(self) -> None:
        """Everything is there at once."""

    @contextmanager
    def bulk(self, visible_after_seconds: float | None = None) -> Iterator[None]:
        """Many writes are as any."""
        yield

    def merge(self) -> None:
        """There are no files."""

    def purge(self) -> None:
        """Nothing is kept of what was removed."""

    def metadata(self) -> dict[str, str]:
        """What was set in this process."""
        return dict(self._metadata)

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Kept in this process."""
        self._metadata |= values

    def close(self) -> None:
        """Nothing is held open."""
