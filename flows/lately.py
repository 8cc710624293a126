"""What passed a lane a moment ago: remembered until the index is certain to show it, and no longer.

As in flows/unseen.py, the snapshots of a lane tell the time: what it wrote before the last few of them is in the index. So this
holds what some seconds bring, however many conversations there ever were.
"""

from collections import deque
from collections.abc import Iterator, MutableMapping
from itertools import repeat
from operator import contains
from typing import TypeVar

from flows.unseen import SNAPSHOTS

Value = TypeVar("Value")


class Lately(MutableMapping[str, Value]):
    """A dictionary that forgets what was not set again for some snapshots."""

    def __init__(self) -> None:
        self._generations: deque[dict[str, Value]] = deque([{}], maxlen=SNAPSHOTS)

    def __getitem__(self, name: str) -> Value:
        for generation in reversed(self._generations):
            if name in generation:
                return generation[name]
        raise KeyError(name)

    def __setitem__(self, name: str, value: Value) -> None:
        self._generations[-1][name] = value

    def __delitem__(self, name: str) -> None:
        found = [generation.pop(name) for generation in self._generations if name in generation]
        if not found:
            raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(map(contains, self._generations, repeat(name)))

    def __iter__(self) -> Iterator[str]:
        return iter({name: None for generation in self._generations for name in generation})

    def __len__(self) -> int:
        return len(set().union(*self._generations))

    def snapshot_taken(self) -> None:
        """Forget what is in the index by now."""
        self._generations.append({})
