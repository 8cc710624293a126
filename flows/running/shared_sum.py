"""A number to which every process of the flow adds its part, and of which each of them sees the whole.

The parts lie beside one another in memory that all map, each written by one process only.
"""

import mmap
import os

_BYTES = 8  # of a part: aligned, so that a reader sees the old or the new one


class SharedSum:
    """The part of one process, and the sum of all.

    Args:
        descriptor: of a file made by ``shared_file``, inherited from the process that made it; -1 where there is one process.
        processes: how many add a part.
        number: which of them this is, from 0.
    """

    def __init__(self, descriptor: int = -1, processes: int = 1, number: int = 0) -> None:
        self._parts = memoryview(mmap.mmap(descriptor, processes * _BYTES)).cast("q")
        self._number = number

    def put(self, part: int) -> None:
        """What this process adds now."""
        self._parts[self._number] = part

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return sum(self._parts)


def reset(descriptor: int, processes: int) -> None:
    """Make a file hold one part for each process, all 0. Nobody may use it now."""
    os.ftruncate(descriptor, 0)
    os.ftruncate(descriptor, processes * _BYTES)
