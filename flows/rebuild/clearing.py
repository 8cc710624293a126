"""Taking rows out of an index by the thousand, without holding more than some of them."""

from collections import Counter
from collections.abc import Callable
from itertools import islice

from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex, Outcome, Remove
from mneme.rows import Collection, Row

_AT_A_TIME = 20_000  # keys in memory: some 6 MB
_BULK = 1000


def clear(index: MemoryIndex, collection: Collection, goes: Callable[[Row], bool] = lambda row: True) -> Counter[str]:
    """Remove the rows of a collection that are to go, of all tenants; how many of each kind. Nobody else may write.

    Raises:
        StoreError: the index refuses, or is out of reach; what is left is removed when it is repeated.
    """
    removed: Counter[str] = Counter()
    while True:
        index.refresh()
        # A scan of its own for each part: one that lasts must not see its rows removed under it.
        rows = list(islice(filter(goes, index.scan(collection)), _AT_A_TIME))
        if not rows:
            return removed
        for start in range(0, len(rows), _BULK):
            part = rows[start : start + _BULK]
            results = index.write([Remove(row.key, row.version) for row in part])
            refused = [(row, result) for row, result in zip(part, results, strict=True) if result.outcome is not Outcome.DONE]
            if refused:
                row, result = refused[0]
                raise StoreRejected(
                    f"{row.id} cannot be removed ({result.outcome} {result.reason}); is a flow running elsewhere?"
                )
        removed.update(row.kind for row in rows)
