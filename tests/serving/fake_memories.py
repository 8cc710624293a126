"""Stand-ins for ``queries.Memories`` in tests of the command line: each answers what its test gave it."""

from typing import Any, Self


class OpenedMemories:
    """Memories that are opened and closed, and remember in ``asked`` what they were asked."""

    asked: dict[str, Any]

    @classmethod
    def connect(cls, settings: object, url: str | None = None) -> Self:
        return cls()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        return None
