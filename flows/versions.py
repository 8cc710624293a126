"""Versions of records: of two writes the one made later wins, whichever arrives last.

A version is ``run * 10**12 + counter``. The run is a number that grows with every start of a flow (flows/running/recovery.py
keeps it), the counter runs in the process. A lane is in one process at a time, so its versions only grow; and a
replay after a crash writes higher versions than the attempt that crashed, so that the index ends at what the replay
says even where the crashed attempt had got further.
"""

import itertools

# Three years at 10,000 writes a second (a run that outgrew its share would win over the next one), and 9 million runs
# within the 63 bits that an index has for a version.
WRITES_PER_RUN = 10**12
MOST_RUNS = 1_000_000  # that an archive may claim: a row of the last version would leave an index no newer one


class Versions:
    """Gives out versions; safe for several threads (``itertools.count`` is atomic in CPython)."""

    def __init__(self, run: int) -> None:
        self._counter = itertools.count(run * WRITES_PER_RUN + 1)

    def next(self) -> int:
        """A version higher than all before."""
        return next(self._counter)
