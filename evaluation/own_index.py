"""An index of a benchmark's own: empty at first, gone afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mneme.ids import short_hash
from mneme.settings import Settings
from mneme.times import utc_now


@contextmanager
def fresh_index(settings: Settings, bench: str) -> Iterator[Settings]:
    """Settings of an empty index that is erased afterwards.

    The embedded one lies in a temporary folder, in OpenSearch its indices have a prefix of their own.
    """
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder:
        prefix = f"{settings.opensearch.index_prefix}-bench-{short_hash(f'{folder} {utc_now()}')}"
        opensearch = settings.opensearch.model_copy(update={"index_prefix": prefix})
        own = settings.model_copy(update={"data": Path(folder), "opensearch": opensearch})
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                from connectors.opensearch.client import drop_indices

                drop_indices(own.opensearch)
