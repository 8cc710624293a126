"""An index of a benchmark's own: empty at first, and gone afterwards unless it is to be kept."""

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
        own = _placed(settings, Path(folder), short_hash(f"{folder} {utc_now()}"))
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                from connectors.opensearch.client import drop_indices

                drop_indices(own.opensearch)


def kept_index(settings: Settings, name: str) -> Settings:
    """Settings of an index that stays: what an earlier run left under this name, or nothing yet.

    The embedded one lies in ``bench/NAME`` of the data folder; in OpenSearch the names of its indices begin with the prefix of
    the settings and ``bench-NAME``.
    """
    return _placed(settings, settings.data / "bench" / name, name)


def _placed(settings: Settings, folder: Path, name: str) -> Settings:
    prefix = f"{settings.opensearch.index_prefix}-bench-{name}"
    opensearch = settings.opensearch.model_copy(update={"index_prefix": prefix})
    return settings.model_copy(update={"data": folder, "opensearch": opensearch})
