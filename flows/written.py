"""What lies in the index of all that a run wrote: counted once, however often it was written."""

from collections import Counter


class Written:
    """Takes what the writer tells (``Writer.wrote``). What was removed again does not count, and a fact that turned out to
    repeat another is a repetition, whether both were written together or one after the other."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}

    def __call__(self, kind: str, identity: str) -> None:
        """A row was written, or with an empty kind removed."""
        if kind:
            self._kinds[identity] = kind
        else:
            self._kinds.pop(identity, None)

    def rows(self) -> Counter[str]:
        """How many of each kind."""
        return Counter(self._kinds.values())
